"""Bonds of a start: which contacts of `StickedLinks` are glued, as part of the state of a run.

    model.add(CompliantSphereSphere(among=grains, contact=StickedLinks(...), reach=1e-3))
    result = ns.simulate(model, ..., state=glued(model, gap=1e-4, clusters=[first_rock, second_rock]))

Pairs whose gap is at most `gap` get the bond `inner` if both are of one cluster, `outer` otherwise. All other
pairs, and those whose bond has broken, are in ordinary contact.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from elements.laws.rockable.bonds import INNER, OUTER, StickedLinks
from nsgalpha.arrays import Floats, Ints
from nsgalpha.checks import instance, listed, number_in
from nsgalpha.compliant.contacts import CompliantForces
from nsgalpha.compliant.group import PairGroup
from nsgalpha.model.handles import Body, handle_list, own
from nsgalpha.model.model import Model
from nsgalpha.model.state import State
from nsgalpha.model.system import System


def glued(model: Model, *, gap: float, clusters: Sequence[Sequence[Body]] = ()) -> State:
    """The initial state of `model` with bonds between all neighbours of `StickedLinks`.

    gap [m]: up to which two bodies are neighbours. clusters: lists of bodies; those in none are one each.

    Raises ValueError if a body is in two clusters or of another model, no bond comes about, or the element's
    reach is shorter than the gap and the elongation f_n0/k_n at which a bond breaks: beyond the reach
    contacts are forgotten.
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
    if not sum(_glue(group, cluster, gap) for group in compliant.pairs):
        raise ValueError(
            f"gap = {gap!r}: no two bodies are so near in an element with StickedLinks and a bond for them"
        )
    return replace(state, contacts=compliant.history())


def _clusters(model: Model, clusters: Sequence[Sequence[Body]]) -> Ints:
    """Number of the cluster of every body; the ground and frames, behind the bodies, have their own."""
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


def _glue(group: PairGroup, cluster: Ints, gap: float) -> int:
    """Write the bonds of one element into its history; returns how many."""
    column, bonds = 0, 0
    for (law, _, _), size in zip(group.law.parts, group.law.memory, strict=True):
        if isinstance(law, StickedLinks):
            c = group.start
            same = cluster[c.a] == cluster[c.b]
            for bond, state, where in ((law.inner, INNER, same), (law.outer, OUTER, ~same)):
                near = np.flatnonzero(where & (c.gap <= gap))
                if bond is None or len(near) == 0:
                    continue
                needed = max(float(c.gap[near].max()), 0.0) + bond.f_n0 / bond.k_n
                if group.law.reach < needed:
                    raise ValueError(
                        f"reach = {group.law.reach!r}: must be at least {needed:.3g} m, the gap and the "
                        "elongation f_n0/k_n at which a bond breaks"
                    )
                group.history[near, column] = state
                group.history[near, column + 1] = c.gap[near] if bond.rest == "gap" else 0.0
                group.tangent[near] = _any_tangent(c.normal[near])
                bonds += len(near)
        column += size
    return bonds


def _any_tangent(n: Floats) -> Floats:
    """Unit vectors normal to `n` (C, 3)."""
    axis = np.eye(3)[np.abs(n).argmin(axis=1)]
    t = np.cross(n, axis)
    return t / np.linalg.norm(t, axis=1)[:, None]
