"""Recorded cases once more, with the laws of this project in the program's time stepping."""

import numpy as np

from elements import StickedLinks
from nsgalpha.arrays import Floats
from nsgalpha.forces import Contact, some_contacts
from nsgalpha.forces.law_kernel import LAW
from nsgalpha.jit.addresses import addresses
from nsgalpha.model.compliant_law import no_response
from verification.compliant_rockable import scheme
from verification.compliant_rockable.reference import Law, RecordedCase, kind, law


def replay(case: RecordedCase, chosen: Law | None = None, parts: int = 1) -> tuple[Floats, Floats]:
    """Motion (K, 3, 2, 3) and forces (K, 7) of the frames of `case`, under its own law or a `chosen` one.

    parts: frames of ours to one of the program's.
    """
    chosen = chosen or law(case)
    history = chosen.history + 1  # three components of sliding
    contact, response = _contact(case, history), no_response(1, scheme.ROWS, history)
    bodies = _bodies(case)
    if isinstance(chosen, StickedLinks):
        gap = float(np.linalg.norm(bodies.x[0] - bodies.x[1]) - case.radius.sum())
        contact.history[0, :2] = kind(case), gap if kind(case) == 2 else 0.0
    frames, every = parts * (len(case.t) - 1), case.data["every"] // parts
    motion, force = np.zeros((frames + 1, 3, 2, 3)), np.zeros((frames + 1, scheme.ROWS))
    kernel, numbers = addresses([chosen.kernel.function], LAW), np.array(chosen.parameters, float)
    told, glued = _drive(case, every * frames), kind(case) > 0
    spring = scheme.HeldSpring(history - 6, case.data.get("bin") == "FT_CORR")
    scheme.run((kernel, numbers, contact, response), bodies, told, every, glued, spring, (motion, force))
    return motion, force


def _contact(case: RecordedCase, history: int) -> Contact:
    inverse = 1.0 / case.mass[:1] + (0.0 if case.plane else 1.0 / case.mass[1:])
    curvature = 1.0 / case.radius[0] + (0.0 if case.plane else 1.0 / case.radius[1])
    return some_contacts(
        history,
        rate=np.zeros((1, scheme.ROWS)),
        radius=1.0 / curvature,
        mass=1.0 / inverse,
        h=case.data["dt"],
        branch=case.branch,
        radius_a=case.radius[0],
    )


def _bodies(case: RecordedCase) -> scheme.TwoBodies:
    free, gravity = np.array([True, not case.plane]), np.array(case.data["gravity"], float)
    x, v, w = case.motion[0].copy()
    a, alpha, arm = np.where(free[:, None] & (kind(case) == 0), gravity, 0.0), *np.zeros((2, 2, 3))
    radius, inertia = case.radius, 0.4 * case.mass * case.radius**2
    inverse = free / case.mass, free / inertia
    return scheme.TwoBodies(x, v, w, a, alpha, radius, *inverse, gravity, np.zeros(3), arm, case.plane)


def _drive(case: RecordedCase, steps: int) -> Floats:
    """Velocity (steps, 3) of a shaken plane, "Servo shaker 0 [direction] [amplitude] [frequency]"."""
    velocity = np.zeros((steps, 3))
    if "drive" in case.data:
        *direction, amplitude, frequency = map(float, case.data["drive"].split()[3:])
        omega = 2.0 * np.pi * frequency
        t = case.data["dt"] * np.arange(1, steps + 1)
        velocity += amplitude * omega * np.cos(omega * t)[:, None] * np.array(direction)
    return velocity
