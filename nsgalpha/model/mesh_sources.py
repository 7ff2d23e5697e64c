"""Meshes as users have them: files, which trimesh reads (extra "mesh"), or arrays."""

from __future__ import annotations

import re
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from nsgalpha.arrays import Floats, Ints
from nsgalpha.checks import finite, integers, path, positive, refuse
from nsgalpha.user_files import read_bytes

COLLADA = ".dae"
FORMATS = (".stl", ".obj", ".ply", ".off", ".glb", COLLADA)
NO_COLLADA = "COLLADA files are read by pycollada: pip install nsgalpha[collada]"
LARGEST = 200_000_000  # bytes of a file
Source = str | PathLike[str] | tuple[ArrayLike, ArrayLike] | ArrayLike


def mesh_of(source: Any, scale: float, points: bool = False) -> tuple[str, Floats, Ints]:
    """Name, vertices (V, 3) [m] and triangles (T, 3) of a `source` with `scale` metres in a unit.

    points: True if points (V, 3) without triangles are allowed, too.

    Raises ValueError for a source that is no mesh, ImportError without trimesh.
    """
    if isinstance(source, tuple | list) and len(source) == 2:
        x, triangles = _arrays(*source)
        name = f"{len(x)} vertices, {len(triangles)} triangles"
    elif isinstance(source, np.ndarray | tuple | list):
        x, triangles = _points(source, points), np.empty((0, 3), np.int64)
        name = f"{len(x)} points"
    else:
        x, triangles = read_mesh("source", source)
        name = str(source)
    return name, positive("scale", scale, "it is the metres in a unit of the source") * x, triangles


def read_mesh(name: str, file: Any) -> tuple[Floats, Ints]:
    """Vertices (V, 3) and triangles (T, 3) of a mesh file; vertices in exactly one place are one.

    All meshes of a scene are taken, at their places. Lengths of COLLADA are in metres, by the unit that the
    file states. Axes are those of the file. Materials, textures and other files are not looked at.

    Raises ValueError, with the `name` of the argument, for a file that is not there, is no mesh, empty or too
    large. Raises ImportError without trimesh, and for COLLADA without pycollada.
    """
    given = existing(name, file)
    kind = given.suffix.lower()
    if kind not in FORMATS:
        raise refuse(name, str(given), f"a mesh: {', '.join(FORMATS)}")
    try:
        import trimesh
    except ImportError:
        raise ImportError(f"{name}: meshes are read by trimesh: pip install nsgalpha[mesh]") from None
    if kind == COLLADA and not has_collada():
        raise ImportError(f"{name}: {NO_COLLADA}")
    content = read_bytes(given, LARGEST)
    if kind == COLLADA and re.search(rb"<!\s*(DOCTYPE|ENTITY)", content):
        raise refuse(name, str(given), "without a document type", "remove <!DOCTYPE ...>")
    try:
        mesh: Any = trimesh.load(BytesIO(content), file_type=kind[1:], force="mesh", process=False)
        x, triangles = np.array(mesh.vertices, np.float64), np.array(mesh.faces, np.int64)
        x *= _unit(content) if kind == COLLADA else 1.0
    except Exception as error:  # any error of the reader in a damaged file
        raise refuse(name, str(given), "a mesh that can be read", str(error)) from None
    if len(triangles) == 0 or not np.isfinite(x).all():
        raise refuse(name, str(given), "a mesh with triangles, all coordinates finite")
    return merged(x, triangles)


def has_collada() -> bool:
    """True if pycollada is installed."""
    try:
        import collada  # noqa: F401
    except ImportError:
        return False
    return True


def _unit(content: bytes) -> float:
    """Metres in a unit of a COLLADA file."""
    found = re.search(rb"<unit\b[^>]*\bmeter\s*=\s*[\"']([^\"']*)", content)
    return positive("meter of <unit>", float(found[1])) if found else 1.0


def merged(x: Floats, triangles: Ints) -> tuple[Floats, Ints]:
    """The mesh with one vertex in each place, in their order."""
    _, first, where = np.unique(x + 0.0, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(first), np.int64)
    rank[order] = np.arange(len(first))
    return np.ascontiguousarray(x[first[order]]), rank[where.ravel()[triangles]]


def existing(name: str, file: Any) -> Path:
    """The path of a `file` that is there, or a ValueError with the `name` of the argument."""
    given = path(name, file)
    try:
        exists = given.is_file()
    except (OSError, ValueError):  # no name of a file
        exists = False
    if not exists:
        raise refuse(name, str(given), "a file that exists")
    return given


def _arrays(vertices: Any, faces: Any) -> tuple[Floats, Ints]:
    """Vertices and triangles that are given as arrays."""
    x = finite("vertices of the source", vertices, "finite coordinates (V, 3)")
    triangles = integers("triangles of the source", faces, "whole numbers (T, 3) of vertices")
    if x.ndim != 2 or x.shape[1] != 3 or triangles.ndim != 2 or triangles.shape[1] != 3 or not len(triangles):
        shapes = f"arrays {x.shape} and {triangles.shape}"
        raise refuse("source", shapes, "vertices (V, 3) and triangles (T, 3), T >= 1", "divide polygons")
    if triangles.min() < 0 or triangles.max() >= len(x):
        raise refuse("source", "triangles out of range", f"numbers of the {len(x)} vertices")
    return x, triangles


def _points(source: Any, allowed: bool) -> Floats:
    """Points (V, 3) without triangles, of which there is the hull."""
    x = finite("source", source, "points (V, 3), or a pair of vertices and triangles")
    if x.ndim != 2 or x.shape[1] != 3:
        raise refuse("source", f"an array {x.shape}", "points (V, 3), or a pair of vertices and triangles")
    if not allowed:
        raise refuse("source", f"{len(x)} points", "a surface, vertices and triangles", "or take hull=True")
    return x
