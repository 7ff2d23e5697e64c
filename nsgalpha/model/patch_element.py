"""The interface of rounded surfaces: contact of their encompassing spheres, patches and pressures over these.

An element of rounded surfaces measures its contacts. It also integrates the pressures of its normal law over
the common patches of its primitives. For the rest see patch_contacts.py, and surface_contacts.py for other
primitives.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from nsgalpha.arrays import Floats, Ints
from nsgalpha.model.compliant_law import CompliantLaw, Contact, Response
from nsgalpha.model.handles import Body, Primitive


class RoundedSide(NamedTuple):
    """One side of C contacts."""

    X: Floats  # (C, N, 3) corners [m]
    many: Ints  # (C,) of them
    radius: Floats  # (C,) of spheres and cylinders [m]
    form: Floats  # (C, 6) encompassing sphere, see `PatchElement.forms`


class Patches(NamedTuple):
    """C contacts of encompassing spheres, and the patches of their pressures."""

    overlap: Floats  # (C,) of the spheres [m]
    normal: Floats  # (C, 3) from B to A
    point: Floats  # (C, 3) of contact of the spheres [m]
    radius: Floats  # (C,) effective, > 0; else there is no contact [m]
    circle: Floats  # (C,) radius of the circle in which the spheres meet [m]
    local: Floats  # (C,) largest overlap within the patch [m]
    polygon: Floats  # (C, M, 2) of the patch about `point` along t1, t2, counter-clockwise about n
    corners: Ints  # (C,) their number; 0: there is no patch
    area: Floats  # (C,) of the patch [m^2]
    centroid: Floats  # (C, 2)
    nearest: Floats  # (C, 2) point of the patch that is nearest to `point`
    t1: Floats  # (C, 3)
    t2: Floats  # (C, 3)
    share: Floats  # (C, 2) where the contact is along segments: 0 first end, 1 second
    workspace: Floats  # (3, M, 2)


class Pressure(NamedTuple):
    """Pressures p(r) of C contacts, see elements/geometry/radial_pressures.py for their parts."""

    circle: Floats  # (C,) a [m]
    hertz: Floats  # (C,) k [Pa/m]
    uniform: Floats  # (C,) q [Pa]
    zone: Floats  # (C,) c [m], 0: none
    traction: Floats  # (C,) s_0 in the zone [Pa]
    stick: Floats  # (C,) e [m], 0: none
    slope: Floats  # (C,) t of the traction up to e [Pa/m^2]
    coarse: Floats  # (C,) radius in the criterion of the printed quadrature, 0: a [m]


def no_pressure(count: int) -> Pressure:
    """A `Pressure` of zeros."""
    return Pressure(*np.zeros((8, count)))


@runtime_checkable
class PressureLaw(Protocol):
    """A normal law that has a pressure over the circle of contact."""

    def pressure(self, contact: Contact, response: Response) -> tuple[Pressure, Pressure | None]:
        """The pressure of whole `contact`s with the `response` of this law, and its derivative by the rate.

        contact.area is that of the circle in which the spheres meet, or that which the law wrote there.
        """

    @property
    def extent(self) -> float:
        """Gap [m] from the reach to the end of the zone of attraction, or 0."""

    @property
    def attaches(self) -> bool:
        """True if a touch of two bodies brings about contact in all of their patches."""


@runtime_checkable
class PatchElement(Protocol):
    """Compliant contact of rounded surfaces under one law, whose normal part is a `PressureLaw`."""

    law: CompliantLaw
    parts: tuple[int, ...]
    torque: bool
    sides: tuple[Sequence[Body | Primitive], Sequence[Body | Primitive]]  # the same one: all pairs among it
    normal: PressureLaw
    thirds: bool  # tangential forces reach the corners of triangles that deform by thirds
    steepest: float  # area of a triangle that deforms over its projection, beyond which it has no patch
    geometric: bool  # the area that laws see is that of the circle in which the spheres meet, not pi R d

    def shared_pair(self, other: Any) -> tuple[str, str] | None:
        """Names of a pair in common with `other`, of the same class, or None."""

    def handles(self) -> Sequence[Any]:
        """The bodies and primitives that the element refers to."""

    def forms(self, side: int, X: Floats) -> Floats:
        """Encompassing spheres (K, 6) of the primitives of a side with the corners `X` (K, N, 3)."""

    def bulge(self, side: int, X: Floats, form: Floats) -> float:
        """Largest distance [m] of a rounded surface from its polygon."""

    def patches(self, A: RoundedSide, B: RoundedSide) -> Patches:
        """Contacts and their patches."""

    def integrals(self, patches: Patches, pressure: Pressure) -> Floats:
        """Force [N], first moment (2) [N m] and fraction of the outer circle in the patch, rows (C, 4)."""
