"""Models of one joint computed with MSC ADAMS: positions, rotations, and forces on the ground."""

import re
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import elements as e
import nsgalpha as ns
from nsgalpha.arrays import Floats
from verification.mechanisms import reference
from verification.mechanisms.rows import reaction, violation
from verification.mechanisms.smooth import at, held_rows
from verification.outcome import Row
from verification.run import simulate

H = 1e-3  # [s]
MODELS = slice(None)  # those of the file
SHORTER = {"Distance_Case02": 1.25e-4, "RevSpherical_Case01": 2.5e-4}  # where H misses one of the two
POSITION, FORCE = 1e-4, 1e-2  # [m], [N]
SIZE = 2.0  # [m]
ADAMS = "MSC ADAMS (reference.json)"
ODE = "independent ordinary differential equation (mechanisms/reference.py)"
FALL = "closed form"
SPRING, DASHPOT = 200.0, 10.0  # of the hinge with a torsion spring [N m], [N m s]
FALLING = ("Cylindrical_Case01", "Prismatic_Case01")
PENDULA = (
    "Revolute_Case01",
    "Cylindrical_Case02",
    "Spherical_Case01",
    "Universal_Case01",
    "Universal_Case02",
)
RODS: dict[str, Floats | None] = {
    "Distance_Case01": None,
    "Distance_Case02": None,
    "RevSpherical_Case01": np.array((0.0, 0.0, 1.0)),
}


def kind_of(name: str) -> str:
    """The kind of joint in the name."""
    return name.split("_")[0]


def frame_of(p: dict[str, Any]) -> Floats:
    """Matrix (3, 3) of the frame of the joint."""
    found = re.fullmatch(r"rotation by (-?\d+) deg about (.)", p["joint_frame"])
    assert found is not None
    axis = np.eye(3)["XYZ".index(found[2])]
    return np.asarray(Rotation.from_rotvec(np.radians(float(found[1])) * axis).as_matrix())


def build(name: str) -> ns.Model:
    """One of the models."""
    p, kind = reference.adams(name)["params"], kind_of(name)
    model = ns.Model(gravity=p["g"])
    body = {"mass": p["m"], "inertia": p["J_body"]}
    if "joint_frame" in p:
        R, place = frame_of(p), np.array(p["joint_at"], float)
        lever = (0, 0, -2) if kind == "Universal" else (2, 0, 0)
        turn = Rotation.from_matrix(R).as_quat(scalar_first=True)
        arm = model.add_body(position=place + R @ lever, rotation=turn, **body)
        if kind == "Spherical":
            model.add(e.Spherical(None, arm, point=place))
        elif kind == "Universal":
            model.add(e.Universal(None, arm, point=place, axis=R[:, 0], second=R[:, 1]))
        else:
            joint = {"Cylindrical": e.Cylindrical, "Prismatic": e.Prismatic}.get(kind, e.Revolute)
            model.add(joint(None, arm, point=place, axis=R[:, 2]))
        if kind == "RotSpring":
            model.add(e.JointSpring(model.joints[0], stiffness=SPRING, damping=DASHPOT))
        return model
    if kind == "LinActuator":
        moved = model.add_body(position=p["body_centre"], velocity=(0, 0, p["speed"]), **body)
        model.add(e.Prismatic(None, moved, point=p["body_centre"], axis=(0, 0, 1)))
        model.add(e.Drive(model.joints[0], rate=p["speed"], name="actuator"))
        return model
    moved = model.add_body(position=p["body_centre"], **body)
    ends = (p["ground_point"], p["body_point_global"])
    if kind == "Distance":
        model.add(e.Distance(None, moved, points=ends))
    elif kind == "RevSpherical":
        model.add(e.Link(None, moved, points=ends, axis=p["axis"]))
    else:
        length = max(float(np.linalg.norm(np.subtract(*ends))), 1e-9)
        ground = ends[0] if length > 1e-9 else (0, 0, 1e-9)  # a spring has a direction
        model.add(e.Spring([(ground, moved)], stiffness=p["k"], damping=p["c"], length=length))
    return model


def forces(name: str, result: ns.Result) -> tuple[Floats, Floats]:
    """Ours and those of ADAMS (n, 3) on the ground, at the times of ADAMS."""
    given = reference.adams(name)
    k = at(result, given["t"])
    if result.model.joints:
        theirs = next(given[key] for key in ("Rforce", "Rforce_Body1", "RforceA") if key in given)
        if kind_of(name) == "LinActuator":  # of the actuator, on the body
            return result.effort("actuator").value[k, None] * np.array((0.0, 0.0, 1.0)), np.array(theirs)
        return reaction(result, 0, side=0)[k, :3], np.array(theirs)
    p = given["params"]
    free = np.linalg.norm(np.subtract(p["body_point_global"], p["ground_point"]))
    d = result.position[k, 0] - p["ground_point"]
    length = np.linalg.norm(d, axis=1)[:, None]
    rate = (result.velocity[k, 0] * d).sum(axis=1)[:, None] / length
    return (p["k"] * (length - free) + p["c"] * rate) * d / length, np.array(given["Rforce"])


def errors(name: str, result: ns.Result) -> tuple[float, float, float]:
    """Largest distance from ADAMS: position [m], quaternion [-], force [N]."""
    given = reference.adams(name)
    k = at(result, given["t"])
    q, theirs = result.rotation[k, 0], np.array(given["Quat"])
    turn = np.minimum(np.abs(q - theirs).max(axis=1), np.abs(q + theirs).max(axis=1)).max()
    ours, expected = forces(name, result)
    position = np.abs(result.position[k, 0] - given["Pos"]).max()
    return float(position), float(turn), float(np.abs(ours - expected).max())


def exact(name: str) -> Floats | None:
    """Positions (n, 3) at the times of ADAMS without it; None where there are none."""
    given = reference.adams(name)
    times = np.array(given["t"])
    p = given["params"]
    if name in FALLING:
        return np.stack([np.full(len(times), 2.0), 0.0 * times, 0.5 * p["g"][2] * times**2], axis=1)
    if name in PENDULA:
        angle, _ = reference.compound_pendulum(times, 2.0, 4.0 + p["J_body"][1], -p["g"][2])
        R, arm = frame_of(p), (0, 0, -2) if kind_of(name) == "Universal" else (2, 0, 0)
        return np.cos(angle)[:, None] * (R @ arm) + np.sin(angle)[:, None] * np.array((0.0, 0.0, -2.0))
    return reference.on_a_rod(name, RODS[name])[0] if name in RODS else None


def rows_of(name: str) -> tuple[list[Row], tuple[float, float]]:
    """Against ADAMS, and against a solution without it; largest violation over size and speed."""
    steps = (H, SHORTER[name]) if name in SHORTER else (H,)
    distances = []
    given, truth = reference.adams(name), exact(name)
    own = 0.0 if truth is None else float(np.abs(given["Pos"] - truth).max())
    source = FALL if name in FALLING else ODE
    judged_by_adams = own < POSITION
    rows = []
    for h in steps:
        run = simulate(build(name), t_end=5.0, h=h)
        position, turn, force = errors(name, run)
        close, exerted = (POSITION, FORCE) if h == steps[-1] else (None, None)
        of_adams = close if judged_by_adams else None
        what = f"{name}, h {h:g}"
        rows += [
            Row(f"{what}: position", "m", 0.0, position, of_adams, ADAMS),
            Row(f"{what}: quaternion", "-", 0.0, turn, of_adams, ADAMS),
            Row(f"{what}: force on the ground", "N", 0.0, force, exerted, ADAMS),
        ]
        if truth is not None:
            distances.append(np.abs(run.position[at(run, given["t"]), 0] - truth).max())
            rows.append(Row(f"{what}: position without ADAMS", "m", 0.0, distances[-1], close, source))
    if len(steps) > 1:  # it is our error that H is too long for
        order = np.log(distances[0] / distances[1]) / np.log(steps[0] / steps[1])
        rows.append(Row(f"{name}: order of our error", "-", 2.0, float(order), 0.5, source))
    if name in SHORTER or not judged_by_adams:
        rows.append(Row(f"{name}: error of ADAMS itself, position", "m", 0.0, own, None, source))
    if not run.model.joints:
        return rows, (0.0, 0.0)
    g, rate = violation(run)
    return rows, (g / SIZE, rate / max(1.0, np.abs(run.velocity).max()))


def run_all() -> list[Row]:
    """All models, fifteen in the file."""
    found = [rows_of(name) for name in [*reference.data()["adams"]][MODELS]]
    g, rate = np.max([violated for _, violated in found], axis=0)
    return [row for rows, _ in found for row in rows] + held_rows("models of ADAMS", g, rate)
