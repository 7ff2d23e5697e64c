"""Contact of shapes of all kinds: an element for every two kinds that may meet.

    model.add(Contact(among=[*model.bodies, floor], mu=0.5))
    model.add(CompliantContact(among=[*model.bodies, floor], normal=..., tangential=...))

The materials of bodies are groups with names. Pairs of them have laws, or None:

    groups = {"steel": balls, "wood": [*crates, floor]}
    steel = ns.ContactLaw(mu=0.1, e_n=0.9)
    laws = {("steel", "steel"): steel, ("steel", "wood"): {"mu": 0.4}, ("wood", "wood"): None}
    model.add(Contact(among=groups, materials=laws))

Of a table `ns.Materials` both kinds of contact take their laws (material_laws.py):

    table = ns.Materials(materials=[steel, wood], pairs=[ns.MaterialPair(a="steel", b="wood", ...), ...])
    model.add(CompliantContact(among=groups, materials=table))
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from itertools import combinations_with_replacement, product
from typing import Any, Unpack

from elements.compliant_elements import shows_laws
from elements.compliant_solids import CompliantSolids
from elements.contact_groups import laws_of_pairs
from elements.contact_makers import COMPLIANT, OF_POLYGONS, SET_VALUED, SOFT_SOLIDS, LawOf, Makers
from elements.law_arguments import shows
from elements.material_laws import compliant_law, set_valued_law
from elements.solid_solid import SolidSolid
from nsgalpha.arrays import CONE, CYLINDER, POLYTOPE
from nsgalpha.checks import instance, refuse, text
from nsgalpha.forces import Laws
from nsgalpha.model.additions import ElementGroup
from nsgalpha.model.carried_shapes import shapes_on
from nsgalpha.model.contact_element import OWNERS, ContactLaw, LawArguments, refuse_owner
from nsgalpha.model.convex_solids import divided_faces, round_solids
from nsgalpha.model.handles import Body, Plane, Primitive, couple
from nsgalpha.model.materials import Materials
from nsgalpha.model.registration import offered

Shape = Body | Primitive | Plane
Shapes = Shape | Sequence[Shape]
PairLaws = Mapping[tuple[str, str], ContactLaw | Mapping[str, Any] | None]
Kinds = Mapping[str, list[Any]]  # shapes by kind

SHAPES = (Body, Primitive, Plane)
SOLIDS = {POLYTOPE: "solids", CYLINDER: "cylinders", CONE: "cones"}


@offered("elements")
@shows(ContactLaw)
class Contact(ElementGroup):
    """Set-valued contact of spheres, capsules, solids, polygons and planes, in any mixture.

    All pairs `among` a set meet, or one of each of two sets `between`. A set has bodies, which stand for all
    that they carry, primitives and planes. Shapes of one body have no contact, nor have bodies that a joint
    holds. The `parts` are an element for every two kinds of shapes, such as `SphereSphere`, `SolidPlane`.

    materials: with it `among` is a dict of names and sets. A table `ns.Materials` has materials of these
    names and their pairs. A dict has an entry for every two names that may meet: a ContactLaw, its arguments
    as a dict, or None for no contact. `law`, without it: as in `nsgalpha.model.contact_element.ContactLaw`.
    An axis or a surface velocity is that of the second of `between`, or of the second name of an entry.
    two_sided: whether open meshes of polygons have two sides, as in `SolidMesh`. `SpherePolygon` has both
    anyway.

    Raises the errors of ContactLaw and of the elements. Raises ValueError for shapes given twice, kinds that
    have no set-valued contact, and missing or superfluous entries of `materials`. Raises it for `two_sided`
    without polygons.

    >>> model = ns.Model(gravity=(0, 0, -10))
    >>> floor = model.add_plane(normal=(0, 0, 1))
    >>> crate = model.add_box((1, 1, 1), mass=1.0, position=(0, 0, 0.5))
    >>> ball = model.add_sphere(radius=0.1, mass=1.0, position=(2, 0, 0.1), velocity=(1, 0, 0))
    >>> contact = model.add(Contact(among=[crate, ball, floor], mu=0.5))
    >>> sorted(type(part).__name__ for part in contact.parts)
    ['SolidPlane', 'SpherePlane', 'SphereSolid']
    """

    def __init__(
        self,
        among: Shapes | Mapping[str, Shapes] | None = None,
        *,
        between: tuple[Shapes, Shapes] | None = None,
        materials: Materials | PairLaws | None = None,
        two_sided: bool = False,
        **law: Unpack[LawArguments],
    ) -> None:
        if materials is None:
            ContactLaw(**law)
        super().__init__(_parts(SET_VALUED.with_sides(two_sided), (among, between), materials, law))
        _refuse_without_polygons(self.parts, two_sided)


@offered("elements")
@shows_laws
class CompliantContact(ElementGroup):
    """Compliant contact of the same shapes: spheres, capsules, solids, polygons and planes.

    Polygons are those of open meshes, which have a front. They have no contact with each other. two_sided:
    whether they have two sides. They push to that of the middle of a sphere or capsule, up to an overlap of
    its radius. Solids meet the front alone. `among`, `between` and `materials` are as in `Contact`, with the
    arguments of CompliantLaw as entries. Of a table `ns.Materials` spheres and planes have the laws of Hertz
    and Mindlin, solids elastic layers. The `parts` are `CompliantSphereSphere`, `CompliantSpherePlane`,
    `CompliantSolids`, `CompliantSolidPlane`, and on open meshes `CompliantPolygonSphere`,
    `CompliantPolygonCapsule`, `CompliantSolidMesh`.

    Raises the errors of CompliantLaw and of the elements, and those of `Contact`.
    """

    def __init__(
        self,
        among: Shapes | Mapping[str, Shapes] | None = None,
        *,
        between: tuple[Shapes, Shapes] | None = None,
        materials: Materials | PairLaws | None = None,
        two_sided: bool = False,
        **law: Unpack[Laws],
    ) -> None:
        super().__init__(_parts(COMPLIANT.with_sides(two_sided), (among, between), materials, law))
        _refuse_without_polygons(self.parts, two_sided)


def _parts(
    makers: Makers, sets: tuple[Any, Any], materials: Materials | PairLaws | None, law: Mapping[str, Any]
) -> list[Any]:
    """The elements of `sets`, those `among` and `between`."""
    among, between = sets
    if (among is None) == (between is None):
        raise ValueError("among, between: give exactly one of them")
    if materials is not None:
        return _by_material(makers, sets, materials, law)
    if isinstance(among, Mapping):
        raise ValueError("among: a dict has names for `materials`; give them, or a list")
    if between is None:
        found = _among(makers, _kinds(makers, "among", among), law)
    else:
        one, two = couple("between", between, "two lists of shapes")
        found = _between(makers, _kinds(makers, "between", one), _kinds(makers, "between", two), law)
    if not found:
        name = "among" if between is None else "between"
        raise ValueError(
            f"{name}: there are no shapes of two bodies that may meet; name a second body or a plane"
        )
    return found


def _refuse_without_polygons(parts: Sequence[Any], two_sided: bool) -> None:
    """ValueError for `two_sided` where no element of the `parts` has polygons of open meshes."""
    if two_sided and not any(isinstance(each, OF_POLYGONS) for each in parts):
        allowed = "False without polygons of an open mesh that another shape may meet"
        raise refuse("two_sided", two_sided, allowed, "closed surfaces are solids, with an outside alone")


def _by_material(
    makers: Makers, sets: tuple[Any, Any], materials: Materials | PairLaws, law: Mapping[str, Any]
) -> list[Any]:
    """The elements of groups with names."""
    among, between = sets
    if between is not None or not isinstance(among, Mapping):
        raise refuse("among", among, "a dict of names and shapes beside `materials`")
    if law:
        raise ValueError(f"{', '.join(law)}: state it in the entries of `materials`, not beside it")
    allowed = "a table ns.Materials, or a dict of two names and a law"
    instance("materials", materials, Mapping | Materials, allowed)
    groups = {
        text("among", name): shapes_on(f"among[{name!r}]", each, SHAPES) for name, each in among.items()
    }
    handles = {name: [handle for handle, _ in group] for name, group in groups.items()}
    found: list[Any] = []
    of_table = isinstance(materials, Materials)
    if isinstance(materials, Materials):
        materials = _laws_of_table(makers, materials, handles)
    for one, two, own in laws_of_pairs(handles, materials, _may_meet, "materials"):
        if not (of_table or isinstance(own, ContactLaw | Mapping)):
            raise refuse(f"materials[{(one, two)}]", own, "a ContactLaw, its arguments as a dict, or None")
        stated = asdict(own) if isinstance(own, ContactLaw) else own
        a, b = (_kinds(makers, f"among[{name!r}]", among[name]) for name in (one, two))
        try:
            found += _among(makers, a, stated) if one == two else _between(makers, a, b, stated)
        except (TypeError, ValueError) as error:
            raise type(error)(f"materials[{(one, two)}]: {error}") from None
    return found


def _laws_of_table(
    makers: Makers, table: Materials, groups: Mapping[str, list[Any]]
) -> dict[tuple[str, str], Any]:
    """The laws of all pairs of `groups` that may meet, as functions of an element."""
    for name in groups:
        if name not in [each.name for each in table.materials]:
            known = sorted(each.name for each in table.materials)
            raise refuse("among", name, f"one of the materials {known}", "the names of `among` are materials")
    laws: dict[tuple[str, str], Any] = {}
    for one, two in combinations_with_replacement(groups, 2):
        if not _may_meet(groups[one], groups[two]):
            continue
        try:
            pair = table.pair(one, two)
        except ValueError as error:
            raise ValueError(f"materials: {error}") from None
        laws[one, two] = _law_of(makers, table, pair) if pair.contact else None
    return laws


def _law_of(makers: Makers, table: Materials, pair: Any) -> Callable[[Any], Mapping[str, Any]]:
    """The arguments of the law of a `pair`, by the maker of an element."""
    if makers.soft:
        return lambda maker: compliant_law(table, pair, maker in SOFT_SOLIDS)
    return lambda maker: set_valued_law(table, pair)


def _may_meet(a: list[Any], b: list[Any]) -> bool:
    """False for planes alone, and for shapes of one body."""
    shapes = [*a, *b]
    return _bodies(shapes) > 1 and not all(isinstance(shape, Plane) for shape in shapes)


def _bodies(shapes: Sequence[Any]) -> int:
    """The number of bodies that have the `shapes`."""
    return len({id(_carrier(each)) for each in shapes})


def _carrier(shape: Shape) -> Any:
    """The body that has a shape; a plane that none carries."""
    if isinstance(shape, Plane):
        return shape if shape.body is None else shape.body
    return shape if isinstance(shape, Body) else shape.carrier


def _moves(shape: Shape) -> bool:
    carrier = _carrier(shape)
    return isinstance(carrier, Body) and not carrier.fixed


def _kinds(makers: Makers, name: str, shapes: Any) -> Kinds:
    """The shapes by kind."""
    names = "capsules", "spheres", "cylinders", "cones", "solids", "polygons", "planes"
    kinds: Kinds = {kind: [] for kind in names}
    faces: list[Primitive] = []
    listing = shapes_on(name, shapes, SHAPES)
    if makers.soft:
        listing, polygons = _without_open(listing)
        kinds["polygons"].extend(polygons)
    for handle, own in listing:
        if not own:
            remedy = "add_sphere, add_box, add_capsule, add_solid, or add_primitive(carrier=)"
            raise refuse(name, handle.name, "a body with a surface", remedy)
        if isinstance(handle, Plane):
            kinds["planes"].append(handle)
        elif makers.soft:
            kinds["spheres" if own == [handle] and isinstance(handle, Body) else "solids"].append(handle)
        else:
            for shape in own:
                if isinstance(shape, Body):
                    kinds["spheres"].append(shape)
                else:
                    (faces if len(shape.corners) > 2 else kinds["capsules"]).append(shape)
    closed, others = divided_faces(faces)
    round_ones = {id(face): solid.kind for solid, own in round_solids(name, closed) for face in own}
    for face in closed:
        kinds[SOLIDS[round_ones.get(id(face), POLYTOPE)]].append(face)
    kinds["polygons"] += others
    return kinds


def _without_open(
    listing: list[tuple[Any, list[Any]]],
) -> tuple[list[tuple[Any, list[Any]]], list[Primitive]]:
    """Handles and their shapes without the rigid polygons of open meshes, and these polygons."""
    faces = [each for _, own in listing for each in own if isinstance(each, Primitive)]
    _, polygons = divided_faces([face for face in faces if face.rigid and len(face.corners) > 2])
    left_out = {id(face) for face in polygons}
    found: list[tuple[Any, list[Any]]] = []
    for handle, own in listing:
        rest = [each for each in own if id(each) not in left_out]
        if len(rest) == len(own):
            found.append((handle, own))
        else:
            found += [(each, [each]) for each in rest]
    return found, polygons


def _among(makers: Makers, shapes: Kinds, law: LawOf) -> list[Any]:
    """Elements of all pairs among `shapes`."""
    found: list[Any] = []
    for kinds in combinations_with_replacement(shapes, 2):
        sides = shapes[kinds[0]], shapes[kinds[1]]
        if "planes" not in kinds and isinstance(law, Mapping) and _has_owner(law) and _meet(kinds, sides):
            raise refuse_owner(law.get("axis"), law.get("surface_velocity"))
        found += _of_kinds(makers, kinds, sides, law)
    return found


def _between(makers: Makers, first: Kinds, second: Kinds, law: LawOf) -> list[Any]:
    """Elements of one of the `first` and one of the `second` shapes."""
    found: list[Any] = []
    for one, two in product(first, second):
        found += _of_kinds(makers, (one, two), (first[one], second[two]), law)
    return found


def _meet(kinds: tuple[str, str], sides: tuple[list[Any], list[Any]]) -> bool:
    """True if shapes of two sides, each of one kind, may meet and something moves."""
    if not all(sides) or _bodies([*sides[0], *sides[1]]) < 2 or kinds == ("planes", "planes"):
        return False
    return any(_moves(each) for side in sides for each in side)


def _has_owner(law: Mapping[str, Any]) -> bool:
    """True if the second side of `between` has an axis or a running surface."""
    return law.get("axis") is not None or law.get("surface_velocity") is not None


def _exchanged(law: Mapping[str, Any]) -> Mapping[str, Any]:
    """The arguments of a law for an element whose sides are exchanged."""
    if not _has_owner(law):
        return law
    owner = law.get("owner", OWNERS[1])
    return {**law, "owner": OWNERS[1 - OWNERS.index(owner)] if owner in OWNERS else owner}


def _of_kinds(
    makers: Makers, kinds: tuple[str, str], sides: tuple[list[Any], list[Any]], law: LawOf
) -> list[Any]:
    """Elements of two sides, each of one kind, if something moves. The same list twice is one set."""
    if not _meet(kinds, sides):
        return []
    exchanged = kinds not in makers.of
    if exchanged:
        if kinds[::-1] not in makers.of:
            raise _no_element(kinds, sides)
        kinds, sides = kinds[::-1], sides[::-1]
    maker = makers.of[kinds]
    if kinds == ("solids", "polygons") and makers.soft:
        return maker(*sides, law)
    law = law if isinstance(law, Mapping) else law(maker)
    law = _exchanged(law) if exchanged else law
    if sides[0] is sides[1]:
        return [maker(sides[0], **law)]
    if maker in (CompliantSolids, SolidSolid) or kinds[0] == kinds[1]:
        return [maker(between=sides, **law)]
    if kinds[1] != "planes":
        made = maker(*sides, **law)
        return made if isinstance(made, list) else [made]
    carried: dict[int, list[Plane]] = {}
    for plane in sides[1]:
        carried.setdefault(id(plane.body), []).append(plane)
    apart = [([each for each in sides[0] if _carrier(each) is not p[0].body], p) for p in carried.values()]
    return [maker(*pair, **law) for pair in apart if pair[0]]


def _no_element(kinds: tuple[str, str], sides: tuple[list[Any], list[Any]]) -> ValueError:
    """The error of kinds that have no element."""
    first, second = ((_carrier(each) or each).name for each in (sides[0][0], sides[1][-1]))
    return ValueError(
        f"{kinds[0]}, {kinds[1]}: {first!r} and {second!r} have such shapes, which have no "
        "contact; leave one of them out, or state by `between` who may meet"
    )
