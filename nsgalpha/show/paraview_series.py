"""A run as time series for ParaView: bodies, contacts, faces and rods."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from nsgalpha.arrays import Flags, Floats
from nsgalpha.checks import count, named, path, refuse
from nsgalpha.run.result import Result
from nsgalpha.show.contact_forces import body_status, contact_lines
from nsgalpha.show.contact_lines import Lines
from nsgalpha.show.joint_shapes import JointPoints, joint_points
from nsgalpha.show.periodic_images import shown_places
from nsgalpha.show.picture_view import dyes
from nsgalpha.show.row_reader import present_at
from nsgalpha.show.scene import Scene, scene_of
from nsgalpha.show.user_choices import result_of
from nsgalpha.show.vtk_files import PolyData, write_series

VISUAL = 3  # kind of the cells of visual shapes


@named
def paraview(result: Result, folder: str | Path, *, every: int = 1) -> Path:
    """Write every `every`-th recorded state and the last to `folder`, which is made, and return it.

    Open in ParaView:

    bodies.pvd     points with radius [m] (filter Glyph: sphere, scaled by radius times 2), velocity,
                   angular_velocity, rotation (quaternion, scalar first), id, and status of their contacts
    contacts.pvd   lines between centres, or to the foot on a plane, with gap [m], normal, force on A [N],
                   its parts normal_force (> 0 pushes) and tangential_force, status, numbers of the sides
    shapes.pvd     faces of planes (kind 0) and primitives (kind 1), axes of rods, centres of balls, with
                   the radius, joints (kind 2); not written for models without any
    visuals.pvd    the same of visual shapes (kind 3), with their colour, -1 where none is stated; not written
                   for models without any
    joints.pvd     points of the sides B of joints, with the force [N] and torque [N m] on B and the number
                   of the joint in the model; not written for models without joints

    Points are float64, data float32. status: 0 free, 1 idle, 2 touch (compliant), 3 stick, 4 slip. The force
    of a set-valued contact is the mean of the step that led to the state.

    Raises ValueError if `every` is no integer >= 1, or there is nothing to see.
    """
    every = count("every", every)
    scene, folder = scene_of(result_of(result)), path("folder", folder)
    if folder.exists() and not folder.is_dir():
        raise refuse("folder", str(folder), "a folder, or the name of a new one", "this is a file")
    folder.mkdir(parents=True, exist_ok=True)
    last = len(result.t) - 1
    records = [*range(0, last, every), last]
    times = [float(result.t[record]) for record in records]
    moving = bool((scene.owner != len(scene.radius)).any())
    names: dict[str, list[str]] = {each: [] for each in ("bodies", "contacts", "shapes", "visuals", "joints")}
    reactions = joint_points(result, records)
    for number, record in enumerate(records):
        lines = contact_lines(result, record)
        parts = {"bodies": _bodies(result, record, lines), "contacts": _contacts(lines)}
        if len(scene.owner) and (moving or number == 0):
            points = scene.points(*scene.pose(result, record))
            if (scene.rod_visual < 0).any() or (scene.face_visual < 0).any():
                parts["shapes"] = _shapes(scene, points, scene.rod_visual < 0, scene.face_visual < 0)
            if scene.model.visuals:
                parts["visuals"] = _shapes(scene, points, scene.rod_visual >= 0, scene.face_visual >= 0)
        if len(reactions.joint):
            parts["joints"] = _joints(reactions, number)
        for kind, part in parts.items():
            names[kind].append(f"{kind}_{number:06d}.vtp")
            part.write(folder / names[kind][-1])
    if not moving:
        for kind in ("shapes", "visuals"):
            names[kind] *= len(records)
    for kind, files in names.items():
        if files:
            write_series(folder / f"{kind}.pvd", times, files)
    return folder


def _bodies(result: Result, record: int, lines: Lines) -> PolyData:
    bodies = result.model.bodies
    return PolyData(
        shown_places(result.model, result.position[record], float(result.t[record])),
        vertices=[[i] for i in np.flatnonzero(present_at(result, record)).tolist()],
        point_data={
            "radius": [body.radius for body in bodies],
            **{name: getattr(result, name)[record] for name in ("velocity", "angular_velocity", "rotation")},
            "id": np.arange(len(bodies)),
            "status": body_status(lines, len(bodies)),
        },
    )


def _contacts(lines: Lines) -> PolyData:
    sliding = lines.force - lines.pressure[:, None] * lines.normal
    return PolyData(
        np.stack([lines.start, lines.end], axis=1),
        lines=np.arange(2 * len(lines.gap)).reshape(-1, 2).tolist(),
        cell_data={
            **{name: getattr(lines, name) for name in ("gap", "normal", "force")},
            "normal_force": lines.pressure,
            "tangential_force": np.linalg.norm(sliding, axis=1),
            **{name: getattr(lines, name) for name in ("status", "body_a", "body_b", "plane")},
        },
    )


def _joints(points: JointPoints, number: int) -> PolyData:
    return PolyData(
        points.point[number],
        vertices=[[i] for i in range(len(points.joint))],
        point_data={"force": points.force[number], "torque": points.torque[number], "joint": points.joint},
    )


def _shapes(scene: Scene, points: Floats, some: Flags, faces: Flags) -> PolyData:
    """The rods `some` (K,), balls among them first, as points, then the `faces` (F,)."""
    is_ball = scene.rods[:, 0] == scene.rods[:, 1]
    balls, rods, flat = np.flatnonzero(is_ball & some), np.flatnonzero(~is_ball & some), np.flatnonzero(faces)
    around = np.concatenate([balls, rods])
    kind = np.concatenate([1 + scene.is_joint[around], 1 - scene.is_plane[flat].astype(int)])
    shape = np.concatenate([scene.rod_visual[around], scene.face_visual[flat]])
    data = {
        "kind": np.where(shape >= 0, VISUAL, kind),
        "radius": np.concatenate([scene.rod_radius[around], np.zeros(len(flat))]),
    }
    if (shape >= 0).any():
        dye = dyes([each.colour for each in scene.model.visuals], shape)
        data["colour"] = np.where(np.isnan(dye), -1.0, dye)[:, :3]
    return PolyData(
        points,
        vertices=scene.rods[balls, :1].tolist(),
        lines=scene.rods[rods].tolist(),
        polygons=[scene.faces[k] for k in flat.tolist()],
        cell_data=data,
    )
