"""Bonds of a start: glued contacts of `StickedLinks`, as part of the state of a run.

    model.add(CompliantSphereSphere(among=grains, contact=StickedLinks(...)))
    result = ns.simulate(model, ..., state=glued(model, gap=1e-4, clusters=[first_rock, second_rock]))

Pairs whose gap is at most `gap` get the bond `inner` if both are of one cluster, `outer` otherwise. All other
pairs, and those whose bond has broken, are in ordinary contact.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from elements.laws.rockable.sticked_links import INNER, OUTER, Bond, StickedLinks
from nsgalpha.arrays import Floats, Ints
from nsgalpha.checks import instance, listed, number_in
from nsgalpha.forces.compliant_forces import CompliantForces
from nsgalpha.forces.contact_group import ContactGroup, PairGroup
from nsgalpha.forces.surface_contacts import SurfaceGroup
from nsgalpha.model.handles import Body, handle_list, own
from nsgalpha.model.model import Model
from nsgalpha.model.registration import offered
from nsgalpha.model.state import State
from nsgalpha.system.system import System


@offered("starts")
def glued(model: Model, *, gap: float, clusters: Sequence[Sequence[Body]] = ()) -> State:
    """The initial state of `model` with bonds between all neighbours of `StickedLinks`.

    gap [m]: up to which two bodies are neighbours. clusters: lists of bodies; those in none are one each.

    A bond of spheres is known by the pair that it holds, however far apart it is stretched: the reach of the
    element may be 0. Primitives that bodies carry are bonded contact by contact; their bonds, as all contacts
    of primitives, are forgotten beyond the reach. Primitives that deform are not bonded.

    Raises ValueError if a body is in two clusters or of another model, or no bond comes about. Also raises it
    if the reach of an element of primitives is below the gap and the elongation f_n0/k_n at which a bond
    breaks.
    """
    instance("model", model, Model, "a Model")
    gap = number_in("gap", gap, 0.0, np.inf, remedy="it is a length in metres")
    cluster = _clusters(model, clusters)
    system = System(model)
    compliant = CompliantForces(system)
    state = model.initial_state()
    motion = system.motion(state)
    compliant.find(motion, gap)
    compliant.begin(motion)
    if not sum(_glue(group, cluster, gap) for group in compliant.groups if isinstance(group, ContactGroup)):
        raise ValueError(
            f"gap = {gap!r}: no two bodies are so near in an element with StickedLinks and a bond for them"
        )
    return replace(state, contacts=compliant.history())


def _clusters(model: Model, clusters: Sequence[Sequence[Body]]) -> Ints:
    """Number of the cluster of every body; the ground and frames have their own."""
    number = np.arange(len(model.bodies) + 1 + len(model.planes))
    named: set[int] = set()
    for k, bodies in enumerate(listed("clusters", clusters, "a list of lists of bodies")):
        for body in handle_list(f"clusters[{k}]", bodies, Body):
            own(model, f"clusters[{k}]", body)
            if body.index in named:
                raise ValueError(f"clusters: {body.name!r} is in two of them; leave it out of one")
            named.add(body.index)
            number[body.index] = len(number) + k
    return number


class Neighbours(NamedTuple):
    """Candidates of an element: the sides (C, 2), -1 where they deform, gaps (C,) and normals (C, 3)."""

    sides: Ints
    gap: Floats
    normal: Floats


def _neighbours(group: ContactGroup) -> Neighbours:
    if isinstance(group, SurfaceGroup):
        c = group.candidates
        return Neighbours(group.carriers(c.a, c.b), group.gaps(), group.started().normal)
    assert isinstance(group, PairGroup)
    s = group.start
    return Neighbours(np.column_stack([s.a, s.b]), s.gap, s.normal)


def _check_reach(group: ContactGroup, bond: Bond, largest: float) -> None:
    """ValueError if bonds of primitives would be forgotten before they break."""
    needed = max(largest, 0.0) + bond.f_n0 / bond.k_n
    if isinstance(group, SurfaceGroup) and group.law.reach < needed:
        raise ValueError(
            f"reach = {group.law.reach!r}: of primitives must be at least {needed:.3g} m, the gap and the "
            "elongation f_n0/k_n at which a bond breaks"
        )


def _glue(group: ContactGroup, cluster: Ints, gap: float) -> int:
    """Write the bonds of one element into its history; returns how many."""
    column, bonds = 0, 0
    n = _neighbours(group)
    carried = (n.sides >= 0).all(axis=1)
    for (law, _, _), size in zip(group.law.parts, group.law.memory, strict=True):
        if isinstance(law, StickedLinks):
            same = cluster[n.sides[:, 0]] == cluster[n.sides[:, 1]]
            for bond, state, where in ((law.inner, INNER, same), (law.outer, OUTER, ~same)):
                near = np.flatnonzero(carried & where & (n.gap <= gap))
                if bond is None or len(near) == 0:
                    continue
                _check_reach(group, bond, float(n.gap[near].max()))
                group.history[near, column] = state
                group.history[near, column + 1] = n.gap[near] if bond.rest == "gap" else 0.0
                group.tangent[near] = _any_tangent(n.normal[near])
                bonds += len(near)
        column += size
    return bonds


def _any_tangent(n: Floats) -> Floats:
    """Unit vectors normal to `n` (C, 3)."""
    axis = np.eye(3)[np.abs(n).argmin(axis=1)]
    t = np.cross(n, axis)
    return t / np.linalg.norm(t, axis=1)[:, None]
