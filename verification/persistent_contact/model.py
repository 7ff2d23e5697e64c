"""Scenes of a ball on a fixed or free ball, in a bowl or shell."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import nsgalpha as ns
from elements import Revolute, Rigid, SphereInShell, SpherePlane, SphereSphere
from nsgalpha.arrays import Floats
from verification.balls import GRAVITY
from verification.persistent_contact.reference import Equation, ball_on_sphere, off_free_ball, solved
from verification.run import simulate

SPHERE, BALL = 1.0, 0.1  # radii [m] of the fixed body and of the ball
HEAVY = 1e6  # [kg] of a shell that turns: the ball hardly changes its speed
LOWER, UPPER = 1.0, 0.7  # masses [kg] of the balls on the plane


@dataclass(frozen=True, slots=True)
class Scene:
    """A motion, exact and simulated.

    build: the model with the exact state (n,) at its start; exact, measure: position and velocity that are
    compared, of an exact state and of a run. bounds: of the errors with h = 1 ms. kept: steps [s] of long
    runs, each with bounds of the gain and of the loss of energy, over that which is exchanged.
    """

    title: str
    start: Floats
    equation: Equation
    build: Callable[[Floats], ns.Model]
    exact: Callable[[Floats], dict[str, Floats]]
    measure: Callable[[ns.Result], dict[str, Floats]]
    t_end: float
    bounds: tuple[float, float]
    kept: Sequence[tuple[float, float, float]] = ()


def error(scene: Scene, quantity: str, h: float, phase: float) -> float:
    """Final error of a run with the step `h` from `phase` of a step later."""
    start = solved(scene.equation, scene.start, phase * h)
    exact = scene.exact(solved(scene.equation, start, scene.t_end))[quantity]
    ours = scene.measure(simulate(scene.build(start), t_end=scene.t_end, h=h))[quantity]
    return float(np.linalg.norm(ours - exact))


def energies(scene: Scene, h: float, steps: int) -> Floats:
    """Energy change of the ball over a long run, over the exchanged energy."""
    result = simulate(scene.build(scene.start), t_end=steps * h, h=h)
    v, w, z = result.velocity[:, 1], result.angular_velocity[:, 1], result.position[:, 1, 2]
    kinetic = 0.5 * (v**2).sum(axis=1) + 0.2 * BALL**2 * (w**2).sum(axis=1)
    total = kinetic + GRAVITY * z
    return (total - total[0]) / (kinetic[0] + GRAVITY * (z[0] + SPHERE - BALL))


def _ball(y: Floats) -> dict[str, Floats]:
    return {"position": y[:3], "velocity": y[3:6]}


def _last(result: ns.Result) -> dict[str, Floats]:
    return {"position": result.position[-1, 1], "velocity": result.velocity[-1, 1]}


def _place(angle: float, side: float) -> Floats:
    """Centre of a ball outside (`side` 1), `angle` [rad] from the top, or inside, from the bottom."""
    return (SPHERE + side * BALL) * np.array([np.sin(angle), 0.0, side * np.cos(angle)])


def _rolling(x: Floats, v: Floats, side: float, wall: Floats) -> Floats:
    """The spin, without one about the normal n, with which a ball rolls: w = n x (v - W x (x - r n)) / r."""
    n = side * x / np.linalg.norm(x)
    return np.cross(n, v - np.cross(wall, x - BALL * n)) / BALL


def _on_sphere(
    title: str,
    angle: float,
    side: float,
    v: Sequence[float],
    *,
    bounds: tuple[float, float],
    t_end: float = 1.0,
    friction: str = "smooth",
    mu: float = 0.0,
    spin: Sequence[float] = (0.0, 0.0, 0.0),
    turning: float = 0.0,
    kept: Sequence[tuple[float, float, float]] = (),
) -> Scene:
    """A ball with tangential `v` on a sphere, fixed or `turning` [rad/s]."""
    x, wall = _place(angle, side), np.array([0.0, 0.0, turning])
    velocity = np.array(v) - (x @ v) / (x @ x) * x
    w = _rolling(x, velocity, side, wall) if friction == "rolling" else np.array(spin)

    def build(y: Floats) -> ns.Model:
        model = ns.Model(gravity=(0.0, 0.0, -GRAVITY))
        fixed = model.add_sphere(radius=SPHERE, mass=HEAVY, position=(0, 0, 0), angular_velocity=wall)
        if turning:
            model.add(Revolute(None, fixed, point=(0, 0, 0), axis=(0, 0, 1)))
        else:
            model.add(Rigid(None, fixed, point=(0, 0, 0)))
        ball = model.add_sphere(
            radius=BALL, mass=1.0, position=y[:3], velocity=y[3:6], angular_velocity=y[6:]
        )
        law = {"smooth": 0.0, "sliding": mu, "rolling": 10.0}[friction]
        if side > 0.0:
            model.add(SphereSphere(pairs=[(ball, fixed)], mu=law))
        else:
            model.add(SphereInShell(ball, fixed, mu=law))
        return model

    equation = ball_on_sphere(SPHERE + side * BALL, BALL, side, GRAVITY, friction, mu, wall)
    start = np.concatenate([x, velocity, w])
    return Scene(title, start, equation, build, _ball, _last, t_end, bounds, kept)


def _off_free_ball() -> Scene:
    def build(y: Floats) -> ns.Model:
        model = ns.Model(gravity=(0.0, 0.0, -GRAVITY))
        floor = model.add_plane(normal=(0, 0, 1))
        along = np.array([np.sin(y[0]), 0.0, np.cos(y[0])])
        across = 2.0 * BALL * y[1] * np.array([np.cos(y[0]), 0.0, -np.sin(y[0])])
        back = np.array([-UPPER / (LOWER + UPPER) * across[0], 0.0, 0.0])
        lower = model.add_sphere(radius=BALL, mass=LOWER, position=(0, 0, BALL), velocity=back)
        top = np.array([0.0, 0.0, BALL]) + 2.0 * BALL * along
        upper = model.add_sphere(radius=BALL, mass=UPPER, position=top, velocity=back + across)
        model.add(SpherePlane([lower, upper], floor))
        model.add(SphereSphere(pairs=[(upper, lower)]))
        return model

    def measure(result: ns.Result) -> dict[str, Floats]:
        x = result.position[-1, 1] - result.position[-1, 0]
        v = result.velocity[-1, 1] - result.velocity[-1, 0]
        return {"position": x, "velocity": v}

    def exact(y: Floats) -> dict[str, Floats]:
        sine, cosine = np.sin(y[0]), np.cos(y[0])
        return {
            "position": 2.0 * BALL * np.array([sine, 0.0, cosine]),
            "velocity": 2.0 * BALL * y[1] * np.array([cosine, 0.0, -sine]),
        }

    equation = off_free_ball(BALL, LOWER, UPPER, GRAVITY)
    start = np.array([0.2, 0.0])
    title = "off a free ball on a plane"
    return Scene(title, start, equation, build, exact, measure, 0.16, (5e-6, 2e-5))


# Angle, side and velocity of a ball on a sphere.
TOP, BOWL, LOOP = (0.1, 1.0, (1.2, 0.0, -0.12)), (0.8, -1.0, (0.0, 1.5, 0.0)), (1.2, -1.0, (0.0, 8.0, 0.0))
SLIDING: dict[str, Any] = {"friction": "sliding", "mu": 0.2}
KEPT_ROLLING = ((1e-2, 6e-5, 3e-3), (1e-3, 7e-7, 3e-7))
SCENES = (
    _on_sphere("sliding off a ball", *TOP, t_end=0.4, bounds=(4e-6, 1.6e-5)),
    _on_sphere("in a bowl", *BOWL, bounds=(1.6e-5, 1.2e-4), kept=((1e-2, 1e-6, 5e-3), (1e-3, 1e-10, 6e-6))),
    _on_sphere("rolling in a bowl", *BOWL, friction="rolling", bounds=(2e-5, 9e-5), kept=KEPT_ROLLING),
    _on_sphere("through a loop", *LOOP, bounds=(7e-4, 6e-3), kept=((1e-2, 3e-3, 5e-3),)),
    _on_sphere("sliding off a ball with friction", *TOP, **SLIDING, t_end=0.4, bounds=(4e-6, 8e-6)),
    _on_sphere(
        "rolling in a rotating shell",
        0.3,
        -1.0,
        (0.0, 0.2, 0.0),
        friction="rolling",
        turning=0.5,
        t_end=0.6,
        bounds=(5e-6, 1e-5),
    ),
    _off_free_ball(),
    _on_sphere(
        "sliding across a ball",
        0.1,
        1.0,
        (0.8, 1.0, -0.08),
        **SLIDING,
        t_end=0.3,
        bounds=(4e-6, 8e-6),
    ),
)
