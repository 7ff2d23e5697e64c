"""Mesh files of robot descriptions: names with package:// and file://, and relative paths."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import unquote, urlsplit

import numpy as np

from nsgalpha import checks
from nsgalpha.arrays import Floats, Ints
from nsgalpha.model.appearance import RGBA
from nsgalpha.model.hulls import hull_of
from nsgalpha.model.mass_properties import MassProperties, mesh_properties
from nsgalpha.model.mesh_sources import COLLADA, FORMATS, LARGEST, NO_COLLADA, has_collada, read_mesh
from nsgalpha.model.model import Model
from nsgalpha.model.parts import Part
from nsgalpha.model.visual_shapes import Visual, visual_surface
from nsgalpha.robots.link_poses import Pose
from nsgalpha.robots.xml_elements import XmlElement

_Thing = TypeVar("_Thing")
UNREAD = f"the format is not read, only {', '.join(FORMATS)}; convert the file"


class MeshLocations:
    """Folders of packages, and of the description `file`.

    A package that is not among `packages` is a folder of that name around the description, or beside one that
    is around it.
    """

    def __init__(self, file: Path, packages: Mapping[str, str | PathLike[str]]) -> None:
        allowed = "a dictionary of folders by the name of their package"
        checks.instance("packages", packages, Mapping, allowed)
        self._folder = file.resolve().parent
        self._packages = {
            checks.text("packages", name): checks.path(f"packages[{name!r}]", folder)
            for name, folder in packages.items()
        }

    def find(self, mesh: XmlElement) -> Path:
        """The file that a <mesh> names.

        Raises ValueError, with the line, for packages that are not known, files that are not there or too
        large, and names that leave their package.
        """
        given = mesh.word("filename")
        scheme, _, rest = given.rpartition("://")
        if scheme == "package":
            path = self._in_package(mesh, *rest.partition("/")[::2])
        elif scheme == "file":
            path = Path(unquote(urlsplit(given).path))
        elif scheme:
            allowed = "a path, or one that begins with package:// or file://"
            raise mesh.refuse("filename", given, allowed, "copy the file beside the description")
        else:
            path = self._folder / given
        try:
            size = path.stat().st_size if path.is_file() else None
        except (OSError, ValueError):  # no name of a file
            size = None
        if size is None:
            raise mesh.refuse("filename", given, "a file that exists", f"looked for it at {str(path)!r}")
        if size > LARGEST:
            allowed = f"a file of at most {LARGEST / 1e6:g} MB"
            raise mesh.refuse("filename", given, allowed, f"it has {size / 1e6:.3g} MB: simplify the mesh")
        return path

    def _in_package(self, mesh: XmlElement, name: str, rest: str) -> Path:
        folder = self._packages.get(name) if name in self._packages else self._around(name)
        if folder is None:
            remedy = f"read_urdf(..., packages={{{name!r}: folder}})"
            raise mesh.refuse("filename", mesh.get("filename"), "in a package that is known", remedy)
        if not (folder / rest).resolve().is_relative_to(folder.resolve()):
            remedy = "take the .. out of the path"
            raise mesh.refuse("filename", mesh.get("filename"), f"within the package {name!r}", remedy)
        return folder / rest

    def _around(self, name: str) -> Path | None:
        if name in ("", ".", ".."):
            return None
        for outer in (self._folder, *self._folder.parents):
            for folder in (outer, outer / name):
                if folder.name == name and folder.is_dir():
                    return folder
        return None


def mesh_part(mesh: XmlElement, locations: MeshLocations, pose: Pose, hull: bool) -> Part | None:
    """The surface of a <mesh> at the `pose`, or its `hull`; None, with a reason, for other formats.

    Raises ValueError, with the line, for meshes that cannot be used.
    """
    return _of_mesh(mesh, locations, lambda name, x, faces: surface_part(x, faces, hull, name, pose))


def mesh_visual(mesh: XmlElement, locations: MeshLocations, pose: Pose, colour: RGBA | None) -> Visual | None:
    """The surface of a <mesh> as a visual shape; None, with a reason, without one."""

    def made(name: str, x: Floats, triangles: Ints) -> Visual:
        return visual_surface(name, x, triangles, colour).moved(pose.position, pose.quaternion)

    try:
        return _of_mesh(mesh, locations, made)
    except (ImportError, ValueError) as error:  # a run needs no picture
        mesh.why = str(error).removeprefix(str(mesh.error("")))
        return None


def _of_mesh(
    mesh: XmlElement, locations: MeshLocations, make: Callable[[str, Floats, Ints], _Thing]
) -> _Thing | None:
    """The thing made of the name, corners and triangles of a <mesh>."""
    if not mesh.word("filename").lower().endswith(FORMATS):
        mesh.why = UNREAD
        return None
    if mesh.word("filename").lower().endswith(COLLADA) and not has_collada():
        mesh.why = NO_COLLADA
        return None
    path, scale = locations.find(mesh), mesh.vector("scale", (1.0, 1.0, 1.0))
    if not scale.all():
        raise mesh.refuse("scale", scale.tolist(), "three numbers other than 0")
    try:
        x, triangles = read_mesh("filename", path)
        # triangles from outside, also where a negative scale mirrors them
        triangles = triangles[:, ::-1] if scale.prod() < 0.0 else triangles
        return make(path.name, x * scale, triangles)
    except ValueError as error:
        raise mesh.error(str(error)) from None


def surface_part(x: Floats, triangles: Ints, hull: bool, name: str, pose: Pose) -> Part:
    """The surface of corners `x` (n, 3) [m] and `triangles` (m, 3), seen from outside, or its `hull`."""
    bulk = _surface(x, triangles, hull, name)
    return Part(bulk, pose.point(bulk.centre), pose.quaternion, None)


def _surface(x: Floats, triangles: Ints, hull: bool, name: str) -> MassProperties:
    if hull:
        return mesh_properties(hull_of(name, x), 1.0, False)
    Model().add_mesh(x, triangles)  # refuses triangles without area
    none: Any = np.zeros(3), np.zeros((3, 3))
    return MassProperties(x, triangles.tolist(), 0.0, *none)
