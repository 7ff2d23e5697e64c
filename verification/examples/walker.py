r"""Walking linkage

Theo Jansen's leg has bars with lengths from a search by computer. They lead the foot along a flat line and
back above it while the crank rotates. Six legs, three to either side, hang on one crankshaft with pins at 120
degrees. Its angle is a `Drive`; all else follows from joints, and from friction at the feet, which are
spheres.

A bar between two pins without a mass is a `Distance`. The bars b, d, e are a triangle, as are g, h, i:
these are bodies. Pins are intersections of circles, so that the model is stated at its place;
`assemble=True` finds the velocities. Hull and shins stay in planes across the crankshaft.

Feet on the ground differ in speed, so that some of them slide. In a turn the hull goes as far as the lowest
feet go back below it, about 1.4 m. That holds for 100 s as for two turns: with `run(100.0)` it goes 46 m in
32 turns, and joints hold to $10^{-13}$ m.

To look at: the paths of the feet in the frame of the hull, flat below. The hull stays level to
millimetres; each change of feet is felt in its speed.
"""

import math
from typing import Any

import numpy as np

import nsgalpha as ns
from elements import Distance, Drive, Planar, Revolute, SpherePlane
from nsgalpha.arrays import Floats, turned
from nsgalpha.show.figure_style import COLOURS, Axes, Figure, label, new_figure
from verification.example import main
from verification.mechanisms.rows import violation
from verification.outcome import Row, bound_row
from verification.run import simulate

PUBLISHED = 38.0, 41.5, 39.3, 40.1, 55.8, 39.4, 36.7, 65.8, 49.0, 50.0, 61.9, 7.8, 15.0
L = {letter: 0.01 * value for letter, value in zip("abcdefghijklm", PUBLISHED, strict=True)}  # [m]
PHASES = 0.0, 2.0 * math.pi / 3.0, 4.0 * math.pi / 3.0  # [rad] of the pins of the crankshaft
TRACK = 0.2  # [m] between the planes of the legs
FOOT, MU, GRAVITY = 0.03, 0.8, 9.81  # [m], [-], [m/s^2]
RATE = 2.0  # [rad/s] of the crankshaft
HULL, SHAFT, THIGH, SHIN = 8.0, 2.0, 0.8, 0.8  # [kg]
Y = 0.0, 1.0, 0.0
H = 2e-3  # [s]


def meet(p: complex, r: float, q: complex, s: float) -> complex:
    """The point at distances `r` from `p` and `s` from `q`, left of p to q."""
    d = abs(q - p)
    along = (d * d + r * r - s * s) / (2.0 * d)
    return p + (along + 1j * math.sqrt(r * r - along * along)) * (q - p) / d


def leg(pin: complex) -> dict[str, complex]:
    """Pins of a leg to the left, x + i z [m] from the crankshaft, whose pin is at `pin`."""
    hip = complex(-L["a"], -L["l"])
    top = meet(hip, L["b"], pin, L["j"])
    back = meet(hip, L["d"], top, L["e"])
    knee = meet(pin, L["k"], hip, L["c"])
    heel = meet(knee, L["g"], back, L["f"])
    foot = meet(knee, L["i"], heel, L["h"])
    return {"pin": pin, "hip": hip, "top": top, "back": back, "knee": knee, "heel": heel, "foot": foot}


def legs() -> list[tuple[float, dict[str, complex]]]:
    """All legs, each with its y [m]: left and, mirrored, right of each pin."""
    found = []
    for k, phase in enumerate(PHASES):
        pin = L["m"] * complex(math.cos(phase), math.sin(phase))
        y = (k - 1) * TRACK
        found.append((y, leg(pin)))
        found.append((y, {name: -z.conjugate() for name, z in leg(-pin.conjugate()).items()}))
    return found


def build(rate: float = RATE, mu: float = MU) -> ns.Model:
    """It stands on its lowest feet, the crankshaft turns at the `rate` [rad/s]."""
    model, every = ns.Model(gravity=(0.0, 0.0, -GRAVITY)), legs()
    height = FOOT - min(pins["foot"].imag for _, pins in every)
    hull = model.add_body(mass=HULL, inertia=(0.3, 0.4, 0.5), position=(0.0, 0.0, height), name="hull")
    shaft = model.add_body(mass=SHAFT, inertia=(0.02, 0.03, 0.02), position=(0.0, 0.0, height), name="shaft")
    model.add(Planar(None, hull, point=hull.position, normal=Y))
    crank = model.add(Revolute(hull, shaft, point=shaft.position, axis=Y, name="crank"))
    model.add(Drive(crank, rate=rate, name="engine"))
    feet = []
    for y, pins in every:
        at = {name: np.array([z.real, y, height + z.imag]) for name, z in pins.items()}
        corners = np.array([at["hip"], at["top"], at["back"]])
        centre = corners.mean(axis=0)
        turn = THIGH * float(((corners - centre) ** 2).sum()) / 3.0
        thigh = model.add_body(mass=THIGH, inertia=(0.5 * turn, turn, 0.5 * turn), position=centre)
        turn = 0.3 * SHIN * L["i"] ** 2
        shin = model.add_sphere(
            radius=FOOT, mass=SHIN, inertia=(0.5 * turn, turn, 0.5 * turn), position=at["foot"]
        )
        model.add(Revolute(hull, thigh, point=at["hip"], axis=Y))
        model.add(Planar(None, shin, point=at["foot"], normal=Y))
        for a, b, ends in (
            (shaft, thigh, ("pin", "top")),
            (shaft, shin, ("pin", "knee")),
            (hull, shin, ("hip", "knee")),
            (thigh, shin, ("back", "heel")),
        ):
            model.add(Distance(a, b, points=(at[ends[0]], at[ends[1]])))
        feet.append(shin)
    ground = model.add_plane(normal=(0.0, 0.0, 1.0), name="ground")
    model.add(SpherePlane(feet, ground, mu=mu))
    return model


def run(t_end: float = 4.0 * math.pi / RATE, h: float = H) -> ns.Result:
    """Two turns of the crankshaft."""
    return simulate(build(), t_end=t_end, h=h, assemble=True, record_every=10)


def way_of_a_turn(count: int = 720) -> float:
    """Mean way of the lowest feet [m] of both sides, below a level hull."""
    step = 2.0 * math.pi / count
    foot = np.array([leg(L["m"] * np.exp(1j * step * k))["foot"] for k in range(count)])
    stands = np.argmin([np.roll(foot.imag, -count // 3 * k) for k in range(3)], axis=0)
    speed = (np.roll(foot.real, -1) - np.roll(foot.real, 1)) / (2.0 * step)
    return abs(float(speed[(np.arange(count) + count // 3 * stands) % count].mean() * 2.0 * math.pi))


def check(result: ns.Result) -> list[Row]:
    """The way of the last turn, level walking, and joints and feet that hold."""
    x, z = result.position[:, 0, 0], result.position[:, 0, 2]
    before = int(np.argmin(np.abs(result.t - result.t[-1] + 2.0 * math.pi / RATE)))
    angle, rate = result.coordinate("crank")
    at_position, at_velocity = violation(result)
    return [
        Row("way of the last turn", "m", way_of_a_turn(), x[-1] - x[before], 0.1),
        Row("hull goes up and down by", "m", 0.0, np.ptp(z), 0.05),
        Row("crankshaft turned", "rad", RATE * result.t[-1], angle[-1], 1e-9),
        bound_row(
            "rate of the crankshaft, largest error", "rad/s", np.abs(rate - RATE).max(), 1e-11, "drive"
        ),
        bound_row("joints, largest violation", "m", at_position, 1e-12, "rounding"),
        bound_row("joints, largest violation of velocities", "m/s", at_velocity, 1e-12, "rounding"),
        bound_row("feet in the ground", "m", float(result.stats.penetration.max()), 1e-10, "tolerance"),
    ]


def place(result: ns.Result, joint: Any, side: int, record: int) -> Floats:
    """The point (3,) [m] of a `joint` on its `side`, A 0 or B 1."""
    body = joint.carriers[side]
    return result.position[record, body] + turned(result.rotation[record, body], joint.points[side])


def paths(result: ns.Result) -> Floats:
    """The feet (n, legs, 2) [m] in the frame of the hull, along x and z."""
    shins = [int(foot) for foot in result.model.spheres]
    q = result.rotation[:, 0]
    pitch = 2.0 * np.arctan2(q[:, 2], q[:, 0])[:, None]
    d = result.position[:, shins] - result.position[:, :1]
    x, z = d[..., 0], d[..., 2]
    return np.stack([np.cos(pitch) * x - np.sin(pitch) * z, np.sin(pitch) * x + np.cos(pitch) * z], axis=-1)


def figure(result: ns.Result) -> Figure:
    """The walker at start and end, the paths of its feet, and its way."""
    drawn, axes = new_figure(2, 2, size=(9.6, 5.6), height_ratios=(3, 2))
    grid = axes[0, 0].get_gridspec()
    for axis in axes[0]:
        axis.remove()
    above = drawn.add_subplot(grid[0, :])
    for record in (0, len(result.t) - 1):
        draw(above, result, record)
    above.axhline(0.0, color="0.4", linewidth=0.8)
    above.set_aspect("equal")
    label(above, "x [m]", "z [m]")
    left, right = axes[1]
    for k, path in enumerate(np.moveaxis(paths(result), 1, 0)):
        left.plot(*path.T, color=COLOURS[k // 2], linewidth=0.8)
    left.set_aspect("equal")
    label(left, "x from the crankshaft [m]", "z [m]", "paths of the feet")
    right.plot(result.t, result.velocity[:, 0, 0], color=COLOURS[0], linewidth=0.8)
    right.set_ylim(0.0, None)
    label(right, "t [s]", "m/s", "speed of the hull")
    return drawn


def draw(axis: Axes, result: ns.Result, record: int) -> None:
    """Rods and triangles of all legs, seen along y, those of a pin in one colour."""
    joints, of_leg = result.model.joints, 6
    for number in range((len(joints) - 2) // of_leg):
        hinge, plane, *rods = joints[2 + of_leg * number :][:of_leg]
        colour = COLOURS[number // 2]
        top, knee, strut, back = [[place(result, rod, side, record) for side in (0, 1)] for rod in rods]
        foot = result.position[record, plane.carriers[1]]
        for ends in (top, knee, strut, back, [result.position[record, 0], top[0]]):
            axis.plot(*np.array(ends)[:, ::2].T, color=colour, linewidth=0.9)
        for corners in ([place(result, hinge, 1, record), top[1], back[0]], [knee[1], back[1], foot]):
            axis.fill(*np.array(corners)[:, ::2].T, facecolor=colour, edgecolor=colour, alpha=0.35)
        axis.plot(foot[0], foot[2], "o", color=colour, markersize=4)


if __name__ == "__main__":
    main(__file__)
