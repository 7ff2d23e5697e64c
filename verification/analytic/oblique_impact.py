"""A spinning ball strikes a wall: the contact slides, or sticks, or springs back tangentially.

u = v_t + R w is the tangential velocity of the contact point (w: the spin component that turns the
contact point along t). The impulses P_n = m (1 + e_n) v_n and P_t give

    v_t' = v_t - P_t / m,    R w' = R w - 5/2 P_t / m,    u' = u - 7/2 P_t / m.

Newton's law asks for u' = -e_t u, that is P_t = 2/7 m (1 + e_t) u, as long as this is within mu P_n; else the
contact slides with P_t = mu P_n. For ball against equal ball both effective masses are halved.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import nsgalpha as ns
from elements import SpherePlane, SphereSphere
from verification.outcome import Outcome, component_rows
from verification.run import effort, simulate
from verification.scenes import add_spheres

RADIUS = 0.05  # [m]
MASS = 0.5  # [kg]
V_N, V_T, SPIN = 2.0, 1.5, 20.0  # [m/s], [m/s], [rad/s] before the impact
E_N = 0.8
H_TOUCHING = 1e-7  # [s]
PROVENANCE = "closed form (analytic/oblique_impact.py)"
EXACT = 1e-13  # [m/s] against a wall the step plays no part


@dataclass(frozen=True, slots=True)
class Law:
    """Friction and tangential restitution of one impact."""

    label: str
    mu: float
    e_t: float = 0.0


LAWS = (Law("slip", 0.1), Law("stick", 0.6), Law("tangential restitution", 0.9, 0.4))


def after(law: Law, sides: int) -> tuple[float, float, float]:
    """v_n', v_t' [m/s], w' [rad/s] of the ball; sides: 1 for a wall, 2 for an equal ball at rest."""
    u = V_T + RADIUS * SPIN
    p_n = (1.0 + E_N) * V_N / sides
    p_t = min(law.mu * p_n, 2.0 / 7.0 * (1.0 + law.e_t) * u / sides)
    return V_N - p_n, V_T - p_t, SPIN - 2.5 * p_t / RADIUS


def add_shot(model: ns.Model) -> ns.Body:
    """The ball that flies towards x = 0; contact point (R, 0, 0), its velocity along y is v_y + R w_z."""
    return add_spheres(model, RADIUS, MASS, [(-0.1, 0.0, 0.0)], (V_N, V_T, 0.0), (0.0, 0.0, SPIN))[0]


def against_wall(law: Law) -> ns.Model:
    """The ball against the plane x = 0."""
    model = ns.Model()
    ball = add_shot(model)
    wall = model.add_plane(normal=(-1.0, 0.0, 0.0))
    model.add(SpherePlane(ball, wall, mu=law.mu, e_n=E_N, e_t=law.e_t))
    return model


def against_ball(law: Law) -> ns.Model:
    """The ball against an equal one at rest, hit full on: touching at the start."""
    model = ns.Model()
    ball = add_shot(model)
    target = model.add_sphere(radius=RADIUS, mass=MASS, position=(2.0 * RADIUS - 0.1, 0.0, 0.0))
    model.add(SphereSphere(pairs=[(ball, target)], mu=law.mu, e_n=E_N, e_t=law.e_t))
    return model


def run() -> Outcome:
    """Each law against a wall in flight and against a ball that it touches."""
    rows, results = [], []
    first_order = (V_N**2 + V_T**2) * H_TOUCHING / (2.0 * RADIUS)  # the overlap of a step turns the normal
    settings: tuple[tuple[str, int, Callable[[Law], ns.Model], float, float, float], ...] = (
        ("wall", 1, against_wall, 0.05, 1e-4, EXACT),
        ("ball", 2, against_ball, 4.0 * H_TOUCHING, H_TOUCHING, first_order),
    )
    for name, sides, build, t_end, h, tolerance in settings:
        for law in LAWS:
            result = simulate(build(law), t_end=t_end, h=h)
            results.append(result)
            v, w = result.velocity[-1, 0], result.angular_velocity[-1, 0]
            expected, ours = np.array([after(law, sides), (v[0], v[1], w[2])]) * (1.0, 1.0, RADIUS)
            title, parts = f"oblique impact on a {name}, {law.label}", ("v_n", "v_t", "R w")
            rows += component_rows(title, parts, "m/s", expected, ours, tolerance, PROVENANCE)
    return Outcome(rows=rows, efforts=[effort("oblique impacts", *results)])
