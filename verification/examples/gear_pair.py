r"""Gears by their teeth

Two spur gears with involute teeth touch by their flanks alone, in set-valued contact without friction.
Each is a compound body of a disc and convex teeth. The pinion is driven, the wheel has a brake. Flanks of
involutes transmit a constant ratio,

$$\frac{\omega_2}{\omega_1} = -\frac{z_1}{z_2},$$

whichever pair of teeth carries the load. Here flanks are polygons of a few facets. The wheel
wobbles by their deviation, while its mean rate is exact: no tooth is ever skipped.

To look at: the rate of the wheel, with one wave for each tooth, and the teeth in mesh.
"""

import math
from typing import Any

import numpy as np

import nsgalpha as ns
from elements import Drive, JointSpring, Revolute, SolidSolid
from nsgalpha.arrays import Floats
from nsgalpha.show import Camera
from nsgalpha.show.figure_style import Figure, label, new_figure
from verification.example import main, paint
from verification.outcome import Row
from verification.run import simulate

MODULE, PRESSURE, WIDTH = 0.01, math.radians(20.0), 0.02  # [m], [rad], [m]
TEETH = (18, 24)
RATE = 2.0  # [rad/s] of the pinion
BRAKE = 0.5  # [N m s/rad]
FACETS = 6  # of a flank
BACKLASH = 0.02  # of the thickness of a tooth
PERIOD = 2.0 * math.pi / (RATE * TEETH[0])  # [s] from tooth to tooth


def involute(angle: float) -> float:
    """The angle tan a - a."""
    return math.tan(angle) - angle


def tooth(z: int) -> Floats:
    """Corners (2 FACETS + 4, 2) [m] of a tooth along x, from within the root circle, counter-clockwise."""
    pitch, base = 0.5 * MODULE * z, 0.5 * MODULE * z * math.cos(PRESSURE)
    tip, root = pitch + MODULE, pitch - 1.25 * MODULE
    half = (1.0 - BACKLASH) * math.pi / (2.0 * z) + involute(PRESSURE)  # of the tooth at the base circle
    radii = np.linspace(max(base, root), tip, FACETS + 1)
    angles = np.array([half - involute(math.acos(min(base / r, 1.0))) for r in radii])
    upper = np.column_stack([radii * np.cos(angles), radii * np.sin(angles)])
    foot = np.array([[0.9 * root * math.cos(angles[0]), 0.9 * root * math.sin(angles[0])]])
    flank = np.concatenate([foot, upper])
    return np.concatenate([flank * (1.0, -1.0), flank[::-1]])


def gear(z: int) -> list[ns.parts.Part]:
    """The teeth and the disc of a gear around z, with a tooth along x."""
    corners, parts = tooth(z), []
    for k in range(z):
        a = 2.0 * math.pi * k / z
        c, s = math.cos(a), math.sin(a)
        turned = corners @ np.array([[c, s], [-s, c]])
        points = np.concatenate([np.column_stack([turned, np.full(len(turned), h)]) for h in (-0.5, 0.5)])
        parts.append(ns.parts.solid(points * (1.0, 1.0, WIDTH), hull=True))
    return [*parts, ns.parts.cylinder(0.5 * MODULE * z - 1.25 * MODULE, WIDTH)]


def build() -> ns.Model:
    """Pinion and wheel in mesh."""
    model = ns.Model()
    a, b = TEETH
    distance = 0.5 * MODULE * (a + b)
    pinion = model.add_compound(gear(a), density=7800.0, origin=(0.0, 0.0, 0.0), name="pinion")
    turn = math.pi - math.pi / b  # a gap towards the tooth of the pinion
    half = (math.cos(0.5 * turn), 0.0, 0.0, math.sin(0.5 * turn))
    place: dict[str, Any] = {"origin": (distance, 0.0, 0.0), "rotation": half}
    wheel = model.add_compound(gear(b), density=7800.0, name="wheel", **place)
    shafts = [model.add(Revolute(None, g, point=g.position, axis=(0.0, 0.0, 1.0))) for g in (pinion, wheel)]
    model.add(Drive(shafts[0], rate=RATE))
    model.add(JointSpring(shafts[1], damping=BRAKE))
    teeth = [[p for p in model.primitives if p.carrier is g and len(p.corners) == 3] for g in (pinion, wheel)]
    model.add(SolidSolid(between=(teeth[0], teeth[1])))
    return model


def run() -> ns.Result:
    """Until the wheel has gone on by five teeth."""
    model = build()
    pinion, wheel = model.bodies
    start = model.initial_state()
    start.angular_velocity[pinion, 2], start.angular_velocity[wheel, 2] = RATE, -RATE * TEETH[0] / TEETH[1]
    return simulate(model, t_end=6.0 * PERIOD, h=PERIOD / 200, state=start)


def angle(result: ns.Result, k: int) -> Floats:
    """Angle (n,) [rad] of a gear since the start."""
    rate = np.asarray(result.rotation)[:, k]
    turned = np.unwrap(2.0 * np.arctan2(rate[:, 3], rate[:, 0]))
    return np.asarray(turned - turned[0])


def check(result: ns.Result) -> list[Row]:
    """Ratio over whole teeth, and its waves between."""
    a, b = TEETH
    n = 200  # states of a tooth
    gone = angle(result, 1)
    return [
        Row("wheel, over five teeth", "teeth", -5.0, (gone[-1] - gone[n]) * b / (2.0 * math.pi), 1e-9),
        Row(
            "rate of the wheel, mean",
            "rad/s",
            -RATE * a / b,
            float(np.mean(result.angular_velocity[n:, 1, 2])),
            5e-4,
        ),
    ]


def figure(result: ns.Result) -> Figure:
    """The teeth in mesh, and the rate of the wheel."""
    drawn, (above, below) = new_figure(2, 1, size=(6.4, 6.4), height_ratios=(3, 2))
    middle = 0.5 * MODULE * TEETH[0]
    paint(above, result, Camera((middle, -0.02, 0.3), (middle, 0.0, 0.0)), size=(960, 560))
    below.plot(np.asarray(result.t)[50:] / PERIOD, -np.asarray(result.angular_velocity)[50:, 1, 2])
    below.axhline(RATE * TEETH[0] / TEETH[1], color="0.5", linewidth=0.8)
    label(below, "teeth of the pinion", "rate of the wheel [rad/s]")
    return drawn


if __name__ == "__main__":
    main(__file__)
