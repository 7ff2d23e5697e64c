"""Comparisons: a scene beside another one with itself alone, continued, and stated in other ways."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import nsgalpha as ns
from nsgalpha.arrays import Floats
from verification.bystanders.features import DIVIDING, FEATURES, Feature, refusal
from verification.bystanders.statements import STEPS, H, Staged, Statement

SIZE = 0.1  # [m] by which angular velocities become speeds
#: Largest differences of velocities, over the largest speed of the scene. Impacts multiply a difference of
#: rounding, or of the tolerance 1e-10 of subproblems, some ten times each.
LIMITS = {
    "beside": 1e-7,
    "from a state": 0.0,  # with the exceptions of `continued`
    "from a file": 0.0,
    "turned": 1e-6,
    "mirrored": 1e-6,
    "moved": 1e-6,
    "reversed": 1e-7,
    "through Python": 1e-7,
}
WAYS = tuple(LIMITS)
STATED: dict[str, dict[str, Any]] = {
    "turned": {"turned": True},
    "mirrored": {"mirrored": True, "turned": True},
    "moved": {"moved": True},
    "reversed": {"reverse": True},
    "through Python": {"python": True},
}
HALF = STEPS // 2
ONE_SIDED = (
    "steps without inertia contain the tangents; those of primitives are one-sided differences along the "
    "axes of space, by 2e-8 of a size"
)
#: Larger limits, with their reason: (scheme, feature, way).
KNOWN: dict[tuple[str, str, str], tuple[float, str]] = {
    ("Overdamped", "compliant capsules", "turned"): (5e-6, ONE_SIDED),
    ("Overdamped", "compliant capsules", "mirrored"): (5e-6, ONE_SIDED),
    ("GeneralizedAlpha", "gear", "mirrored"): (
        1e-5,
        "iterations end at the tolerance of 1e-10: in the step in which the wheels come to rest one frame "
        "takes two of them and the other three; 2.7e-13 with 1e-12",
    ),
}
ROUNDING = 1e-12  # of differences that impacts and stiff contacts multiply over HALF steps
#: The same for steps with tangents that are differences by 2e-8 of a size: (scheme, feature). Rounding is
#: divided by this size: with 2e-6 the differences of the runs are a hundredth.
ROUNDED: dict[tuple[str, str], float] = {
    ("SemiImplicit", "compliant capsules"): 5e-9,
    ("Overdamped", "compliant capsules"): 2e-8,
    ("Overdamped", "solids"): 2e-8,
    ("Overdamped", "rounded triangles"): 2e-8,
}


def continued(name: str, features: Sequence[Feature], scheme: str) -> float:
    """Limit of a feature in a continued run: 0, or ROUNDING for large sparse systems.

    Its unknowns are eliminated in an order that follows from the pairs that were near each other when its
    pattern was made. A pattern stays valid as long as it holds all pairs.
    """
    large = scheme != "VelocityVerlet" and any(feature.large for feature in features)
    return ROUNDED.get((scheme, name), ROUNDING) if large else 0.0


@dataclass(frozen=True)
class Difference:
    """Largest velocity difference of a feature over its speed, between two runs."""

    feature: str
    way: str
    size: float
    limit: float
    text: str = ""  # of an error

    @property
    def within(self) -> bool:
        """True if the difference is as small as it must be."""
        return self.size <= self.limit

    def __str__(self) -> str:
        return f"{self.feature}, {self.way}: {self.text or format(self.size, '.1e')}"


@dataclass(frozen=True)
class Motion:
    """Velocities (n, bodies, 6) of a feature in its frame, angular ones times SIZE; how its run ended."""

    velocity: Floats
    status: str
    ok: bool


@cache
def alone(name: str, scheme: str, place: int, pause: bool = False) -> Motion:
    """Motion of a feature alone; a `pause` divides its steps as a dividing cell does."""
    staged = Statement((FEATURES[name],), scheme, first=place, pause=pause).staged()
    return motions(staged, staged.run())[0]


def motions(staged: Staged, result: ns.Result) -> list[Motion]:
    """Motions of all features of a run."""
    parts = [stage.local(result) for stage in staged.stages]
    text, ok = str(result.status), bool(result.status)
    return [Motion(np.concatenate([v, SIZE * w], axis=2), text, ok) for _, v, w in parts]


def differences(names: tuple[str, ...], scheme: str, ways: tuple[str, ...] = WAYS) -> Iterator[Difference]:
    """Differences of features in one model, or refusals, by `ways`."""
    statement = Statement(tuple(FEATURES[name] for name in names), scheme)
    if (rule := refusal(statement.features, scheme)) is not None:
        said = _refused(statement)
        if rule.words not in said:
            yield Difference("all", "refused", np.inf, 0.0, f"expected {rule.words!r}, said {said!r}")
        return
    staged = statement.staged()
    whole = staged.run()
    if not whole.status.ok:
        yield Difference("all", "run", np.inf, 0.0, str(whole.status))
    there = motions(staged, whole)
    if "beside" in ways and len(names) > 1:
        pause = any(DIVIDING in feature.made_of for feature in statement.features)
        single = [alone(name, scheme, place, pause) for place, name in enumerate(names)]
        yield from _compared(names, scheme, "beside", there, single)
    if "from a state" in ways and len(whole.t) > HALF:
        rest = staged.run(len(whole.t) - 1 - HALF, whole.state(HALF))
        yield from _compared(
            names, scheme, "from a state", motions(staged, rest), [_behind(each) for each in there]
        )
    if "from a file" in ways:
        yield from _compared(names, scheme, "from a file", _through_a_file(staged), there)
    for way in ways:
        if way in STATED:
            other = replace(statement, **STATED[way]).staged()
            yield from _compared(names, scheme, way, motions(other, other.run()), there)


def _refused(statement: Statement) -> str:
    """The words with which a model is refused; empty if it is not."""
    try:
        statement.staged().run(1)
    except ValueError as error:
        return str(error)
    return ""


def _behind(motion: Motion) -> Motion:
    return replace(motion, velocity=motion.velocity[HALF:])


def _through_a_file(staged: Staged) -> list[Motion]:
    """Motions of a run that continues from a file in the middle."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "half.h5"
        staged.run(HALF, recording=ns.Recording(file=path))
        again = staged.statement.staged().model if staged.function else None
        return motions(staged, ns.resume(path, t_end=(STEPS - 0.5) * H, model=again))


def _compared(
    names: tuple[str, ...], scheme: str, way: str, found: list[Motion], expected: list[Motion]
) -> Iterator[Difference]:
    features = [FEATURES[name] for name in names]
    for name, one, two in zip(names, found, expected, strict=True):
        usual = LIMITS[way] or continued(name, features, scheme)
        limit, _ = KNOWN.get((scheme, name, way), (usual, ""))
        speed = np.abs(two.velocity).max()
        if one.velocity.shape != two.velocity.shape:
            yield Difference(name, way, np.inf, limit, f"{one.status}; expected: {two.status}")
        else:
            size = float(np.abs(one.velocity - two.velocity).max() / speed)
            yield Difference(name, way, size, limit)
