"""The converged values in reference.json, which `python -m verification.impact_reference` makes."""

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from verification.balls import GRAVITY
from verification.impact_phases.cases import PhaseCase
from verification.impact_phases.scenes import DROP
from verification.impact_reference.percussions import percussions
from verification.impact_reference.scene import Floats, Scene, State
from verification.impact_reference.stepper import THETA, TOUCH, follow
from verification.recorded import recorded

load = partial(recorded, __file__)
FILE = Path(__file__).parent / "reference.json"
COMMAND = "python -m verification.impact_reference"
THETAS = (0.0, 1e-6, 1e-3, 1e-2, 1e-1)
IMPACTS = 25  # most instants with impacts after the first: bounces under a load accumulate
DIGITS = 12


@dataclass(frozen=True, slots=True)
class Reference:
    """Velocities after the impacts of a case, piece by piece linear in time.

    impact: instant of the first impact [s]. t: (P,) beginnings of the pieces; v, a: (P, N, 3) there.
    amplitude: (N,) [m/s] of a cradle.
    """

    impact: float
    t: Floats
    v: Floats
    a: Floats
    amplitude: Floats

    def velocity(self, t: float) -> Floats:
        """Velocities (N, 3) [m/s] at `t` [s]; the last piece continues."""
        i = max(int(np.searchsorted(self.t, t, side="right")) - 1, 0)
        return self.v[i] + (t - self.t[i]) * self.a[i]


def amplitudes(v: Floats, x: Floats, home: Floats) -> Floats:
    """Speeds (N,) [m/s] with which balls of a cradle at `x` (N, 3) come by their places at rest `home`."""
    return np.sqrt((v**2).sum(axis=1) + GRAVITY / DROP * (x - home)[:, 0] ** 2)


def home_of(scene: Scene) -> Floats:
    """Places (N, 3) [m] along x where the balls of a cradle hang at rest."""
    home = np.zeros((scene.count, 3))
    home[:, 0] = 2.0 * scene.radius * np.arange(scene.count)
    return home


def make(case: PhaseCase) -> dict[str, Any]:
    """Entry of reference.json for a case."""
    scene = case.scene()
    if case.swings:
        motion = follow(scene, case.t_end, longest=case.t_end / 500)
        first = motion.impacts[0]
        amplitude = amplitudes(motion.state.v, motion.state.x, home_of(scene))
        return {
            "impact": first.t,
            "pieces": [],
            "amplitude": _short(amplitude),
            **_thetas(scene, first.before),
        }
    first = follow(scene, 1.0, most=1).impacts[0]
    end = first.t + case.t_end
    pieces = follow(scene, end, most=IMPACTS).pieces
    keep = max(i for i, piece in enumerate(pieces) if piece.state.t <= first.t + case.after)
    kept = [
        {"t": piece.state.t, "v": _short(piece.state.v), "a": _short(piece.acceleration)}
        for piece in pieces[keep:]
        if piece.state.t < end or piece is pieces[keep]
    ]
    return {"impact": first.t, "pieces": kept, "amplitude": [], **_thetas(scene, first.before)}


def _thetas(scene: Scene, before: State) -> dict[str, Any]:
    """Velocities after the first impact for all THETAS."""
    touching = [int(k) for k in np.flatnonzero(scene.gaps(before.x) <= TOUCH)]
    done = [percussions(scene, before, touching, theta) for theta in THETAS]
    return {"after": [_short(each.state.v) for each in done], "passes": [len(each.passes) for each in done]}


def _short(values: Floats) -> list[Any]:
    """Nested lists, rounded to DIGITS of the largest."""
    largest = float(np.abs(values).max())
    digits = DIGITS - 1 - math.floor(math.log10(largest)) if largest > 0.0 else 0
    return (np.round(values, digits) + 0.0).tolist()


def write(entries: dict[str, Any]) -> None:
    """Write reference.json."""
    head = {"command": COMMAND, "theta": THETA, "thetas": THETAS}
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(entry)}" for name, entry in entries.items())
    FILE.write_text(f'{json.dumps(head)[:-1]}, "cases": {{\n{lines}\n}}}}\n', encoding="utf-8")


def reference(name: str) -> Reference:
    """The converged values of a case."""
    entry = load()["cases"][name]
    pieces: Iterable[dict[str, Any]] = entry["pieces"]
    t, v, a = (np.array([piece[key] for piece in pieces]) for key in "tva")
    return Reference(entry["impact"], t, v, a, np.array(entry["amplitude"]))
