"""Convex solids that bodies carry: set-valued contact with each other.

    bricks = [model.add_box((0.2, 0.1, 0.06), mass=2.4, position=...) for ...]
    model.add(SolidSolid(among=bricks, mu=0.5))

Geometry: elements/geometry/polytope_pairs.py and revolved_pairs.py. Compliant contact of the same:
`CompliantSolids`.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Unpack

from elements.geometry.polytope_pairs import measure_polytopes
from elements.geometry.solid_pairs import measure_solids
from elements.law_arguments import shows
from elements.shape_pairs import ShapePairs, ShapeSide
from elements.solid_plane import Shapes, carried_faces
from nsgalpha.arrays import POLYTOPE
from nsgalpha.checks import refuse
from nsgalpha.model.constructor_record import recorded
from nsgalpha.model.contact_element import ContactLaw, LawArguments
from nsgalpha.model.contact_keys import MOST_FEATURES
from nsgalpha.model.convex_solids import Solid, corners_around, polytopes_of
from nsgalpha.model.geometry_interface import Geometry
from nsgalpha.model.handles import Primitive, couple
from nsgalpha.model.registration import offered

ROUND_SLOTS = 12  # contacts of a round solid and a polytope, beside four for each corner of the largest face
DISK_SLOTS = 40  # contacts of two round solids: 32 points of rims within the other disk, and some others


def _two_are_round(sides: Sequence[Sequence[Solid]]) -> bool:
    """True if two cylinders or cones may touch."""
    many = [sum(solid.kind != POLYTOPE for solid in side) for side in sides]
    return min(many) > (len(sides) == 1)


def convex_side(name: str, shapes: Shapes) -> tuple[list[Primitive], list[Solid], ShapeSide]:
    """Faces of convex solids that are, or whose bodies are, among `shapes`; the solids; their side.

    Raises the errors of `carried_faces` and `polytopes_of`.
    """
    faces = carried_faces(name, shapes)
    solids = polytopes_of(name, faces)
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

    Solids are bodies with a closed convex surface (`add_box`, `add_cylinder`, `add_cone`, `add_solid`), or
    all faces of such a surface. A radius of the faces rounds them. A body may carry several solids, which
    have no contact with each other. The geometry selects the vertices, edges, faces, and parts of cylinders
    and cones that may touch. `law`: mu, e_n, e_t, rolling_radius, drilling_radius as in
    `nsgalpha.model.contact_element.ContactLaw`.

    Raises the errors of ContactLaw. Raises ValueError for open or concave surfaces, and those with a width
    below 1e-6 of their size. Raises ValueError for repeated handles.

    >>> model = ns.Model(gravity=(0, 0, -10))
    >>> boxes = [model.add_box((1, 1, 0.2), mass=1.0, position=(0.1 * k, 0, 0.1 + 0.2 * k)) for k in range(3)]
    >>> on_floor = model.add(SolidPlane(boxes[0], model.add_plane(normal=(0, 0, 1)), mu=0.3))
    >>> element = model.add(SolidSolid(among=boxes, mu=0.3))
    >>> result = ns.simulate(model, t_end=0.5, h=0.01)
    >>> result.position[-1, :, 2].round(9).tolist()
    [0.1, 0.3, 0.5]
    """

    def __init__(
        self,
        among: Shapes | None = None,
        *,
        between: tuple[Shapes, Shapes] | None = None,
        **law: Unpack[LawArguments],
    ) -> None:
        self.law = ContactLaw(**law)
        if (among is None) == (between is None):
            raise ValueError("among, between: give exactly one of them")
        name = "between" if among is None else "among"
        listed = couple(name, between, "two lists of bodies or primitives") if among is None else [among]
        parts = [convex_side(name, shapes) for shapes in listed]
        self._faces = [face for faces, *_ in parts for face in faces]
        twice = [face for face, count in Counter(self._faces).items() if count > 1]
        if twice:
            owner = twice[0].carrier or twice[0]
            raise ValueError(f"between: a solid of {owner.name!r} is in both sets; name it in one of them")
        self.polytopes: Sequence[Solid] = [solid for _, solids, _ in parts for solid in solids]
        sharp = [solid for solid in self.polytopes if solid.kind == POLYTOPE]
        most = max((len(face) for solid in sharp for face in solid.faces), default=0)
        self.geometry: Geometry = replace(measure_polytopes, slots=4 * most)
        if len(sharp) < len(self.polytopes) or any(solid.radius > 0.0 for solid in sharp):
            slots = 4 * most + ROUND_SLOTS
            if _two_are_round([solids for _, solids, _ in parts]):
                slots = max(slots, DISK_SLOTS)
            self.geometry = replace(measure_solids, slots=slots)
        super().__init__(*(side for *_, side in parts))

    def handles(self) -> Sequence[Primitive]:
        """The faces of the solids."""
        return self._faces
