"""Sliding whose direction turns: pucks and a ball across an incline.

    m dv/dt = m g_T + F,   I dw/dt = -r n x F - rho N w_T / |w_T|,   F = -mu N u / |u|,   N = -m g.n
    u = v - r w x n - W x (x + r (0, 0, 1))_T

A puck has no rotation. The plane has the normal n through the origin, and turns with W = `rate` n about it.
Coordinates are those of the incline, (down, across, normal). The scene itself is rotated in space.
"""

from typing import NamedTuple

import numpy as np
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import nsgalpha as ns
from elements import SpherePlane
from nsgalpha.arrays import Floats
from verification.balls import GRAVITY, MASS, RADIUS
from verification.run import simulate

T_END = 0.32  # [s]
STEPS = (1e-2, 5e-3, 2.5e-3, 1.25e-3)  # [s]
TURNED = Rotation.from_rotvec((0.4, -0.7, 0.5)).as_matrix()  # from the incline to space
PATTERN = 1.0, 1.0 / 2.0, 1.0 / 3.0  # of steps, over h
N = np.array((0.0, 0.0, 1.0))


class Slide(NamedTuple):
    """A puck or ball that starts with `velocity` [m/s] and spin [rad/s] on an incline of `slope` [rad]."""

    title: str
    slope: float
    mu: float
    velocity: tuple[float, float, float]
    spin: tuple[float, float, float] | None = None  # None: a puck
    rolling_radius: float = 0.0  # [m]
    rate: float = 0.0  # of the plane [rad/s]


PUCK = Slide("puck across an incline", 0.45, 0.3, (0.0, 1.0, 0.0))
SLIDES = (
    PUCK,
    PUCK._replace(title="puck on an incline that turns in its plane", rate=2.0),
    Slide(
        "ball across an incline, rolling resistance", 0.3, 0.1, (0.0, 1.0, 0.0), (-10.0, 15.0, 40.0), 0.003
    ),
)


def build(slide: Slide) -> ns.Model:
    """The model in space."""
    down = GRAVITY * np.array((np.sin(slide.slope), 0.0, -np.cos(slide.slope)))
    model = ns.Model(gravity=TURNED @ down)
    at = {"radius": RADIUS, "mass": MASS, "position": TURNED @ (0.1, 0.2, RADIUS)}
    at["velocity"] = TURNED @ slide.velocity
    if slide.spin is None:
        body = model.add_point(**at)
    else:
        body = model.add_sphere(**at, angular_velocity=TURNED @ slide.spin)
    motion = ns.Rotation(axis=TURNED @ N, rate=slide.rate) if slide.rate else None
    plane = model.add_plane(normal=TURNED @ N, motion=motion)
    model.add(SpherePlane(body, plane, mu=slide.mu, rolling_radius=slide.rolling_radius))
    return model


def exact(slide: Slide, t: float = T_END) -> Floats:
    """Position, velocity and angular velocity (9,) in the incline's coordinates, by DOP853 to 1e-12."""
    g, inertia = GRAVITY * np.sin(slide.slope), 0.4 * MASS * RADIUS**2
    normal = MASS * GRAVITY * np.cos(slide.slope)

    def slope(_: float, y: Floats) -> Floats:
        x, v, w = y.reshape(3, 3)
        u = v - RADIUS * np.cross(w, N) - slide.rate * np.cross(N, x)
        u[2] = 0.0
        force = -slide.mu * normal * u / np.linalg.norm(u)
        torque = -RADIUS * np.cross(N, force)
        rolling = np.array((w[0], w[1], 0.0))
        if slide.rolling_radius:
            torque -= slide.rolling_radius * normal * rolling / np.linalg.norm(rolling)
        turning = np.zeros(3) if slide.spin is None else torque / inertia
        return np.concatenate((v, force / MASS + (g, 0.0, 0.0), turning))

    start = np.concatenate(((0.1, 0.2, RADIUS), slide.velocity, slide.spin or np.zeros(3)))
    return np.asarray(solve_ivp(slope, (0.0, t), start, "DOP853", rtol=1e-12, atol=1e-14).y[:, -1])


def sizes(h: float, phase: float = 0.0, pattern: tuple[float, ...] = (1.0,)) -> list[float]:
    """Steps from 0 to T_END by a `pattern` of `h`, after one of a `phase` of it, if any."""
    found = [phase * h] if phase else []
    while T_END - sum(found) > 1e-9 * h:
        found.append(min(h * pattern[len(found) % len(pattern)], T_END - sum(found)))
    return found


def errors(slide: Slide, steps: list[float]) -> Floats:
    """Largest errors (2,) at T_END: of the position [m], of the velocity and R times the spin [m/s]."""
    state = simulate(build(slide), t_end=T_END, h=steps).state()
    ours = np.array((state.position[0], state.velocity[0], RADIUS * state.angular_velocity[0])) @ TURNED
    x, v, w = np.abs(ours - exact(slide).reshape(3, 3) * ((1.0,), (1.0,), (RADIUS,))).max(axis=1)
    return np.array((x, max(v, w)))


def error(slide: Slide, quantity: int, h: float, phase: float) -> float:
    """One of the `errors` with steps of `h` from a `phase` on."""
    return float(errors(slide, sizes(h, phase))[quantity])
