"""Reading and writing of all geometries, and their use on arrays of primitives.

A candidate is the contact of two features of shapes, which its key names (nsgalpha/model/contact_keys.py).
Arms are off the centres of the bodies, in inertial directions.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from nsgalpha.checks import floats, instance, integer, refuse
from nsgalpha.geometry.nearest_images import less_periods, nearest_image, periods_between
from nsgalpha.geometry.rotations import turned
from nsgalpha.geometry.vector_triples import plus, row, store
from nsgalpha.jit.decorators import inlined, kernel
from nsgalpha.model.contact_keys import key_parts
from nsgalpha.model.geometry_interface import Geometry
from nsgalpha.system.primitive_measures import Measured, Primitives, measured_primitives

CENTRE = (0.0, 0.0, 0.0)  # the arm of a sphere around the centre of its body


class Extent(NamedTuple):
    """The measures of one contact beside its overlap, as in `Measured`."""

    effective_radius: float  # [m]
    contact_radius: float  # [m]
    area: float  # [m^2]
    fraction: float


_parts = inlined(key_parts)


@inlined
def numbers(candidates, c):
    """Numbers of shape and feature of A, shape and feature of B, of candidate `c`."""
    return _parts(candidates.feature[c])


@inlined
def arm(scene, body, number, k):
    """Corner `k` of the shape `number` of a body."""
    shapes = scene.shapes
    place = row(shapes.points, shapes.corners[shapes.first[body] + number, k])
    return turned(scene.q[body], place) if scene.q.shape[0] > 0 else place


@inlined
def has_one_corner(shapes, s):
    """True if shape `s` is a ball."""
    return shapes.corners.shape[1] < 2 or shapes.corners[s, 1] < 0


@inlined
def segment(scene, body, number):
    """Both ends and the radius of a capsule; twice the centre of a ball."""
    s, e0 = scene.shapes.first[body] + number, arm(scene, body, number, 0)
    e1 = e0 if has_one_corner(scene.shapes, s) else arm(scene, body, number, 1)
    return e0, e1, scene.shapes.thickness[s]


def _to_image(d, scene, candidates, c):
    """The difference `d` of the centres of candidate `c` to the nearest image in the cell.

    Of a cell that moves the periods between them are noted.
    """
    if candidates.image.shape[0] == 0:
        return nearest_image(d, scene.cell, scene.x)
    n = periods_between(d, scene.cell, scene.x)
    store(n, candidates.image, c, 0)
    return less_periods(d, n, scene.x)


to_image = inlined(_to_image)
_seen_from_image = kernel(_to_image)


@inlined
def apart(scene, candidates, c):
    """The centre of body A, seen from that of body B, or of its nearest image.

    Elements of primitives state the way to that image, as far as there is no cell.
    """
    d = plus(row(scene.x, candidates.a[c]), -1.0, row(scene.x, candidates.b[c]))
    if scene.cell.shape[0] > 0:
        return _seen_from_image(d, scene, candidates, c)
    return plus(d, -1.0, row(candidates.image, c)) if candidates.image.shape[0] > 0 else d


@inlined
def note_image(scene, candidates, c):
    """Note the periods of candidate `c`, which need have no contact, in a cell that moves."""
    if candidates.image.shape[0] > 0:
        apart(scene, candidates, c)


@inlined
def put_section(c, point, extent, rejected, section):
    """The section of contact `c`, but for its weights."""
    store(point, section.point, c, 0)
    for k in range(4):
        section.extent[k, c] = extent[k]
    section.extent[4, c] = 1.0 if rejected else 0.0
    section.extent[5, c] = 1.0


@inlined
def put_contact(candidates, c, gap, normal, lever_a, lever_b):
    """Contact `c` of set-valued contact alone."""
    candidates.gap[c] = gap
    store(normal, candidates.normal, c, 0)
    for i in range(3):
        candidates.lever[c, 0, i] = lever_a[i]
        candidates.lever[c, 1, i] = lever_b[i]


@inlined
def put_midway(candidates, c, gap, normal, lever_a, lever_b):
    """Contact `c` with levers, given to the surfaces, to the middle of the gap."""
    half = 0.5 * gap
    put_contact(candidates, c, gap, normal, plus(lever_a, -half, normal), plus(lever_b, half, normal))


@inlined
def put_nothing(candidates, c):
    """A contact that does not count: its gap is infinite."""
    put_contact(candidates, c, math.inf, (0.0, 0.0, 1.0), CENTRE, CENTRE)


@inlined
def put(c, contact, extent, rejected, candidates, section, x):
    """Contact `c` with `(overlap, normal, point)`, but for its weights.

    A rejected one has an infinite gap where there is no section to say so.
    """
    overlap, normal, point = contact
    wanted = section.point.shape[0] > 0
    candidates.gap[c] = math.inf if rejected and not wanted else -overlap
    store(normal, candidates.normal, c, 0)
    for side in range(2):
        body = candidates.b[c] if side else candidates.a[c]
        half = (side - 0.5) * overlap  # from the point to the surface
        for k in range(3):
            candidates.lever[c, side, k] = point[k] + half * normal[k] - x[body, k]
    if wanted:
        put_section(c, point, extent, rejected, section)


@inlined
def put_weights(weight, c, s):
    """Weights of the point with coordinate `s` of a segment, 0 of a sphere, if requested."""
    if weight.shape[0] > 0:
        weight[c, 0] = 1.0 - s
        if weight.shape[1] > 1:
            weight[c, 1] = s


def measured(measure: Geometry, A: Primitives, B: Primitives, *options: Any, contacts: int = 1) -> Measured:
    """Contacts of every primitive of `A` with the one of the same number of `B`.

    `options` are those of `measure`, by default its own; every pair has `contacts`.

    Raises ValueError if A and B are not as many, or the options others than those of `measure`.
    """
    instance("measure", measure, Geometry, "a compiled geometry", "geometry_kernel makes one")
    for name, side in (("A", A), ("B", B)):
        instance(name, side, Primitives, "Primitives", "primitives(corners, radius) makes them")
    each = integer("contacts", contacts, 1, measure.most)
    pairs = len(A.corners)
    if len(B.corners) != pairs:
        remedy = "repeat the rows of pairs"
        raise refuse("B", f"{len(B.corners)} primitives", f"as many as A, {pairs}", remedy)
    number, which = np.divmod(np.arange(each * pairs), each)
    return measured_primitives(measure.with_options(*options or measure.options), number, number, which, A, B)


def primitives(corners: ArrayLike, radius: ArrayLike = 0.0) -> Primitives:
    """Primitives that share no points, from `corners` (K, N, 3) [m] and `radius` [m], (K,) or one of all.

    Raises ValueError for arrays of other shapes, and values that are not finite.
    """
    x = floats("corners", corners, "finite, of the shape (primitives, points, 3)")
    if x.ndim != 3 or x.shape[2] != 3 or not np.isfinite(x).all():
        raise refuse("corners", f"array {x.shape}", "finite, of the shape (primitives, points, 3)")
    K, N, _ = x.shape
    r = floats("radius", radius, f"finite, one number or {K}")
    if r.shape not in ((), (K,)) or not np.isfinite(r).all():
        raise refuse("radius", radius, f"finite, one number or {K}")
    return Primitives(
        np.ascontiguousarray(x.reshape(-1, 3)),
        np.arange(K * N, dtype=np.int64).reshape(K, N),
        np.broadcast_to(r, K).copy(),
    )
