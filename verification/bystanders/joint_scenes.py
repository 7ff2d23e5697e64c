"""Scenes of joints, of loads on their coordinates, and of jointed bodies in contact. SI units."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import elements as e
import nsgalpha as ns
from verification.bystanders.contact_scenes import LAW
from verification.bystanders.stage import Stage

AXIS = np.array([0.2, 0.9, 0.3]) / np.linalg.norm((0.2, 0.9, 0.3))
SECOND = np.cross(AXIS, (1.0, 0.0, 0.0)) / np.linalg.norm(np.cross(AXIS, (1.0, 0.0, 0.0)))
SPIN = 6.0  # [rad/s] about AXIS through the origin, with which all bodies begin
INERTIA = (0.002, 0.006, 0.007)


def _row(position: Any, **others: Any) -> dict[str, Any]:
    """A rigid body that turns with all others about the axis."""
    return {
        "mass": 1.0,
        "inertia": INERTIA,
        "position": position,
        "velocity": np.cross(SPIN * AXIS, position),
        "angular_velocity": SPIN * AXIS,
        "rotation": (0.3, -0.2, 0.1),
    } | others


def _arm(s: Stage, *more: Any) -> tuple[Any, list[ns.Body]]:
    """A hinge of a rod to the ground, and the rod; then bodies at `more`."""
    bodies = s.placed(s.model.add_body, _row((0.15, 0.02, -0.03)), *(_row(each, mass=0.6) for each in more))
    return s.model.add(e.Revolute(None, bodies[0], point=s.at((0, 0, 0)), axis=s.about(AXIS))), bodies


Make = Callable[[Stage, ns.Body, ns.Body], Any]
TIP, END = np.array([0.3, 0.03, 0.0]), np.array([0.4, 0.1, -0.05])
KINDS: dict[str, Make] = {
    "spherical": lambda s, a, b: e.Spherical(a, b, point=s.at(TIP)),
    "revolute": lambda s, a, b: e.Revolute(a, b, point=s.at(TIP), axis=s.about(SECOND)),
    "cylindrical": lambda s, a, b: e.Cylindrical(a, b, point=s.at(TIP), axis=s.to((0.5, 0.3, 0.8))),
    "prismatic": lambda s, a, b: e.Prismatic(a, b, point=s.at(TIP), axis=s.to((0.5, 0.3, 0.8))),
    "planar": lambda s, a, b: e.Planar(a, b, point=s.at(TIP), normal=s.to((0.5, 0.3, 0.8))),
    "universal": lambda s, a, b: e.Universal(
        a, b, point=s.at(TIP), axis=s.about(AXIS), second=s.about(SECOND)
    ),
    "rigid": lambda s, a, b: e.Rigid(a, b, point=s.at(TIP)),
    "distance": lambda s, a, b: e.Distance(a, b, points=(s.at(TIP), s.at(END))),
    "link": lambda s, a, b: e.Link(a, b, points=(s.at(TIP), s.at(TIP + 0.15 * SECOND)), axis=s.about(AXIS)),
}


def joint(kind: str) -> Callable[[Stage], None]:
    """A joint between a rod hinged to the ground and a second body."""

    def build(s: Stage) -> None:
        _, (arm, end) = _arm(s, (0.42, 0.08, -0.02))
        s.add(KINDS[kind](s, arm, end))

    return build


def markers(s: Stage) -> None:
    """Joints by markers, named ones of bodies and one of the ground."""
    named = {"foot": s.on((-0.14, 0.01, 0.02)), "tip": s.on([(0.15, 0, 0), (0.1, 0.2, 1.0)])}
    arm, bob = s.placed(
        s.model.add_body,
        {"mass": 1.0, "inertia": INERTIA, "position": (0.14, -0.01, -0.02), "markers": named},
        {"mass": 0.4, "inertia": INERTIA, "position": (0.29, -0.01, -0.22)},
    )
    s.add(
        e.Spherical(e.Marker(None, s.at((0, 0, 0))), e.Marker.of(arm, "foot")),
        e.Spherical(e.Marker.of(arm, "tip"), e.Marker(bob, s.on((0, 0, 0.2)))),
    )


def drive(s: Stage) -> None:
    """A hinge with prescribed rotation, and a free rod beyond it."""
    hinge, (arm, end) = _arm(s, (0.42, 0.08, -0.02))
    s.add(e.Spherical(arm, end, point=s.at(TIP)))
    s.add(e.Drive(hinge, [[0, 0, SPIN], [0.03, 0.25, 9.0], [0.1, 0.4, -1.0]]))


def _acts(*make: Callable[[Any], Any]) -> Callable[[Stage], None]:
    """An element on a rod's hinge, with a second rod hinged to it."""

    def build(s: Stage) -> None:
        hinge, (arm, end) = _arm(s, (0.42, 0.08, -0.02))
        s.add(e.Revolute(arm, end, point=s.at(TIP), axis=s.about(SECOND)))
        s.add(*(each(hinge) for each in make))

    return build


limit = _acts(lambda hinge: e.Limit(hinge, low=-0.3, high=0.15, e_n=0.4))
friction = _acts(lambda hinge: e.JointFriction(hinge, bound=0.4, mu=0.3, radius=0.03))
speed_motor = _acts(lambda hinge: e.SpeedMotor(hinge, speed=2.0, strength=3.0))
motor = _acts(lambda hinge: e.Motor(hinge, [[0, 3.0], [0.02, -8.0], [1, 4.0]]))
controller = _acts(lambda hinge: e.PD(hinge, [[0, 0.0], [0.1, 0.4]], stiffness=300.0, damping=2.0))
joint_spring = _acts(lambda hinge: e.JointSpring(hinge, stiffness=200.0, damping=0.5, rest=-0.1))


def rope(s: Stage) -> None:
    """A ball on a rope from the tip of a rod, which tightens and slackens."""
    _, (arm,) = _arm(s)
    ball = s.balls({"radius": 0.04, "mass": 0.3, "position": (0.35, 0.0, -0.2), "velocity": (0.2, 0.1, -4.0)})
    ends = s.at((0.3, 0.03, 0.0)), s.at((0.35, 0.0, -0.2))
    s.add(e.Rope(arm, ball[0], points=ends, length=0.23, e_n=0.5))


def telescope(s: Stage) -> None:
    """A cylinder that pushes a rod by its tip."""
    _, (arm,) = _arm(s)
    strut = s.model.add(e.Telescope(None, arm, points=(s.at((0.1, 0.1, -0.4)), s.at(TIP))))
    s.add(e.JointSpring(strut, stiffness=800.0, damping=3.0, rest=0.4))


def _wheels(s: Stage, *rates: float) -> list[Any]:
    """Hinges of wheels about parallel axes, a row each, with their `rates` [rad/s]."""
    rows = [
        {
            "mass": 1.0 + k,
            "inertia": INERTIA,
            "position": (0.3 * k, 0.02 * k, 0),
            "angular_velocity": w * AXIS,
        }
        for k, w in enumerate(rates)
    ]
    places: list[tuple[Any, ns.Body]] = [
        (row["position"], body) for row, body in zip(rows, s.placed(s.model.add_body, *rows), strict=True)
    ]
    return [s.model.add(e.Revolute(None, body, point=s.at(x), axis=s.about(AXIS))) for x, body in places]


def gear(s: Stage, backlash: float | None = None) -> None:
    """Wheels with teeth, of which a motor turns the first, backward after a while."""
    first, second = _wheels(s, 2.0, -1.0)
    s.add(e.Motor(first, [[0, 0.2], [0.03, -2.0], [1, -2.0]]))
    s.add(e.Gear(first, second, ratio=-0.5, backlash=backlash, e_n=0.4 if backlash else 0.0))


def differential(s: Stage) -> None:
    """Two wheels and a cage, of which one wheel is turned."""
    joints = _wheels(s, 3.0, 1.0, 2.0)
    s.add(e.Motor(joints[0], 0.5))
    s.add(e.Differential(joints, (1.0, 1.0, -2.0)))


def rack(s: Stage) -> None:
    """A wheel that moves a rack upwards."""
    (wheel,) = _wheels(s, 4.0)
    along = s.about(SECOND)
    row = {"mass": 0.7, "inertia": INERTIA, "position": (0.3, 0.1, 0), "velocity": 0.2 * SECOND}
    (bar,) = s.placed(s.model.add_body, row)
    # in the mirror a displacement along the image of the axis belongs to the opposite angle
    slide = s.model.add(e.Prismatic(None, bar, point=s.at((0.3, 0.1, 0)), axis=s.sign * along))
    s.add(e.RackAndPinion(wheel, slide, radius=0.05))


def screw(s: Stage) -> None:
    """A nut on a thread, turned by a motor."""
    row = {"mass": 0.7, "inertia": INERTIA, "position": (0.1, 0.0, 0), "rotation": (0.1, 0.2, 0.3)}
    (nut,) = s.placed(s.model.add_body, row)
    bolt = s.model.add(e.Cylindrical(None, nut, point=s.at((0.08, 0.0, 0)), axis=s.about(AXIS)))
    s.add(e.Screw(bolt, lead=s.sign * 0.1))
    s.add(e.Motor(bolt, 1.5, coordinate="angle"))


def arm_on_hard_floor(s: Stage) -> None:
    """A ball on a hinged rod that strikes a hard floor and slides."""
    _, (arm,) = _arm(s)
    row = _row((0.35, 0.05, -0.05), mass=0.5, radius=0.05)
    (ball,) = s.placed(s.model.add_sphere, row | {"inertia": 5e-4})
    s.add(e.Spherical(arm, ball, point=s.at((0.3, 0.03, -0.03))))
    s.add(e.SpherePlane(ball, s.plane((0.0, 0.2, 1.0), (0.35, 0.05, -0.12)), mu=0.3, e_n=0.3))


def arm_on_soft_floor(s: Stage) -> None:
    """The same on a compliant floor."""
    _, (arm,) = _arm(s)
    row = _row((0.35, 0.05, -0.05), mass=0.5, radius=0.05)
    (ball,) = s.placed(s.model.add_sphere, row | {"inertia": 5e-4})
    s.add(e.Spherical(arm, ball, point=s.at((0.3, 0.03, -0.03))))
    s.add(e.CompliantSpherePlane(ball, s.plane((0.0, 0.2, 1.0), (0.35, 0.05, -0.12)), **LAW))


def servo_wall(hard: bool) -> Callable[[Stage], None]:
    """Two balls that a wall, which a force pushes, throws back."""

    def build(s: Stage) -> None:
        balls = s.balls(
            {"radius": 0.08, "mass": 0.5, "position": (0.0, 0.0, 0.0), "velocity": (0.3, 0.1, -1.0)},
            {"radius": 0.06, "mass": 0.3, "position": (0.3, 0.1, 0.05), "velocity": (-0.2, 0.3, -1.5)},
        )
        n = s.to((0.0, 0.6, 0.8))
        offset = float(n @ s.at((0.0, 0.0, -0.15)))
        wall = e.add_servo_wall(
            s.model, normal=n, offset=offset, mass=2.0, force=40.0, damping=5.0, velocity=0.4
        )
        s.bodies.append(wall.body)
        if hard:
            s.add(e.SpherePlane(balls, wall.plane, mu=0.3, e_n=0.5))
        else:
            s.add(e.CompliantSpherePlane(balls, wall.plane, **LAW))

    return build
