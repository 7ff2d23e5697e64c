"""A slider-crank slowed by constant friction in a hinge, against an equation.

    I(a) a'' + I'(a) a'^2 / 2 = -T sign(r'(a) a') r'(a)

`a` is the angle of the crank, I the inertia of all bodies by its rate, r the relative angle of the hinge.
"""

import numpy as np
from scipy.integrate import solve_ivp

import nsgalpha as ns
from elements import JointFriction, Prismatic, Revolute
from nsgalpha.arrays import Floats
from verification.outcome import Row, bound_row
from verification.phases import fitted_order
from verification.run import simulate

CRANK, ROD = 0.1, 0.3  # lengths [m]
MASS = 0.5, 0.8, 1.0  # of crank, rod and slider [kg]
INERTIA = 1e-3, 8e-3  # of crank and rod about their centres [kg m^2]
FRICTION, RATE, END = 0.2, 10.0, 0.28  # [N m], of the crank at the start [rad/s], [s]
STEPS = (2e-3, 1e-3, 5e-4)  # [s]
TURNED = 150.0, 750.0  # bounds over h^2: angle [rad/s^2], rate [rad/s^3]
Z = (0.0, 0.0, 1.0)
DIFFERENCE = {-2: 1 / 12, -1: -2 / 3, 1: 2 / 3, 2: -1 / 12}  # of fourth order


def model(hinge: str) -> ns.Model:
    """The stretched, rotating slider-crank, with friction in its "shaft" or rod "pin"."""
    mechanism, up = ns.Model(), (0, RATE * CRANK / 2, 0)
    crank = mechanism.add_body(
        mass=MASS[0],
        inertia=(INERTIA[0],) * 3,
        position=(CRANK / 2, 0, 0),
        velocity=up,
        angular_velocity=(0, 0, RATE),
    )
    rod = mechanism.add_body(
        mass=MASS[1],
        inertia=(INERTIA[1],) * 3,
        position=(CRANK + ROD / 2, 0, 0),
        velocity=up,
        angular_velocity=(0, 0, -RATE * CRANK / ROD),
    )
    slider = mechanism.add_body(mass=MASS[2], inertia=(1e-3,) * 3, position=(CRANK + ROD, 0, 0))
    shaft = mechanism.add(Revolute(None, crank, point=(0, 0, 0), axis=Z, name="shaft"))
    pin = mechanism.add(Revolute(crank, rod, point=(CRANK, 0, 0), axis=Z))
    mechanism.add(Revolute(rod, slider, point=(CRANK + ROD, 0, 0), axis=Z))
    mechanism.add(Prismatic(None, slider, point=(CRANK + ROD, 0, 0), axis=(1, 0, 0)))
    mechanism.add(JointFriction(pin if hinge == "pin" else shaft, bound=FRICTION))
    return mechanism


def inertia(a: float) -> tuple[float, float]:
    """Inertia by the crank's rate at its angle `a` [kg m^2], and rod rate."""
    sine = -CRANK * np.sin(a) / ROD
    turn = -CRANK * np.cos(a) / (ROD * np.sqrt(1.0 - sine**2))
    x = -CRANK * np.sin(a) - ROD / 2 * sine * turn
    y = CRANK * np.cos(a) + ROD / 2 * np.sqrt(1.0 - sine**2) * turn
    slider = -CRANK * np.sin(a) - ROD * sine * turn
    crank = INERTIA[0] + MASS[0] * CRANK**2 / 4
    rest = MASS[1] * (x**2 + y**2) + INERTIA[1] * turn**2 + MASS[2] * slider**2
    return float(crank + rest), float(turn)


def reference(hinge: str, t: Floats) -> Floats:
    """Angle and rate of the crank (2, n) at the times `t`, by DOP853."""

    def rates(_: float, y: Floats) -> tuple[float, float]:
        a, rate = y
        total, turn = inertia(a)
        slope = sum(c * inertia(a + k * 1e-5)[0] for k, c in DIFFERENCE.items()) / 1e-5
        relative = turn - 1.0 if hinge == "pin" else 1.0
        return rate, (-FRICTION * np.sign(relative * rate) * relative - 0.5 * slope * rate**2) / total

    found = solve_ivp(rates, (0.0, t[-1]), (0.0, RATE), "DOP853", t, rtol=1e-12, atol=1e-13)
    return np.asarray(found.y)


def errors(hinge: str, h: float) -> Floats:
    """Largest errors of angle [rad] and rate [rad/s] of the crank (2,)."""
    run = simulate(model(hinge), t_end=END, h=h)
    found = np.array(run.coordinate(run.model.joints[0]))
    return np.abs(found - reference(hinge, run.t)).max(axis=1)


def run_all() -> list[Row]:
    """Errors and orders for friction in either hinge."""
    rows = []
    for hinge in ("shaft", "pin"):
        found = np.array([errors(hinge, h) for h in STEPS])
        what = f"slider-crank that slips in its {hinge}"
        for name, unit, error, bound in zip(
            ("angle", "rate"), ("rad", "rad/s"), found[-1], TURNED, strict=True
        ):
            label = f"{what}, h {STEPS[-1]:g}: {name}"
            rows.append(bound_row(label, unit, error, bound * STEPS[-1] ** 2, "DOP853 to 1e-12"))
        for name, errors_of in zip(("angle", "rate"), found.T, strict=True):
            order = fitted_order(STEPS, errors_of)
            rows.append(Row(f"{what}: order, {name}", "-", 2.0, order, 0.1, "DOP853 to 1e-12"))
    return rows
