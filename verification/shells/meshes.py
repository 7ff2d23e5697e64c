"""Regular solids of triangles, and lattices on a cylinder."""

import numpy as np

from elements import icosphere
from nsgalpha.arrays import Floats, Ints

_FOUR = np.array([(1.0, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)]) / np.sqrt(3.0)
_SIX = np.concatenate([np.eye(3), -np.eye(3)])
_OCTANTS = np.array([(0, 1, 2), (1, 3, 2), (3, 4, 2), (4, 0, 2), (1, 0, 5), (3, 1, 5), (4, 3, 5), (0, 4, 5)])

#: Vertices on the unit sphere, and triangles counter-clockwise from outside.
SOLIDS: dict[str, tuple[Floats, Ints]] = {
    "tetrahedron": (_FOUR, np.array([(0, 1, 2), (0, 3, 1), (0, 2, 3), (1, 3, 2)])),
    "octahedron": (_SIX, _OCTANTS),
    "icosahedron": icosphere(0),
}


def rolled_lattice(h: float, angle: float) -> tuple[Floats, Ints]:
    """A node with two rings of neighbours in a lattice of edges `h`, rolled to radius 1.

    One direction of edges goes at an `angle` [rad] to the circumference. The first node is in the middle.
    """
    steps = [(i, j) for i in range(-2, 3) for j in range(-2, 3) if abs(i + j) <= 2]
    steps.sort(key=lambda step: step != (0, 0))
    number = {step: k for k, step in enumerate(steps)}
    flat = h * np.array(steps, float) @ [(1.0, 0.0), (0.5, np.sqrt(0.75))]
    c, s = np.cos(angle), np.sin(angle)
    along, axial = flat @ (c, -s), flat @ (s, c)
    faces = []
    for i, j in steps:
        for corners in (((i, j), (i + 1, j), (i, j + 1)), ((i + 1, j), (i + 1, j + 1), (i, j + 1))):
            if all(corner in number for corner in corners):
                faces.append([number[corner] for corner in corners])
    x = np.column_stack([np.sin(along), axial, np.cos(along)])
    return x, np.array(faces)
