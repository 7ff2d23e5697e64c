"""Height fields: grids of heights as meshes of triangles."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from nsgalpha.arrays import Floats, Ints
from nsgalpha.checks import floats, named, refuse, vector


class TriangleMesh(NamedTuple):
    """Vertices and triangles, for `Model.add_mesh(*mesh, carrier=body)` and `add_solid(mesh)`."""

    vertices: Floats  # (V, 3) [m]
    triangles: Ints  # (T, 3) rows of the vertices, counter-clockwise from outside


@named
def height_field(
    heights: ArrayLike, spacing: ArrayLike, *, origin: ArrayLike = (0.0, 0.0, 0.0)
) -> TriangleMesh:
    """The surface over a grid of `heights` (M, N) [m] as vertices and triangles, outwards in direction z.

    heights[i, j] is at the place origin + (i dx, j dy). spacing [m]: dx and dy, or one number for both.
    origin (3,) [m]: the place of heights[0, 0] at the height 0. Each cell is two triangles; its diagonal
    begins at the corner (i, j).

    Raises ValueError for heights that are not finite or no grid of 2 x 2 at least, a spacing that is not
    positive, and an origin of another shape.

    >>> vertices, triangles = ns.height_field([[0, 0, 1], [0, 0, 1]], (2.0, 0.5), origin=(-1, 0, 0))
    >>> vertices[-1].tolist(), len(triangles)
    ([1.0, 1.0, 1.0], 4)
    """
    z = floats("heights", heights, "finite, of the shape (M, N), M and N >= 2")
    if z.ndim != 2 or min(z.shape) < 2:
        raise refuse("heights", f"array {z.shape}", "of the shape (M, N), M and N >= 2")
    if not np.isfinite(z).all():
        i, j = np.argwhere(~np.isfinite(z))[0].tolist()
        raise refuse(
            f"heights[{i}, {j}]", float(z[i, j]), "finite", "fill holes, or leave their triangles out"
        )
    step = floats("spacing", spacing, "positive: a number, or dx and dy")
    if step.shape not in ((), (2,)) or not (np.isfinite(step) & (step > 0.0)).all():
        raise refuse("spacing", spacing, "positive: a number, or dx and dy")
    start = vector("origin", origin)
    dx, dy = np.broadcast_to(step, 2)
    rows, columns = z.shape
    i, j = np.indices(z.shape).reshape(2, -1)
    vertices = start + np.column_stack([i * dx, j * dy, z.ravel()])
    corner = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).ravel()
    one = np.column_stack([corner, corner + columns, corner + columns + 1])
    two = np.column_stack([corner, corner + columns + 1, corner + 1])
    triangles = np.stack([one, two], axis=1).reshape(-1, 3).astype(np.int64)
    return TriangleMesh(vertices, triangles)
