"""The step of an explicit run, from the stiffness of its laws.

    t_c = pi / omega,    omega^2 = max ( k_n a_n,  k_t a_t,  k_r a_r,  (c a/2)^2 )

is the half period of the fastest component of a contact of two equal sides, and of round ones with a plane.
For an overdamped contact, c a/2 takes the place of omega. Inverse masses a are of contact_sides.py: of balls
a_n = 1/m_eff, a_t = 1/m_eff + 2 r^2/J, a_r = 2/J, with m_eff = m/2, r_eff = r/2. The k are the slopes of the
laws at rest, by overlap and by increment. Overlaps are up to 1 % of the effective radius, of faces of the
root of their area: more than a simulation should have. Forces that grow with the area are those of the whole
face. Springs, which are always there, say their largest, and force elements have an upper bound of omega^2.
Resistances c that are bounded, as regularised friction is, do not count: they tremble, and do not grow. In a
packing omega is larger, with 12 neighbours up to sqrt(12) times: six steps in t_c are the limit of stability
there.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from nsgalpha.arrays import Floats
from nsgalpha.checks import refuse
from nsgalpha.forces.contact_sides import meets_faces, sides_of
from nsgalpha.forces.force_element_group import largest_frequency
from nsgalpha.forces.law_evaluation import some_contacts
from nsgalpha.model.compliant_law import SENSES, CompliantLaw, Response, no_response, round_area
from nsgalpha.model.force_element import ForceElement
from nsgalpha.model.handles import Body
from nsgalpha.model.model import Model
from nsgalpha.system.system import System

OVERLAPS = 0.0025, 0.005, 0.01  # over the effective radius
FAST = 1e6  # times a radius in a period: rates at which bounded resistances are spent


def contact_time(model: Model) -> float:
    """Shortest contact time [s] of the compliant elements of `model`.

    Raises ValueError if no law has a stiffness.
    """
    fastest = 0.0
    for element in model.elements:
        if isinstance(element.law, CompliantLaw):
            bodies = {id(b): b for b in element.handles() if isinstance(b, Body) and not b.fixed}
            springs = [traits.stiffest for traits in element.law.traits]
            known = [slope for slope in springs if slope is not None]
            if len(known) < len(springs):
                fastest = max(fastest, _of_contacts(element, list(bodies.values())))
            elif bodies:
                fastest = max(fastest, 2.0 * sum(known) / min(body.mass for body in bodies.values()))
    if any(isinstance(element, ForceElement) for element in model.elements):
        fastest = max(fastest, largest_frequency(System(model)))
    if not 0.0 < fastest < np.inf:
        raise refuse("h", None, "given", "no compliant law of this model has a stiffness to take it from")
    return float(np.pi / np.sqrt(fastest))


def _of_contacts(element: Any, bodies: list[Body]) -> float:
    """Largest square of a frequency [1/s^2] of the contacts of an `element`, whose spheres are `bodies`."""
    sides = sides_of(element, bodies)
    if not sides:
        return 0.0
    mass, radius, area, *ease = np.unique(np.array(sides, float), axis=0).T  # most sides are alike
    senses = np.column_stack([ease[0], ease[1], ease[1], ease[2], ease[2], ease[2]])
    like = _fastest(element.law, _SimilarPairs(mass / 2, radius / 2, area, 2.0 * senses))
    if not meets_faces(element):
        return like
    return max(like, _fastest(element.law, _SimilarPairs(mass, radius, area, senses)))


class _SimilarPairs(NamedTuple):
    """Contacts (C,) of sides with their like, or with a plane."""

    mass: Floats  # effective
    radius: Floats  # effective, inf of faces
    area: Floats  # of faces
    ease: Floats  # (C, 6) inverse masses of the components


def _fastest(law: CompliantLaw, sides: _SimilarPairs) -> float:
    """Largest square of a frequency [1/s^2] of contacts."""
    count, flat = len(sides.mass), np.isinf(sides.radius)
    size = np.where(flat, 0.5 * np.sqrt(sides.area), sides.radius)
    still, closing, largest = np.zeros((count, SENSES)), np.zeros((count, SENSES)), 0.0
    shape = {"radius": sides.radius, "mass": sides.mass, "branch": 4.0 * size, "radius_a": 2.0 * size}
    for part in OVERLAPS:
        overlap = part * size
        closing[:, 0] = -overlap  # contacts that were open: their past is known
        area = np.where(flat, sides.area, round_area(np.where(flat, 0.0, sides.radius), overlap))
        moved = {"overlap": overlap, "increment": closing, "area": area, **shape}
        slow = _response(law, rate=still, **moved)
        stiffness = -np.einsum("cii->ci", slow.by_increment).copy()
        stiffness[:, 0] += slow.by_overlap[:, 0]
        square = float((stiffness * sides.ease).max(initial=0.0))
        fast = np.full((count, SENSES), FAST * np.sqrt(square) * float(size.max(initial=0.0)))
        fast[:, 0] *= -1.0
        resistance = np.minimum(
            *(-np.einsum("cii->ci", each.by_rate) for each in (slow, _response(law, rate=fast, **moved)))
        )
        decay = float((resistance * sides.ease).max(initial=0.0))
        largest = max(largest, square, (0.5 * decay) ** 2)
    return largest


def _response(law: CompliantLaw, **values: Any) -> Response:
    """The response of a `law` to contacts with these values, see `some_contacts`."""
    contact = some_contacts(law.history, **values)
    response = no_response(len(contact.overlap), SENSES, law.history)
    law(contact, response)
    return response
