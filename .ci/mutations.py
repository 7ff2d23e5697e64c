"""Break the core at random places, one at a time, and count how many of these mutants the tests notice.

    python .ci/mutations.py --count 20 --seed 1
    python .ci/mutations.py --only 7        # the eighth place alone

A mutant is a copy of the checkout with one sign, factor or index changed in `CORE`. It is noticed when a test
of the main suite fails; the tests of its own folder run first. A mutant that the main suite does not notice
meets the tests marked `long`. Prints a line for each place and a line of sums.
"""

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CORE = [f"nsgalpha/{name}" for name in ("contact", "constraints", "forces", "schemes", "stepping")]
CORE += ["elements/geometry", "elements/laws"]
#: Tests that most often notice a mutant, beside those of its own folder: they run first.
FIRST = ("tests/golden", "tests/physics/test_impacts.py", "tests/physics/test_persistent_contact.py")
MINUTES = 60  # for one run of the tests


def changes(source):
    """All (start, end, replacement) of a source text: changes of signs, factors and indices in functions."""
    begins = [0]
    for line in source.encode().splitlines(keepends=True):
        begins.append(begins[-1] + len(line))

    def span(node):
        start = begins[node.lineno - 1] + node.col_offset
        return start, begins[node.end_lineno - 1] + node.end_col_offset

    text, found = source.encode(), []
    functions = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]
    for node in {
        id(node): node for each in functions for line in each.body for node in ast.walk(line)
    }.values():
        match node:
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op, right=right) if _number(left, right):
                old, new = (b"+", b"-") if isinstance(op, ast.Add) else (b"-", b"+")
                at = text.index(old, span(left)[1], span(right)[0])
                found.append((at, at + 1, new))
            case ast.BinOp(op=ast.Mult(), right=right) if _number(right):
                start, end = span(right)
                found.append((start, end, b"(1.25 * " + text[start:end] + b")"))
            case ast.Subscript(slice=ast.Constant(value=int(index)) as part):
                found.append((*span(part), b"%d" % (index - 1 if index > 0 else index + 1)))
    return sorted(found)


def _number(*nodes):
    """Whether no node is a text, a tuple or a list, whose sums and products join them."""
    return not any(
        isinstance(node, ast.Tuple | ast.List | ast.JoinedStr)
        or (isinstance(node, ast.Constant) and not isinstance(node.value, int | float))
        for node in nodes
    )


def places(count, seed):
    """(file, start, end, replacement) of `count` changes, drawn from all of the core by `seed`."""
    paths = [path for folder in CORE for path in sorted((ROOT / folder).rglob("*.py"))]
    every = [(path, *change) for path in paths for change in changes(path.read_text(encoding="utf-8"))]
    return random.Random(seed).sample(every, count)


def mutant(folder, path, start, end, new):
    """Copy the checkout into the folder with one change; the changed line, before and after."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    before = path.read_bytes()
    (folder / path.relative_to(ROOT)).write_bytes(before[:start] + new + before[end:])
    number = before[:start].count(b"\n")
    after = (folder / path.relative_to(ROOT)).read_bytes()
    return number + 1, *(text.splitlines()[number].decode().strip() for text in (before, after))


def failure(folder, *arguments):
    """The first test of the mutant that fails, None if all pass."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *arguments]
    environment = os.environ | {
        "PYTHONPATH": str(folder),
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }
    try:
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=60 * MINUTES
        )
    except subprocess.TimeoutExpired:
        return f"no end within {MINUTES} min"
    if done.returncode in (0, 5):  # 5: no test has been selected
        return None
    failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED ", "ERROR "))]
    return failed[0][:150] if failed else f"exit code {done.returncode}"


def own_tests(path):
    """The folder of tests of a source file."""
    parts = path.relative_to(ROOT).parts
    own = ROOT / "tests" / parts[1]
    return (f"tests/{own.name}",) if own.is_dir() else ()


def noticed(place, arguments):
    """Which tests notice the mutant, and which of them does so first."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        number, before, after = mutant(folder, *place)
        print(f"{place[0].relative_to(ROOT)}:{number}: {before}  ->  {after}", flush=True)
        for kind, chosen in (
            ("main", (*own_tests(place[0]), *FIRST)),
            ("main", arguments),
            ("long", ("-m", "long", *arguments)),
        ):
            if failed := failure(folder, *chosen):
                return kind, failed
    return "none", "all tests pass"


def main():
    """Try the mutants."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, nargs="*", help="numbers of places, from 0")
    parser.add_argument(
        "rest", nargs="*", help="arguments of pytest after --, such as -n auto --dist loadfile"
    )
    given = parser.parse_args()
    chosen = places(given.count, given.seed)
    sums = Counter()
    for number in range(given.count) if given.only is None else given.only:
        kind, failed = noticed(chosen[number], given.rest)
        sums[kind] += 1
        print(f"    {number}: {kind}: {failed}", flush=True)
    print(", ".join(f"{sums[kind]} noticed by {kind}" for kind in ("main", "long", "none")))


if __name__ == "__main__":
    main()
