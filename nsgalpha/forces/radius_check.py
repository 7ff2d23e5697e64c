"""Check of laws between sides without a radius: points (0) and faces (inf)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from nsgalpha.checks import refuse
from nsgalpha.forces.law_evaluation import some_contacts
from nsgalpha.model.compliant_law import CompliantLaw, Contact, no_response

FACES = (
    "faces have no radius: SpringDashpot, ExudynNormal, LinearPressure are for them, and RockableDefault "
    "with rolling_length=True"
)
POINTS = "points have no radius: give it one, or take SpringDashpot, ExudynNormal"
SMALL = 1e-6  # of a radius: the overlap [m] and, in a step of 1 s, the displacement


def refuse_without_radius(law: CompliantLaw, radius: float, remedy: str, branch: float = 0.0) -> None:
    """ValueError unless `law` has the rows of force between such sides that it has between round ones.

    radius [m]: effective, 0 or inf; branch [m]: distance of the centres at touch. The forces must be finite.
    """
    round_ones = _forces(law, {"radius": 1.0})
    seen = {"radius": radius, "radius_a": 0.0, "branch": branch, "area": 1.0 if math.isinf(radius) else 0.0}
    with np.errstate(all="ignore"):
        force = _forces(law, seen)
    missing = ~force.any(axis=0) & round_ones.any(axis=0)
    if not np.isfinite(force).all() or missing.any():
        named = ", ".join(type(part).__name__ for part, _, _ in law.parts)
        raise refuse("normal", named, "laws whose forces do not need the radius of round surfaces", remedy)


def _forces(law: CompliantLaw, seen: dict[str, float]) -> np.ndarray:
    """Forces (2, 6) of closing contacts in an overlap and, within reach, in a gap."""
    gap = -0.5 * law.reach if math.isfinite(law.reach) and law.reach > 0.0 else SMALL
    moving = np.array([[-2.0 * (law.reach + SMALL)] + [SMALL] * 5] * 2)
    contact = some_contacts(
        law.history, overlap=np.array([SMALL, gap]), rate=moving, increment=moving, **seen
    )
    contact = _of_known_bodies(law, contact)
    response = no_response(2, 6, law.history)
    law(contact, response)
    return response.force


def _of_known_bodies(law: CompliantLaw, contact: Contact) -> Contact:
    """`contact` between a body for which the law has numbers and itself."""
    for part, _, _ in law.parts:
        handles: Sequence[Any] = getattr(part, "handles", tuple)()
        if len(handles):
            number = np.full(len(contact.overlap), handles[0].index)
            return contact._replace(a=number, b=number)
    return contact
