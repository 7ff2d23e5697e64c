"""`read_mjcf`: the robot in a MJCF file, by MuJoCo's own compiler."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from nsgalpha import checks
from nsgalpha.model.model import Model
from nsgalpha.robots.mjcf_description import MJCF_REASONS, describe_mjcf, mark_taken
from nsgalpha.robots.robot_description import BOTH, COLLISION
from nsgalpha.robots.robot_model import LARGEST, Request, Robot, build_robot
from nsgalpha.robots.xml_elements import LeftOut, left_out, read_xml
from nsgalpha.user_files import read_bytes

MOST_FILES = 100  # included ones


@checks.named
def read_mjcf(
    path: str | PathLike[str],
    *,
    model: Model | None = None,
    position: ArrayLike = (0.0, 0.0, 0.0),
    rotation: ArrayLike = (1.0, 0.0, 0.0, 0.0),
    start: Mapping[str, float] | None = None,
    shapes: str = "collision",
    hull: bool = True,
    prefix: str = "",
) -> Robot:
    """The robot in a MJCF file, in a model. It needs MuJoCo: `pip install nsgalpha[mjcf]`.

    model: to which it is added; by default a new one, with the gravity of the file. position (3,) [m] and
    rotation (4,), a quaternion: of the frame of its world. start: coordinates [rad] or [m] by the names of
    joints; the others begin at their `ref`, or at the stop next to it. shapes: "collision", or "both". With
    "both" pictures show the shapes that MuJoCo shows, those of the groups 0 to 2, in their colours. They do
    so if some of these have no contact. hull and prefix: see `read_urdf`.

    MuJoCo's compiler resolves defaults, classes, frames, included files and masses of shapes. Bodies without
    joints are one with their parent. Joints `hinge`, `slide` and `ball` become joints, a body with `free` is
    free. Stops are `Limit`, damping and stiffness `JointSpring`, frictionloss `JointFriction`, linear
    couplings of joints `Gear`. Shapes with contact are carried, planes are those of the model. Actuators are
    in `robot.actuators`; `robot.actuate` adds their loads.

    Raises ValueError for a file that MuJoCo refuses, with its message, and else as `read_urdf` does.
    ImportError without MuJoCo.
    """
    file = checks.path("path", path)
    checks.truth("hull", hull)
    request = Request.checked(model, prefix, position, rotation, start)
    drawn = checks.choice("shapes", shapes, (COLLISION, BOTH)) == BOTH
    lost = _not_known(file, drawn)
    try:
        import mujoco
    except ImportError:
        raise ImportError("path: MJCF is compiled by MuJoCo: pip install nsgalpha[mjcf]") from None
    try:
        spec: Any = mujoco.MjSpec.from_file(str(file))
        compiled = spec.compile()
    except ValueError as error:
        raise ValueError(f"{file.name}: {' '.join(str(error).split())}; MuJoCo refuses the file") from None
    content = describe_mjcf(spec, compiled, file.name, hull, drawn=drawn)
    gravity = tuple(map(float, compiled.opt.gravity))
    return build_robot(
        content.robot, request, gravity=gravity, lost=[*lost, *content.lost], actuators=content.actuators
    )


def _not_known(file: Path, drawn: bool) -> list[LeftOut]:
    """Elements and attributes of the file, and of included ones, that are not taken."""
    found, waiting, seen = list[LeftOut](), [file], set[Path]()
    while waiting:
        path = waiting.pop()
        if path.resolve() in seen:
            continue
        seen.add(path.resolve())
        if len(seen) > MOST_FILES:
            raise ValueError(f"{file.name}: includes more than {MOST_FILES} files; a robot needs fewer")
        root = read_xml(read_bytes(path, LARGEST), path.name)
        if path == file and root.name != "mujoco":
            remedy = "read_urdf reads URDF" if root.name == "robot" else "the file is no MJCF"
            raise root.error(f"must be <mujoco>; {remedy}")
        waiting += [file.parent / name for name in mark_taken(root, drawn)]
        root.is_read = True
        where = "" if path == file else f"{path.name}: "
        found += [each._replace(element=where + each.element) for each in left_out(root, MJCF_REASONS)]
    return found
