"""Registration of a package's offers: public names, case files, tables of formulas, robot descriptions.

    @offered("laws", page=("Normal force", "k d - c u_n, not below 0", ""))
    class SpringDashpot: ...

A class or function is registered where it is defined, and nowhere else. `found_in` collects the public names
of a package, `kinds_of` the content of its catalogue (nsgalpha/case/plugin_catalogue.py).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from importlib import import_module
from inspect import isfunction
from pkgutil import walk_packages
from typing import Any, NamedTuple, TypeVar

from nsgalpha.checks import named

_Thing = TypeVar("_Thing", bound=Callable[..., Any])


class Offer(NamedTuple):
    """The registration of a class or function."""

    kinds: tuple[str, ...]  # fields of a Catalogue; none: a public name that case files do not have
    also: tuple[str, ...]  # class methods that are offered as it is
    page: tuple[str, ...]  # heading of the table of formulas, and the cells of its row behind the name
    urdf: tuple[str, ...]  # words of URDF for which it stands in the model of a robot


def offered(
    *kinds: str, also: tuple[str, ...] = (), page: tuple[str, ...] = (), urdf: tuple[str, ...] = ()
) -> Callable[[_Thing], _Thing]:
    """A decorator that makes a class or function a public name of its package; arguments: see Offer.

    Keywords of calls are checked: an unknown one is a TypeError that lists the known ones.
    """

    def register(thing: _Thing) -> _Thing:
        if isfunction(thing):
            thing = named(thing)  # type: ignore[assignment]
        elif isinstance(thing, type) and isfunction(init := thing.__init__):  # type: ignore[misc]
            thing.__init__ = named(init, thing.__name__)  # type: ignore[misc]
        thing.__offer__ = Offer(kinds, also, page, urdf)  # type: ignore[attr-defined]
        return thing

    return register


def offer_of(thing: Any) -> Offer:
    """The registration of a thing. Raises AttributeError if the thing is not registered."""
    own: Offer = thing.__offer__
    return own


def found_in(package: str, without: Collection[str] = ()) -> dict[str, Any]:
    """Registered things of a package by name, in order of modules, but for `without`."""
    found: dict[str, Any] = {}
    for module in walk_packages(import_module(package).__path__, f"{package}."):
        if module.name not in without:
            for name, thing in vars(import_module(module.name)).items():
                if "__offer__" in getattr(thing, "__dict__", ()) and thing.__module__ == module.name:
                    found[name] = thing
    return found


def kinds_of(things: Iterable[Any]) -> dict[str, Any]:
    """The `things` by kind, with their class methods that are offered: arguments of a Catalogue."""
    kinds: dict[str, tuple[Any, ...]] = {}
    for thing in things:
        offer = offer_of(thing)
        for kind in offer.kinds:
            own = (getattr(thing, name) for name in offer.also)
            kinds[kind] = (*kinds.get(kind, ()), thing, *own)
    return kinds
