"""Compliant contact: pairs, geometry and laws of elements with forces.

    CompliantSphereSphere(among=model.spheres, normal=ExudynNormal(stiffness=1e6))

is `Compliant` over the pairs of `SphereSphere`; the other geometries have the same. Signs and the order of
the components are in `nsgalpha.model.compliant_law`.
"""

import inspect
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, Unpack

from elements.law_arguments import shows
from elements.shape_pairs import ShapePairs, ShapePlanes
from elements.sphere_in_shell import SphereInShell
from elements.sphere_plane import SpherePlane
from elements.sphere_polygon import SpherePolygon
from elements.sphere_sphere import SphereSphere
from nsgalpha.checks import instance, refuse
from nsgalpha.forces import CompliantLaw, Laws
from nsgalpha.model.constructor_record import recorded
from nsgalpha.model.contact_element import Pairs
from nsgalpha.model.handles import Body, Plane
from nsgalpha.model.registration import offered
from nsgalpha.model.switched_elements import Switched

_T = TypeVar("_T", bound=Callable[..., Any])


def shows_laws(function: _T) -> _T:
    """`function`, whose `**law` is shown as the arguments of CompliantLaw by help() and inspect."""
    function.__doc__ = f"{inspect.getdoc(function)}\n\n{inspect.getdoc(CompliantLaw)}\n"
    return shows(CompliantLaw)(function)


@offered("parts")
@recorded
@shows(CompliantLaw)
class Compliant(Switched):
    """Compliant contact of `pairs`: spheres with spheres, shells or planes, under the laws `law`.

    These are the arguments of `nsgalpha.forces.CompliantLaw`, which raises the errors. ValueError too for
    pairs of capsules, polygons and solids, which are no spheres around the centres of their bodies.
    """

    def __init__(self, pairs: Pairs, **law: Unpack[Laws]) -> None:
        remedy = "such as SphereSphere(...), SpherePlane(...), PointPairs(...)"
        self.pairs: Pairs = instance("pairs", pairs, Pairs, "pairs of an element", remedy)
        if isinstance(pairs, ShapePairs | ShapePlanes | SpherePolygon):
            remedy = "compliant capsules and polygons are CompliantSurfaces(...), solids CompliantSolids(...)"
            raise refuse("pairs", type(pairs).__name__, "pairs of round bodies, planes or points", remedy)
        self.law = CompliantLaw(**law)

    def handles(self) -> Sequence[Any]:
        """The bodies and planes of the pairs."""
        return self.pairs.handles()


@offered("elements")
@recorded
@shows_laws
def CompliantSphereSphere(  # noqa: N802, it makes an element
    among: Sequence[Body] | None = None,
    *,
    pairs: Sequence[tuple[Body, Body]] | None = None,
    between: tuple[Sequence[Body], Sequence[Body]] | None = None,
    without: Sequence[tuple[Body, Body]] = (),
    **law: Unpack[Laws],
) -> Compliant:
    """Compliant contact of spheres: all pairs `among` a set, given `pairs`, or one of each of two `between`.

    Side A is the first of a given pair, and of the first set; `without` are pairs that another element has.
    Raises the errors of `SphereSphere`.
    """
    return Compliant(SphereSphere(among, pairs=pairs, between=between, without=without), **law)


@offered("elements")
@recorded
@shows_laws
def CompliantSpherePlane(  # noqa: N802
    spheres: Body | Sequence[Body], planes: Plane | Sequence[Plane], **law: Unpack[Laws]
) -> Compliant:
    """Compliant contact of every one of `spheres`, side A, with every one of `planes`.

    >>> model = ns.Model(gravity=(0, 0, -10))
    >>> ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0.1))
    >>> law = SpringDashpot(stiffness=1e4, damping=200.0)
    >>> element = model.add(CompliantSpherePlane(ball, model.add_plane(normal=(0, 0, 1)), normal=law))
    >>> result = ns.simulate(model, t_end=1.0, h=1e-3)
    >>> result.position[-1, ball].round(9)
    array([0.   , 0.   , 0.099])
    """
    return Compliant(SpherePlane(spheres, planes), **law)


@offered("elements")
@recorded
@shows_laws
def CompliantSphereInShell(  # noqa: N802
    spheres: Body | Sequence[Body], shell: Body, **law: Unpack[Laws]
) -> Compliant:
    """Compliant contact of `spheres`, side A, with the inside of the hollow sphere `shell`."""
    return Compliant(SphereInShell(spheres, shell), **law)
