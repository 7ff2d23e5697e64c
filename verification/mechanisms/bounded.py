"""Ropes, stops and friction: pendulum, rod on a stop, joint friction, cradle.

A rope and a stop hold exactly. Motion along a taut rope, whose direction rotates, is of second order in h, as
that on any curved surface, for any restitution. Impacts are resolved to their step. Constant friction is
exact.
"""

import numpy as np
from scipy.integrate import solve_ivp

import nsgalpha as ns
from elements import JointFriction, Limit, Revolute, Rope, SphereSphere
from nsgalpha.arrays import Floats
from verification.outcome import Row, bound_row
from verification.run import simulate

G = 9.81
ORIGIN, Y, Z = (0.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
STEPS = (2e-3, 1e-3, 5e-4)  # [s]
TAUT = 25.0  # bound over h^2: angle on a rope [rad/s^2]
RATE, SLOWED = 0.1, 1.0  # bounds over h: rates [rad/s^2]
START = 1.0  # angle of the pendulum on a rope from the vertical [rad]
LAW, EXACT = "closed form", "rounding"
INERTIA, SPEED, BRAKE = 0.2, 1.0, 0.1  # of a wheel [kg m^2], [rad/s], [N m]
BEARING, ARM, SPIN = 0.3 * 0.4, 0.5, 5.0  # mu r [m], centre of a rod [m], its rate [rad/s]
ROD = 0.1 + ARM**2  # its inertia about the bearing [kg m^2]


def hung(e_n: float) -> ns.Model:
    """A ball on a taut rope of 1 m, let go beside the vertical."""
    model = ns.Model(gravity=(0, 0, -G))
    place = np.sin(START), 0.0, -np.cos(START)
    ball = model.add_sphere(radius=0.05, mass=1.0, position=place, inertia=1e-3)
    model.add(Rope(None, ball, points=(ORIGIN, place), e_n=e_n))
    return model


def rod_on_stop(e_n: float) -> ns.Model:
    """A rod of 1 m falling from the horizontal to a vertical stop."""
    model = ns.Model(gravity=(0, 0, -G))
    rod = model.add_body(mass=1.0, inertia=(1e-4, 1 / 12, 1 / 12), position=(0.5, 0, 0))
    hinge = model.add(Revolute(None, rod, point=ORIGIN, axis=Y))
    model.add(Limit(hinge, high=0.5 * np.pi, e_n=e_n))
    return model


def braked_wheel() -> ns.Model:
    """A wheel with friction of constant strength at its axle."""
    model = ns.Model()
    spin = (0, 0, SPEED)
    wheel = model.add_body(mass=1.0, inertia=(INERTIA,) * 3, position=ORIGIN, angular_velocity=spin)
    model.add(JointFriction(model.add(Revolute(None, wheel, point=ORIGIN, axis=Z)), bound=BRAKE))
    return model


def braked_rod() -> ns.Model:
    """A rod rotating about its end, with friction in proportion to the reaction."""
    model = ns.Model()
    v, w = (0, ARM * SPIN, 0), (0, 0, SPIN)
    rod = model.add_body(
        mass=1.0, inertia=(1e-2, 0.1, 0.1), position=(ARM, 0, 0), velocity=v, angular_velocity=w
    )
    pin = model.add(Revolute(None, rod, point=ORIGIN, axis=Z))
    model.add(JointFriction(pin, mu=0.3, radius=0.4))
    return model


def cradle() -> ns.Model:
    """Five balls that touch, each on a rope; the first arrives with 1 m/s."""
    model = ns.Model(gravity=(0, 0, -G))
    balls = []
    for k in range(5):
        first = 1.0 if k == 0 else 0.0
        ball = model.add_sphere(radius=0.1, mass=1.0, position=(0.2 * k, 0, -1), velocity=(first, 0, 0))
        model.add(Rope(None, ball, points=((0.2 * k, 0, 0), ball.position)))
        balls.append(ball)
    model.add(SphereSphere(balls, e_n=1.0))
    return model


def _swing(t: Floats) -> Floats:
    """Angle of the pendulum on a rope at the times `t`."""
    found = solve_ivp(
        lambda _, y: (y[1], -G * np.sin(y[0])),
        (0.0, t[-1]),
        (START, 0.0),
        "DOP853",
        t,
        rtol=1e-12,
        atol=1e-12,
    )
    return np.asarray(found.y[0])


def run_all() -> list[Row]:
    """All of them."""
    rows = []
    for h, e_n in ((STEPS[0], 0.0), (STEPS[1], 0.0), (STEPS[2], 0.0), (STEPS[1], 0.5), (STEPS[1], 1.0)):
        run = simulate(hung(e_n), t_end=2.0, h=h)
        angle = np.arctan2(run.position[:, 0, 0], -run.position[:, 0, 2])
        error, length = np.abs(angle - _swing(run.t)).max(), np.linalg.norm(run.position[:, 0], axis=1)
        what, longer = f"pendulum on a rope, e = {e_n:g}, h {h:g}", length.max() - 1.0
        rows += [
            bound_row(f"{what}: angle, over h^2", "rad/s^2", error / h**2, TAUT, "DOP853 to 1e-12"),
            bound_row(f"{what}: longer than the rope", "m", longer, 1e-13, EXACT),
        ]
    for e_n in (0.0, 0.5, 1.0):
        for h in STEPS[1:]:
            run = simulate(rod_on_stop(e_n), t_end=0.7, h=h)
            angle, rate = run.coordinate(run.model.joints[0])
            after = int(np.flatnonzero(angle > 0.5 * np.pi - 1e-12)[0])
            what = f"rod on a stop, e = {e_n:g}, h {h:g}"
            error, beyond = abs(rate[after] + e_n * np.sqrt(3 * G)), angle.max() - 0.5 * np.pi
            rows += [
                bound_row(f"{what}: rate after, over h", "rad/s^2", error / h, RATE, LAW),
                bound_row(f"{what}: beyond the stop", "rad", beyond, 1e-14, EXACT),
            ]
    run = simulate(braked_wheel(), t_end=3.0, h=0.01)
    _, rate = run.coordinate(run.model.joints[0])
    even = np.maximum(SPEED - BRAKE / INERTIA * run.t, 0.0)
    error = np.abs(rate - even).max()
    rows.append(bound_row("wheel with constant friction: rate, and at rest", "rad/s", error, 1e-12, LAW))
    c = BEARING * ARM / ROD
    c /= np.sqrt(1.0 - c * c)  # of F^2 = (m s w^2)^2 + (m s dw/dt)^2
    for h in STEPS:
        run = simulate(braked_rod(), t_end=1.0, h=h)
        _, rate = run.coordinate(run.model.joints[0])
        error = np.abs(rate - SPIN / (1.0 + c * SPIN * run.t)).max()
        what = f"rod with friction of its reaction, h {h:g}"
        rows.append(bound_row(f"{what}: rate, over h", "rad/s^2", error / h, SLOWED, LAW))
    run = simulate(cradle(), t_end=0.01, h=1e-3)
    for k, v in enumerate(run.velocity[-1, :, 0]):
        what = f"cradle on ropes: ball {k + 1} after the impact"
        rows.append(Row(what, "m/s", float(k == 4), v, 1e-3, "the last takes all"))
    return rows
