"""Differential equations of a ball on or in a sphere, and off a free ball.

On a sphere that is fixed or turns with W, with L the distance of the centres, n the normal to the ball, s = 1
outside and -1 inside,

    n = s x / L,   p = -r n,   u = v + w x p - W x (x + p),
    m dv = F + m g,   I dw = p x F,
    F_n = -m (s v.v / L + n.g)                                  from n.v = 0
    F_T = 0                                                     smooth
    F_T = -mu F_n u / |u|                                       sliding
    (1/m + r^2/I) F_T = -(g + w x dp - W x (v + dp))_T          rolling, from du/dt = 0,  dp = -s r v / L

A ball leaves a free ball of the same radius without friction. The lower one, of mass M, stays on the plane, k
= M / (M + m). The angle of the line of centres to the vertical is th, L = 2 r:

    A(th) th'' + A'(th) th'^2 / 2 = g sin(th) / L,   A = sin^2 + k cos^2

from T = m L^2 th'^2 A / 2, with the momentum along the plane zero.
"""

from collections.abc import Callable

import numpy as np
from scipy.integrate import solve_ivp

from nsgalpha.arrays import Floats

Equation = Callable[[float, Floats], Floats]
ACCURACY = 1e-12


def solved(equation: Equation, start: Floats, t: float) -> Floats:
    """The solution at the time `t` [s], from `start` on."""
    if t == 0.0:
        return start
    return solve_ivp(equation, (0.0, t), start, method="DOP853", rtol=ACCURACY, atol=ACCURACY).y[:, -1]


def ball_on_sphere(
    distance: float,
    radius: float,
    side: float,
    gravity: float,
    friction: str = "smooth",
    mu: float = 0.0,
    turning: Floats | None = None,
) -> Equation:
    """The equation of x, v, w (9,) of a homogeneous ball of mass 1. friction: smooth, sliding or rolling."""
    g, wall = np.array([0.0, 0.0, -gravity]), np.zeros(3) if turning is None else turning
    inertia = 0.4 * radius**2

    def equation(_: float, y: Floats) -> Floats:
        x, v, w = y[:3], y[3:6], y[6:]
        n = side * x / distance
        p, rate = -radius * n, -side * radius * v / distance
        normal = -(side * (v @ v) / distance + n @ g)
        force = np.zeros(3)
        if friction == "sliding":
            u = v + np.cross(w, p) - np.cross(wall, x + p)
            force = -mu * normal * u / np.linalg.norm(u)
        elif friction == "rolling":
            a = -(g + np.cross(w, rate) - np.cross(wall, v + rate))
            force = (a - (a @ n) * n) / (1.0 + radius**2 / inertia)
        return np.concatenate([v, force + normal * n + g, np.cross(p, force) / inertia])

    return equation


def off_free_ball(radius: float, lower: float, upper: float, gravity: float) -> Equation:
    """The equation of th, th' (2,) for masses `lower` and `upper` [kg]."""
    k = lower / (lower + upper)

    def equation(_: float, y: Floats) -> Floats:
        sine, cosine = np.sin(y[0]), np.cos(y[0])
        half = sine * cosine * (1.0 - k) * y[1] ** 2
        rate = (gravity * sine / (2.0 * radius) - half) / (sine**2 + k * cosine**2)
        return np.array([y[1], rate])

    return equation
