"""Convex solids that bodies carry: set-valued contact with each other.

    bricks = [model.add_box((0.2, 0.1, 0.06), mass=2.4, position=...) for ...]
    model.add(SolidSolid(among=bricks, mu=0.5))

Geometry: elements/geometry/polytope_pairs.py and cylinder_polytope.py. Compliant contact of the same:
`CompliantSolids`.
"""

from collections.abc import Sequence
from dataclasses import replace

from elements.geometry.polytope_pairs import measure_polytopes
from elements.geometry.solid_pairs import measure_solids
from elements.law_arguments import shows
from elements.shape_pairs import ShapePairs, ShapeSide
from elements.solid_plane import Shapes, carried_faces
from nsgalpha.arrays import CYLINDER, POLYTOPE
from nsgalpha.checks import refuse
from nsgalpha.model.constructor_record import recorded
from nsgalpha.model.contact_element import ContactLaw
from nsgalpha.model.contact_keys import MOST_FEATURES
from nsgalpha.model.convex_solids import Solid, corners_around, polytopes_of
from nsgalpha.model.geometry_interface import Geometry
from nsgalpha.model.handles import Primitive, couple
from nsgalpha.model.registration import offered

ROUND_SLOTS = 12  # contacts of a cylinder and a polytope, beside four for each corner of the largest face


def _named(solid: Solid) -> str:
    """Name of the body of a solid."""
    return solid.name if solid.carrier is None else solid.carrier.name


def _refuse_round(name: str, sides: Sequence[Sequence[Solid]]) -> None:
    """ValueError for cones, and where two cylinders might touch."""
    round_ones = [[solid for solid in side if solid.kind != POLYTOPE] for side in sides]
    for solid in (each for side in round_ones for each in side):
        if solid.kind != CYLINDER:
            raise refuse(name, _named(solid), "a polytope or cylinder", "SolidPlane takes cones")
    pairs = [*round_ones, *round_ones][:2]
    if len(pairs[0]) > 0 and len(pairs[1]) > (len(sides) == 1):
        remedy = "name cylinders on one side of between, and boxes on the other"
        raise refuse(name, _named(pairs[1][-1]), "the only cylinder that may touch another one", remedy)


def convex_side(
    name: str, shapes: Shapes, *, round_ones: bool = False
) -> tuple[list[Primitive], list[Solid], ShapeSide]:
    """Faces of convex solids that are, or whose bodies are, among `shapes`; the solids; their side.

    Raises the errors of `carried_faces` and `polytopes_of`.
    """
    faces = carried_faces(name, shapes)
    solids = polytopes_of(name, faces, round_ones=round_ones)
    primitives = faces[0].model.shapes.primitives
    for solid in solids:
        if len(solid.vertices) + len(solid.edges) + len(solid.faces) > MOST_FEATURES:
            raise refuse(name, solid.name, f"a solid of {MOST_FEATURES} vertices, edges and faces at most")
    first = [primitives[solid.index] for solid in solids]
    return faces, solids, ShapeSide(name, first, [corners_around(solid) for solid in solids])


@offered("elements")
@recorded
@shows(ContactLaw)
class SolidSolid(ShapePairs):
    """Contact of convex solids: all pairs `among` a set, or one of each of two sets `between`.

    Solids are bodies with a closed convex surface (`add_box`, `add_cylinder`, `add_solid`), or all faces of
    such a surface. Cylinders touch boxes and hulls, and not each other. A body may carry several solids,
    which have no contact with each other. The geometry selects the vertices, edges, faces, and parts of
    cylinders that may touch. `law`: mu, e_n, e_t, rolling_radius, drilling_radius as in
    `nsgalpha.model.contact_element.ContactLaw`.

    Raises the errors of ContactLaw. Raises ValueError for open or concave surfaces, cones, rounded solids,
    and those with a width below 1e-6 of their size. Raises ValueError for two cylinders that may touch, and
    for repeated handles.

    >>> model = ns.Model(gravity=(0, 0, -10))
    >>> boxes = [model.add_box((1, 1, 0.2), mass=1.0, position=(0.1 * k, 0, 0.1 + 0.2 * k)) for k in range(3)]
    >>> on_floor = model.add(SolidPlane(boxes[0], model.add_plane(normal=(0, 0, 1)), mu=0.3))
    >>> element = model.add(SolidSolid(among=boxes, mu=0.3))
    >>> result = ns.simulate(model, t_end=0.5, h=0.01)
    >>> result.position[-1, :, 2].round(9).tolist()
    [0.1, 0.3, 0.5]
    """

    def __init__(
        self, among: Shapes | None = None, *, between: tuple[Shapes, Shapes] | None = None, **law: float
    ) -> None:
        self.law = ContactLaw(**law)
        if (among is None) == (between is None):
            raise ValueError("among, between: give exactly one of them")
        name = "between" if among is None else "among"
        listed = couple(name, between, "two lists of bodies or primitives") if among is None else [among]
        parts = [convex_side(name, shapes, round_ones=True) for shapes in listed]
        self._faces = [face for faces, *_ in parts for face in faces]
        if len({id(face) for face in self._faces}) < len(self._faces):
            raise ValueError("between: a solid is in both sets; name it in one of them")
        self.polytopes: Sequence[Solid] = [solid for _, solids, _ in parts for solid in solids]
        for solid in self.polytopes:
            if solid.radius > 0.0:
                raise refuse(name, solid.name, "a solid without a radius", "SolidPlane takes rounded ones")
        _refuse_round(name, [solids for _, solids, _ in parts])
        sharp = [solid for solid in self.polytopes if solid.kind == POLYTOPE]
        most = max(len(face) for solid in sharp for face in solid.faces)
        self.geometry: Geometry = replace(measure_polytopes, slots=4 * most)
        if len(sharp) < len(self.polytopes):
            self.geometry = replace(measure_solids, slots=4 * most + ROUND_SLOTS)
        super().__init__(*(side for *_, side in parts))

    def handles(self) -> Sequence[Primitive]:
        """The faces of the solids."""
        return self._faces
