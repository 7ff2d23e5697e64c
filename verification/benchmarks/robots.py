"""Robots at rest beside MuJoCo: an arm with a box in its gripper, and a dog.

    NSGALPHA_PEERS=/path/to/python nsgalpha bench robots

The scenes are those of verification/examples: gripper_arm.py and quadruped.py, from the same URDF files, with
the same friction and step. For a minute nothing should move. Here drives lead the hinges of the arm. MuJoCo
has position servos of the stiffness ARM for them, and the controllers of the dog as in the example. Damping
is that of the joints there, which its integrators take implicitly. Contact has all defaults, or TUNED.
"""

from __future__ import annotations

import math
from time import process_time
from typing import Any

import numpy as np

import nsgalpha as ns
from nsgalpha.arrays import Floats, turned, turned_back
from verification.benchmarks.line import Line, line
from verification.benchmarks.peers import ask
from verification.examples import gripper_arm, quadruped
from verification.run import simulate

MINUTE, EVERY = 60.0, 4.0  # [s]; states are compared every 4 s
NOSLIP = 10  # iterations that remove slip, of none by default
#: Stiffness [N m/rad] and damping [N m s/rad] of the servos of the arm in MuJoCo.
ARM = {"pan": (5000.0, 100.0), "shoulder": (5000.0, 100.0), "elbow": (5000.0, 100.0), "wrist": (500.0, 5.0)}
#: The stiffest contact that a step of 2 ms allows, solref = 2 h, and options for grasping by the manual.
TUNED: dict[str, Any] = {
    "solref": (2.0 * gripper_arm.H, 1.0),
    "solimp": (0.95, 0.99, 0.001),
    "option": {"integrator": "IMPLICITFAST", "cone": "ELLIPTIC", "impratio": 10.0},
}
SETTINGS: dict[str, dict[str, Any]] = {
    "defaults": {},
    "defaults, armature": {"armature": True},
    "tuned": TUNED | {"armature": True},
    "tuned, noslip": TUNED | {"armature": True, "option": TUNED["option"] | {"noslip_iterations": NOSLIP}},
}
ARMATURES = {"arm": {"armature": 0.1, "finger_armature": 0.1}, "dog": {"armature": 0.01}}  # [kg m^2], [kg]


def times(first: float) -> Floats:
    """Times [s] of the comparison, from `first` on for a minute."""
    return np.arange(first, first + MINUTE + 0.5 * EVERY, EVERY)


def of_arm(x: Floats, q: Floats) -> dict[str, tuple[float, str]]:
    """Way and turn of the box in the hand.

    By positions (T, 2, 3) and rotations (T, 2, 4) of hand and box.
    """
    place = np.array([turned_back(turn[0], at[1] - at[0]) for at, turn in zip(x, q, strict=True)])
    axes = np.array([[turned_back(turn[0], turned(turn[1], e)) for e in np.eye(3)] for turn in q])
    way = np.linalg.norm(place - place[0], axis=1)
    turn = np.linalg.norm(axes - axes[0], axis=(1, 2)).max() / math.sqrt(2.0)  # of small angles
    return {
        "way of the box in the hand": (float(way.max()), "m"),
        "in the first 4 s": (float(way[1]), "m"),
        "its turn": (float(turn), "rad"),
    }


def of_dog(x: Floats, q: Floats) -> dict[str, tuple[float, str]]:
    """Way and height of the trunk, and depth of feet in the floor.

    By positions (T, 5, 3) and rotations (T, 5, 4) of trunk and calves.
    """
    foot = [[turned(each, quadruped.FOOT)[2] for each in turn[1:]] for turn in q]
    depth = quadruped.RADIUS - (x[:, 1:, 2] + np.array(foot)).min()
    way = np.linalg.norm(x[:, 0] - x[0, 0], axis=1)
    return {
        "way of the trunk": (float(way.max()), "m"),
        "in the first 4 s": (float(way[1]), "m"),
        "its height": (float(x[-1, 0, 2]), "m"),
        "depth of feet in the floor": (float(depth), "m"),
    }


def arm_scene() -> tuple[dict[str, Any], list[str]]:
    """The scene of the arm for MuJoCo, and the bodies that are compared."""
    box, table = gripper_arm, gripper_arm.moves(gripper_arm.HELD + MINUTE)
    servos = {
        name: {"stiffness": k, "damping": d, "target": np.column_stack([table["time"], table[name]]).tolist()}
        for name, (k, d) in ARM.items()
    }
    push = [(0.0, box.FORCE), (box.CLOSING, box.FORCE), (box.CLOSING + 0.1, -box.FORCE), (1e3, -box.FORCE)]
    size = (box.SIDE, box.SIDE, box.HIGH)
    place = (box.WAYS[0][1], 0.0, 0.5 * box.HIGH)
    start = {name: float(table[name][0]) for name in ARM}
    start |= dict.fromkeys(("left slide", "right slide"), box.OPEN)
    return {
        "boxes": [{"name": "box", "size": size, "mass": box.MASS, "position": place}],
        "pairs": [["box"], ["floor", "left finger", "right finger"]],
        "servos": servos,
        "motors": {"left slide": push},
        "start": start,
        "times": times(box.HELD).tolist(),
    }, ["hand", "box"]


def dog_scene() -> tuple[dict[str, Any], list[str]]:
    """The scene of the dog for MuJoCo, and the bodies that are compared."""
    dog, half = quadruped, 0.5 * np.array(quadruped.LEAN)
    turn = np.array([1.0, *half]) / np.sqrt(1.0 + half @ half)
    start = {f"{leg} {hinge}": angle for leg in dog.LEGS for hinge, angle in dog.STANCE.items()}
    law = {"stiffness": dog.STIFFNESS, "damping": dog.DAMPING}
    calves = [f"{leg} calf" for leg in dog.LEGS]
    return {
        "base": "trunk",
        "pose": [(0.0, 0.0, dog.START), turn.tolist()],
        "pairs": [calves, ["floor"]],
        "servos": {name: law | {"target": [(0.0, angle), (1.0, angle)]} for name, angle in start.items()},
        "start": start,
        "times": times(dog.T_END).tolist(),
    }, ["trunk", *calves]


def ours(model: ns.Model, names: list[str], until: Floats) -> tuple[float, Floats, Floats]:
    """Milliseconds of a step, positions and rotations of the bodies `names` at the times `until`."""
    h, begun = gripper_arm.H, process_time()
    result = simulate(model, t_end=float(until[-1]), h=h, record_every=round(EVERY / h))
    took = 1e3 * h * (process_time() - begun) / float(until[-1])
    number = {body.name: k for k, body in enumerate(model.bodies)}
    at, of = np.searchsorted(result.t, until - 0.5 * h), [number[name] for name in names]
    return took, result.position[at][:, of], result.rotation[at][:, of]


def theirs(name: str, scene: dict[str, Any], settings: dict[str, Any]) -> tuple[Any, ...] | str:
    """The same three and the version of MuJoCo, or why it has not answered."""
    own = {k: v for k, v in settings.items() if k != "armature"}
    own |= ARMATURES[name] if "armature" in settings else {}
    answer = ask("mujoco", "robot", scene | {"settings": own})
    if isinstance(answer, str):
        return answer
    took = 1e3 * scene["h"] * sum(answer["seconds"]) / scene["times"][-1]
    return took, np.array(answer["position"]), np.array(answer["rotation"]), answer["version"]


def bench_robots() -> list[Line]:
    """Robots that hold and stand for a minute, steps of 2 ms, beside MuJoCo."""
    lines: list[Line] = []
    for name, example, make, measure in SCENES:
        scene, names = make()
        scene |= {"urdf": example.FILE.read_text(encoding="utf-8"), "bodies": names, "mu": example.MU}
        scene |= {"gravity": example.GRAVITY, "h": example.H}
        simulate(example.build(), t_end=0.01, h=example.H)  # compiles, or loads the kernels
        took, x, q = ours(example.build(), names, np.array(scene["times"]))
        lines += _lines(f"{name}, nsgalpha", took, f"{scene['times'][-1]:g} s", measure(x, q))
        for words, settings in SETTINGS.items():
            found = theirs(name, scene, settings)
            if isinstance(found, str):
                lines.append(line(f"{name}, MuJoCo", math.nan, "ms/step", found))
                break
            took, x, q, version = found
            lines += _lines(f"{name}, MuJoCo, {words}", took, f"{version}, same run", measure(x, q))
    return lines


def _lines(name: str, took: float, source: str, measured: dict[str, tuple[float, str]]) -> list[Line]:
    own = [line(f"    {what}", value, unit) for what, (value, unit) in measured.items()]
    return [line(name, took, "ms/step", source), *own]


SCENES: tuple[tuple[str, Any, Any, Any], ...] = (
    ("arm", gripper_arm, arm_scene, of_arm),
    ("dog", quadruped, dog_scene, of_dog),
)
