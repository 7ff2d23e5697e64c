"""Balls of mechanisms that slide on a plane, always closed, against equations in the coordinates q.

    M q'' + bias = Q + (J_n - mu s J_t)^T N,    J_n q' = 0

`J_n` and `J_t` are the rates of the contact by those of q, s is the direction of sliding. A crank drags the
ball at the end of its rod. A sledge on one ball carries a pendulum, with friction in its hinge or without.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy.integrate import solve_ivp

import nsgalpha as ns
from elements import JointFriction, Revolute, Rigid, SpherePlane
from nsgalpha.arrays import Floats
from verification.outcome import Row, bound_row
from verification.phases import fitted_order
from verification.run import simulate

GRAVITY, END = 9.81, 0.24  # [m/s^2], [s]
RADIUS = 0.03  # of the balls [m]
CRANK, SHAFT, ROD = 0.1, 0.2, 0.4  # length, height of its shaft above the ball, length of the rod [m]
PENDULUM = 0.15  # from the hinge to its centre [m]
STEPS = (2e-3, 1e-3, 5e-4)  # [s]
ORDER = "generalized-alpha with forces that turn with the mechanism"
ODE = "ordinary differential equation, DOP853 to 1e-11"
SLIGHT = 1e-4  # [s] of the differences of fourth order along the motion
DIFFERENCE = {-2: 1 / 12, -1: -2 / 3, 1: 2 / 3, 2: -1 / 12}
WEIGHT = np.array((0.0, GRAVITY, 0.0))
Y = (0.0, 1.0, 0.0)


class Scene(NamedTuple):
    """A plane mechanism.

    places: x, z [m] and angle about y of each body (B, 3) by the coordinates; inertia: twice the mass and
    that about y of each (B, 3) [kg, kg, kg m^2]; ball: that which touches; q, rate: the start; joints: adds
    those of the bodies to a model; mu; hinge: friction in that of the sledge [N m]; bounds: of errors of
    position and velocity over h^2.
    """

    title: str
    places: Callable[[Any], Any]
    inertia: Floats
    ball: int
    q: tuple[float, ...]
    rate: tuple[float, ...]
    joints: Callable[[ns.Model, list[ns.Body], float], None]
    mu: float
    hinge: float
    bounds: tuple[float, float]


def _crank_places(q: Any) -> Any:
    a, b = q
    pin = np.array([CRANK * np.cos(a), SHAFT + CRANK * np.sin(a)])
    rod = ROD * np.array([np.cos(b), -np.sin(b)])
    return np.array([[0.0 * a, SHAFT + 0.0 * a, -a], [*(pin + rod / 2), b], [*(pin + rod), b]])


def _crank_joints(model: ns.Model, bodies: list[ns.Body], hinge: float) -> None:
    crank, rod, ball = bodies
    _, (x, z, _), (end, _, _) = _crank_places(DRAGGED.q)
    model.add(Revolute(None, crank, point=(0, 0, SHAFT), axis=Y))
    model.add(Revolute(crank, rod, point=(2 * x - end, 0, 2 * z), axis=Y))
    model.add(Rigid(rod, ball, point=(end, 0, 0)))


def _sledge_places(q: Any) -> Any:
    x, z, turn, b = q
    return np.array([[x, z, turn], [x + PENDULUM * np.cos(b), z - PENDULUM * np.sin(b), b]])


def _sledge_joints(model: ns.Model, bodies: list[ns.Body], hinge: float) -> None:
    joint = model.add(Revolute(*bodies, point=(0, 0, 0), axis=Y))
    if hinge > 0.0:
        model.add(JointFriction(joint, bound=hinge))


def _closed(a: float) -> tuple[float, float]:
    """Angle of the rod with its ball on the plane, and rate over the crank's."""
    b = float(np.arcsin((SHAFT + CRANK * np.sin(a)) / ROD))
    return b, float(CRANK * np.cos(a) / (ROD * np.cos(b)))


_ANGLE, _RATE = 0.6, 6.0
DRAGGED = Scene(
    "ball dragged by a crank",
    _crank_places,
    np.array([[0.5, 0.5, 1e-2], [0.8, 0.8, 1e-2], [1.0, 1.0, 1e-3]]),
    2,
    (_ANGLE, _closed(_ANGLE)[0]),
    (_RATE, _RATE * _closed(_ANGLE)[1]),
    _crank_joints,
    0.3,
    0.0,
    (2.0, 40.0),
)
SLEDGE = Scene(
    "sledge with a pendulum",
    _sledge_places,
    np.array([[1.0, 1.0, 1e-2], [0.6, 0.6, 2e-3]]),
    0,
    (0.0, 0.0, 0.0, 0.0),
    (3.0, 0.0, 0.0, 2.0),
    _sledge_joints,
    0.3,
    0.0,
    (30.0, 400.0),
)
SCENES = (
    DRAGGED,
    DRAGGED._replace(title="ball dragged by a crank without friction", mu=0.0),
    SLEDGE,
    SLEDGE._replace(title="sledge with a pendulum and friction in its hinge", hinge=0.1),
)


def rates_by(scene: Scene, q: Floats) -> Floats:
    """Rates (B, 3) of the bodies by those of the coordinates, (B, 3, n), by complex steps."""
    steps = 1e-30j * np.eye(len(q))
    return np.stack([scene.places(q + step).imag / 1e-30 for step in steps], axis=-1)


def model(scene: Scene) -> ns.Model:
    """The model of the `scene` at its start."""
    found, q = ns.Model(gravity=(0, 0, -GRAVITY)), np.array(scene.q)
    floor, bodies = found.add_plane(normal=(0, 0, 1), offset=-RADIUS), []
    rates = rates_by(scene, q) @ np.array(scene.rate)
    for b, ((x, z, _), (vx, vz, w)) in enumerate(zip(scene.places(q), rates, strict=True)):
        add = partial(found.add_sphere, radius=RADIUS) if b == scene.ball else found.add_body
        body = add(
            mass=scene.inertia[b, 0],
            inertia=(scene.inertia[b, 2],) * 3,
            position=(x, 0, z),
            velocity=(vx, 0, vz),
            angular_velocity=(0, w, 0),
        )
        bodies.append(body)
    scene.joints(found, bodies, scene.hinge)
    found.add(SpherePlane([bodies[scene.ball]], [floor], mu=scene.mu))
    return found


def reference(scene: Scene, t: Floats) -> tuple[Floats, Floats]:
    """Places and rates of the bodies, each (n, B, 3), at the times `t` (n,)."""
    n, ball = len(scene.q), scene.ball

    def slides(J: Floats) -> Floats:
        return np.asarray(J[ball, 0] - RADIUS * J[ball, 2])

    way = np.sign(slides(rates_by(scene, np.array(scene.q))) @ scene.rate)

    def slope(_: float, y: Floats) -> Floats:
        q, rate = y[:n], y[n:]
        J = rates_by(scene, q)
        change = sum(c * rates_by(scene, q + k * SLIGHT * rate) for k, c in DIFFERENCE.items())
        turned = change @ rate / SLIGHT
        force = -scene.inertia * (turned + WEIGHT)
        if scene.hinge > 0.0:
            pull = scene.hinge * np.sign((J[1, 2] - J[0, 2]) @ rate)
            force[0, 2] += pull
            force[1, 2] -= pull
        system = np.zeros((n + 1, n + 1))
        system[:n, :n] = np.einsum("bim,bi,bin->mn", J, scene.inertia, J)
        system[:n, n] = -(J[ball, 1] - scene.mu * way * slides(J))
        system[n, :n] = J[ball, 1]
        right = np.append(np.einsum("bim,bi->m", J, force), -turned[ball, 1])
        return np.concatenate([rate, np.linalg.solve(system, right)[:n]])

    start = np.concatenate([scene.q, scene.rate])
    found = solve_ivp(slope, (0.0, t[-1]), start, "DOP853", t, rtol=1e-11, atol=1e-12).y.T
    rates = [rates_by(scene, y[:n]) @ y[n:] for y in found]
    return np.array([scene.places(y[:n]) for y in found]), np.array(rates)


def errors(scene: Scene, h: float) -> Floats:
    """Largest errors of the positions [m] and the velocities [m/s] of the bodies (2,)."""
    run = simulate(model(scene), t_end=END, h=h)
    late = slice(None, None, max(1, len(run.t) // 20))
    places, rates = reference(scene, run.t[late])
    position, velocity = run.position[late][:, :, ::2], run.velocity[late][:, :, ::2]
    return np.array([np.abs(position - places[..., :2]).max(), np.abs(velocity - rates[..., :2]).max()])


def run_all() -> list[Row]:
    """Errors and orders of all scenes."""
    rows = []
    for scene in SCENES:
        found = np.array([errors(scene, h) for h in STEPS])
        for name, unit, error, bound in zip(
            ("position", "velocity"), ("m", "m/s"), found.T, scene.bounds, strict=True
        ):
            label = f"{scene.title}, h {STEPS[-1]:g}: {name}"
            rows.append(bound_row(label, unit, error[-1], bound * STEPS[-1] ** 2, ODE))
            order = fitted_order(STEPS, error)
            rows.append(Row(f"{scene.title}: order, {name}", "-", 2.0, order, 0.1, ORDER))
    return rows
