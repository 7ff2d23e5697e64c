"""No pair has contact of two elements of one kind: its force would count twice.

A pair is two of the things that an element refers to, or one of them and a point in space. Two elements with
a pair in common therefore share two things, at least one of which is not the most frequent one of either.
Floors and drums, to which all elements refer, pair no elements, and the time is in proportion to them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

from nsgalpha.model.contact_element import AnchoredPairs, Pairs, SurfaceElement
from nsgalpha.model.patch_element import PatchElement


def refuse_shared_pairs(elements: Sequence[Any]) -> None:
    """ValueError that names a pair which two of the `elements` have."""
    for i, j in sharing(elements):
        one, two = elements[i], elements[j]
        alike = isinstance(two, type(one)) or isinstance(one, type(two))
        alike = alike and _kernel(one) is _kernel(two)
        pair = one.shared_pair(two) if alike else None
        if pair is not None:
            message = f"elements: {pair[0]!r} and {pair[1]!r} are a pair of two elements; leave one out"
            raise ValueError(message)


def sharing(elements: Sequence[Any]) -> list[tuple[int, int]]:
    """Numbers of two `elements`, in order, that may have a pair in common."""
    handles = [{id(each) for each in element.handles()} for element in elements]
    users: dict[int, list[int]] = defaultdict(list)
    for k, own in enumerate(handles):
        for handle in own:
            users[handle].append(k)
    found: set[tuple[int, int]] = set()
    for k, (element, own) in enumerate(zip(elements, handles, strict=True)):
        known = Counter(tuple(users[handle]) for handle in own)
        if len(own) > 1 and not isinstance(element, AnchoredPairs):
            known[max(known, key=len)] -= 1  # one of the most frequent handles
        for others in +known:
            found.update((min(k, other), max(k, other)) for other in others if other != k)
    return sorted(found)


def _kernel(pairs: Pairs | SurfaceElement | PatchElement) -> object:
    """The kernel that measures the `pairs`; a class in its place for rounded surfaces."""
    return PatchElement if isinstance(pairs, PatchElement) else pairs.geometry.kernel
