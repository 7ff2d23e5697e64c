"""Named markers of a body: points with axes fixed to it, as for joints."""

from __future__ import annotations

from collections.abc import Mapping

from numpy.typing import ArrayLike

from nsgalpha.arrays import Floats
from nsgalpha.checks import finite, instance, refuse, text

ALLOWED = "a point (3,), or (2, 3) with an axis, or (3, 3) with an axis and a second direction"


def checked_markers(markers: Mapping[str, ArrayLike]) -> dict[str, Floats]:
    """Markers by name as arrays (1 to 3, 3); ValueError for other shapes and names that are empty."""
    instance("markers", markers, Mapping, "a dictionary of markers by name")
    found = {}
    for name, given in markers.items():
        if not text("a name of markers", name):
            raise refuse("a name of markers", name, "a text that is not empty")
        values = finite(f"markers[{name!r}]", given, ALLOWED)
        if values.shape not in ((3,), (1, 3), (2, 3), (3, 3)):
            raise refuse(f"markers[{name!r}]", given, ALLOWED)
        found[name] = values.reshape(-1, 3)
    return found


def marker_of(markers: Mapping[str, Floats], name: str, owner: str) -> Floats:
    """The marker of a `name`, or a ValueError that says which the `owner` has."""
    if name not in markers:
        known = ", ".join(map(repr, markers)) or "none"
        raise refuse("name", name, f"a marker of {owner!r}", f"it has {known}; see add_body(markers=)")
    return markers[name]
