"""Addition of elements, joints, drives, outlets and feeders, with names and appearances."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nsgalpha.checks import refuse
from nsgalpha.model.appearance import USUAL, Appearance, refuse_appearance
from nsgalpha.model.contact_element import check_element, is_drawn, laws_of
from nsgalpha.model.coordinate_relations import Drive
from nsgalpha.model.handles import own_all
from nsgalpha.model.inlets_outlets import OpenBoundary, boundary_of
from nsgalpha.model.joint_interface import Joint


class ElementGroup:
    """Elements that are added together by one `model.add(group)`."""

    def __init__(self, parts: Sequence[Any]) -> None:
        self.parts = [*parts]

    def handles(self) -> list[Any]:
        """The bodies, planes and primitives of all parts, once each."""
        return [*{id(each): each for part in self.parts for each in part.handles()}.values()]


def add_thing(model: Any, thing: Any, name: str | None, appearance: Appearance) -> None:
    """Add an element, joint, drive, outlet or feeder to the `model`; see Model.add."""
    if name is not None and isinstance(thing, Joint | Drive):
        raise refuse("name", name, "left out", f"{type(thing).__name__} takes one itself: name=")
    if isinstance(thing, OpenBoundary):
        refuse_appearance(thing, appearance)
        _refuse_twice(thing, model.open_boundaries)
        model.open_boundaries.append(boundary_of(model, thing, name))
    elif isinstance(thing, Joint):
        _refuse_twice(thing, model.joints)
        own_all(model, thing.name, thing)
        if appearance != USUAL:
            model.appearances.joints[len(model.joints)] = appearance
        model.joints.append(thing)
    elif isinstance(thing, Drive):
        refuse_appearance(thing, appearance)
        _refuse_twice(thing, model.drives)
        thing.bind(model.joints)
        model.drives.append(thing)
    elif isinstance(thing, ElementGroup):
        names = [None if name is None else f"{name} {k + 1}" for k in range(len(thing.parts))]
        for part, own in zip(thing.parts, names, strict=True):
            _check_element(model, part, own, appearance)
        for part, own in zip(thing.parts, names, strict=True):
            _add_element(model, part, own, appearance)
    else:
        _check_element(model, thing, name, appearance)
        _add_element(model, thing, name, appearance)


def _check_element(model: Any, element: Any, name: str | None, appearance: Appearance) -> None:
    """Raises ValueError unless the `element` may be added."""
    check_element("element", element)
    _refuse_twice(element, model.elements)
    for part in (element, *laws_of(element)):
        own_all(model, type(part).__name__, part)
    if not is_drawn(element):
        refuse_appearance(element, appearance)
    if name is not None:
        model.names.free(name, "element", len(model.elements))


def _add_element(model: Any, element: Any, name: str | None, appearance: Appearance) -> None:
    """Add an element that may be added."""
    number = len(model.elements)
    if name is not None:
        free = model.names.free(name, "element", number)
        model.labels[number] = free
        model.names.take(free)
    if appearance != USUAL:
        model.appearances.elements[number] = appearance
    model.elements.append(element)


def _refuse_twice(thing: Any, added: Sequence[Any]) -> None:
    """ValueError if the `thing` is among those that were `added`."""
    if any(each is thing for each in added):
        name = getattr(thing, "name", None) or type(thing).__name__
        raise ValueError(f"element: {name} was added already, and would act twice; state another one")
