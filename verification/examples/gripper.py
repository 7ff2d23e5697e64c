r"""Gripper

An arm of three hinges lowers a hand over a ball, and two jaws close on it. The arm lifts it and holds it for
a minute. The hinges have a `Drive` each, with tables of angles that lead the hand down, up and sideways; the
hand stays upright. The jaws slide on the hand in opposite directions, tied by a `Gear`; a `Motor` pushes them
with a force, and a `Limit` is how far they open.

Each jaw has two faces that meet in a V, so that friction holds the ball at four points. Half of the force
$F$ of the motor goes to either jaw. With faces at the angle $\beta$ from those of flat jaws, the weight needs
$F \geq m g \cos\beta / \mu$, 8.5 N here, and more while the arm lifts it faster and faster. Set-valued
friction holds without creep, and that is measured.

To look at: the arm over the ball, as it closes the jaws, and at the end. It also has the ball in the
jaws. Its place in the hand changes by rounding alone.
"""

import math
from itertools import pairwise

import numpy as np

import nsgalpha as ns
from elements import Drive, Gear, Limit, Motor, Prismatic, Revolute, SpherePlane
from nsgalpha.arrays import Floats, turned_back
from nsgalpha.show.figure_style import COLOURS, Axes, Figure, label, new_figure
from verification.example import main
from verification.mechanisms.rows import violation
from verification.outcome import Row, bound_row
from verification.run import simulate

GRAVITY, MU, RADIUS, MASS = 9.81, 0.5, 0.05, 0.5  # [m/s^2], [-], and of the ball [m], [kg]
BOOM, STICK, WRIST = (
    0.8,
    0.7,
    0.25,
)  # [m] between hinges, and from the last one down to the middle of the jaws
SHOULDER = 0.4  # [m] above the floor
WAYS = ((0.0, 0.9, 0.5), (1.0, 0.9, RADIUS), (1.6, 0.9, RADIUS), (2.6, 0.9, 0.5), (3.6, 0.6, 0.7))  # t, x, z
CLOSING, FORCE, SLANT = 1.2, 12.0, math.radians(30.0)  # [s], [N] of the motor, angle of the faces
OPEN = 0.03  # [m] from the ball at the start
JAW = 0.2  # [kg]
BOOM_BODY, HAND, BALL = 0, 2, 3  # numbers of bodies
Y, H, HELD = (0.0, 1.0, 0.0), 4e-3, 4.0  # axis, [s], [s] from which on nothing moves


def smooth(u: Floats) -> Floats:
    """From 0 to 1 with no rate and no acceleration at the ends."""
    return u**3 * (10.0 - 15.0 * u + 6.0 * u * u)


def way(t: Floats) -> Floats:
    """Places of the hand (n, 2) [m], x and z, at the times `t` [s]."""
    place = np.tile(np.array(WAYS[0][1:]), (len(t), 1))
    for (t0, *here), (t1, *there) in pairwise(WAYS):
        place += smooth(np.clip((t - t0) / (t1 - t0), 0.0, 1.0))[:, None] * (np.array(there) - here)
    return place


def bends(place: Floats) -> Floats:
    """Angles (n, 3) [rad] about y of boom, stick and hand in space, of the hand at `place` (n, 2)."""
    x, z = place[:, 0], place[:, 1] + WRIST - SHOULDER
    d = np.hypot(x, z)
    lift = np.arctan2(z, x) + np.arccos((d * d + BOOM**2 - STICK**2) / (2.0 * BOOM * d))
    end = np.arctan2(z - BOOM * np.sin(lift), x - BOOM * np.cos(lift))
    return np.stack([-lift, -end, np.zeros_like(lift)], axis=1)


def build(mu: float = MU, force: float = FORCE, t_end: float = HELD + 60.0) -> ns.Model:
    """The ball lies on the floor, the hand is above it, the jaws are open."""
    model = ns.Model(gravity=(0.0, 0.0, -GRAVITY))
    t = np.arange(0.0, t_end + 1.0, 0.02)  # [s] of the tables
    angle = bends(way(t))
    first, second, _ = angle[0]
    shoulder = np.array([0.0, 0.0, SHOULDER])
    elbow = shoulder + BOOM * np.array([math.cos(first), 0.0, -math.sin(first)])
    wrist = elbow + STICK * np.array([math.cos(second), 0.0, -math.sin(second)])
    x, z = WAYS[0][1:]
    bars = [
        model.add_body(
            mass=2.0,
            inertia=(0.002, 0.1, 0.1),
            position=0.5 * (a + b),
            rotation=(math.cos(0.5 * turn), 0.0, math.sin(0.5 * turn), 0.0),
            name=name,
        )
        for name, a, b, turn in (("boom", shoulder, elbow, first), ("stick", elbow, wrist, second))
    ]
    hand = model.add_body(mass=0.5, inertia=(1e-3, 1e-3, 1e-3), position=wrist, name="hand")
    chain, last = (None, *bars, hand), np.zeros(len(t))
    for k, (point, name) in enumerate(((shoulder, "shoulder"), (elbow, "elbow"), (wrist, "wrist"))):
        hinge = model.add(Revolute(chain[k], chain[k + 1], point=point, axis=Y, name=name))
        turn = angle[:, k] - last
        model.add(Drive(hinge, np.column_stack([t, turn - turn[0]]), name=f"servo of the {name}"))
        last = angle[:, k]
    ball = model.add_sphere(radius=RADIUS, mass=MASS, position=(x, 0.0, RADIUS), name="ball")
    floor = model.add_plane(normal=(0.0, 0.0, 1.0), name="floor")
    model.add(SpherePlane(ball, floor, mu=mu))
    slides = []
    for side in (-1.0, 1.0):
        middle = np.array([x, side * (RADIUS + OPEN), z])
        jaw = model.add_body(mass=JAW, inertia=(2e-4, 2e-4, 2e-4), position=middle)
        slides.append(model.add(Prismatic(hand, jaw, point=middle, axis=Y)))
        for lean in (-SLANT, SLANT):
            normal = (math.sin(lean), -side * math.cos(lean), 0.0)
            # at this offset the two faces touch a ball in the middle when the jaw has moved by OPEN
            face = model.add_plane(normal=normal, offset=-RADIUS + RADIUS * math.cos(lean), body=jaw)
            model.add(SpherePlane(ball, face, mu=mu))
    left, right = slides
    model.add(Gear(left, right, ratio=-1.0))
    model.add(Limit(left, low=0.0, high=2.0 * OPEN, name="opening"))
    push = [[0.0, -force], [CLOSING, -force], [CLOSING + 0.1, force], [t_end + 1.0, force]]
    model.add(Motor(left, push, name="motor"))
    return model


def run(mu: float = MU, force: float = FORCE, t_end: float = HELD + 60.0) -> ns.Result:
    """The ball is picked up and held for a minute."""
    return simulate(build(mu, force, t_end), t_end=t_end, h=H, assemble=True, record_every=5)


def place_in_hand(result: ns.Result) -> Floats:
    """The ball (n, 3) [m] in the frame of the hand."""
    turns = result.rotation[:, HAND]
    distance = result.position[:, BALL] - result.position[:, HAND]
    return np.array([turned_back(q, d) for q, d in zip(turns, distance, strict=True)])


def check(result: ns.Result) -> list[Row]:
    """The ball is with the hand and does not creep; final loads are static."""
    held = result.t >= HELD
    place, turn = place_in_hand(result)[held], result.rotation[held, BALL]
    x, z = WAYS[-1][1:]
    mass = np.array([body.mass for body in result.model.bodies])
    contacts = result.contacts
    on_ball = contacts.impulse[contacts.start[-2] :][:, 2].sum() / H
    torque = result.effort("servo of the shoulder").value[-1]
    statics = float(-GRAVITY * mass @ result.position[-1, :, 0])
    at_position, at_velocity = violation(result)
    return [
        Row("ball at the end, x", "m", x, result.position[-1, BALL, 0], 1e-6),
        Row("ball at the end, z", "m", z, result.position[-1, BALL, 2], 1e-6),
        bound_row("creep of the ball in a minute", "m", np.abs(place - place[0]).max(), 1e-12, "friction"),
        bound_row(
            "turn of the ball in a minute", "rad", 2.0 * np.abs(turn - turn[0]).max(), 1e-12, "friction"
        ),
        Row("friction on the ball", "N", MASS * GRAVITY, on_ball, 1e-9),
        Row("torque of the shoulder, statics", "N m", statics, torque, 5e-8),
        bound_row("joints, largest violation", "m", at_position, 1e-12, "rounding"),
        bound_row("joints, largest violation of velocities", "m/s", at_velocity, 1e-12, "rounding"),
    ]


def figure(result: ns.Result) -> Figure:
    """The arm at three times, the jaws from above, and the ball in the hand."""
    drawn, axes = new_figure(2, 2, size=(9.6, 5.2), width_ratios=(1, 1))
    grid = axes[0, 0].get_gridspec()
    for axis in axes[:, 0]:
        axis.remove()
    side = drawn.add_subplot(grid[:, 0])
    for t, alpha in ((0.0, 0.3), (CLOSING, 0.5), (result.t[-1], 1.0)):
        draw_arm(side, result, int(np.argmin(np.abs(result.t - t))), alpha)
    side.plot(*result.position[:, BALL, ::2].T, color=COLOURS[1], linewidth=0.8)
    side.axhline(0.0, color="0.4", linewidth=0.8)
    side.set_aspect("equal")
    label(side, "x [m]", "z [m]")
    above, below = axes[:, 1]
    draw_jaws(above, result, len(result.t) - 1)
    held = result.t >= HELD
    place = place_in_hand(result)[held]
    below.semilogy(result.t[held], np.linalg.norm(place - place[0], axis=1) + 1e-17, color=COLOURS[0])
    below.set_ylim(1e-17, 1e-9)
    label(below, "t [s]", "[m]", "way of the ball in the hand")
    return drawn


def draw_arm(axis: Axes, result: ns.Result, record: int, alpha: float) -> None:
    """Boom, stick, hand and ball, seen along y."""
    from matplotlib.patches import Circle

    x = result.position[record]
    shoulder, wrist = np.array([0.0, 0.0, SHOULDER]), x[HAND]
    elbow = 2.0 * x[BOOM_BODY] - shoulder
    bars = np.array([shoulder, elbow, wrist])[:, ::2]
    axis.plot(*bars.T, "o-", color=COLOURS[0], linewidth=3.0, alpha=alpha)
    tip = wrist - np.array([0.0, 0.0, WRIST])
    axis.plot(*np.array([wrist, tip])[:, ::2].T, color=COLOURS[2], linewidth=2.0, alpha=alpha)
    axis.add_patch(Circle(x[BALL, ::2], RADIUS, facecolor=COLOURS[1], edgecolor="0.2", alpha=alpha))


def draw_jaws(axis: Axes, result: ns.Result, record: int) -> None:
    """Ball and faces, seen from above."""
    from matplotlib.patches import Circle

    x, centre = result.position[record], result.position[record, BALL]
    axis.add_patch(Circle(1e3 * (x[BALL, :2] - centre[:2]), 1e3 * RADIUS, facecolor=COLOURS[1], alpha=0.6))
    for plane in result.model.planes[1:]:
        assert plane.body is not None
        jaw = x[plane.body][:2] - centre[:2]
        normal, offset = np.array(plane.normal[:2]), plane.offset
        touched = (offset + normal @ jaw) * normal  # foot of the centre of the ball
        corner = np.array([0.0, math.copysign(RADIUS / math.cos(SLANT), jaw[1])])
        ends = 1e3 * np.array([corner, 1.8 * touched - 0.8 * corner])
        axis.plot(*ends.T, color=COLOURS[2])
    axis.set_aspect("equal")
    label(axis, "x [mm]", "y [mm]", "jaws from above")


if __name__ == "__main__":
    main(__file__)
