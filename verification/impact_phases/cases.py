"""The cases: a scene, from when on its velocities are compared, and with which steps."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from verification.balls import GRAVITY
from verification.impact_phases import scenes
from verification.impact_reference.scene import Scene

FINE = (1e-3, 1e-4, 1e-5, 1e-6)  # [s]
WIDE = (1e-2, *FINE)
GAPS = (1e-5, 4e-6, 2e-6, 1e-6)  # [s] a gap is crossed in 9 us: longer steps see none
LOADS = 3.0 * GRAVITY  # [m/s^2]
TURNS = 60.0  # [m/s^2] at 1 or 2 m/s: loads, and v^2/2R of lines of centres that turn
BREAKS = 150.0  # [m/s^2] at 10.8 m/s
SLOW = (2e-3, 1e-3)
SWINGS = 10
HALF_SWING = math.pi * math.sqrt(scenes.DROP / GRAVITY)  # [s]


@dataclass(frozen=True, slots=True)
class PhaseCase:
    """A scene with the study that belongs to it.

    after: time [s] from the first impact to the comparison, which is at the end of the step after next.
    steps: of the full study [s], the longest first. paths: see model.py.
    rate: accepted error over the step [m/s^2]: loads act for part of a step, lines of centres turn.
    swings: of a cradle, whose amplitudes are compared instead of velocities.
    """

    scene: Callable[[], Scene]
    after: float = 0.0
    steps: tuple[float, ...] = WIDE
    paths: tuple[str, ...] = ("compiled", "load", "springs")
    rate: float = LOADS
    swings: int = 0

    @property
    def t_end(self) -> float:
        """End [s] of the comparison, after the first impact; for a cradle from the start."""
        return self.swings * HALF_SWING if self.swings else self.after + 2.0 * self.steps[0]


def _columns() -> dict[str, PhaseCase]:
    return {
        f"column of {count}, e {e:g}": PhaseCase(partial(scenes.column, count, e))
        for count in range(1, 11)
        for e in (1.0, 0.93, 0.5)
    }


def _cradles() -> dict[str, PhaseCase]:
    kinds = (
        ("swinging cradle", scenes.swinging_cradle, ("load",)),
        ("cradle on strings", scenes.string_cradle, ("load", "springs")),
    )
    return {
        f"{name}, {raised} raised": PhaseCase(partial(build, raised), steps=SLOW, paths=paths, swings=SWINGS)
        for name, build, paths in kinds
        for raised in (1, 2, 3)
    }


CASES: dict[str, PhaseCase] = {
    "rack, mu 0.06": PhaseCase(scenes.rack, steps=FINE, rate=BREAKS),
    "rack, mu 0.06, spin": PhaseCase(scenes.shipped_break, steps=FINE, rate=BREAKS),
    "rack, no friction": PhaseCase(partial(scenes.rack, 0.0), steps=FINE, rate=BREAKS),
    "rack, mu 0.06, gaps": PhaseCase(partial(scenes.rack, gap=scenes.GAP), 2e-3, GAPS, rate=1e3),
    "rack, no friction, gaps": PhaseCase(partial(scenes.rack, 0.0, scenes.GAP), 2e-3, GAPS, rate=1e3),
    **_columns(),
    "column of 3, e 0": PhaseCase(partial(scenes.column, 3, 0.0)),
    "column of 3, e 1, light": PhaseCase(partial(scenes.column, 3, 1.0, 1e-6 * GRAVITY), rate=0.0),
    "row of 5, 1e-9 N": PhaseCase(partial(scenes.loaded_row, 5, 1e-9), paths=("load", "springs"), rate=0.0),
    "row of 5, 1 N": PhaseCase(partial(scenes.loaded_row, 5, 1.0), paths=("load", "springs")),
    "rolling cue ball": PhaseCase(scenes.rolling_cue, rate=TURNS),
    "incline with a wall, e 0": PhaseCase(partial(scenes.incline, e=0.0)),
    "incline with a wall": PhaseCase(scenes.incline),
    "stack of three": PhaseCase(scenes.stack, rate=TURNS),
    "stack of three, e 0": PhaseCase(partial(scenes.stack, e=0.0), rate=TURNS),
    "tower of three": PhaseCase(scenes.tower, rate=TURNS),
    **_cradles(),
}
