"""Compliant contact: the pairs and the geometry of an element, with forces that have a value.

    CompliantSphereSphere(among=model.spheres, normal=ExudynNormal(stiffness=1e6))

is `Compliant` over the pairs of `SphereSphere`; the other geometries have the same. Signs and the order of
the senses are in `nsgalpha.compliant.law`.
"""

from collections.abc import Sequence
from typing import Any

from elements.sphere_in_shell import SphereInShell
from elements.sphere_plane import SpherePlane
from elements.sphere_sphere import SphereSphere
from nsgalpha.compliant import CompliantLaw
from nsgalpha.model.element import Pairs
from nsgalpha.model.model import Body, Plane


class Compliant:
    """Compliant contact of `pairs`: spheres with spheres, shells or planes.

    `law`: the laws of the senses and the reach, see `nsgalpha.compliant.CompliantLaw`, which raises the
    errors.
    """

    def __init__(self, pairs: Pairs, **law: Any) -> None:
        self.pairs = pairs
        self.law = CompliantLaw(**law)

    def handles(self) -> Sequence[Any]:
        """The bodies and planes of the pairs."""
        return self.pairs.handles()


def CompliantSphereSphere(  # noqa: N802, it makes an element
    among: Sequence[Body] | None = None,
    *,
    pairs: Sequence[tuple[Body, Body]] | None = None,
    between: tuple[Sequence[Body], Sequence[Body]] | None = None,
    **law: Any,
) -> Compliant:
    """Compliant contact of spheres, the pairs of `SphereSphere`; `law` as in `Compliant`."""
    return Compliant(SphereSphere(among, pairs=pairs, between=between), **law)


def CompliantSpherePlane(  # noqa: N802
    spheres: Body | Sequence[Body], planes: Plane | Sequence[Plane], **law: Any
) -> Compliant:
    """Compliant contact of every one of `spheres` with every one of `planes`; `law` as in `Compliant`."""
    return Compliant(SpherePlane(spheres, planes), **law)


def CompliantSphereInShell(  # noqa: N802
    spheres: Body | Sequence[Body], shell: Body, **law: Any
) -> Compliant:
    """Compliant contact of `spheres` with the inside of a hollow sphere; `law` as in `Compliant`."""
    return Compliant(SphereInShell(spheres, shell), **law)
