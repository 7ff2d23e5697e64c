"""Moments of the layer around a convex polytope that a ball of radius r sweeps: 1, x and x x^T.

The points within r of a polytope are its own, and (Steiner)

    on a face of the normal n      a prism of the height r,
    along an edge                  a wedge of a cylinder, of the angle between the normals of its faces,
    at a vertex                    a sector of a ball, of the normals u between those of its faces.

Wedges have the mean direction b, c across it and the edge, and h, half of the angle:

    int 1 = h r^2,   int w = 2/3 r^3 sin(h) b,
    int w w^T = r^4/4 ((h + sin h cos h) b b^T + (h - sin h cos h) c c^T)

The divergence theorem on a sector has sums over its sides, which are between normals p and q, apart by theta:

    int u = sum theta/2 (p x q)/|p x q|,   int u u^T = omega/3 1 + sum 2/3 s (p x q)^T/(s . s),   s = p + q

The solid angle omega is a sum of triangles with a direction m within:

    tan(omega/2) = m . (p x q)/(1 + m . p + p . q + q . m)

Sources: Schneider, Convex Bodies: The Brunn-Minkowski Theory (2014), ch. 4; van Oosterom and Strackee, IEEE
Trans. Biomed. Eng. 30 (1983) 125.
"""

from __future__ import annotations

import numpy as np

from nsgalpha.arrays import Floats, Ints

Moments = tuple[float, Floats, Floats]  # int 1, int x (3,), int x x^T (3, 3)


def layer_moments(x: Floats, triangles: Ints, radius: float) -> Moments:
    """Moments of the points outside of a convex polytope, up to the `radius` [m] from it.

    x (V, 3) [m]: its vertices, triangles (T, 3): its closed surface, counter-clockwise from outside.
    """
    a, b, c = (x[triangles[:, k]] for k in range(3))
    crossed = np.cross(b - a, c - a)
    twice = np.linalg.norm(crossed, axis=1)
    n = crossed / np.maximum(twice, np.finfo(float).tiny)[:, None]
    start, end = triangles.ravel(), np.roll(triangles, -1, axis=1).ravel()
    left = n.repeat(3, axis=0)  # normal of the face to the left of every side of a triangle
    right = left[_opposite(start, end, len(x))]
    up = start < end
    edges = _wedges(x[start[up]], x[end[up]], left[up], right[up], radius)
    around = np.zeros_like(x)
    np.add.at(around, triangles.ravel(), crossed.repeat(3, axis=0))
    around /= np.linalg.norm(around, axis=1)[:, None]
    corners = _sectors(x[start], around[start], right, left, radius)
    faces = _prisms((a, b, c), n, 0.5 * twice, radius)
    second = faces[2] + edges[2] + corners[2]
    return faces[0] + edges[0] + corners[0], faces[1] + edges[1] + corners[1], 0.5 * (second + second.T)


def _opposite(start: Ints, end: Ints, count: int) -> Ints:
    """Numbers of the sides that run from `end` to `start`."""
    along, back = start * count + end, end * count + start
    order = np.argsort(along)
    return order[np.searchsorted(along, back, sorter=order)]


def _prisms(corners: tuple[Floats, Floats, Floats], n: Floats, area: Floats, r: float) -> Moments:
    """Moments of the prisms on triangles."""
    a, b, c = corners
    s = a + b + c
    place = (area / 3.0)[:, None] * s
    square = np.einsum("t,ti,tj->ij", area, s, s) + sum(np.einsum("t,ti,tj->ij", area, y, y) for y in corners)
    mixed = place.T @ n
    second = r / 12.0 * square + 0.5 * r * r * (mixed + mixed.T)
    second += r * r * r / 3.0 * np.einsum("t,ti,tj->ij", area, n, n)
    return float(r * area.sum()), r * place.sum(axis=0) + 0.5 * r * r * (area @ n), second


def _wedges(one: Floats, two: Floats, left: Floats, right: Floats, r: float) -> Moments:
    """Moments of the wedges along edges from `one` to `two`; those of flat edges are 0."""
    length = np.linalg.norm(two - one, axis=1)
    t = (two - one) / length[:, None]
    middle = 0.5 * (one + two)
    half = 0.5 * np.arctan2((np.cross(left, right) * t).sum(axis=1), (left * right).sum(axis=1))
    b = left + right
    b /= np.linalg.norm(b, axis=1)[:, None]
    c, product = np.cross(t, b), np.sin(half) * np.cos(half)
    bulk = r * r * length * half
    w = (2.0 / 3.0 * r * r * r * length * np.sin(half))[:, None] * b
    mixed = middle.T @ w
    second = np.einsum("e,ei,ej->ij", bulk, middle, middle) + mixed + mixed.T
    second += np.einsum("e,ei,ej->ij", bulk * length * length / 12.0, t, t)
    for square, axis in ((half + product, b), (half - product, c)):
        second += 0.25 * r * r * r * r * np.einsum("e,ei,ej->ij", length * square, axis, axis)
    return float(bulk.sum()), bulk @ middle + w.sum(axis=0), second


def _sectors(x: Floats, m: Floats, p: Floats, q: Floats, r: float) -> Moments:
    """Moments of the sectors at vertices `x`, by their sides between normals `p` and `q`."""
    crossed, cosine = np.cross(p, q), (p * q).sum(axis=1)
    sine = np.linalg.norm(crossed, axis=1)
    theta = np.arctan2(sine, cosine)
    flat = sine < np.finfo(float).tiny
    angle = 2.0 * np.arctan2(
        (m * crossed).sum(axis=1), 1.0 + (m * p).sum(axis=1) + cosine + (q * m).sum(axis=1)
    )
    u = np.where(flat, 0.5, 0.5 * theta / np.where(flat, 1.0, sine))[:, None] * crossed
    s = p + q
    square = angle.sum() / 3.0 * np.eye(3) + 2.0 / 3.0 * s.T @ (crossed / (s * s).sum(axis=1)[:, None])
    cube = r * r * r
    mixed = 0.25 * cube * r * (x.T @ u)
    second = cube / 3.0 * np.einsum("v,vi,vj->ij", angle, x, x) + mixed + mixed.T
    second += 0.2 * cube * r * r * square
    first = cube / 3.0 * (angle @ x) + 0.25 * cube * r * u.sum(axis=0)
    return float(cube / 3.0 * angle.sum()), first, second
