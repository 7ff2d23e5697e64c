"""Andrews' squeezer: seven bodies, three loops, a spring and a torque, in thirty milliseconds.

Numbered and named as in the Test Set for IVP Solvers; there the coordinates are relative angles.
"""

import numpy as np

import nsgalpha as ns
from elements import Revolute
from nsgalpha.arrays import Floats
from nsgalpha.model.load_interface import CompiledLoad, load_kernel
from verification.mechanisms import reference

Z = (0.0, 0.0, 1.0)


@load_kernel
def torque_and_spring(t, x, q, v, w, at, p, wrench):
    """Torque p[0] on the first body; spring from p[1:3] to p[3:5] of the second, stiffness, length behind."""
    wrench[at[0], 5] += p[0]
    b = at[1]
    cosine, sine = q[b, 0] ** 2 - q[b, 3] ** 2, 2.0 * q[b, 0] * q[b, 3]
    rx, ry = cosine * p[3] - sine * p[4], sine * p[3] + cosine * p[4]
    dx, dy = x[b, 0] + rx - p[1], x[b, 1] + ry - p[2]
    length = (dx * dx + dy * dy) ** 0.5
    tension = p[5] * (1.0 - p[6] / length)
    wrench[b, 0] -= tension * dx
    wrench[b, 1] -= tension * dy
    wrench[b, 5] -= tension * (rx * dy - ry * dx)


class Drive(CompiledLoad):
    """The torque on the crank and the spring on the third body."""

    kernel = torque_and_spring


def angles(relative: Floats) -> Floats:
    """Angles of the seven bodies, or their rates, from the coordinates of the test set."""
    beta, theta, gamma, phi, delta, omega, epsilon = np.asarray(relative)
    return np.array([beta, beta + theta, gamma, phi + delta, delta, omega + epsilon, epsilon])


def _along(angle: float) -> Floats:
    return np.array((np.cos(angle), np.sin(angle)))


def _across(angle: float) -> Floats:
    return np.array((np.sin(angle), -np.cos(angle)))


def build() -> ns.Model:
    """Bodies begin with their axes along those of space."""
    given = reference.case("A03_andrews")
    p = given["params"]
    crank, rod, third, fourth, fifth, sixth, last = angles(given["q0"])
    a, b, c = (np.array((p[f"x{name}"], p[f"y{name}"])) for name in "abc")
    pin = p["rr"] * _along(crank)
    common = pin - p["d"] * _along(rod)
    upper = a + p["zt"] * _along(fifth)
    lower = a + p["u"] * _across(last)
    centres = [
        p["ra"] * _along(crank),
        pin - p["da"] * _along(rod),
        b + p["sa"] * _across(third) + p["sb"] * _along(third),
        upper + (p["e"] - p["ea"]) * _across(fourth),
        a + p["ta"] * _along(fifth) - p["tb"] * _across(fifth),
        lower + (p["zf"] - p["fa"]) * _along(sixth),
        a + p["ua"] * _across(last) - p["ub"] * _along(last),
    ]
    model = ns.Model()
    bodies = [
        model.add_body(mass=mass, inertia=(inertia,) * 3, position=(*centre, 0))
        for mass, inertia, centre in zip(p["m"], p["I"], centres, strict=True)
    ]
    hinges = [
        (None, 0, np.zeros(2)),
        (0, 1, pin),
        (None, 2, b),
        (1, 2, common),
        (1, 3, common),
        (3, 4, upper),
        (None, 4, a),
        (1, 5, common),
        (5, 6, lower),
        (None, 6, a),
    ]
    for one, two, place in hinges:
        side = None if one is None else bodies[one]
        model.add(Revolute(side, bodies[two], point=(*place, 0), axis=Z))
    tip = b + p["sc"] * _across(third) + p["sd"] * _along(third) - centres[2]
    model.add_load(Drive([0, 2], [p["torque"], *c, *tip, p["c0"], p["l0"]]))
    return model
