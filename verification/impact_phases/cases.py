"""The cases: a scene, from when on its velocities are compared, and with which steps."""

from collections.abc import Callable
from dataclasses import dataclass

import math

from verification.balls import GRAVITY
from verification.impact_phases import scenes
from verification.impact_reference.scene import Scene

FINE = (1e-3, 1e-4, 1e-5, 1e-6)  # [s]
WIDE = (1e-2, *FINE)
SLOW = (2e-3, 1e-3)
SWINGS = 10
HALF_SWING = math.pi * math.sqrt(scenes.DROP / GRAVITY)  # [s]


@dataclass(frozen=True, slots=True)
class Case:
    """A scene with the study that belongs to it.

    after: time [s] from the first impact to the comparison, which is at the end of the step after next.
    steps: of the full study [s], the longest first. paths: see model.py.
    rate: accepted error over the step [m/s^2]: loads act for part of the step of the impact, geometry moves.
    swings: of a cradle, whose amplitudes are compared instead of velocities.
    """

    scene: Callable[[], Scene]
    after: float = 0.0
    steps: tuple[float, ...] = WIDE
    paths: tuple[str, ...] = ("compiled", "load", "springs")
    rate: float = 3.0 * GRAVITY
    swings: int = 0

    @property
    def t_end(self) -> float:
        """End [s] of what is compared, after the first impact; for a cradle from the start."""
        return self.swings * HALF_SWING if self.swings else self.after + 2.0 * self.steps[0]


def _columns() -> dict[str, Case]:
    return {
        f"column of {count}, e {e:g}": Case(lambda count=count, e=e: scenes.column(count, e))
        for count in range(1, 11)
        for e in (1.0, 0.93, 0.5)
    }


def _cradles() -> dict[str, Case]:
    kinds = (
        ("swinging cradle", scenes.swinging_cradle, ("load",)),
        ("cradle on strings", scenes.string_cradle, ("load", "springs")),
    )
    return {
        f"{name}, {raised} raised": Case(
            lambda build=build, raised=raised: build(raised), steps=SLOW, paths=paths, swings=SWINGS
        )
        for name, build, paths in kinds
        for raised in (1, 2, 3)
    }


CASES: dict[str, Case] = {
    "rack, mu 0.06": Case(scenes.rack, steps=FINE, rate=150.0),
    "rack, no friction": Case(lambda: scenes.rack(mu=0.0), steps=FINE, rate=150.0),
    "rack, mu 0.06, gaps": Case(lambda: scenes.rack(gap=scenes.GAP), 2e-3, FINE, rate=math.inf),
    "rack, no friction, gaps": Case(lambda: scenes.rack(0.0, scenes.GAP), 2e-3, FINE, rate=math.inf),
    **_columns(),
    "column of 3, e 1, light": Case(lambda: scenes.column(3, 1.0, 1e-6 * GRAVITY)),
    "row of 5, 1e-9 N": Case(lambda: scenes.loaded_row(5, 1e-9), paths=("load", "springs")),
    "row of 5, 1 N": Case(lambda: scenes.loaded_row(5, 1.0), paths=("load", "springs")),
    "rolling cue ball": Case(scenes.rolling_cue),
    "incline with a wall": Case(scenes.incline),
    "stack of three": Case(scenes.stack),
    "tower of three": Case(scenes.tower),
    **_cradles(),
}
