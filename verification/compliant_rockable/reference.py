"""The recorded cases of the program, and the laws with its options.

rockable.json was reduced from 101 frames per case, see the provenance in it. Of bonds between clusters the
program takes the damping from en2Contact, not from en2OuterBond; so it is here.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from elements import Bond, RockableAvalanche, RockableDefault, StickedLinks
from nsgalpha.arrays import Floats
from verification.recorded import recorded

FILE = __file__, "rockable.json"
FACE = 0.05  # [m] from the middle of a plane to its face
Law = RockableDefault | RockableAvalanche | StickedLinks


@dataclass(frozen=True, slots=True)
class RecordedCase:
    """One recorded case; the sides of the contact are A, the program's i, and B, its j."""

    name: str
    data: dict[str, Any]  # the program's input
    mass: Floats  # (2,) of A, B
    t: Floats  # (K,)
    motion: Floats  # (K, 3, 2, 3) x, v, w of A, B
    force: Floats  # (K, 7) f_n, f_t, M on A; zero where no contact is active
    sides: tuple[int, int]  # places of A and B among the bodies

    @property
    def plane(self) -> bool:
        """Side B is a plane."""
        return self.data["bodies"][0]["shape"] == "Plane"

    @property
    def radius(self) -> Floats:
        """Radii (2,) [m] of A, B: a sphere's scale, a plane's half thickness."""
        scale = np.array([self.data["bodies"][side]["h"] for side in self.sides], float)
        return scale * (1.0, FACE if self.plane else 1.0)

    @property
    def branch(self) -> float:
        """Distance [m] of the centres at touch, at a plane the radius of the sphere."""
        return float(self.radius[0] if self.plane else self.radius.sum())

    def parameter(self, keyword: str) -> float:
        """The value for the only pair of groups there is."""
        (value,) = (float(entry[3]) for entry in self.data["data"] if entry[0] == keyword)
        return value


@cache
def cases() -> dict[str, RecordedCase]:
    """All cases by name."""
    return {name: _case(name, entry) for name, entry in recorded(*FILE)["cases"].items()}


def provenance() -> str:
    """Where the numbers come from."""
    return str(recorded(*FILE)["provenance"])


def _case(name: str, entry: dict[str, Any]) -> RecordedCase:
    sides = (1, 0) if entry["input"]["bodies"][0]["shape"] == "Plane" else (0, 1)
    frames = entry["frames"]
    return RecordedCase(
        name,
        entry["input"],
        np.array(entry["masses"])[list(sides)],
        np.array([frame["t"] for frame in frames]),
        np.array([[frame["x"], frame["v"], frame["w"]] for frame in frames])[:, :, list(sides)],
        np.array([frame["contact"] or np.zeros(7) for frame in frames]),
        sides,
    )


def law(case: RecordedCase) -> Law:
    """The law of `case` with the program's options."""
    value = case.parameter
    names = {"k_n": "kn", "en2": "en2", "k_t": "kt", "mu": "mu", "k_r": "kr", "mu_r": "mur"}
    springs: dict[str, Any] = {name: value(f"{theirs}Contact") for name, theirs in names.items()}
    if case.data["law"] == "Avalanche":
        return RockableAvalanche(**springs, keeps_history=True)
    touching = RockableDefault(**springs, rolling_length=True, keeps_history=True)
    if case.data["law"] == "Default":
        return touching
    options: dict[str, Any] = {"touching": touching, "cuts": True, "keeps_damping": True}
    if kind(case) == 2:
        return StickedLinks(outer=_bond(case, "OuterBond", value("en2Contact"), "gap"), **options)
    return StickedLinks(inner=_bond(case, "InnerBond", value("en2InnerBond"), "touch"), **options)


def kind(case: RecordedCase) -> int:
    """State of the contact at the start: 0 contact, 1 inner, 2 outer bond."""
    glue = case.data.get("glue", [""])[0]
    return {"": 0, "stickVerticesInClusters": 1, "stickClusters": 2}[glue]


def _bond(case: RecordedCase, kind: str, en2: float, rest: str) -> Bond:
    names = {
        "k_n": "kn",
        "k_t": "kt",
        "k_r": "kr",
        "f_n0": "fn0",
        "f_t0": "ft0",
        "M_0": "mom0",
        "power": "pow",
    }
    numbers = {name: case.parameter(theirs + kind) for name, theirs in names.items()}
    return Bond(**numbers, en2=en2, shear="accumulated", rest=rest)
