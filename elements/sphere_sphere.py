"""Spheres against spheres: set-valued contact.

Geometry: elements/geometry/sphere_geometry.py. Source: the paper's eq. (7) and (8), with the direction of n
corrected (docs/theory.md, section 4).
"""

from collections.abc import Sequence
from typing import Unpack

import numpy as np

from elements.geometry.sphere_geometry import measure_sphere_sphere
from elements.law_arguments import shows
from nsgalpha.arrays import Flags, Floats, Ints, Planes
from nsgalpha.geometry.broad_phase import near_pairs
from nsgalpha.model.constructor_record import recorded
from nsgalpha.model.contact_element import ContactLaw, LawArguments
from nsgalpha.model.geometry_interface import Geometry
from nsgalpha.model.handles import Body, couple, pair_list, sphere_list
from nsgalpha.model.registration import offered


@offered("elements")
@recorded
@shows(ContactLaw)
class SphereSphere:
    """Contact of spheres: pairs `among` a set, given `pairs`, or `between` two sets.

    Side A is the first of a given pair, and that of the first set. `without`: pairs that another element has.
    Bodies that a joint holds together have contact only as a given pair, or if the joint says so.
    `law`: mu, e_n, e_t, rolling_radius, drilling_radius as in `nsgalpha.model.contact_element.ContactLaw`.

    Raises the errors of ContactLaw. Raises ValueError if a body is paired with itself or named twice, or not
    exactly one of `among`, `pairs` and `between` is given, or `without` beside `pairs`.

    >>> model = ns.Model()
    >>> a = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0), velocity=(1, 0, 0))
    >>> b = model.add_sphere(radius=0.1, mass=1.0, position=(0.25, 0, 0))
    >>> element = model.add(SphereSphere(among=model.spheres, e_n=0.5))
    >>> result = ns.simulate(model, t_end=0.1, h=0.01)
    >>> result.velocity[-1, :, 0].round(9)
    array([0.25, 0.75])
    """

    geometry: Geometry = measure_sphere_sphere

    def __init__(
        self,
        among: Sequence[Body] | None = None,
        *,
        pairs: Sequence[tuple[Body, Body]] | None = None,
        between: tuple[Sequence[Body], Sequence[Body]] | None = None,
        without: Sequence[tuple[Body, Body]] = (),
        **law: Unpack[LawArguments],
    ) -> None:
        self.law = ContactLaw(**law)
        if sum(given is None for given in (among, pairs, between)) != 2:
            raise ValueError("among, pairs and between: give exactly one of them")
        self._pairs = _listed("pairs", () if pairs is None else pairs)
        self.named, self.ordered = pairs is not None, among is None
        self._without = _listed("without", without)
        if pairs is not None and self._without:
            raise ValueError("without: is for `among` and `between`; leave the pair out of `pairs`")
        #: every one of the first set meets every one of the second
        self._sides = (sphere_list("among", () if among is None else among),) * 2
        if between is not None:
            self._sides = _two_sets(between)
        self._first, second = (np.array([body.index for body in side], np.int64) for side in self._sides)
        self._members = np.union1d(self._first, second)

    def shared_pair(self, other: "SphereSphere") -> tuple[str, str] | None:
        """The names of a pair in common with `other`, or None."""
        apart = _named(self._without) | _named(other._without)
        for one, two in ((self, other), (other, self)):
            first, second = ({id(body) for body in side} for side in two._sides)
            listed = _named(two._pairs)
            for a, b in one._pairs:
                i, j = id(a), id(b)
                if frozenset((i, j)) in apart:
                    continue
                if (i in first and j in second) or (j in first and i in second) or {i, j} in listed:
                    return a.name, b.name
        for side in (other._sides, other._sides[::-1]):
            one_of, with_one_of = (
                _common(mine, theirs) for mine, theirs in zip(self._sides, side, strict=True)
            )
            for a in one_of:
                for b in with_one_of:
                    if a is not b and frozenset((id(a), id(b))) not in apart:
                        return a.name, b.name
        return None

    def handles(self) -> Sequence[Body]:
        """The spheres of the element."""
        first, second = self._sides
        return [*first, *(second if second is not first else []), *(b for pair in self._pairs for b in pair)]

    def candidates(
        self, x: Floats, radius: Floats, planes: Planes, reach: float, cell: Floats | None = None
    ) -> tuple[Ints, Ints, Ints]:
        """Pairs of spheres nearer than `reach` [m], in a periodic `cell` by images; given pairs always."""
        if self._pairs:
            found = np.array([(a.index, b.index) for a, b in self._pairs], np.int64)
        else:
            found = near_pairs(x, radius, self._members, reach, cell)
            if self._sides[0] is not self._sides[1]:
                ours = np.isin(found, self._first)
                found = found[ours[:, 0] != ours[:, 1]]
                found = np.where(np.isin(found[:, :1], self._first), found, found[:, ::-1])
            if self._without:
                found = found[~_among(found, [(a.index, b.index) for a, b in self._without])]
        return found[:, 0].copy(), found[:, 1].copy(), np.full(len(found), -1, np.int64)


def _among(found: Ints, pairs: Sequence[tuple[int, int]]) -> Flags:
    """Flags (C,) of the `found` pairs (C, 2) that are among `pairs`, in either order."""
    size = max(int(found.max(initial=0)), *(max(pair) for pair in pairs)) + 1
    named, known = (np.sort(np.array(p, np.int64).reshape(-1, 2), axis=1) for p in (found, pairs))
    return np.isin(named[:, 0] * size + named[:, 1], known[:, 0] * size + known[:, 1])


def _named(pairs: Sequence[tuple[Body, Body]]) -> set[frozenset[int]]:
    """Identities of the bodies of `pairs`."""
    return {frozenset((id(a), id(b))) for a, b in pairs}


def _listed(name: str, pairs: Sequence[tuple[Body, Body]]) -> list[tuple[Body, Body]]:
    """`pairs`, an argument called `name`, or a ValueError."""
    listed: list[tuple[Body, Body]] = []
    for pair in pair_list(name, pairs, "a pair of bodies"):
        a, b = (sphere_list(name, [body])[0] for body in pair)
        listed.append((a, b))
        if a is b:
            raise ValueError(f"{name}: {a.name!r} is paired with itself; a pair needs two bodies")
    if len(_named(listed)) < len(listed):
        raise ValueError(f"{name}: a pair is given twice; name each one once")
    return listed


def _two_sets(between: tuple[Sequence[Body], Sequence[Body]]) -> tuple[list[Body], list[Body]]:
    """The two sets of `between`, or a ValueError."""
    sides = couple("between", between, "two lists of bodies")
    first, second = (sphere_list("between", side) for side in sides)
    for body in _common(first, second):
        raise ValueError(f"between: {body.name!r} is in both sets; a body has no contact with itself")
    return first, second


def _common(one: list[Body], two: list[Body]) -> list[Body]:
    """Bodies in both lists."""
    known = {id(body) for body in two}
    return [body for body in one if id(body) in known]
