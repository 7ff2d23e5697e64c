"""Colour and visibility of elements and joints in pictures and pages.

A colour is red, green, blue and opacity, each in [0, 1]. Of elements contacts, springs and ropes are drawn,
of joints a ball, an axis and a rod.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple, Protocol, runtime_checkable

from numpy.typing import ArrayLike

from nsgalpha.arrays import Floats
from nsgalpha.checks import floats, refuse, truth
from nsgalpha.model.handles import Body, Plane

RGBA = tuple[float, float, float, float]
Colour = str | ArrayLike
DIGITS = re.compile(r"#(?:[0-9a-fA-F]{6}|[0-9a-fA-F]{8})")
DRAWN = "colours are of contacts, springs, ropes and joints"
ALLOWED = "'#rrggbb', '#rrggbbaa', or 3 or 4 numbers in [0, 1]: red, green, blue, opacity"


class Appearance(NamedTuple):
    """How an element or a joint is drawn."""

    colour: RGBA | None = None  # None: the usual one
    show: bool = True


USUAL = Appearance()


class JointSymbol(NamedTuple):
    """Parts of the picture of a joint, besides the rod between points at a distance."""

    balls: tuple[int, ...] = (0, 1)  # sides at whose points a ball is drawn
    axis: int | None = None  # side whose third axis is drawn through its point


@runtime_checkable
class Rod(Protocol):
    """An element that is drawn as a rod between two points, at most `length` [m] apart."""

    carriers: tuple[Body | Plane | None, Body | Plane | None]
    points: Floats  # (2, 3) [m] in the frames of the carriers
    length: float


class Appearances:
    """The stated appearances of the elements and joints of a model, by their numbers."""

    def __init__(self) -> None:
        self.elements: dict[int, Appearance] = {}
        self.joints: dict[int, Appearance] = {}

    def __bool__(self) -> bool:
        return bool(self.elements or self.joints)

    def element(self, number: int) -> Appearance:
        """That of the element `number` of the model."""
        return self.elements.get(number, USUAL)

    def joint(self, number: int) -> Appearance:
        """That of the joint `number` of the model."""
        return self.joints.get(number, USUAL)


def stated_appearance(colour: Colour | None, show: bool) -> Appearance:
    """The appearance of two arguments. Raises ValueError for another colour, or a `show` that is no truth."""
    return Appearance(None if colour is None else rgba(colour), truth("show", show))


def rgba(colour: Colour) -> RGBA:
    """Red, green, blue and opacity of a `colour`. Raises ValueError if it is none.

    >>> rgba("#ff0080"), rgba((0.2, 0.4, 0.6, 0.5))
    ((1.0, 0.0, 0.5019607843137255, 1.0), (0.2, 0.4, 0.6, 0.5))
    """
    if isinstance(colour, str):
        if not DIGITS.fullmatch(colour):
            raise refuse("colour", colour, ALLOWED)
        parts = [int(colour[k : k + 2], 16) / 255.0 for k in range(1, len(colour), 2)]
    else:
        given = floats("colour", colour, ALLOWED)
        if given.shape not in ((3,), (4,)) or not ((given >= 0.0) & (given <= 1.0)).all():
            raise refuse("colour", colour, ALLOWED)
        parts = given.tolist()
    red, green, blue, *opacity = parts
    return red, green, blue, opacity[0] if opacity else 1.0


def refuse_appearance(thing: Any, appearance: Appearance) -> None:
    """ValueError if one was stated for a `thing` of which nothing is drawn."""
    if appearance == USUAL:
        return
    name, value = ("show", False) if appearance.colour is None else ("colour", appearance.colour)
    raise refuse(name, value, f"left out: {type(thing).__name__} is not drawn", DRAWN)
