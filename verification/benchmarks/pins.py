"""A ball among ten pins of eight primitives each: the command is `nsgalpha bench pins`.

A pin has four feet, and belly, waist, neck and head, spheres all of them. They touch each other, the ball and
the lane by spring and dashpot with friction. In the mixture the ball rolls on the lane with set-valued
contact. The run begins shortly before the ball strikes, and ends when most pins fall.
"""

from __future__ import annotations

from time import process_time
from typing import Any

import numpy as np

import elements as e
import nsgalpha as ns
from nsgalpha.model.handles import Body, Primitive
from verification.benchmarks.line import Line, line
from verification.run import simulate

PITCH, HEIGHT, MASS = 0.3048, 0.38, 1.5  # [m] between pins, of a pin; [kg]
CENTRE = 0.147  # [m] of mass above the lane
FEET = [(x, y, 0.006, 0.006) for x, y in ((0.02, 0.02), (-0.02, 0.02), (-0.02, -0.02), (0.02, -0.02))]
BODY = [(0.0, 0.0, 0.115, 0.06), (0.0, 0.0, 0.19, 0.045), (0.0, 0.0, 0.25, 0.025), (0.0, 0.0, 0.348, 0.032)]
BALL, BALL_MASS, SPEED = 0.108, 6.8, 8.0  # [m], [kg], [m/s]
DECK = 1e-3  # [m] height of the pins' floor above the lane of the mixture: pictures show it alone
LAW: dict[str, Any] = {
    "normal": e.SpringDashpot(stiffness=2e5, damping=100.0),
    "tangential": e.CundallStrack(stiffness=1e5, damping=50.0, mu=0.2),
}
TIME = 0.2  # [s]
KINDS = {
    "velocity Verlet": (ns.VelocityVerlet(), 1e-4, False),
    "generalized-alpha": (ns.GeneralizedAlpha(), 5e-4, False),
    "generalized-alpha, mixture": (ns.GeneralizedAlpha(), 5e-4, True),
}


def add_pin(model: ns.Model, x: float, y: float) -> tuple[Body, list[Primitive]]:
    """A pin that stands at (x, y)."""
    inertia = MASS * np.array([0.0113, 0.0113, 0.0012])
    pin = model.add_body(mass=MASS, inertia=inertia, position=(x, y, CENTRE))
    shapes = [*FEET, *BODY]
    own = [model.add_primitive([(u, v, w - CENTRE)], radius=r, carrier=pin) for u, v, w, r in shapes]
    return pin, own


def build(mixture: bool = True) -> ns.Model:
    """Ten pins and a ball."""
    model = ns.Model(gravity=(0, 0, -9.81))
    pins: list[Body | Primitive] = []
    for row in range(4):
        for k in range(row + 1):
            pins += add_pin(model, PITCH * row * np.sqrt(0.75), PITCH * (k - 0.5 * row))[1]
    place, velocity = (-0.25, 0.02, BALL - DECK * mixture), (SPEED, 0, 0)
    ball = model.add_sphere(radius=BALL, mass=BALL_MASS, position=place, velocity=velocity)
    lane = model.add_primitive([(-2, -2, 0), (4, -2, 0), (4, 2, 0), (-2, 2, 0)])
    model.add(e.CompliantPrimitiveSpheres(among=[*pins, ball], **LAW))
    on_lane = pins if mixture else [*pins, ball]
    model.add(e.CompliantPolygonSphere(lane, on_lane, **LAW))
    if mixture:
        below = model.add_plane(normal=(0, 0, 1), offset=-DECK)
        model.add(e.SpherePlane(ball, below, mu=0.1))
    return model


def bench_pins() -> list[Line]:
    """A ball among ten pins of eight primitives each."""
    lines = []
    for kind, (scheme, h, mixture) in KINDS.items():
        simulate(build(mixture), t_end=4 * h, h=h, scheme=scheme)  # compiles, or loads the kernels
        model, start = build(mixture), process_time()
        result = simulate(model, t_end=TIME, h=h, scheme=scheme, record_every=20)
        steps = round(TIME / h)
        time = 1e3 * (process_time() - start) / steps
        contacts = int(result.stats.contacts.max())
        lines.append(line(f"{kind}, h = {1e3 * h:g} ms, up to {contacts} contacts", time, "ms/step", ""))
    return lines
