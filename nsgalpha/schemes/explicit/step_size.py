"""The step of an explicit run, from the stiffness of its laws.

    t_c = pi / omega,    omega^2 = max ( k_n / m_eff,  k_t (1/m_eff + 2 r^2/J),  k_r 2/J )

is the half period of the fastest sense of a contact of a body with its like, m_eff = m/2, r_eff = r/2. The k
are the slopes of the laws at rest, by overlap and by increment, at overlaps up to 1 % of the effective
radius: more than a simulation should have; springs, which are always there, say their largest, and forms have
an upper bound of omega^2. In a packing
omega is larger, with 12 neighbours up to sqrt(12) times: six steps in t_c are the limit of stability there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nsgalpha.checks import refuse
from nsgalpha.compliant.evaluate import some_contacts
from nsgalpha.compliant.form import FormElement
from nsgalpha.compliant.forms import largest_frequency
from nsgalpha.compliant.law import SENSES, CompliantLaw, no_response
from nsgalpha.model.handles import Body
from nsgalpha.model.system import System

if TYPE_CHECKING:
    from nsgalpha.model.model import Model

OVERLAPS = 0.0025, 0.005, 0.01  # over the effective radius


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
            if not bodies:
                continue
            if len(known) < len(springs):
                fastest = max(fastest, _fastest(element.law, list(bodies.values())))
            else:
                fastest = max(fastest, 2.0 * sum(known) / min(body.mass for body in bodies.values()))
    if any(isinstance(element, FormElement) for element in model.elements):
        fastest = max(fastest, largest_frequency(System(model)))
    if not 0.0 < fastest < np.inf:
        raise refuse("h", None, "given", "no compliant law of this model has a stiffness to take it from")
    return float(np.pi / np.sqrt(fastest))


def _fastest(law: CompliantLaw, bodies: list[Body]) -> float:
    """Largest square of a frequency [1/s^2] of the contact of one of the bodies with its like."""
    mass = np.array([body.mass for body in bodies])
    radius = np.array([body.radius for body in bodies])
    inertia = np.array([np.linalg.eigvalsh(body.inertia)[0] if body.turns else np.inf for body in bodies])
    count = len(bodies)
    ease = np.empty((count, SENSES))  # inverse masses of the senses
    ease[:, 0] = 2.0 / mass
    ease[:, 1:3] = (2.0 / mass + 2.0 * radius**2 / inertia)[:, None]
    ease[:, 3:] = (2.0 / inertia)[:, None]
    still, closing, largest = np.zeros((count, SENSES)), np.zeros((count, SENSES)), 0.0
    for part in OVERLAPS:
        closing[:, 0] = -part * radius / 2  # contacts that were open: their past is known
        response = no_response(count, SENSES, law.history)
        moved = {"overlap": part * radius / 2, "rate": still, "increment": closing}
        law(some_contacts(law.history, **moved, radius=radius / 2, mass=mass / 2), response)
        stiffness = -np.einsum("cii->ci", response.by_increment).copy()
        stiffness[:, 0] += response.by_overlap[:, 0]
        largest = max(largest, float((stiffness * ease).max(initial=0.0)))
    return largest
