"""The arrays that the compiled kernels pass around, as named tuples (struct of arrays).

Bodies are numbered 0 .. N-1; behind them stand the *frames* (the ground and prescribed frames), which
move as prescribed and have no inverse mass. B = N + number of frames. Vectors are inertial unless said.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Reals = TypeVar("Reals", NDArray[np.float32], NDArray[np.float64])
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


#: Kinds of contacts between markers, in the place of a plane: nsgalpha/contact/rows/marker_rows.py.
FORCE, TORQUE, SLIDING_FRICTION, TURNING_FRICTION = -2, -3, -4, -5
FRICTION, MARKERS = SLIDING_FRICTION, FORCE  # and below: friction, all of them


class Bodies(NamedTuple):
    """Constant properties; frames have `mass` and all inverses 0."""

    mass: Floats  # (B,) [kg]
    inverse_mass: Floats  # (B,) [1/kg]
    inertia: Floats  # (B, 3, 3) [kg m^2], body frame
    inverse_inertia: Floats  # (B, 3, 3), body frame
    isotropic: Flags  # (B,): the inertia is a multiple of the unit tensor
    radius: Floats  # (B,) of the spherical surface [m], 0 without one
    extent: Floats  # (B,) of the sphere around the centre that holds all that has set-valued contact [m]
    joints: Any  # Handle of jointed_response.Joints: they change how bodies answer; None without any
    cell: Floats  # as in `Scene`


#: Sine of the angle between a normal and an axis of friction, below which it has no direction.
LEAST_AXIS = 1e-3
POLYTOPE, CYLINDER, HALF_SPACE, CONE, PATCH = range(5)  # kinds of solids


class Solids(NamedTuple):
    """Tables of L solids in their own frames: polytopes and cylinders about the third axis.

    Solids of set-valued contact are in the frames of their bodies. Faces have their corners counter-clockwise
    from outside. A half-space is below the third axis. Sizes 1 and 2 are radius and half length of a
    cylinder. Of set-valued contact they are half of the least width, and the radius of cylinders and cones.
    These have the circles of their ends as faces, whose corners are some points of the rim. A patch of a mesh
    (nsgalpha/model/mesh_patches.py) has the walls of its cells as faces, three for each triangle.
    """

    kind: Ints  # (L,)
    size: Floats  # (L, 3) radius of a ball around the origin that holds it [m]; see above
    vertex: Ints  # (L + 1,) offsets of the corners
    vertices: Floats  # (V, 3) [m]
    face: Ints  # (L + 1,) offsets of the faces
    planes: Floats  # (F, 4) outward normals and offsets [m]
    corner: Ints  # (F + 1,) offsets of the corners of faces
    corners: Ints  # (I,) numbers among those of the solid
    sides: Ints  # (I,) numbers of the edges from these corners to the next ones of the face
    edge: Ints  # (L + 1,) offsets of the edges, none but those of set-valued contact
    edges: Ints  # (E, 5) both corners, the face that has them in this order, the other one, and the colour:
    # no two edges of a face have the same


class Meshes(NamedTuple):
    """Tables of L meshes of triangles in the frames of their bodies (nsgalpha/model/contact_meshes.py).

    A point x is over a triangle where m . x >= o for its three sides, with the unit vector m in its plane. A
    flat edge has two faces around it. The second one of a border is the wall below it. Each face has the unit
    vector in its plane, across the edge, that points away from it.
    """

    of: Ints  # (S,) number of the mesh whose first face is a shape, -1 for other shapes
    first: Ints  # (L + 1, 4) offsets of vertices, edges, triangles, leaves of the tree
    size: Floats  # (L,) radius of a ball around the origin that holds it [m]
    vertices: Floats  # (V, 3) those that may touch a face [m]
    spoke: Ints  # (V + 1,) offsets of the directions of their edges
    spokes: Floats  # (D, 3) unit vectors
    edges: Floats  # (E, 5, 3) ends [m], vectors of both faces across the edge, their sum as a unit vector
    patch: Ints  # (T,) the first triangle of the plane region around a triangle
    planes: Floats  # (T, 4) normals and offsets of these regions [m]
    sides: (
        Floats  # (T, 3, 5) m, o [m], tan of half of the bend, > 0 where the surface is convex, 0 at borders
    )
    boxes: Floats  # (2 P, 6) lowest and highest corners of the nodes of trees: those of i are 2 i and 2 i + 1
    items: Ints  # (P,) at the leaves: vertices, edges, triangles, numbered in this order; -1 for none


class ShapeTable(NamedTuple):
    """Spheres around the centres of bodies, and the primitives that they carry, body by body.

    A solid of compliant contact has four corners: its centre, and the ends of axes that are as long as its
    size. Of set-valued contact the first face of a solid stands for it, and vertices are in the frame of the
    body.
    """

    radius: Floats  # (B,) of the bodies [m]
    first: Ints  # (B,) row of the shape with the number 0 of the body (nsgalpha/model/carried_shapes.py)
    points: Floats  # (P, 3) in the frame of the body [m]
    corners: Ints  # (S, N) rows of `points`; -1 where there are less
    thickness: Floats  # (S,) radius of the primitive [m]
    solid: Ints  # (S,) number of the solid, -1 for other shapes
    solids: Solids
    meshes: Meshes


class Planes(NamedTuple):
    """Planes `normal . X = offset` in the coordinates of the body or frame that carries them."""

    body: Ints  # (P,)
    normal: Floats  # (P, 3) unit, to the side of the spheres
    offset: Floats  # (P,) [m]


class Motion(NamedTuple):
    """State of motion at one time level."""

    x: Floats  # (B, 3) centre of mass [m]
    q: Floats  # (B, 4) unit quaternion, scalar first, body to inertial
    v: Floats  # (B, 3) velocity [m/s]
    w: Floats  # (B, 3) angular velocity [rad/s], inertial
    dv: Floats  # (B, 6) smooth accelerations dv~ of the last step; rotation: see smooth_motion.py
    a: Floats  # (B, 6) auxiliary accelerations of the scheme, in the frame of dv


class Scene(NamedTuple):
    """Inputs of a geometry besides its candidates. Without rotations, `q` (0, 4), no shape turns."""

    shapes: ShapeTable
    planes: Planes
    options: Floats  # (k,) numbers that the geometry takes
    x: Floats  # (B, 3) centres of the bodies and frames [m]
    q: Floats  # (B, 4) their rotations
    cell: Floats  # (2, 3) periods [m] and their inverses, 0 along directions without; (0, 3): no cell.
    # (3, 3) of one that moves: and the axis of the gradient; `x` ends with the ways to the next images


class Section(NamedTuple):
    """Inputs of laws besides gap and normal, by contacts; empty where no law reads them."""

    point: Floats  # (C, 3) contact point, in the middle of the overlap [m]
    weight_a: Floats  # (C, N_A) of the force among the corners of A
    weight_b: Floats  # (C, N_B)
    extent: Floats  # (6, C) as in `Measured`: radii, area, fraction, 1 if rejected, mean square


class LawTable(NamedTuple):
    """Parameters of the set-valued laws, one entry per element."""

    mu: Floats  # (L,) sliding friction [-]
    e_n: Floats  # (L,) normal restitution [-]
    e_t: Floats  # (L,) tangential restitution [-]
    rolling_radius: Floats  # (L,) [m]
    drilling_radius: Floats  # (L,) [m]
    mu_static: Floats  # (L,) sliding friction at rest, mu where it is the same
    stribeck_velocity: Floats  # (L,) at which it falls from that to mu [m/s]
    across: Floats  # (L,) sliding friction across the axis over that along it, 1 of isotropic friction
    axis: Floats  # (L, 3) unit, in the frame of the owner; 0 of isotropic friction
    varies: Flags  # (L,) True if `mu` and `axis` of the candidates are used in place of one number `mu`
    owner: Ints  # (L,) side that has the axis and the running surface: 0 of A, 1 of B
    surface: Floats  # (L, 3) velocity of the surface in the frame of the owner [m/s]; (0, 3): none runs


class Candidates(NamedTuple):
    """Pairs that may touch, all element kinds in one table; kinematics as in contact_kinematics.py."""

    a: Ints  # (C,) body of side A; of elements of primitives the number of A among theirs
    b: Ints  # (C,) body or frame of side B; of elements of primitives the number of B among theirs
    plane: Ints  # (C,) plane of side B, -1 where it is none, less between markers (marker_rows.py)
    law: Ints  # (C,)
    feature: Ints  # (C,) which of several contacts of a pair it is
    gap: Floats  # (C,) [m], > 0 open
    normal: Floats  # (C, 3) unit, from B to A
    lever: Floats  # (C, 2, 3) from the centres of A and B to the contact point [m]
    length: Floats  # (C,) of the contact, to which tolerances on its gap are relative [m]
    rounding: Floats  # (C,) error of the gap of a contact that may be closed [m], [rad]; see pose.measure
    image: Floats  # (C, 3) periods along the axes from B to its image; (0, 3) unless the cell moves
    mu: Floats  # (C,) sliding friction of the step; of laws that vary (stepping/friction_coefficients.py)
    axis: Floats  # (C, 3) of anisotropic friction, inertial; 0 of isotropic friction


def no_candidates() -> Candidates:
    """An empty table."""
    none = np.empty(0, np.int64)
    return candidate_table(none, none, none, none, none, np.empty(0))


def candidate_table(
    a: Ints, b: Ints, plane: Ints, law: Ints, feature: Ints, length: Floats, images: bool = False
) -> Candidates:
    """Candidates (C,) with workspace for their measurements; `images`: of a cell that moves."""
    n = len(a)
    measured = np.zeros(n), np.zeros((n, 3)), np.zeros((n, 2, 3))  # idle slots are read, too
    image, axis = np.zeros((n if images else 0, 3)), np.zeros((n, 3))
    return Candidates(a, b, plane, law, feature, *measured, length, np.zeros(n), image, np.zeros(n), axis)


def unmeasured(candidates: Candidates, rows: Flags | slice) -> Candidates:
    """The `rows` of `candidates`, with workspace for their measurements."""
    a, b, plane, law, feature = (column[rows] for column in candidates[:5])
    length, images = candidates.length[rows], len(candidates.image) > 0
    return candidate_table(a, b, plane, law, feature, length, images)


def without_measurements(candidates: Candidates) -> Candidates:
    """`candidates` with zeros, which take no memory, in the place of their measurements."""
    n = len(candidates.a)
    shapes = {"gap": (n,), "normal": (n, 3), "lever": (n, 2, 3), "rounding": (n,)}
    shapes |= {"mu": (n,), "axis": (n, 3)}
    return candidates._replace(**{k: np.broadcast_to(0.0, shape) for k, shape in shapes.items()})


def no_solids() -> Solids:
    """An empty library."""
    none, zero = np.empty(0, np.int64), np.zeros(1, np.int64)
    faces = zero, np.empty((0, 4)), zero, none, none
    return Solids(none, np.empty((0, 3)), zero, np.empty((0, 3)), *faces, zero, np.empty((0, 5), np.int64))


def no_meshes() -> Meshes:
    """No meshes."""
    none, zero = np.empty(0, np.int64), np.zeros((1, 4), np.int64)
    vertices = np.empty((0, 3)), np.zeros(1, np.int64), np.empty((0, 3))
    faces = none, np.empty((0, 4)), np.empty((0, 3, 5))
    return Meshes(none, zero, np.empty(0), *vertices, np.empty((0, 5, 3)), *faces, np.empty((0, 6)), none)


def no_shapes() -> ShapeTable:
    """No bodies."""
    none, corners = np.empty(0, np.int64), np.empty((0, 2), np.int64)
    return ShapeTable(
        np.empty(0), none, np.empty((0, 3)), corners, np.empty(0), none, no_solids(), no_meshes()
    )


def no_section() -> Section:
    """No section: only gap, normal and levers are wanted."""
    return Section(*(np.empty((0, k)) for k in (3, 1, 1, 0)))


def no_cell() -> Floats:
    """No direction is periodic."""
    return np.empty((0, 3))


def no_planes() -> Planes:
    """No planes."""
    return Planes(np.empty(0, np.int64), np.empty((0, 3)), np.empty(0))


def empty_motion(count: int) -> Motion:
    """A `Motion` of `count` bodies at rest at the origin."""
    q = np.zeros((count, 4))
    q[:, 0] = 1.0
    x, v, w, dv, a = (np.zeros((count, width)) for width in (3, 3, 3, 6, 6))
    return Motion(x, q, v, w, dv, a)


def copy_motion(motion: Motion) -> Motion:
    """A separate motion that begins as this one."""
    return Motion(*(part.copy() for part in motion))


class LowRank(NamedTuple):
    """`sum c w g^T`, r terms of n unknowns; w and g by their entries, those of one place are added."""

    size: int  # n
    c: Floats  # (r,)
    row: Ints  # (m,) unknown of an entry
    term: Ints  # (m,) its term
    w: Floats  # (m,)
    g: Floats  # (m,), the same object as `w` where the sum is symmetric

    @property
    def symmetric(self) -> bool:
        """True if the sum is a symmetric matrix."""
        return self.w is self.g

    def transposed_g(self, x: Floats) -> Floats:
        """`G^T x`, (r,) or (r, k) for x (n,) or (n, k)."""
        if x.ndim > 1:
            return np.stack([self.transposed_g(column) for column in x.T], axis=1)
        return np.bincount(self.term, self.g * x[self.row], len(self.c)).astype(float)

    def __matmul__(self, x: Floats) -> Floats:
        if x.ndim > 1:
            return np.stack([self @ column for column in x.T], axis=1)
        y = self.c * self.transposed_g(x)
        return np.bincount(self.row, self.w * y[self.term], self.size).astype(float)

    def columns(self, values: Floats) -> Floats:
        """The matrix (n, r) of the entries `values` (m,), which are those of w or g."""
        r = len(self.c)
        return np.bincount(self.row * r + self.term, values, self.size * r).astype(float).reshape(-1, r)

    @property
    def symmetric_part(self) -> LowRank:
        """The symmetric part of the sum: (w g^T + g w^T)/2 = ((w + g)(w + g)^T - (w - g)(w - g)^T)/4."""
        if self.symmetric:
            return self
        g = np.concatenate([self.w + self.g, self.w - self.g])
        c = 0.25 * np.concatenate([self.c, -self.c])
        term = np.concatenate([self.term, self.term + len(self.c)])
        return LowRank(self.size, c, np.tile(self.row, 2), term, g, g)

    def of_translations(self) -> LowRank:
        """The part of the first three of every six unknowns."""
        kept = self.row % 6 < 3
        g = self.g[kept]
        row = self.row[kept] // 6 * 3 + self.row[kept] % 6
        return LowRank(self.size // 2, self.c, row, self.term[kept], g if self.symmetric else self.w[kept], g)


def turned(rotation: Reals, vector: Reals) -> Reals:
    """`R(q) v` of quaternions (..., 4), scalar first, and vectors (..., 3)."""
    s, u = rotation[..., :1], rotation[..., 1:]
    c = 2.0 * np.cross(u, vector)
    return vector + s * c + np.cross(u, c)


def turned_back(rotation: Reals, vector: Reals) -> Reals:
    """`R(q)^T v`: inertial vectors (..., 3) in the frames of quaternions (..., 4)."""
    return turned(rotation * np.array([1.0, -1.0, -1.0, -1.0], rotation.dtype), vector)
