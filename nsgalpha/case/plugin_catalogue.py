"""The things that case files may name: elements, laws, loads, ... of all installed packages.

A package offers a `Catalogue` as an entry point of the group `nsgalpha.elements`:

    [project.entry-points."nsgalpha.elements"]
    mine = "my_package:CATALOGUE"

The keys of a table are the arguments of its function or class, with the types of its signature. Nothing else
has to be said, and nothing is written twice.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any

from nsgalpha.case.argument_annotations import arguments_of
from nsgalpha.commands.plugin_entries import Unusable, load, offered, unusable

GROUP = "nsgalpha.elements"

Maker = Callable[..., Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalogue:
    """Classes and functions by their kind, each known by its name (a class method: `Drag.stokes`).

    elements, joints, drives: arguments of `Model.add`. laws: of contacts. law_sets: functions that return
    laws of several components as keyword arguments. loads: arguments of `Model.add_load`. resistances: of the
    schemes.
    motions: of prescribed planes. schemes: arguments of `simulate`. starts: functions of a model that return
    its first state. cells: functions of a model that add cells to it and return a thing with `surfaces` and
    `nodes`. walls: functions of a model that add a wall and return a thing with `plane`, `body` and `slider`.
    open_boundaries: outlets and feeders; regions: their places. parts: arguments of others that case
    files do not name, such as pairs and bonds.

    Result files name the same things (io/file_vocabulary.py). former: of a maker whose arguments have
    changed, by its name, the functions that turn recorded arguments into those of the next version.
    """

    elements: tuple[Maker, ...] = ()
    joints: tuple[Maker, ...] = ()
    drives: tuple[Maker, ...] = ()
    laws: tuple[Maker, ...] = ()
    law_sets: tuple[Maker, ...] = ()
    loads: tuple[Maker, ...] = ()
    resistances: tuple[Maker, ...] = ()
    motions: tuple[Maker, ...] = ()
    schemes: tuple[Maker, ...] = ()
    starts: tuple[Maker, ...] = ()
    open_boundaries: tuple[Maker, ...] = ()
    regions: tuple[Maker, ...] = ()
    cells: tuple[Maker, ...] = ()
    walls: tuple[Maker, ...] = ()
    parts: tuple[Maker, ...] = ()
    former: Mapping[str, tuple[Callable[[Any], Any], ...]] = field(default_factory=dict)

    def of(self, kind: str) -> dict[str, Maker]:
        """The makers of a kind, by name."""
        return {maker.__qualname__.removeprefix("add_"): maker for maker in getattr(self, kind)}


KINDS = tuple(each.name for each in fields(Catalogue) if each.name != "former")


@cache
def packages() -> dict[str, Catalogue]:
    """The catalogues of installed packages, by the names of their entry points.

    Warns of a package that cannot be imported, offers no Catalogue or a name of a package before it, and
    leaves it out. Catalogues of other packages remain usable.
    """
    found: dict[str, Catalogue] = {}
    for point in offered(GROUP):
        try:
            catalogue = load(point)
            if not isinstance(catalogue, Catalogue):
                raise unusable(point, "it is no Catalogue")
            merged({**found, point.name: catalogue})
        except Unusable as trouble:
            warnings.warn(str(trouble), RuntimeWarning, stacklevel=2)
        except Exception as error:  # of things without a name, too
            warnings.warn(str(unusable(point, str(error))), RuntimeWarning, stacklevel=2)
        else:
            found[point.name] = catalogue
    return found


def installed() -> Catalogue:
    """The offers of installed packages; a warning for unusable ones."""
    return merged(packages())


def merged(offered: dict[str, Catalogue]) -> Catalogue:
    """One catalogue of those of several packages; ValueError if two offer a name of one kind."""
    total: dict[str, tuple[Maker, ...]] = {}
    for kind in KINDS:
        owner: dict[str, str] = {}
        for package, catalogue in offered.items():
            for name in catalogue.of(kind):
                if name in owner:
                    raise ValueError(f"{kind}: {name!r} is offered by {owner[name]!r} and by {package!r}")
                owner[name] = package
        total[kind] = tuple(maker for catalogue in offered.values() for maker in getattr(catalogue, kind))
    former: dict[str, Any] = {}
    for catalogue in offered.values():
        former |= catalogue.former
    return Catalogue(**total, former=former)


def parameters(maker: Maker, without: Iterable[str] = ()) -> dict[str, inspect.Parameter]:
    """Named arguments of `maker` with their types, see argument_annotations.py, but for those `without`."""
    left_out = {"self", *without}
    return {name: each for name, each in arguments_of(maker).items() if name not in left_out}
