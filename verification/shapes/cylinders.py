"""Cylinders that roll, spin and tip.

A cylinder on its side rolls down a slope of the angle a with 2/3 g sin a, for mu > tan a / 3. One that stands
and spins has all of its weight at the rim, w = w_0 - 2 mu g t / R. On a slope it tips if tan a > 2 R/L, in
every direction.
"""

import math
from typing import Any

import numpy as np

import nsgalpha as ns
from elements import Contact
from verification.outcome import Row, bound_row
from verification.run import simulate
from verification.shapes.slopes import fallen

G = 9.81
UP = (0.0, 0.0, 1.0)
RADIUS, LENGTH = 0.1, 0.3
TILTS = (-0.2, 0.05)  # [deg] from the angle at which it tips
YAWS = (0.0, 0.5, 1.0)  # of the angle between two points of the rim


def build(
    gravity: tuple[float, float, float],
    mu: float,
    rotation: tuple[float, ...],
    height: float,
    spin: float = 0.0,
) -> ns.Model:
    """A cylinder on z = 0."""
    model = ns.Model(gravity=gravity)
    motion: dict[str, Any] = {"rotation": rotation, "angular_velocity": (0.0, 0.0, spin)}
    can = model.add_cylinder(RADIUS, LENGTH, mass=1.0, position=(0.0, 0.0, height), **motion)
    model.add(Contact(among=[can, model.add_plane(normal=UP)], mu=mu))
    return model


def rolling() -> list[Row]:
    """Down a slope of 20 degrees, turned about the normal of the slope."""
    rows = []
    a = math.radians(20.0)
    for yaw in (0.0, 0.4):
        pull = G * math.sin(a)
        gravity = pull * math.cos(yaw), pull * math.sin(yaw), -G * math.cos(a)
        half = 0.5 * (yaw + math.pi / 2)  # the axis across the slope
        c, s, r = math.cos(half), math.sin(half), math.sqrt(0.5)
        q = (c * r, -s * r, c * r, s * r)
        result = simulate(build(gravity, 0.5, q, RADIUS), t_end=1.0, h=0.01)
        label = f"cylinder on a slope, yaw {yaw:g} rad"
        speed = float(np.linalg.norm(result.velocity[-1, 0]))
        rows.append(Row(f"{label}: speed", "m/s", 2.0 / 3.0 * pull, speed, 1e-9))
        slip = result.velocity[-1, 0] + np.cross(result.angular_velocity[-1, 0], (0.0, 0.0, -RADIUS))
        rows.append(bound_row(f"{label}: slip", "m/s", np.abs(slip).max(), 1e-9, "none"))
    return rows


def spinning() -> list[Row]:
    """Friction slows a cylinder that stands, and stops it."""
    mu, spin = 0.3, 20.0
    rate = 2.0 * mu * G / RADIUS
    model = build((0.0, 0.0, -G), mu, (1.0, 0.0, 0.0, 0.0), 0.5 * LENGTH, spin)
    result = simulate(model, t_end=0.5, h=1e-3)
    middle = int(np.searchsorted(result.t, 0.2))
    return [
        Row(
            "spinning cylinder: rate, .2 s",
            "rad/s",
            spin - 0.2 * rate,
            result.angular_velocity[middle, 0, 2],
            2e-3,
        ),
        bound_row("spinning cylinder: rate, .5 s", "rad/s", result.angular_velocity[-1, 0, 2], 1e-9, "rest"),
        bound_row("spinning cylinder: way", "m", np.abs(result.position[-1, 0, :2]).max(), 1e-9, "none"),
    ]


def tipping() -> list[Row]:
    """Below and above its angle, to points of the rim and between them."""
    rows = []
    critical = math.degrees(math.atan(2.0 * RADIUS / LENGTH))
    for part in YAWS:
        yaw = part * 2.0 * math.pi / 32.0
        for tilt in TILTS:
            a = math.radians(critical + tilt)
            gravity = G * np.array([math.sin(a) * math.cos(yaw), math.sin(a) * math.sin(yaw), -math.cos(a)])
            result = simulate(
                build(tuple(gravity), 2.0, (1.0, 0.0, 0.0, 0.0), 0.5 * LENGTH), t_end=1.2, h=5e-3
            )
            label = f"cylinder on a slope of {critical + tilt:.2f} deg, yaw {yaw:.3f} rad"
            rows.append(fallen(label, result, result.model.bodies[0], tilt > 0.0))
    return rows


def run_all() -> list[Row]:
    """All of them."""
    return [*rolling(), *spinning(), *tipping()]
