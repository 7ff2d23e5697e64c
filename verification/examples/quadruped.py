r"""A dog that falls on its feet

A dog of 12 kg comes from `quadruped.urdf`: a trunk, and four legs of three hinges, each with a controller
`PD` of the torque $k (c_0 - c) - d \dot c$. It falls askew from 15 cm, lands on one foot after the other,
and stands.

At rest the floor carries the weight, below the centre of mass. The torque of a knee follows from the force
at its foot and the weight of the calf. The dog stands on friction, and creeps by less than $10^{-6}$ m/s.
That falls with the square of small steps: controllers act where loads alone have moved the legs.

To look at: the fall, the landing, the dog at rest, and the height of the trunk.
"""

from itertools import product
from pathlib import Path

import numpy as np

import nsgalpha as ns
from elements import PD, Contact
from nsgalpha.arrays import Floats, turned
from nsgalpha.show import Camera
from nsgalpha.show.figure_style import COLOURS, Figure, label, new_figure
from verification.example import main, paint
from verification.outcome import Row, bound_row
from verification.run import simulate

FILE = Path(__file__).with_suffix(".urdf")
GRAVITY, MU, RADIUS = 9.81, 0.6, 0.02  # [m/s^2], [-], of a foot [m]
LEGS = [f"{end} {side}" for end, side in product(("front", "hind"), ("left", "right"))]
STANCE = {"abduction": 0.0, "swing": 0.8, "knee": -1.6}  # angles [rad] that the controllers want
STIFFNESS, DAMPING = 200.0, 6.0  # [N m/rad], [N m s/rad] of a hinge
START, LEAN = 0.47, (0.12, 0.1, 0.0)  # height [m] of the trunk, and its turns [rad] about x and y
T_END, H, REST = 4.0, 2e-3, 2.0  # [s], [s], [s] from which on it stands
FOOT = np.array([0.0, 0.0, -0.1])  # [m] from the centre of the calf's shape to the foot


def build(drop: float = START, mu: float = MU) -> ns.Model:
    """The dog in the air, in its stance."""
    angles = {f"{leg} {hinge}": angle for leg in LEGS for hinge, angle in STANCE.items()}
    half = 0.5 * np.array(LEAN)
    turn = np.array([1.0, *half]) / np.sqrt(1.0 + half @ half)
    robot = ns.read_urdf(FILE, base="free", position=(0.0, 0.0, drop), rotation=turn, start=angles)
    model = robot.model
    for name, angle in angles.items():
        servo = PD(robot.joint(name), angle, stiffness=STIFFNESS, damping=DAMPING, name=f"{name} servo")
        model.add(servo)
    floor = model.add_plane(normal=(0.0, 0.0, 1.0), name="floor")
    model.add(Contact(between=([robot.body(f"{leg} calf") for leg in LEGS], [floor]), mu=mu))
    return model


def run(h: float = H, t_end: float = T_END) -> ns.Result:
    """It falls and stands."""
    return simulate(build(), t_end=t_end, h=h, record_every=round(0.02 / h))


def numbers(result: ns.Result) -> dict[str, int]:
    """Numbers of bodies by their names."""
    return {body.name: k for k, body in enumerate(result.model.bodies)}


def floor_forces(result: ns.Result) -> tuple[Floats, Floats]:
    """Forces (4, 3) [N] on the feet at the end, in the order of LEGS, and where they act (4, 3) [m]."""
    number, last = numbers(result), slice(result.contacts.start[-2], None)
    calves = [number[f"{leg} calf"] for leg in LEGS]
    of = result.contacts.body_a[last].tolist()
    force = np.array([result.contacts.impulse[last][of.index(calf)] for calf in calves])
    feet = [result.position[-1, k] + turned(result.rotation[-1, k], FOOT) for k in calves]
    return force / result.h[-1], np.array(feet) - (0.0, 0.0, RADIUS)


def knee_torques(result: ns.Result) -> Floats:
    """Torques (4,) [N m] that hold the calves at the end, by statics."""
    number, found = numbers(result), []
    for leg, force, point in zip(LEGS, *floor_forces(result), strict=True):
        calf = number[f"{leg} calf"]
        x, q = result.position[-1, calf], result.rotation[-1, calf]
        knee, axis = x + turned(q, -FOOT), turned(q, np.array([0.0, 1.0, 0.0]))
        weight = np.array([0.0, 0.0, -GRAVITY * result.model.bodies[calf].mass])
        found.append(-axis @ (np.cross(point - knee, force) + np.cross(x - knee, weight)))
    return np.array(found)


def check(result: ns.Result) -> list[Row]:
    """It stands; the forces at rest are static."""
    mass = np.array([body.mass for body in result.model.bodies])
    force, point = floor_forces(result)
    centre, weight = mass @ result.position[-1] / mass.sum(), GRAVITY * mass.sum()
    under = force[:, 2] @ point / force[:, 2].sum()
    torque = [float(result.effort(f"{leg} knee servo").value[-1]) for leg in LEGS]
    rest = result.t >= REST
    way = result.position[rest, 0] - result.position[rest, 0][0]
    off = np.abs(knee_torques(result) - torque).max()
    return [
        Row("force of the floor", "N", weight, float(force[:, 2].sum()), 1e-5),
        Row("middle of the force, x", "m", centre[0], under[0], 1e-6),
        Row("middle of the force, y", "m", centre[1], under[1], 1e-6),
        bound_row("torques of knees from statics", "N m", off, 5e-4, "order h^2"),
        bound_row("friction over its bound", "-", slip(force), 1.0, "it stands"),
        bound_row("way of the trunk at rest, in 2 s", "m", np.abs(way).max(), 2e-6, "order h^2"),
        bound_row("speed at the end", "m/s", np.abs(result.velocity[-1]).max(), 1e-6, "order h^2"),
    ]


def slip(force: Floats) -> float:
    """The largest friction of `force` (n, 3) over its bound."""
    return float((np.hypot(force[:, 0], force[:, 1]) / (MU * force[:, 2])).max())


def figure(result: ns.Result) -> Figure:
    """Three pictures, and the height of the trunk."""
    drawn, axes = new_figure(2, 2, size=(9.6, 7.2))
    camera = Camera((1.1, -1.1, 0.6), (0.0, 0.0, 0.22))
    for axis, t in zip(axes.flat, (0.0, 0.24, result.t[-1]), strict=False):
        paint(axis, result, camera, t=t, size=(720, 540))
    below = axes[1, 1]
    below.plot(result.t, result.position[:, 0, 2], color=COLOURS[0])
    label(below, "t [s]", "z [m]", "height of the trunk")
    return drawn


if __name__ == "__main__":
    main(__file__)
