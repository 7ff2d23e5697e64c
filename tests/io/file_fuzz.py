"""Thousands of damaged and edited result files, opened in a process that may die.

    python -m tests.io.file_fuzz --count 10000 --seed 1
    python -m tests.io.file_fuzz --only 4711 --seed 1 --keep bad.h5

A file whose bytes are damaged must be refused, or all its readings must be those of the original. One that
was edited must be refused or read. A refusal is an OSError or ValueError that names the file. The process may
take 1 GiB more than it has at the beginning.
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import os
import resource
import select
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from signal import SIGKILL
from typing import Any

import numpy as np

from tests.io.file_mutations import DAMAGE, EDITS
from tests.io.file_runs import make_runs

ROOT = Path(__file__).resolve().parents[2]
LIMIT = 1 << 30  # bytes above those of the process at the beginning
BEGINNING = 240.0  # seconds in which a worker reads the originals, and may compile kernels
PATIENCE = 60.0  # seconds for one file
SLOW = 5.0
OUTCOMES = ("refused", "in part", "read", "WRONG", "RAW ERROR", "CRASH", "HANG")
GOOD = frozenset(OUTCOMES[:3])


def main() -> int:
    """Run and print the counts; 1 if a file was not refused and not read right."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0, help="number of the first file")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int, help="the number of one file")
    parser.add_argument("--keep", help="where that one is written")
    parser.add_argument("--kind", default="", help="only this mutation")
    parser.add_argument("--worker", nargs=2, metavar=("FOLDER", "FIRST"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker:
        folder, first = arguments.worker
        work(Path(folder), range(int(first), arguments.count), arguments.seed, arguments.kind)
        return 0
    first, last = arguments.first, arguments.first + arguments.count
    numbers = range(first, last) if arguments.only is None else range(arguments.only, arguments.only + 1)
    counts: Counter[tuple[str, str]] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        make_runs(Path(folder))
        times = []
        for record in outcomes(Path(folder), numbers, arguments.seed, arguments.kind):
            counts[record["kind"], record["outcome"]] += 1
            times.append(record["seconds"])
            if record["outcome"] not in GOOD or record["seconds"] > SLOW or arguments.only is not None:
                print(json.dumps(record), flush=True)
        if arguments.keep:
            Path(arguments.keep).write_bytes((Path(folder) / "mutant.h5").read_bytes())
    print(as_table(counts))
    print(f"seconds a file: median {np.median(times):.3f}, largest {max(times):.2f}; all {sum(times):.0f}")
    return int(any(outcome not in GOOD for _, outcome in counts))


def outcomes(folder: Path, numbers: range, seed: int, kind: str = "") -> Iterator[dict[str, Any]]:
    """A record of each file; a worker that dies or hangs is followed by another."""
    following = numbers.start
    while following < numbers.stop:
        command = [sys.executable, "-m", "tests.io.file_fuzz", "--worker", str(folder), str(following)]
        command += ["--count", str(numbers.stop), "--seed", str(seed), "--kind", kind]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as worker:
            began = False
            for record in _records(worker):
                began = True
                if "number" in record:
                    following = record["number"] + 1
                    yield record
            died = worker.wait()
            said = worker.stderr.read().decode(errors="replace")[-4000:] if worker.stderr else ""
            if not began:
                raise RuntimeError(f"the originals cannot be read: {said}")
            if died:
                outcome = "HANG" if died == -SIGKILL else "CRASH"
                yield {
                    "number": following,
                    "kind": "?",
                    "outcome": outcome,
                    "seconds": 0.0,
                    "said": f"exit code {died} {said[-1500:]}",
                }
                following += 1


def _records(worker: Any) -> Iterator[dict[str, Any]]:
    """The lines of a worker, until it ends or nothing comes."""
    pending, patience = b"", BEGINNING
    os.set_blocking(worker.stdout.fileno(), False)
    while True:
        ready, _, _ = select.select([worker.stdout], [], [], patience)
        patience = PATIENCE
        if not ready:
            worker.kill()
            return
        new = worker.stdout.read()
        if not new:
            return
        *lines, pending = (pending + new).split(b"\n")
        yield from map(json.loads, lines)


def work(folder: Path, numbers: range, seed: int, kind: str) -> None:
    """Make and try files, one line of output for each."""
    from tests.io.file_doors import numbers_of, resumed

    report = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # the output of the commands is not read
    originals = sorted(path for path in folder.glob("*.h5") if "mutant" not in path.stem)
    content = {path: path.read_bytes() for path in originals}
    known = {path: (numbers_of(path), resumed(path)) for path in originals}
    limit_memory()
    faulthandler.enable()
    print(json.dumps({"began": len(content)}), file=report, flush=True)
    for number in numbers:
        start, random = time.perf_counter(), np.random.default_rng([seed, number])
        original, mutation = choose(originals, random, kind)
        path = folder / "mutant.h5"
        path.write_bytes(content[original])
        said = mutation(path, random)
        record = {"number": number, "kind": mutation.__name__, "original": original.stem, "did": said}
        if path.read_bytes() == content[original]:
            record |= {"outcome": "read"}
        else:
            record |= judged(path, known[original] if mutation in DAMAGE else None, random)
        record["seconds"] = time.perf_counter() - start
        print(json.dumps(record), file=report, flush=True)


def choose(originals: list[Path], random: np.random.Generator, kind: str = "") -> tuple[Path, Any]:
    """Choice of a mutation."""
    mutations = DAMAGE if random.random() < 0.5 else EDITS
    if kind:
        mutations = tuple(each for each in (*DAMAGE, *EDITS) if each.__name__ == kind)
    original = originals[random.integers(len(originals))]
    return original, mutations[random.integers(len(mutations))]


def judged(path: Path, expected: Any, random: np.random.Generator) -> dict[str, Any]:
    """True if all doors refuse the file or read the `expected` content, if that is known."""
    from tests.io.file_doors import REFUSALS, clean, command, readings, repaired, resumed

    refused: list[str] = []
    read = 0

    def tried(name: str, door: Any, *, named: bool = True) -> Any:
        nonlocal read
        try:
            value = door()
        except BaseException as error:  # a file may cause no other error in any case
            if not (clean(error, path) or (not named and isinstance(error, REFUSALS))):
                text = f"{name}: {type(error).__name__}: {str(error)[:300]!r}"
                raise _RawError(text) from error
            refused.append(f"{name}: {error}")
            return None
        read += 1
        return value

    try:
        every = tried("load", lambda: list(readings(path)))
        for name, door in every or ():
            value = tried(name, door)
            if expected is not None and value is not None and value != expected[0].get(name):
                return {"outcome": "WRONG", "said": name}
        if random.random() < 0.3:
            tried("info", lambda: _exit_code(command("info", str(path), "--json")))
            whole = tried("repair", lambda: repaired(path))
            if expected is not None and whole is not None and not _begins(whole, expected[0]):
                return {"outcome": "WRONG", "said": "repaired"}
        if random.random() < 0.3:
            # laws may say during the run that their numbers do not fit, as they do of a script
            last = tried("resume", lambda: resumed(path), named=False)
            if expected is not None and last is not None and last != expected[1]:
                wrong = [name for name, value in last.items() if value != expected[1].get(name)]
                return {"outcome": "WRONG", "said": f"resumed: {wrong}"}
    except _RawError as error:
        return {"outcome": "RAW ERROR", "said": str(error)}
    outcome = "refused" if not read else "in part" if refused else "read"
    return {"outcome": outcome, "said": refused[0][:300] if refused else ""}


class _RawError(Exception):
    """An error that is no refusal."""


def _exit_code(ended: tuple[int, str, str]) -> int:
    code, out, err = ended
    if code == 2:
        raise ValueError(err.strip())
    if code not in (0, 1) or not all(line.isprintable() for line in out.splitlines()):
        raise RuntimeError(f"exit code {code}, {out!r}")
    return code


def _begins(whole: dict[str, Any], expected: dict[str, Any]) -> bool:
    """Whether all repaired tables are the beginning of the original's."""
    for name, value in whole.items():
        if name in ("status", "state(-1)") or name.startswith("state("):
            continue
        known = expected.get(name)
        if isinstance(value, tuple):
            if known is None or not known[2].startswith(value[2]):
                return False
        elif name.startswith("sensors") or name == "changes":
            if any(not two[2].startswith(one[2]) for one, two in zip(value, known, strict=True)):
                return False
        elif value != known:
            return False
    return True


def limit_memory() -> None:
    """From now on the process may take `LIMIT` more."""
    size = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    resource.setrlimit(resource.RLIMIT_AS, (size + LIMIT, size + LIMIT))


def as_table(counts: Counter[tuple[str, str]]) -> str:
    """Rows for mutations, columns for outcomes."""
    kinds = sorted({kind for kind, _ in counts})
    rows = [f"{'':12s}" + "".join(f"{outcome:>11s}" for outcome in OUTCOMES)]
    for kind in kinds:
        rows.append(f"{kind:12s}" + "".join(f"{counts[kind, outcome]:11d}" for outcome in OUTCOMES))
    total = "".join(f"{sum(counts[kind, outcome] for kind in kinds):11d}" for outcome in OUTCOMES)
    return "\n".join([*rows, f"{'all':12s}{total}"])


if __name__ == "__main__":
    sys.exit(main())
