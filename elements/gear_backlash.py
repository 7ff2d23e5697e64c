"""Backlash of gears: the play is a separate coordinate, which two flanks limit.

    c_2 - ratio c_1 - s = 0,      -b/2 <= s <= b/2

s is the displacement of a body on a rail beside the bodies of the gear. Its mass is PART of their inertia
along the combined coordinate. The relation is one of three coordinates (elements/drives.py), the flanks are a
Limit: the mechanism needs nothing that others have not. The multiplier of the relation transmits the force of
the flanks on s to both coordinates in their ratio. So impulses, momenta and rates after an impact do not
depend on the mass of the body. Neither does a motion in which a flank carries, since s rests. The mass shows
in the play alone, where loads count PART less.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from elements.joint_limits import Limit
from elements.joints import Prismatic
from nsgalpha.arrays import Floats, turned
from nsgalpha.checks import number_in, positive, refuse
from nsgalpha.constraints.joint_outputs import OneState, measured_coordinate
from nsgalpha.model.coordinate_relations import Term
from nsgalpha.model.handles import Body
from nsgalpha.model.model_names import LONGEST

WIDEST = 1e9  # backlash [rad], [m]
PART = 1e-6  # of the inertia along the combined coordinate, that of the play


class Flanks(NamedTuple):
    """The play of a gear as it was stated."""

    backlash: float  # [rad], [m] of the second coordinate, from flank to flank
    e_n: float


def flanks(backlash: float | None, e_n: float) -> Flanks | None:
    """The play of a gear, None for one without; ValueError for values out of their range."""
    e_n = number_in("e_n", e_n, 0.0, 1.0, remedy="0 is plastic, 1 elastic")
    if backlash is None and e_n > 0.0:
        raise refuse("e_n", e_n, "0 without backlash", "without play no flank is struck; give the backlash")
    if backlash is None:
        return None
    width = positive("backlash", backlash)
    if width > WIDEST:
        raise refuse("backlash", backlash, f"at most {WIDEST:g}", "leave the gear out, its flanks never meet")
    return Flanks(width, e_n)


def add_play(model: Any, name: str, terms: Sequence[Term], given: Flanks) -> tuple[Prismatic, Limit]:
    """Add the rail of the play and its stops to the `model`; `terms` are the gear's.

    Raises ValueError if the names "play of `name`" and "flanks of `name`" are too long or in use.
    """
    if len(name) > LONGEST - len("flanks of "):
        raise refuse("name", name, f"of at most {LONGEST - len('flanks of ')} characters with backlash")
    along, place = _across(model.gravity), _place(terms[0].joint)
    mass = PART / sum(term.ratio**2 / _inertia(term) for term in terms)
    body = model.add_body(
        mass=mass,
        inertia=np.full(3, mass * given.backlash**2),
        position=place,
        velocity=_rate(model, terms) * along,
        name=f"play of {name}",
    )
    rail = model.add(Prismatic(None, body, point=place, axis=along, name=body.name))
    half = 0.5 * given.backlash
    return rail, model.add(Limit(rail, low=-half, high=half, e_n=given.e_n, name=f"flanks of {name}"))


def _across(gravity: Floats) -> Floats:
    """A unit vector (3,) along which no weight acts."""
    down = gravity if gravity.any() else np.array([0.0, 0.0, -1.0])
    across = np.cross(down, np.eye(3)[np.abs(down).argmin()])
    return np.asarray(across / np.linalg.norm(across))


def _place(joint: Any) -> Floats:
    """The point (3,) [m] of a joint on a body, in space."""
    body, point = next(
        (each, point)
        for each, point in zip(joint.carriers, joint.points, strict=True)
        if isinstance(each, Body)
    )
    return np.asarray(body.position + turned(body.rotation, point))


def _inertia(term: Term) -> float:
    """Inertia [kg], [kg m^2] of a joint's bodies along its coordinate, if otherwise free."""
    joint: Any = term.joint
    turns = len(joint.coordinates[term.name]) > 1
    inverse = 0.0
    for body, point, axes in zip(joint.carriers, joint.points, joint.axes, strict=True):
        if isinstance(body, Body):
            about = axes[2] @ body.inertia @ axes[2] + body.mass * np.sum(np.cross(axes[2], point) ** 2)
            inverse += 1.0 / (about if turns else body.mass)
    return float(1.0 / inverse)


def _rate(model: Any, terms: Sequence[Term]) -> float:
    """Rate of the play in the model as stated [rad/s], [m/s]."""
    states = OneState(model.initial_state())
    rates = [term.ratio * measured_coordinate(term.joint, term.name, states).rate[0] for term in terms]
    return float(sum(rates))
