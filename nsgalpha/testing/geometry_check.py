"""Checks of a contact geometry: does it measure what it says it measures?

    check_geometry(measure, corners_a, radius_a, corners_b, radius_b)

`measure` takes these arrays and returns `Measured`. For the given scenes it asks

    record       unit normals, weights that sum to one, fractions in [0, 1], nothing that is not a number
    vertices     the overlap changes by -n w_A with the points of A, by n w_B with those of B, by differences
    rigid        and by the normal in the contact point where a side moves as a rigid body
    motion       everything moves along when both sides move as one rigid body
    units        lengths in another unit are the same lengths
    exchange     sides A and B exchanged give the opposite normal and the same contact
    continuity   on ways of B past A, through all features, overlap times fraction along the normal, and its
                 moment, have no jumps: the largest changes are followed into ever shorter pieces of the way
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from nsgalpha.arrays import Flags, Floats
from nsgalpha.checks import choice, finite, function, instance, integer, refuse, truth, truths
from nsgalpha.system.primitive_measures import Measured

Measure = Callable[[Floats, Floats, Floats, Floats], Measured]

DIFFERENCE = 1e-6  # over the size of the scenes
DERIVATIVE = 1e-6  # error of a derivative of the overlap
SYMMETRY = 1e-8  # change under rigid motion and exchange, over the largest value
PIECES = 400  # of a way
FOLLOWED = 6  # pieces of every way
HALVINGS = 20  # of these
JUMP = 1e-3  # change that may be left, over the largest value


class Scenes(NamedTuple):
    """Primitives of C pairs; a geometry with k contacts of a pair gives k C rows."""

    corners_a: Floats  # (C, N_A, 3)
    radius_a: Floats  # (C,)
    corners_b: Floats  # (C, N_B, 3)
    radius_b: Floats  # (C,)


class Way(NamedTuple):
    """Motion of B in the scenes, and the continuous quantities on the way."""

    measure: Measure
    scenes: Scenes
    ways: Floats  # (C, 3)
    turns: Floats  # (C, 3)
    moment: bool
    strength: Callable[[Measured], Floats] | None


def check_geometry(
    measure: Measure,
    corners_a: Floats,
    radius_a: Floats,
    corners_b: Floats,
    radius_b: Floats,
    *,
    smooth: Callable[[Measured], Flags] | None = None,
    vertices: str = "AB",
    exchange: bool = False,
    continuous: str = "force and moment",
    strength: Callable[[Measured], Floats] | None = None,
    ways: Floats | None = None,
    turns: Floats | None = None,
    seed: int = 0,
) -> None:
    """Raise AssertionError, with a sentence, unless a geometry agrees with its statements.

    corners_a (C, N_A, 3), radius_a (C,), corners_b (C, N_B, 3), radius_b (C,): scenes [m]. smooth: rows where
    the overlap has the derivatives that weights and normal say; by default those that overlap with a fraction
    of 1. vertices: sides whose points may move one by one, of "AB"; the others are moved as rigid bodies
    only. exchange: whether A and B may be exchanged. continuous: "force and moment", "force" where only this
    is, "" for none. strength: of contacts that overlap, the size of the force that has to be continuous; by
    default overlap times fraction. ways (C, 3) [m], turns (C, 3) [rad]: on its way B goes from -way/2 to
    way/2, and rotates from -turn/2 to turn/2 about its middle. Both are about its place in the scene; by
    default they are random, drawn with `seed`.

    Raises ValueError for scenes that do not belong together, or none in which derivatives can be checked.
    """
    function("measure", measure, "a function of two sides that returns Measured")
    for name, value in (("smooth", smooth), ("strength", strength)):
        if value is not None:
            function(name, value, "a function of Measured")
    choice("vertices", vertices, ("AB", "A", "B", "BA", ""))
    choice("continuous", continuous, ("force and moment", "force", ""))
    exchange, seed = truth("exchange", exchange), integer("seed", seed, 0)
    scenes = _scenes(corners_a, radius_a, corners_b, radius_b)
    count = len(scenes.radius_a)
    ways, turns = (_vectors(name, value, count) for name, value in (("ways", ways), ("turns", turns)))
    rng = np.random.default_rng(seed)
    size = float(np.abs(scenes.corners_a - scenes.corners_b[:, :1]).max())
    here = instance("measure", measure(*scenes), Measured, "a function that returns Measured")
    _check_record(here)
    whole = (here.overlap > 0.0) & (here.fraction == 1.0) & ~here.rejected
    chosen = whole if smooth is None else truths("smooth", smooth(here))
    if not chosen.any():
        raise refuse("smooth", "False for all scenes", "True for some", "place them so that they overlap")
    _check_vertices(measure, scenes, here, chosen, DIFFERENCE * size, vertices)
    _check_rigid(measure, scenes, here, chosen, DIFFERENCE * size)
    _check_motion(measure, scenes, here, size, rng)
    _check_units(measure, scenes, here, size)
    if exchange:
        there = measure(scenes.corners_b, scenes.radius_b, scenes.corners_a, scenes.radius_a)
        expected = here._replace(normal=-here.normal, weight_a=here.weight_b, weight_b=here.weight_a)
        _check_equal("exchange", there, expected, size)
    if ways is None:
        ways = size * rng.normal(size=(count, 3))
    if turns is None:
        turns = rng.normal(size=(count, 3))
    if continuous:
        way = Way(measure, scenes, ways, turns, "moment" in continuous, strength)
        _check_continuity(way)


def _scenes(corners_a: Floats, radius_a: Floats, corners_b: Floats, radius_b: Floats) -> Scenes:
    """The arguments as arrays, or a ValueError."""
    given = {"corners_a": corners_a, "radius_a": radius_a, "corners_b": corners_b, "radius_b": radius_b}
    scenes = Scenes(*(finite(name, value) for name, value in given.items()))
    C = len(np.atleast_1d(scenes.corners_a))
    for name, corners, radius in (("a", *scenes[:2]), ("b", *scenes[2:])):
        if corners.ndim != 3 or len(corners) != C or corners.shape[2] != 3:
            raise refuse(f"corners_{name}", f"array {corners.shape}", f"of the shape ({C}, points, 3)")
        if radius.shape != (C,):
            raise refuse(f"radius_{name}", f"array {radius.shape}", f"of the shape ({C},)")
    return scenes


def _vectors(name: str, value: Floats | None, count: int) -> Floats | None:
    """`value` as an array (count, 3) if it is given, or a ValueError."""
    if value is None:
        return None
    vectors = finite(name, value)
    if vectors.shape != (count, 3):
        raise refuse(name, f"array {vectors.shape}", f"of the shape ({count}, 3)")
    return vectors


def _check_record(here: Measured) -> None:
    for name in ("normal", "point", "weight_a", "weight_b", "contact_radius", "area", "fraction"):
        values = getattr(here, name)[~here.rejected]
        assert np.isfinite(values).all(), f"record: {name} has values that are not finite"
    length = np.linalg.norm(here.normal, axis=1)
    assert np.abs(length - 1.0).max() < 1e-12, f"record: a normal has the length {length.max():.6g}, not 1"
    for name in ("weight_a", "weight_b"):
        total = getattr(here, name).sum(axis=1)
        assert np.abs(total - 1.0).max() < 1e-9, f"record: {name} does not sum to 1: {total.min():.6g}"
    assert ((here.fraction >= 0.0) & (here.fraction <= 1.0)).all(), "record: a fraction is not in [0, 1]"


def _slope(measure: Measure, scenes: Scenes, side: int, by: Floats) -> Floats:
    """Halved change of the overlaps for displacements `by` and `-by` of one side's points."""
    ends = []
    for sign in (1.0, -1.0):
        moved = list(scenes)
        moved[2 * side] = scenes[2 * side] + sign * by
        ends.append(measure(*moved).overlap)
    return 0.5 * (ends[0] - ends[1])


def _compare(what: str, slope: Floats, expected: Floats, chosen: Flags) -> None:
    error = np.abs(slope - expected)[chosen]
    assert error.max() < DERIVATIVE, (
        f"{what}: the overlap changes by {slope[chosen][error.argmax()]:.6g} m per m, normal and weights "
        f"say {expected[chosen][error.argmax()]:.6g}"
    )


def _check_vertices(
    measure: Measure, scenes: Scenes, here: Measured, chosen: Flags, eps: float, sides: str
) -> None:
    """Derivatives with respect to every point."""
    for side, (name, weight) in enumerate((("A", here.weight_a), ("B", here.weight_b))):
        if name not in sides:
            continue
        for i in range(weight.shape[1]):
            for axis in range(3):
                by = np.zeros_like(scenes[2 * side])
                by[:, i, axis] = eps
                slope = _slope(measure, scenes, side, by) / eps
                expected = (2 * side - 1) * here.normal[:, axis] * weight[:, i]
                _compare(f"vertices: point {i} of {name}", slope, expected, chosen)


def _check_rigid(measure: Measure, scenes: Scenes, here: Measured, chosen: Flags, eps: float) -> None:
    """Derivatives for rigid motion of one side: n, and c x n per angle."""
    per = len(here.overlap) // len(scenes.radius_a)
    for side, name in enumerate("AB"):
        corners = scenes[2 * side]
        arm = here.point - np.repeat(corners[:, 0], per, axis=0)
        couple = np.cross(arm, here.normal)
        reach = 1.0 + float(np.abs(arm).max())
        for axis in range(3):
            unit = np.eye(3)[axis]
            slope = _slope(measure, scenes, side, np.broadcast_to(eps * unit, corners.shape)) / eps
            _compare(f"rigid: {name} moved", slope, (2 * side - 1) * here.normal[:, axis], chosen)
            by = eps * np.cross(unit, corners - corners[:, :1])
            slope = _slope(measure, scenes, side, by) / eps
            _compare(f"rigid: {name} turned", slope / reach, (2 * side - 1) * couple[:, axis] / reach, chosen)


def _same(what: str, name: str, seen: Floats, expected: Floats, size: float) -> None:
    finite = np.isfinite(expected)
    assert (np.isfinite(seen) == finite).all(), f"{what}: {name} is finite in one of the two only"
    error = np.abs(seen[finite] - expected[finite])
    assert not error.size or error.max() <= SYMMETRY * size, (
        f"{what}: {name} is another one, by {error.max():.3g}"
    )


def _check_motion(
    measure: Measure, scenes: Scenes, here: Measured, size: float, rng: np.random.Generator
) -> None:
    """The scenes, moved as a whole."""
    turn, shift = Rotation.from_rotvec(rng.normal(size=3)), size * rng.normal(size=3)
    moved = [turn.apply(c.reshape(-1, 3)).reshape(c.shape) + shift for c in (scenes[0], scenes[2])]
    there = measure(moved[0], scenes.radius_a, moved[1], scenes.radius_b)
    expected = here._replace(normal=turn.apply(here.normal), point=turn.apply(here.point) + shift)
    _check_equal("motion", there, expected, size)


def _check_units(measure: Measure, scenes: Scenes, here: Measured, size: float) -> None:
    """The scenes with all lengths smaller by a power of two, without rounding."""
    unit = 2.0**-20
    there = measure(*(unit * each for each in scenes))
    lengths = {
        name: unit * getattr(here, name)
        for name in ("overlap", "point", "effective_radius", "contact_radius")
    }
    _check_equal("units", there, here._replace(area=unit * unit * here.area, **lengths), unit * size)


def _check_equal(what: str, there: Measured, expected: Measured, size: float) -> None:
    assert (there.rejected == expected.rejected).all(), (
        f"{what}: a contact is rejected in one of the two only"
    )
    units = dict.fromkeys(("overlap", "point", "effective_radius", "contact_radius"), size)
    units |= dict.fromkeys(("normal", "weight_a", "weight_b", "fraction"), 1.0) | {"area": size * size}
    for name, unit in units.items():
        valid = ~there.rejected
        _same(what, name, getattr(there, name)[valid], getattr(expected, name)[valid], unit)


def _check_continuity(way: Way) -> None:
    """Follow the largest changes on every way of B into ever shorter pieces."""
    s = np.linspace(-0.5, 0.5, PIECES + 1)
    values = np.array([_force(way, each) for each in s])
    largest = np.abs(values).max()
    if largest == 0.0:
        raise refuse("ways", "of B without an overlap", "through overlaps", "let B pass through A")
    change = np.abs(np.diff(values, axis=0)).max(axis=2)
    for piece in np.argsort(-change, axis=0)[:FOLLOWED]:
        low, high = s[piece], s[piece + 1]
        below, above = (np.take_along_axis(values, (piece + k)[None, :, None], 0)[0] for k in (0, 1))
        for _ in range(HALVINGS):
            middle = 0.5 * (low + high)
            value = _force(way, middle)
            first = np.abs(value - below).max(axis=1) > np.abs(above - value).max(axis=1)
            low, high = np.where(first, low, middle), np.where(first, middle, high)
            below = np.where(first[:, None], below, value)
            above = np.where(first[:, None], value, above)
        left = np.abs(above - below).max(axis=1)
        scene = int(left.argmax())
        assert left[scene] < JUMP * largest, (
            f"continuity: in scene {scene}, at {low[scene]:.6g} of the way, the contact jumps by "
            f"{left[scene] / largest:.3g} of the largest"
        )


def _force(way: Way, s: float | Floats) -> Floats:
    """Forces (C, 3) on A, or with their moments (C, 6), at the part `s` of the ways."""
    scenes, C = way.scenes, len(way.ways)
    part = np.broadcast_to(s, C)[:, None]
    turn = Rotation.from_rotvec(part * way.turns).as_matrix()
    middle = scenes.corners_b.mean(axis=1, keepdims=True)
    corners = np.einsum("cij,cnj->cni", turn, scenes.corners_b - middle) + middle + (part * way.ways)[:, None]
    there = way.measure(scenes.corners_a, scenes.radius_a, corners, scenes.radius_b)
    closed = (there.overlap > 0.0) & ~there.rejected
    size = there.fraction * there.overlap if way.strength is None else way.strength(there)
    force = np.where(closed, size, 0.0)[:, None] * there.normal
    arm = there.point - np.repeat(scenes.corners_a[:, 0], len(force) // C, axis=0)
    whole = np.concatenate([force, np.cross(arm, force)], axis=1) if way.moment else force
    return whole.reshape(C, -1, whole.shape[1]).sum(axis=1)
