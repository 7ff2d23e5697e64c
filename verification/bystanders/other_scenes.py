"""Scenes of loads, moving frames, feeders and outlets, and large islands. SI units."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import elements as e
import nsgalpha as ns
from nsgalpha.arrays import Floats
from verification.bystanders.contact_scenes import LAW, ROWS, WALL
from verification.bystanders.stage import Stage


def free_body(s: Stage) -> None:
    """A top in free flight: nothing acts on it but gravity."""
    row = {"mass": 1.0, "inertia": (0.002, 0.004, 0.005), "position": (0, 0, 0), "velocity": (1, 2, 0.5)}
    s.placed(s.model.add_body, row | {"angular_velocity": (5.0, -9.0, 4.0), "rotation": (0.4, 0.1, 0.2)})


def compiled_load(s: Stage) -> None:
    """A viscous drag, the compiled load of the catalogue."""
    balls = s.balls(*ROWS)
    s.model.add_load(e.Drag(balls, translational=3.0, rotational=(2e-3)))


class _Pull:
    """A spring to a point of space and a constant torque, stated in Python."""

    def __init__(self, s: Stage, bodies: list[ns.Body]) -> None:
        self.rows, self.to = [body.index for body in bodies], s.at((0.1, 0.2, 0.0))
        self.torque = s.about((0.01, -0.02, 0.03))

    def __call__(self, t: float, state: ns.State) -> tuple[Floats, Floats]:
        force, torque = np.zeros_like(state.position), np.zeros_like(state.position)
        force[self.rows] = 30.0 * (self.to - state.position[self.rows]) - 0.5 * state.velocity[self.rows]
        torque[self.rows] = (1.0 + 10.0 * t) * self.torque
        return force, torque


def python_load(s: Stage) -> None:
    """A load that is a function of Python."""
    s.model.add_load(_Pull(s, s.balls(*ROWS)))


def fixed_body(s: Stage, hard: bool = True) -> None:
    """A ball that strikes one which is fixed."""
    balls = s.balls(ROWS[0], {"radius": 0.06, "position": (0, 0, 0), "fixed": True, "rotation": (0.1, 0, 0)})
    s.add(
        e.SphereSphere(among=balls, mu=0.3, e_n=0.5) if hard else e.CompliantSphereSphere(among=balls, **LAW)
    )


def _on_plane(s: Stage, plane: Callable[[], ns.Plane], hard: bool) -> None:
    balls = s.balls(*ROWS[1:])
    s.add(
        e.SpherePlane(balls, plane(), mu=0.3, e_n=0.3)
        if hard
        else e.CompliantSpherePlane(balls, plane(), **LAW)
    )


def moving_plane(hard: bool) -> Callable[[Stage], None]:
    """A plane that swings below two balls, as the catalogue states it."""

    def build(s: Stage) -> None:
        swing = ns.Shaking(amplitude=s.to((0.01, 0.0, 0.02)), frequency=15.0, position=s.origin)
        _on_plane(s, lambda: s.plane((0.0, 0.1, 1.0), (0.0, 0.0, -0.15), motion=swing), hard)

    return build


def plane_by_function(hard: bool) -> Callable[[Stage], None]:
    """A plane that moves by a function of Python, and turns."""

    def build(s: Stage) -> None:
        axis = s.about((0.0, 0.6, 0.8))

        def motion(t: float) -> tuple[Any, ...]:
            half, lift = 1.5 * t, s.to((0.0, 0.0, 1.0))
            turn = np.array([np.cos(half), *(np.sin(half) * axis)])
            return s.origin + 2.0 * t * t * lift, 4.0 * t * lift, turn, 3.0 * axis

        _on_plane(s, lambda: s.plane((0.0, 0.1, 1.0), (0.0, 0.0, -0.15), motion=motion), hard)

    return build


def carried_plane(hard: bool) -> Callable[[Stage], None]:
    """A plane that a body carries, struck by two balls off its centre."""

    def build(s: Stage) -> None:
        row = {"mass": 2.0, "inertia": (0.02, 0.03, 0.025), "position": (0, 0, -0.2)}
        (plank,) = s.placed(s.model.add_body, row | {"rotation": (0.1, 0.2, 0.0)})
        n = s.on(np.array([0.0, 0.1, 1.0]) / np.linalg.norm((0.0, 0.1, 1.0)))
        _on_plane(s, lambda: s.model.add_plane(normal=n, offset=0.09, body=plank), hard)

    return build


def feeder(hard: bool) -> Callable[[Stage], None]:
    """A ball that comes beside one that is there, and meets it."""

    def build(s: Stage) -> None:
        balls = s.balls(*ROWS)
        s.add(e.SphereSphere(among=balls, mu=0.2) if hard else e.CompliantSphereSphere(among=balls, **LAW))
        s.model.add(ns.Feeder([balls[0], balls[2]], times=[0.0, 0.02]))

    return build


def outlet(hard: bool) -> Callable[[Stage], None]:
    """A ball that leaves while it touches another one."""

    def build(s: Stage) -> None:
        balls = s.balls(*ROWS)
        s.add(e.SphereSphere(among=balls, mu=0.2) if hard else e.CompliantSphereSphere(among=balls, **LAW))
        pit = ns.regions.Ball(centre=s.at((0.13, 0.0, 0.0)), radius=0.1)
        s.model.add(ns.Outlet(pit, bodies=balls[1:], start=0.012))

    return build


def island(hard: bool) -> Callable[[Stage], None]:
    """A block of 36 pressed balls that is struck: an island above 200 rows.

    Compliant balls that just touch would bear, and damp, or not by rounding; hard ones just touch.
    """
    between = 0.1 if hard else 0.0998  # [m]

    def build(s: Stage) -> None:
        place = np.array(list(np.ndindex(4, 3, 3)), float) * between
        rows = [
            {"radius": 0.05, "mass": 0.5, "position": x + np.array((0.0, 0.0, 0.5 * between))} for x in place
        ]
        rows += [{"radius": 0.07, "mass": 2.0, "position": (0.17, 0.08, 0.4), "velocity": (0.3, 0.2, -1.5)}]
        balls = s.balls(*rows)
        floor = s.plane((0.0, 0.0, 1.0), (0.0, 0.0, 0.0))
        if hard:
            s.add(e.SphereSphere(among=balls, mu=0.3), e.SpherePlane(balls, floor, mu=0.3))
        else:
            s.add(e.CompliantSphereSphere(among=balls, **LAW), e.CompliantSpherePlane(balls, floor, **LAW))

    return build


def switched_spring(s: Stage) -> None:
    """Springs that act at some times only."""
    a, b, _ = s.balls(*ROWS)
    spring = s.add(e.Spring([(a, b)], stiffness=600.0, damping=1.0))
    spring.active = lambda t: t < 0.025


def switched_contact(s: Stage) -> None:
    """A floor that bears from a time on."""
    floor = s.add(e.CompliantSpherePlane(s.balls(*ROWS), s.plane(*WALL), **LAW))
    floor.active = lambda t: t > 0.03
