"""Benchmark of result files: cost of recording, opening time of a large file.

A falling pile of 1000 spheres is run three times, alternating between a record of its end and a file of every
tenth step. Then a file of 2 GB is made, of states of the size that such a pile has at rest. A fresh process
opens it and plots the speed of one body.
"""

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import numpy as np

import nsgalpha as ns
from nsgalpha.io.run_file import RunFile
from nsgalpha.model.state import STATE_WIDTHS
from nsgalpha.run.recorder import Part
from nsgalpha.run.run_records import CONTACT_WIDTHS, STATISTICS, Contacts
from nsgalpha.run.run_settings import Settings
from nsgalpha.stepping.status import finished
from verification.benchmarks.line import Line, line
from verification.scenes import pile

COUNT, STEPS, H = 1000, 60, 1e-3
CONTACTS = 2300  # of a pile of 1000 at rest
BYTES = 2e9
TARGET = "target {}"

OPEN = """
import sys, time
import numpy as np
from matplotlib.figure import Figure
import nsgalpha as ns

def peak():  # [MB]; getrusage would give that of the parent
    rows = open("/proc/self/status").read().split("\\n")
    return next(int(row.split()[1]) for row in rows if row.startswith("VmHWM")) * 1.024e-3

before = peak()
start = time.perf_counter()
result = ns.load(sys.argv[1])
figure = Figure()
figure.subplots().plot(result.t, np.linalg.norm(result.velocity[:, 500], axis=1))
figure.savefig(sys.argv[1] + ".png")
print(time.perf_counter() - start, peak(), before)
"""


def bench_recording() -> list[Line]:
    """A pile of 1000 with a file of every tenth step, and opening a file of 2 GB."""
    with TemporaryDirectory() as folder:
        return [*_cost(Path(folder)), *_opening(Path(folder) / "large.h5")]


def _cost(folder: Path) -> list[Line]:
    start = ns.simulate(pile(COUNT), t_end=0.08, h=H, tol=1e-8, record_every=1000).state()

    def seconds(recording: ns.Recording) -> float:
        begun = process_time()
        model, end = pile(COUNT), start.t + STEPS * H
        ns.simulate(model, t_end=end, h=H, tol=1e-8, recording=recording, state=start)
        return process_time() - begun

    kinds = ns.Recording(every=1000), ns.Recording(every=10, file=folder / "pile.h5", overwrite=True)
    pairs = [[seconds(kind) for kind in kinds] for _ in range(4)]
    plain, stored = (min(times) for times in zip(*pairs, strict=True))
    return [
        line(f"{STEPS} steps of {COUNT} spheres that fall", plain, "s"),
        line("more with a file of every 10th step", 100.0 * (stored / plain - 1.0), "%", TARGET.format(20)),
    ]


def _opening(path: Path) -> list[Line]:
    states = _write(path)
    done = subprocess.run([sys.executable, "-c", OPEN, str(path)], check=True, capture_output=True, text=True)
    seconds, memory, before = map(float, done.stdout.split())
    return [
        line(f"file of {states} states of {COUNT} spheres", path.stat().st_size / 1e9, "GB"),
        line("opened, speed of one body plotted", seconds, "s", TARGET.format(1)),
        line("memory of the process", memory, "MB", TARGET.format(200)),
        line("... before the file is opened", before, "MB"),
    ]


def _write(path: Path) -> int:
    """A file of about BYTES with states as a pile has them; returns how many."""
    model = pile(COUNT)
    rng = np.random.default_rng(0)
    block = 20
    settings = Settings(ns.GeneralizedAlpha(), H, 1e-8, 0.0, 1, True, 1.0, "")
    store = RunFile.new(ns.Recording(file=path), model, settings, model.initial_state(), block)
    states: dict[str, Any] = {name: rng.normal(size=(block, COUNT, w)) for name, w in STATE_WIDTHS.items()}
    rows = block * CONTACTS
    body = rng.integers(0, COUNT, rows)
    start, sides = CONTACTS * np.arange(block + 1), (body, body[::-1], np.full(rows, -1))
    n, impulse, wrench, multipliers = (rng.normal(size=(rows, width)) for width in CONTACT_WIDTHS.values())
    feature, gap, status = np.zeros(rows, np.int64), rng.normal(size=rows), np.full(rows, "slip")
    contacts = Contacts(start, *sides, feature, gap, n, impulse, wrench, multipliers, status)
    statistics = np.zeros((block, len(STATISTICS)))
    count = 0
    while count == 0 or path.stat().st_size < BYTES:
        t = H * np.arange(count, count + block)
        store.append(Part(states | {"t": t}, contacts, statistics, [], {}))
        count += block
    store.close(finished(count * H, count))
    return count
