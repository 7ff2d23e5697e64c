"""Runs that are killed while they write: content of the files, and continuation.

    python -m tests.io.file_kills --count 200 --seed 1

A quarter of the files stay as the kill left them. In the others the last writes are torn, as by a loss of
power. Some of the changed pages are as before, or the end is missing or zero. Each file must open with the
states of an undisturbed run, or be refused by name. `nsgalpha info --repair` must then keep the beginning of
that run. From either the run continues as if nothing had happened.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from signal import SIGCONT, SIGKILL, SIGSTOP
from typing import Any

import numpy as np

import nsgalpha as ns
from nsgalpha.io.file_repair import repair, whole_parts
from nsgalpha.io.hdf5_tables import STATES
from tests.interface.test_restart import scene
from tests.io.file_doors import REFUSALS, clean
from tests.io.kept import agree

H, T_END = 1e-3, 0.4  # [s]
LONGEST = 0.25  # seconds from the first part to a kill
LAST = 0.02  # and of writes that may be torn
PAGE = 4096  # bytes
OUTCOMES = ("goes on", "repaired", "none whole", "LOST", "WRONG", "RAW ERROR")
GOOD = frozenset(OUTCOMES[:3])
NONE = "not one part of it is whole"

Random = np.random.Generator


def main() -> int:
    """Run and print the counts; 1 for wrong readings or losses."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    counts: Counter[tuple[str, str]] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for record in outcomes(Path(folder), arguments.count, arguments.seed):
            counts[record["kind"], record["outcome"]] += 1
            if record["outcome"] not in GOOD:
                print(record, flush=True)
    print(as_table(counts))
    return int(any(outcome not in GOOD for _, outcome in counts))


def outcomes(folder: Path, count: int, seed: int) -> Iterator[dict[str, Any]]:
    """A record of each kill."""
    whole = ns.simulate(scene(), t_end=T_END, h=H)
    for number in range(count):
        random = np.random.default_rng([seed, number])
        path = folder / f"{number}.h5"
        before, after = killed(path, random)
        kind = tuple(DAMAGE)[number % len(DAMAGE)]
        path.write_bytes(DAMAGE[kind](before, after, random))
        record = judged(path, whole)
        if (
            kind == "left" and record["outcome"] == "none whole"
        ):  # the first part is whole before there is a file
            record["outcome"] = "LOST"
        yield {"number": number, "kind": kind, **record}
        for each in folder.glob(f"{number}*"):
            each.unlink()


def killed(path: Path, random: Random) -> tuple[bytes, bytes]:
    """The bytes of a file shortly before its run is killed, and then."""
    child = os.fork()
    if child == 0:
        # a visit after every step: nearly all of the time is spent writing
        sensor = ns.Sensor("v", lambda now: now.state.velocity[0], every=1)
        recording = ns.Recording(file=path, seconds=1e-9)
        ns.simulate(scene(), t_end=1e3, h=H, recording=recording, watch=[sensor])
        os._exit(0)
    try:
        while not path.exists():
            time.sleep(0.001)
        time.sleep(random.uniform(0.0, LONGEST))
        os.kill(child, SIGSTOP)
        before = path.read_bytes()
        os.kill(child, SIGCONT)
        time.sleep(random.uniform(0.0, LAST))
    finally:
        os.kill(child, SIGKILL)
        os.waitpid(child, 0)
    return before, path.read_bytes()


def left(before: bytes, after: bytes, random: Random) -> bytes:
    """As the kill left it."""
    return after


def torn(before: bytes, after: bytes, random: Random) -> bytes:
    """Some pages of the last writes are as before; 0 where new."""
    content = bytearray(after)
    padded = before.ljust(len(after), b"\0")
    share = random.uniform()
    for place in range(0, len(after), PAGE):
        if random.random() < share:
            content[place : place + PAGE] = padded[place : place + PAGE]
    return bytes(content)


def zeroed(before: bytes, after: bytes, random: Random) -> bytes:
    """The end, of old or new content, is zero."""
    count = int(random.integers(1, 8 * PAGE))
    return after[:-count] + bytes(count)


def cut(before: bytes, after: bytes, random: Random) -> bytes:
    """The end is missing."""
    return after[: -int(random.integers(1, 8 * PAGE))]


DAMAGE: dict[str, Callable[[bytes, bytes, Random], bytes]] = {
    each.__name__: each for each in (left, torn, zeroed, cut)
}


def judged(path: Path, whole: ns.Result) -> dict[str, Any]:
    """Comparison of a file with an undisturbed run."""
    said = ""
    try:
        refused = tried(path, lambda: goes_on(path, whole))
        if refused is None:
            return {"outcome": "goes on", "said": ""}
        target, said = path.with_name(f"{path.stem}-kept.h5"), refused
        refused = tried(path, lambda: repair(path, target))
        if refused is not None:
            return {"outcome": "none whole" if NONE in refused else "LOST", "said": f"{said}; {refused}"}
        refused = tried(target, lambda: goes_on(target, whole))
        return {"outcome": "WRONG" if refused else "repaired", "said": f"{said}; {refused}"}
    except _WrongError as error:
        return {"outcome": "WRONG", "said": f"{said}; {error}"}
    except Exception as error:
        return {"outcome": "RAW ERROR", "said": f"{said}; {type(error).__name__}: {error}"}


def tried(path: Path, do: Callable[[], Any]) -> str | None:
    """Sentence of a refusal that names the file, or None."""
    try:
        do()
    except REFUSALS as error:
        if not clean(error, path):
            raise
        return str(error)
    return None


def goes_on(path: Path, whole: ns.Result) -> None:
    """Compare a file with the undisturbed run, and resume it. Raises ValueError for damage."""
    compare(ns.load(path), whole)
    if damage := whole_parts(path)[1]:
        raise ValueError(f"{path}: {'; '.join(damage)}")
    if ns.load(path).t[-1] < T_END - H / 2:
        compare(ns.resume(path, t_end=T_END), whole)


def compare(found: ns.Result, whole: ns.Result) -> None:
    """Raise _WrongError unless states and sensor agree with the undisturbed run."""
    count = min(len(found.t), len(whole.t))
    for name in STATES:
        if not agree(found, whole, name, count):
            raise _WrongError(name)
    if "v" in found.sensors:
        t, value = (np.asarray(each)[:count] for each in (found.sensors["v"].t, found.sensors["v"].value))
        known = np.searchsorted(whole.t, t - H / 2)
        if not np.array_equal(value[t < T_END], whole.velocity[known[t < T_END], 0]):
            raise _WrongError("sensors/v")


class _WrongError(Exception):
    """States that are not those of the run."""


def as_table(counts: Counter[tuple[str, str]]) -> str:
    """Rows for changes of the file, columns for outcomes."""
    rows = [f"{'':12s}" + "".join(f"{outcome:>11s}" for outcome in OUTCOMES)]
    for kind in DAMAGE:
        rows.append(f"{kind:12s}" + "".join(f"{counts[kind, outcome]:11d}" for outcome in OUTCOMES))
    return "\n".join(rows)


if __name__ == "__main__":
    sys.exit(main())
