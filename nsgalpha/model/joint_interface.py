"""Joints as the method sees them: two markers, and rows between them (nsgalpha/constraints/joint_rows.py)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

from nsgalpha.arrays import Floats
from nsgalpha.model.appearance import JointSymbol
from nsgalpha.model.contact_element import LAST_ANGLE, MarkerContact
from nsgalpha.model.handles import Body, Owner, Plane

SLIDE, PERPENDICULAR, DISTANCE = range(3)  # kinds of rows
OF_ANGLE = (PERPENDICULAR, 0, 0), (PERPENDICULAR, 1, 0)  # rows whose values are cosine and sine of an angle
OF_SLIDER = 5  # rows of a joint that leaves one translation

Row = tuple[int, int, int]  # kind, axis of A, axis of B


@runtime_checkable
class Joint(Protocol):
    """Bilateral constraints between two markers, points with axes fixed to bodies or frames."""

    name: str
    carriers: tuple[Body | Plane | None, Body | Plane | None]  # None is the ground
    points: Floats  # (2, 3) [m] in the frames of the carriers
    axes: Floats  # (2, 3, 3) unit vectors in these frames, a row each
    length: float  # of distances [m]
    contact: bool  # whether its two bodies have contact with each other
    symbol: JointSymbol  # in pictures

    @property
    def rows(self) -> Sequence[Row]:
        """Kinds of the rows, and the axes of A and B that they take."""

    def handles(self) -> Sequence[Any]:
        """The bodies and planes that it refers to."""


def is_slider(joint: Joint) -> bool:
    """True if its body keeps one translation against the ground, and no rotation: `Prismatic(None, body)`."""
    ground, body = joint.carriers
    slides = [*getattr(joint, "coordinates", {})] == ["displacement"] and len(joint.rows) == OF_SLIDER
    return slides and ground is None and isinstance(body, Body) and body.turns and not body.fixed


def angles_of(model: Owner) -> int:
    """Number of the angles of stops and friction of joints, see State."""
    angles = {
        each.geometry
        for each in model.elements
        if isinstance(each, MarkerContact) and len(each.geometry.options) == LAST_ANGLE + 1
    }
    return len(angles)
