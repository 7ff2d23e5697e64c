"""Elements and laws in result files of format 1: what makes them of the attributes that were recorded there.

The keys are the modules and classes of that time, wherever they are now.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import elements as e
from nsgalpha.arrays import Floats
from nsgalpha.checks import refuse
from nsgalpha.forces.compliant_law import ROWS, CompliantLaw
from nsgalpha.model.contact_element import ContactLaw

Maker = Callable[..., Any]

#: Laws and what they are made of; one that moves is listed below under its module of that time.
LAWS = [law for law in map(vars(e).get, e.laws.__all__) if isinstance(law, type)]


def contact_arguments(law: ContactLaw) -> dict[str, Any]:
    """Arguments of a set-valued element."""
    return {name: getattr(law, name) for name in ("mu", "e_n", "e_t", "rolling_radius", "drilling_radius")}


def sphere_sphere(law: ContactLaw, _pairs: Any, _without: Any, _sides: Any) -> e.SphereSphere:
    """Of given pairs, of two sets, or among one."""
    if _pairs:
        return e.SphereSphere(pairs=_pairs, **contact_arguments(law))
    first, second = _sides
    if first is second or [*first] == [*second]:
        return e.SphereSphere(among=first, without=_without, **contact_arguments(law))
    return e.SphereSphere(between=(first, second), without=_without, **contact_arguments(law))


def sphere_plane(law: ContactLaw, _spheres: Any, _planes: Any) -> e.SpherePlane:
    """Every sphere with every plane."""
    return e.SpherePlane(_spheres, _planes, **contact_arguments(law))


def sphere_in_shell(law: ContactLaw, _spheres: Any, _shell: Any) -> e.SphereInShell:
    """Spheres in a shell."""
    return e.SphereInShell(_spheres, _shell, **contact_arguments(law))


def compliant_law(parts: Sequence[Any], reach: float, **_: Any) -> CompliantLaw:
    """Laws by the rows for which each was given; `bond` and `contact` have the same."""
    senses = {rows: name for name, rows in ROWS.items() if name != "bond"}
    laws: dict[str, Any] = {}
    for law, first, last in parts:
        laws.setdefault(senses[first, last], []).append(law)
    return CompliantLaw(**laws, reach=_given(reach))


def _given(reach: float) -> float:
    """The reach to be given: an infinite one is that of a law."""
    return 0.0 if reach == math.inf else reach


def law_arguments(law: CompliantLaw) -> dict[str, Any]:
    """Arguments of a compliant element."""
    senses = {rows: name for name, rows in ROWS.items() if name != "bond"}
    arguments: dict[str, Any] = {"reach": _given(law.reach)}
    for part, first, last in law.parts:
        name = senses[first, last]
        arguments[name] = [*arguments.get(name, ()), part]
    return arguments


def compliant(pairs: Any, law: CompliantLaw) -> e.Compliant:
    """Compliant contact of pairs."""
    return e.Compliant(pairs, **law_arguments(law))


def point_pairs(_bodies: Any, _others: Any, anchors: Floats) -> e.PointPairs:
    """Pairs of points; numbers are those of anchors."""
    ends = [anchors[other] if isinstance(other, int) else other for other in _others]
    return e.PointPairs(list(zip(_bodies, ends, strict=True)))


def drag(bodies: Any, _at: Any, matrices: Floats) -> e.Drag:
    """Resistances as tensors."""
    return e.Drag(bodies, translational=matrices[:, :3, :3], rotational=matrices[:, 3:, 3:])


def surfaces(
    geometry: Any, options: Any, contacts: int, parts: Any, torque: bool, sides: Any, law: CompliantLaw
) -> Any:
    """Contact of primitives, by the name of its geometry."""
    kind = str(getattr(geometry, "name", "")).rpartition(":measure_")[2]
    a, b = sides
    among = {"among": a} if a is b or [*a] == [*b] else {"between": (a, b)}
    laws = law_arguments(law)
    if kind == "sphere_sphere":
        return e.CompliantPrimitiveSpheres(**among, **laws)
    if kind == "capsule_capsule":
        return e.CompliantCapsules(**among, crown=options[0], torque=torque, **laws)
    if kind == "capsule_sphere":
        return e.CompliantCapsuleSphere(a, b, torque=torque, **laws)
    if kind == "cylinder_sphere":
        return e.CompliantCylinderSphere(a, b, torque=torque, **laws)
    if kind == "disk_sphere":
        return e.CompliantDiskSphere(a, b, **laws)
    if kind == "polygon_polygon":
        largest = None if options[0] == math.inf else options[0]
        return e.CompliantPolygons(**among, largest_overlap=largest, torque=torque, **laws)
    if kind not in ("polygon_sphere", "polygon_capsule"):
        raise refuse("geometry", getattr(geometry, "name", geometry), "one of `elements.geometry`")
    flips, rejects = (bool(option) for option in options)
    flags: dict[str, Any] = {"flip_normals": flips, "reject_large_overlap": rejects, "torque": torque}
    if kind == "polygon_sphere":
        return e.CompliantPolygonSphere(a, b, **flags, **laws)
    named = [name for name, row in (("ends", 0), ("hull", 2)) if row in tuple(parts)]
    return e.CompliantPolygonCapsule(a, b, parts=named, **flags, **laws)


FORMAT_1: dict[str, Maker] = {
    **{f"{law.__module__}:{law.__name__}": law for law in LAWS},
    "elements.sphere_sphere:SphereSphere": sphere_sphere,
    "elements.sphere_plane:SpherePlane": sphere_plane,
    "elements.sphere_in_shell:SphereInShell": sphere_in_shell,
    "elements.compliant_elements:Compliant": compliant,
    "elements.primitive_contacts:CompliantSurfaces": surfaces,
    "elements.point_pairs:PointPairs": point_pairs,
    "elements.motion_resistance:Drag": drag,
    "nsgalpha.model.contact_element:ContactLaw": ContactLaw,
    "nsgalpha.forces.compliant_law:CompliantLaw": compliant_law,
}
