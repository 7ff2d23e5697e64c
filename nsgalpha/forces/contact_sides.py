"""Sides of compliant contacts for explicit steps: radii, areas and inverse masses.

A face F that lies on a bed of springs of the stiffness s per area moves with the frequencies

    omega^2 <= s ( A/m + (1/J) int_F |y|^2 dA ),    A = |F|,

y from the foot of the centre of mass on F for springs along the normal, from the centre of mass itself for
sliding ones. J is the least moment of inertia. A part of F gives no more: the bed of a part is softer. Round
primitives touch in a point p, of which a force moves the body along itself by

    1/m + n . (p x)^T J^-1 (p x) n
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from nsgalpha.arrays import Floats
from nsgalpha.model.convex_solids import Solid
from nsgalpha.model.handles import Body, Plane, Primitive


class Side(NamedTuple):
    """One shape of a body that moves."""

    mass: float  # [kg]
    radius: float  # [m] inf of a face
    area: float  # [m^2] of a face, else 0
    along: float  # inverse mass of the normal component [1/kg]
    across: float  # of sliding
    turn: float  # 1/J of rolling and twisting [1/(kg m^2)]


def sides_of(element: Any, bodies: Iterable[Body]) -> list[Side]:
    """The sides of a compliant `element` whose shapes move; `bodies` are those that it has as spheres."""
    shapes = _shapes(element)
    if shapes is None:
        return [_ball(body) for body in bodies]
    return [side for shape in shapes for side in _sides(shape)]


def meets_faces(element: Any) -> bool:
    """True if a side of the `element` is flat: a plane or a polygon."""
    shapes = _shapes(element)
    known = element.handles() if shapes is None else shapes
    many = (len(each.corners) if isinstance(each, Primitive) else 0 for each in known)
    return any(isinstance(each, Plane | Solid) or n > 2 for each, n in zip(known, many, strict=True))


def _shapes(element: Any) -> Sequence[Any] | None:
    """The shapes of an element of primitives, None of one of pairs of bodies."""
    sides = getattr(element, "sides", None)
    if sides is None:
        return None
    first, second = sides
    return [*first] if first is second else [*first, *second]


def _ball(body: Body) -> Side:
    J = _least(body)
    slide = 1.0 / body.mass + body.radius**2 / J
    return Side(body.mass, body.radius, 0.0, 1.0 / body.mass, slide, 1.0 / J)


def _least(body: Body) -> float:
    """Least moment of inertia [kg m^2]; inf of a body that does not turn."""
    return float(np.linalg.eigvalsh(body.inertia)[0]) if body.turns else np.inf


def _sides(shape: Any) -> list[Side]:
    """The sides of one shape, none if it does not move."""
    if isinstance(shape, Body):
        return [] if shape.fixed else [_ball(shape)]
    if isinstance(shape, Primitive) and not shape.rigid:
        return _of_nodes(shape)
    body = shape.carrier
    if not isinstance(body, Body) or body.fixed:
        return []
    if isinstance(shape, Solid):
        X = shape.frame[0] + shape.vertices @ shape.frame[1:]
        return [_face(body, X[face]) for face in shape.faces]
    places = shape.model.shapes.places
    X = np.array([places[row] for row in shape.corners], float)
    return [_face(body, X)] if len(X) > 2 else [_round(body, X, abs(shape.radius))]


def _of_nodes(shape: Primitive) -> list[Side]:
    """A primitive that deforms: the lightest of its corners takes all."""
    corners = [shape.model.bodies[index] for index in shape.corners]
    if any(body.fixed or body.mass <= 0.0 for body in corners):
        corners = [body for body in corners if not body.fixed and body.mass > 0.0]
    if not corners:
        return []
    mass = min(body.mass for body in corners)
    X = np.array([shape.model.bodies[index].position for index in shape.corners], float)
    flat = len(X) > 2
    radius = np.inf if flat else abs(shape.radius)
    return [Side(mass, radius, _moments(X)[0] if flat else 0.0, 1.0 / mass, 1.0 / mass, 0.0)]


def _face(body: Body, X: Floats) -> Side:
    """A face with the corners `X` (N, 3) in the frame of its body."""
    area, flat, whole = _moments(X)
    J = _least(body)
    along, across = (1.0 / body.mass + square / (area * J) for square in (flat, whole))
    return Side(body.mass, np.inf, area, along, across, 1.0 / J)


def _moments(X: Floats) -> tuple[float, float, float]:
    """Area of a polygon with the corners `X` (N, 3), `int |y|^2 dA` from the foot of the origin, from it."""
    area = whole = 0.0
    normal = np.zeros(3)
    for one, two in pairwise(X[1:]):
        cross = np.cross(one - X[0], two - X[0])
        part = 0.5 * float(np.linalg.norm(cross))
        corners = np.array([X[0], one, two])
        total = corners.sum(axis=0)
        area, normal = area + part, normal + cross
        whole += part / 12.0 * float((corners**2).sum() + total @ total)
    away = float(X[0] @ normal) / float(np.linalg.norm(normal))
    return area, whole - area * away**2, whole


def _round(body: Body, X: Floats, radius: float) -> Side:
    """A sphere, capsule, cylinder or disk with the points `X` (N, 3) and the `radius`."""
    J = _least(body)
    lever = 0.0
    if body.turns:
        inverse = np.linalg.inv(body.inertia)
        turned = np.cross(X[:, None], np.eye(3)[None])  # rows p x e_i
        lever = max(float(np.linalg.eigvalsh(each @ inverse @ each.T)[-1]) for each in turned)
    slide = 1.0 / body.mass + (np.sqrt(lever) + radius / np.sqrt(J)) ** 2
    return Side(body.mass, radius, 0.0, 1.0 / body.mass + lever, float(slide), 1.0 / J)
