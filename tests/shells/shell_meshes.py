"""Meshes and models of shells, without anything from the product but the model."""

import json
from pathlib import Path

import numpy as np

import nsgalpha as ns
from nsgalpha.model.force_element import ElementMotion

DATA = Path(__file__).parent / "data"


def numbers(name):
    """Reference numbers, see data/README.md."""
    return json.loads((DATA / name).read_text())


def icosahedron():
    """Vertices (12, 3) on the unit sphere, faces (20, 3) counter-clockwise from outside."""
    g = (1.0 + 5.0**0.5) / 2.0
    v = np.array([(s * 1.0, t * g, 0.0) for s in (-1, 1) for t in (-1, 1)])
    v = np.concatenate([v, v[:, [2, 0, 1]], v[:, [1, 2, 0]]])
    v /= np.linalg.norm(v, axis=1)[:, None]
    return v, hull(v)


def hull(v):
    """Faces of the convex polyhedron with equal edges and the vertices `v` (N, 3) around the origin."""
    d = np.linalg.norm(v[:, None] - v[None], axis=2)
    near = d < 1.01 * d[d > 1e-9].min()
    np.fill_diagonal(near, False)
    faces = []
    for i, j, k in np.ndindex(len(v), len(v), len(v)):
        if i < j < k and near[i, j] and near[j, k] and near[i, k]:
            up = np.dot(np.cross(v[j] - v[i], v[k] - v[i]), v[i]) > 0
            faces.append((i, j, k) if up else (i, k, j))
    return np.array(faces)


def tetrahedron():
    """On the unit sphere."""
    v = np.array([(1.0, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)]) / np.sqrt(3.0)
    return v, hull(v)


def octahedron():
    """On the unit sphere."""
    v = np.concatenate([np.eye(3), -np.eye(3)])
    return v, hull(v)


def icosphere(n):
    """The icosahedron after `n` subdivisions by edge middles, all vertices on the unit sphere."""
    v, f = icosahedron()
    for _ in range(n):
        v, f = subdivided(v, f)
        v = v / np.linalg.norm(v, axis=1)[:, None]
    return v, f


def subdivided(v, f):
    """Every triangle in four, with the middles of its edges."""
    edge = np.sort(np.concatenate([f[:, [0, 1]], f[:, [1, 2]], f[:, [2, 0]]]), axis=1)
    pairs, where = np.unique(edge, axis=0, return_inverse=True)
    a, b, c = len(v) + where.ravel().reshape(3, -1)
    i, j, k = f.T
    new = np.concatenate([np.column_stack(each) for each in ((i, a, c), (a, j, b), (c, b, k), (a, b, c))])
    return np.concatenate([v, 0.5 * (v[pairs[:, 0]] + v[pairs[:, 1]])]), new


def modelled(v, f, *, mass=0.0, thickness=None):
    """A model of points with one surface: (model, nodes, surface)."""
    model = ns.Model()
    nodes = [model.add_point(position=x, mass=mass) for x in v]
    return model, nodes, model.add_surface(nodes, f, thickness=thickness)


def at_rest(model, x=None, v=None, history=None, h=1e-300, start=None):
    """The motion that force elements see with the bodies in `x` (N, 3), by default as stated."""
    x = np.array([body.position for body in model.bodies]) if x is None else np.array(x, float)
    v = np.zeros_like(x) if v is None else np.array(v, float)
    history = np.zeros((1, 0)) if history is None else history
    return ElementMotion(x, v, x if start is None else start, history, h, 0.0)


def nodal(element, motion):
    """Forces (N, 3) of an element of force elements, and its pass."""
    made = element.force_pass(motion)
    wrench = np.zeros((len(motion.x), 6))
    made.add_forces(wrench)
    return wrench[:, :3], made


def stiffness(element, motion):
    """K (3 N, 3 N) of an element, full."""
    made, count = element.force_pass(motion), len(motion.x)
    C, S = element.nodes.shape
    blocks = np.zeros((C, S, 3, S, 3))
    made.add_tangents(1.0, 0.0, blocks)
    K = np.zeros((count, 3, count, 3))
    for nodes, block in zip(element.nodes, blocks, strict=True):
        for s, t in np.ndindex(S, S):
            K[nodes[s], :, nodes[t]] += block[s, :, t]
    K = K.reshape(3 * count, 3 * count)
    low = made.low_rank(1.0, 0.0, count)
    if low is not None:
        K = K + low.of_translations() @ np.eye(3 * count)
    return K
