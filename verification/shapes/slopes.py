"""Boxes on slopes and turntables: at rest, sliding, braked, tipping.

On a slope of the angle a a box slides if tan a > mu, with x = 1/2 g (sin a - mu cos a) t^2. It tips if its
width over its height is below tan a. A box that slides on a level floor has on its front and rear edges
together

    N_f + N_r = m g,   (N_f - N_r) w/2 = mu m g h/2,   N_f = m g (1 + mu h/w)/2 .

On a turntable at the distance r from its axis it tips if w^2 r / g > w/h.
"""

import math

import numpy as np

import nsgalpha as ns
from elements import Contact
from nsgalpha.arrays import turned
from verification.outcome import Row, bound_row
from verification.run import simulate

G = 9.81
UP = (0.0, 0.0, 1.0)
SLOPES = ((20.0, 0.5), (30.0, 0.5), (40.0, 0.5))  # [deg], mu
TIPPING = (0.1, 0.06, 0.2)  # size [m]: width along the slope, depth, height
TILT = 0.05  # [deg] from the angle at which it tips
RADIUS = 0.8  # [m] of the box from the axis of the turntable
RATIOS = (0.999, 1.001)  # of the rate at which it tips


def on_slope(size: tuple[float, float, float], angle: float, mu: float) -> tuple[ns.Model, ns.Body]:
    """A box at rest on z = 0, gravity inclined towards x by `angle` [deg]."""
    a = math.radians(angle)
    model = ns.Model(gravity=G * np.array([math.sin(a), 0.0, -math.cos(a)]))
    box = model.add_box(size, density=700.0, position=(0.0, 0.0, 0.5 * size[2]))
    model.add(Contact(among=[box, model.add_plane(normal=UP)], mu=mu))
    return model, box


def sliding() -> list[Row]:
    """Distances on three slopes."""
    rows = []
    for angle, mu in SLOPES:
        model, box = on_slope((0.2, 0.1, 0.06), angle, mu)
        result = simulate(model, t_end=1.0, h=0.01)
        a = math.radians(angle)
        distance = 0.5 * G * max(math.sin(a) - mu * math.cos(a), 0.0)
        label = f"box on a slope of {angle:g} deg, mu = {mu:g}"
        rows.append(Row(f"{label}: x after 1 s", "m", distance, result.position[-1, box, 0], 1e-12))
        turn = np.abs(result.angular_velocity).max()
        rows.append(bound_row(f"{label}: rotation", "rad/s", turn, 1e-9, "none"))
    return rows


def braked() -> list[Row]:
    """A box that friction stops: forces in its corners, and where it stops."""
    mu, v = 0.24, 1.2
    model = ns.Model(gravity=(0.0, 0.0, -G))
    box = model.add_box((0.1, 0.1, 0.4), mass=1.0, position=(0.0, 0.0, 0.2), velocity=(v, 0.0, 0.0))
    model.add(Contact(among=[box, model.add_plane(normal=UP)], mu=mu))
    result = simulate(model, t_end=1.0, h=0.01, impacts="located")
    rows = [
        Row(
            "braked box, b/h = .25: stops at", "m", v * v / (2.0 * mu * G), result.position[-1, box, 0], 1e-12
        ),
        bound_row("braked box: speed after it", "m/s", np.abs(result.velocity[-1]).max(), 1e-12, "none"),
    ]
    forces = np.sort(result.contacts.at(20).wrench[:, 2])[-4:] / G
    for name, part, force in zip(
        ("rear", "rear", "front", "front"), (0.01, 0.01, 0.49, 0.49), forces, strict=True
    ):
        rows.append(Row(f"braked box: force of a {name} corner", "m g", part, force, 2e-8))
    return rows


def tipping() -> list[Row]:
    """Rotation after a time: none below the angle atan(w/h), a fall above it."""
    w, _, h = TIPPING
    critical = math.degrees(math.atan(w / h))
    rows = []
    for sign in (-1, 1):
        model, box = on_slope(TIPPING, critical + sign * TILT, 2.0)
        result = simulate(model, t_end=1.2, h=5e-3)
        rows.append(fallen(f"box on a slope of {critical + sign * TILT:.3f} deg", result, box, sign > 0))
    return rows


def fallen(label: str, result: ns.Result, box: ns.Body, falls: bool) -> Row:
    """The state in the end: 1 if it has fallen over, 0 if it stands."""
    first, last = (turned(result.rotation[k, box], np.array(UP)) for k in (0, -1))
    tilt = 0.5 * np.abs(last - first).max()
    state = 1.0 if tilt > 0.1 else 0.0 if tilt < 1e-6 else 0.5
    return Row(f"{label}: fallen over", "-", float(falls), state, 1e-9, "the angle of the slope")


def turning() -> list[Row]:
    """A box on a turntable, which carries it on a circle."""
    w, _, h = TIPPING
    rows = []
    for ratio in RATIOS:
        rate = ratio * math.sqrt(G * w / (h * RADIUS))
        model = ns.Model(gravity=(0.0, 0.0, -G))
        table = model.add_plane(normal=UP, motion=ns.Rotation(axis=UP, rate=rate))
        box = model.add_box(
            TIPPING,
            density=700.0,
            position=(RADIUS, 0.0, 0.5 * h),
            velocity=(0.0, rate * RADIUS, 0.0),
            angular_velocity=(0.0, 0.0, rate),
        )
        model.add(Contact(among=[box, table], mu=2.0))
        result = simulate(model, t_end=2.0, h=1e-3)
        rows.append(fallen(f"box on a turntable, {ratio:g} of the rate", result, box, ratio > 1.0))
        if ratio < 1.0:
            r = math.hypot(*result.position[-1, box, :2])
            rows.append(Row("box on a turntable: distance from its axis", "m", RADIUS, r, 1e-6))
    return rows


def run_all() -> list[Row]:
    """All of them."""
    return [*sliding(), *braked(), *tipping(), *turning()]
