"""Coins on rims, a capsule and an uneven ball roll and slide on a plane.

    m dv/dt = m g + F,   dL/dt = p x F,   L = R J R^T w,   u = v + w x p,   F = N (n + f)

Sticking, du/dt = 0 and F follows. Sliding, f = -mu u/|u| and n.du/dt = 0. The contact p off the centre moves
in the body and in space. With the axis a, and d the way down across it, it is c a + r d of a rim. It is
c a - r n of the end of a capsule, and -r n of a ball. Coordinates are those of the plane. The scene is
rotated in space.
"""

from functools import cache, partial
from typing import NamedTuple

import numpy as np
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import nsgalpha as ns
from elements import Contact
from nsgalpha.arrays import Floats
from verification.convergence.turning import TURNED, N, sizes
from verification.outcome import Row, bound_row
from verification.phases import study
from verification.run import simulate

G, MASS, RADIUS = 9.81, 1.0, 0.1
T_END = 0.32  # [s] that of `sizes`
STEPS = (4e-3, 2e-3, 1e-3, 5e-4)  # [s]
PHASES = 3
ORDER = "generalized-alpha, accelerations of the spin that contacts have changed"


class Roll(NamedTuple):
    """A body whose axis is tilted by `tilt` [rad] from the normal, with its `spin` [rad/s] at the start."""

    title: str
    shape: str  # "rim", "end" or "ball"
    half: float  # length of its axis [m]
    inertia: tuple[float, float, float]  # over the mass and RADIUS^2
    tilt: float
    spin: tuple[float, float, float]
    bounds: tuple[float, float]  # errors [m], [m/s] with the smallest step: four times ours
    velocity: tuple[float, float, float] | None = None  # [m/s]; None: it rolls
    mu: float = 5.0


COIN = 0.01, (0.25 + 0.04 / 12.0, 0.25 + 0.04 / 12.0, 0.5)  # half of a height R/5
PILL = 0.15, (0.9, 0.9, 0.4)
ROLLS = (
    Roll("coin that rolls", "rim", *COIN, 1.05, (1.0, -18.0, 5.0), (3.2e-6, 4.8e-5)),
    Roll("coin that wobbles", "rim", *COIN, 0.5, (2.0, 9.0, -4.0), (1.2e-5, 1.3e-4)),
    Roll("coin that slides", "rim", *COIN, 0.9, (2.0, -12.0, 9.0), (1.9e-5, 4e-4), (1.0, 0.5, 0.0), 0.2),
    Roll("capsule that rolls on its end", "end", *PILL, 0.2, (-1.5, 0.5, 10.0), (8e-6, 6.4e-5)),
    Roll("uneven ball that rolls", "ball", 0.0, (0.4, 0.3, 0.55), 0.3, (5.0, -8.0, 9.0), (1.2e-6, 2.2e-5)),
)


def pose(roll: Roll) -> Rotation:
    """Rotation of the body at the start."""
    return Rotation.from_rotvec((roll.tilt, 0.0, 0.0))


def contact(roll: Roll, a: Floats, rate: Floats) -> tuple[Floats, Floats]:
    """The contact p (3,) [m] off the centre, and its rate of change by that of the axis `a`."""
    c, side = N @ a, -np.copysign(roll.half, N @ a)
    if roll.shape != "rim":
        return side * a - RADIUS * N, side * rate
    across, change = N - c * a, -(N @ rate) * a - c * rate
    size = float(np.linalg.norm(across))
    d = across / -size
    return side * a + RADIUS * d, side * rate - (change - d * (d @ change)) * (RADIUS / size)


def slopes(roll: Roll, y: Floats) -> tuple[Floats, Floats]:
    """Rates of change (13,) of position, quaternion (scalar last), velocity and spin; the force (3,) [N]."""
    q, v, w = y[3:7], y[7:10], y[10:13]
    R = Rotation.from_quat(q).as_matrix()
    inertia = MASS * RADIUS**2 * R @ np.diag(roll.inertia) @ R.T
    a = R[:, 2]
    p, moved = contact(roll, a, np.cross(w, a))
    lever = np.cross(p, np.eye(3)).T  # lever @ F = p x F
    response = np.eye(3) / MASS - lever @ np.linalg.solve(inertia, lever)
    free = -G * N + np.cross(w, moved) - lever @ np.linalg.solve(inertia, -np.cross(w, inertia @ w))
    if roll.velocity is None:
        force = np.linalg.solve(response, -free)
    else:
        u = v + np.cross(w, p)
        u -= (u @ N) * N
        along = N - roll.mu * u / np.linalg.norm(u)
        force = -(N @ free) / (N @ response @ along) * along
    turn = np.append(q[3] * w + np.cross(w, q[:3]), -w @ q[:3])
    spin = np.linalg.solve(inertia, lever @ force - np.cross(w, inertia @ w))
    return np.concatenate((v, 0.5 * turn, force / MASS - G * N, spin)), force.astype(float)


def start(roll: Roll) -> Floats:
    """Position, quaternion (scalar last), velocity and spin (13,) at the start."""
    spin, turn = np.array(roll.spin), pose(roll)
    p, _ = contact(roll, turn.as_matrix()[:, 2], np.zeros(3))
    velocity = np.cross(p, spin)
    if roll.velocity is not None:
        velocity = roll.velocity + velocity[2] * N
    return np.concatenate((-p[2] * N, turn.as_quat(), velocity, spin))


@cache
def exact(roll: Roll, t: float = T_END) -> Floats:
    """The motion (13,) at `t` [s], by DOP853 to 1e-12. Raises ValueError where it would not roll, or lift."""
    given = {"rtol": 1e-12, "atol": 1e-14}
    path = solve_ivp(lambda _, y: slopes(roll, y)[0], (0.0, t), start(roll), "DOP853", **given).y
    for y in path.T:
        force = slopes(roll, y)[1]
        if not np.linalg.norm(force - (force @ N) * N) <= roll.mu * (force @ N) * (1.0 + 1e-9):
            raise ValueError(f"{roll.title}: the force {force} is outside of its cone")
    return np.asarray(path[:, -1])


def build(roll: Roll) -> ns.Model:
    """The model in space."""
    model, y = ns.Model(gravity=-G * TURNED @ N), start(roll)
    turn = Rotation.from_matrix(TURNED) * pose(roll)
    at = {"mass": MASS, "position": TURNED @ y[:3], "rotation": np.roll(turn.as_quat(), 1)}
    at |= {"velocity": TURNED @ y[7:10], "angular_velocity": TURNED @ y[10:]}
    inertia = MASS * RADIUS**2 * np.array(roll.inertia)
    if roll.shape == "rim":
        body = model.add_cylinder(RADIUS, 2.0 * roll.half, **at)
    elif roll.shape == "end":
        body = model.add_body(inertia=inertia, **at)
        model.add_primitive([(0, 0, -roll.half), (0, 0, roll.half)], radius=RADIUS, carrier=body)
    else:
        body = model.add_sphere(radius=RADIUS, inertia=inertia, **at)
    model.add(Contact(among=[body, model.add_plane(normal=TURNED @ N)], mu=roll.mu))
    return model


def errors(roll: Roll, steps: list[float]) -> Floats:
    """Largest errors (2,) at T_END: of the position [m], of the velocity and RADIUS times the spin [m/s]."""
    state, y = simulate(build(roll), t_end=T_END, h=steps).state(), exact(roll)
    ours = np.array((state.position[0], state.velocity[0], RADIUS * state.angular_velocity[0])) @ TURNED
    x, v, w = np.abs(ours - np.array((y[:3], y[7:10], RADIUS * y[10:]))).max(axis=1)
    return np.array((x, max(v, w)))


def _error(roll: Roll, quantity: int, h: float, phase: float) -> float:
    return float(errors(roll, sizes(h, phase))[quantity])


def run_all() -> list[Row]:
    """Orders, and errors with the smallest step."""
    rows = []
    for roll in ROLLS:
        for quantity, (name, unit) in enumerate((("position", "m"), ("velocity", "m/s"))):
            found = study(f"{roll.title}: {name}", unit, partial(_error, roll, quantity), STEPS, PHASES)
            rows.append(Row(f"{found.label}: order", "-", 2.0, found.order, 0.1, ORDER))
            label = f"{found.label}, h = {STEPS[-1]:g} s"
            rows.append(bound_row(label, unit, found.largest[-1], roll.bounds[quantity], "DOP853 to 1e-12"))
    return rows
