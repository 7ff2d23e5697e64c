"""Hard and soft contact in one model: a struck ball, and a stack of three."""

import math

import elements as e
import nsgalpha as ns
from verification.balls import MASS, RADIUS, add_ball, add_cloth, billiard_model
from verification.run import simulate
from verification.scenes import add_spheres
from verification.throw_angle.model import SPEED

VELOCITY_ZONE = 1e-3  # [m/s] of the regularised friction; the slip that stays at its end is exp(-hundreds)
COUNT = 3  # balls of a stack
SOFTEST = math.sqrt((3.0 - math.sqrt(5.0)) / 2.0)  # lowest frequency of two balls over one that rests
DECAY = 10.0  # length of a settling, over the decay time of its slowest mode


def contact_time(stiffness: float) -> float:
    """Duration [s] of an undamped impact of two balls, `pi sqrt(m/(2 k))`."""
    return math.pi * math.sqrt(0.5 * MASS / stiffness)


def strike(spin: float, mu: float, rate: float, stiffness: float, h: float, part: float = 0.0) -> ns.Result:
    """The shot of throw_angle with compliant balls on a hard cloth; body 0 is the cue ball.

    spin [rad/s]; rate: damping over the critical one; stiffness [N/m]; h [s]. The balls touch `part` of
    a step after the start.
    """
    model = billiard_model()
    cue = add_ball(model, (0.0, 0.0), velocity=(SPEED, 0.0, 0.0), angular_velocity=(0.0, 0.0, spin))
    # an overlap as small as rounding: the contact, and the force of its dashpot, is there from the start
    gap = part * h * SPEED if part > 0.0 else -1e-12 * RADIUS
    target = add_ball(model, (2.0 * RADIUS + gap, 0.0))
    law = e.SpringDashpot(stiffness=stiffness, damping=2.0 * rate * math.sqrt(0.5 * MASS * stiffness))
    friction = e.RegularisedCoulomb(mu=mu, velocity_zone=VELOCITY_ZONE)
    model.add(e.CompliantSphereSphere(pairs=[(cue, target)], normal=law, tangential=friction))
    model.add(e.SpherePlane(model.spheres, add_cloth(model)))
    t_end = 1.2 * contact_time(stiffness) + 8.0 * h
    return simulate(model, t_end=t_end, h=h)


def frequency(soft: str, stiffness: float) -> float:
    """Lowest natural frequency [rad/s] of a stack on its `soft` contacts, "floor" or "balls"."""
    heavy = COUNT * MASS if soft == "floor" else MASS / SOFTEST**2
    return math.sqrt(stiffness / heavy)


def settle(soft: str, stiffness: float, h: float) -> ns.Result:
    """A stack released at its rest with hard contacts; those of the `soft` kind yield.

    The slowest mode is damped critically, so that no contact opens: c w = 2 k.
    """
    model = billiard_model()
    balls = add_spheres(model, RADIUS, MASS, [(0.0, 0.0, (2 * i + 1) * RADIUS) for i in range(COUNT)])
    floor, w = add_cloth(model), frequency(soft, stiffness)
    law = e.SpringDashpot(stiffness=stiffness, damping=2.0 * stiffness / w)
    if soft == "floor":
        model.add(e.CompliantSpherePlane(balls, floor, normal=law))
        model.add(e.SphereSphere(among=balls))
    else:
        model.add(e.CompliantSphereSphere(among=balls, normal=law))
        model.add(e.SpherePlane(balls, floor))
    return simulate(model, t_end=max(DECAY / w, 10.0 * h), h=h)
