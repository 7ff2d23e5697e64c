r"""An arm from a file

The arm comes from `gripper_arm.urdf`: four hinges, and two fingers of which the right one follows the left
one. `robot.follow` leads the hinges along a table, whose angles bring the hand down to a box, up and
sideways. A `Motor` closes the fingers. They hold the box by friction at their faces for a minute.

Half of the force $F$ of the motor goes to either finger. The weight needs $F \geq m g / \mu$, 8.2 N here, and
more while the arm lifts it faster and faster.

Velocities and positions have the same friction, so the box stays in its place in the hand by rounding alone.

To look at: the open hand above the box, the hand on the box, and the end.
"""

from itertools import pairwise
from pathlib import Path

import numpy as np

import nsgalpha as ns
from elements import Contact, Motor
from nsgalpha.arrays import Floats, turned_back
from nsgalpha.show import Camera
from nsgalpha.show.figure_style import COLOURS, Figure, label, new_figure
from verification.example import main, paint
from verification.mechanisms.rows import violation
from verification.outcome import Row, bound_row
from verification.run import simulate

FILE = Path(__file__).with_suffix(".urdf")
GRAVITY, MU, MASS, SIDE, HIGH = 9.81, 0.6, 0.5, 0.06, 0.08  # [m/s^2], [-], and of the box [kg], [m]
UPPER, FORE, HAND, SHOULDER = 0.4, 0.36, 0.13, 0.3  # [m] between hinges, to the grip, above the floor
WAYS = (  # t [s], then distance from the column and height of the grip [m], and angle of the column [rad]
    (0.0, 0.45, 0.3, 0.0),
    (1.0, 0.45, 0.5 * HIGH, 0.0),
    (1.6, 0.45, 0.5 * HIGH, 0.0),
    (2.6, 0.45, 0.35, 0.0),
    (3.6, 0.4, 0.3, 1.2),
)
CLOSING, FORCE, OPEN = 1.1, 20.0, 0.04  # [s], [N] of the motor, coordinate of a finger at the start [m]
H, HELD = 2e-3, 4.0  # [s], [s] from which on nothing moves


def smooth(u: Floats) -> Floats:
    """From 0 to 1 with no rate and no acceleration at the ends."""
    return u**3 * (10.0 - 15.0 * u + 6.0 * u * u)


def moves(t_end: float) -> dict[str, Floats]:
    """Times [s] and angles [rad] of the hinges that lead the hand along WAYS, with the fingers down."""
    t = np.arange(0.0, t_end + 1.0, 0.02)
    place = np.tile(np.array(WAYS[0][1:]), (len(t), 1))
    for (t0, *here), (t1, *there) in pairwise(WAYS):
        place += smooth(np.clip((t - t0) / (t1 - t0), 0.0, 1.0))[:, None] * (np.array(there) - here)
    x, z = place[:, 0], place[:, 1] + HAND - SHOULDER
    d2 = x * x + z * z
    elbow = np.arccos((d2 - UPPER**2 - FORE**2) / (2.0 * UPPER * FORE))
    shoulder = np.arctan2(x, z) - np.arctan2(FORE * np.sin(elbow), UPPER + FORE * np.cos(elbow))
    wrist = np.pi - shoulder - elbow
    return {"time": t, "pan": place[:, 2], "shoulder": shoulder, "elbow": elbow, "wrist": wrist}


def build(mu: float = MU, force: float = FORCE, t_end: float = HELD + 60.0) -> ns.Model:
    """The box stands on the floor, the hand is above it, the fingers are open."""
    table = moves(t_end)
    start = {name: float(values[0]) for name, values in table.items() if name != "time"}
    robot = ns.read_urdf(FILE, start=start | {"left slide": OPEN})
    robot.follow(table)
    model = robot.model
    push = [[0.0, force], [CLOSING, force], [CLOSING + 0.1, -force], [t_end + 1.0, -force]]
    model.add(Motor(robot.joint("left slide"), push, name="grip"))
    box = model.add_box((SIDE, SIDE, HIGH), mass=MASS, position=(WAYS[0][1], 0.0, 0.5 * HIGH), name="box")
    floor = model.add_plane(normal=(0.0, 0.0, 1.0), name="floor")
    fingers = [robot.body("left finger"), robot.body("right finger")]
    model.add(Contact(between=([box], [*fingers, floor]), mu=mu))
    return model


def run(mu: float = MU, force: float = FORCE, t_end: float = HELD + 60.0) -> ns.Result:
    """The box is picked up and held for a minute."""
    return simulate(build(mu, force, t_end), t_end=t_end, h=H, assemble=True, record_every=20)


def numbers(result: ns.Result) -> dict[str, int]:
    """Numbers of bodies by their names."""
    return {body.name: k for k, body in enumerate(result.model.bodies)}


def place_in_hand(result: ns.Result) -> Floats:
    """The box (n, 3) [m] in the frame of the hand."""
    number = numbers(result)
    hand, box = number["hand"], number["box"]
    distance = result.position[:, box] - result.position[:, hand]
    return np.array([turned_back(q, d) for q, d in zip(result.rotation[:, hand], distance, strict=True)])


def check(result: ns.Result) -> list[Row]:
    """The box is with the hand and does not creep; final loads are static."""
    box, held = numbers(result)["box"], result.t >= HELD
    place, turn = place_in_hand(result)[held], result.rotation[held, box]
    _, far, high, pan = WAYS[-1]
    mass = np.array([body.mass for body in result.model.bodies])
    on_box = result.contacts.impulse[result.contacts.start[-2] :].sum(axis=0) / H
    x = result.position[-1]
    lever = x[:, 0] * np.cos(pan) + x[:, 1] * np.sin(pan)  # from the axis of the shoulder
    statics = -GRAVITY * float(mass @ np.where(mass > 0.0, lever, 0.0))
    at_position, at_velocity = violation(result)
    return [
        Row("box at the end, x", "m", far * np.cos(pan), x[box, 0], 1e-6),
        Row("box at the end, y", "m", far * np.sin(pan), x[box, 1], 1e-6),
        Row("box at the end, z", "m", high, x[box, 2], 1e-6),
        bound_row("creep of the box in a minute", "m", np.abs(place - place[0]).max(), 1e-12, "friction"),
        bound_row(
            "turn of the box in a minute", "rad", 2.0 * np.abs(turn - turn[0]).max(), 1e-11, "friction"
        ),
        Row("friction on the box", "N", MASS * GRAVITY, abs(on_box[2]), 1e-9),
        Row(
            "torque of the shoulder, statics",
            "N m",
            statics,
            result.effort("Drive of shoulder").value[-1],
            5e-8,
        ),
        bound_row("joints, largest violation", "m", at_position, 1e-12, "rounding"),
        bound_row("joints, largest violation of velocities", "m/s", at_velocity, 1e-12, "rounding"),
    ]


def figure(result: ns.Result) -> Figure:
    """Three pictures, and the way of the box in the hand."""
    drawn, axes = new_figure(2, 2, size=(9.6, 7.2))
    camera = Camera((1.5, -1.2, 0.9), (0.2, 0.1, 0.3))
    for axis, t in zip(axes.flat, (0.0, 1.5, result.t[-1]), strict=False):
        paint(axis, result, camera, t=t, size=(720, 540))
    held = result.t >= HELD
    place = place_in_hand(result)[held]
    below = axes[1, 1]
    below.semilogy(result.t[held], np.linalg.norm(place - place[0], axis=1) + 1e-17, color=COLOURS[0])
    below.set_ylim(1e-17, 1e-9)
    label(below, "t [s]", "[m]", "way of the box in the hand")
    return drawn


if __name__ == "__main__":
    main(__file__)
