"""Names and groups of a case, and the things that they stand for."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any

from nsgalpha.case.name_suggestions import unknown_name
from nsgalpha.case.scalar_types import HANDLES, Reference
from nsgalpha.case.size_limits import Limits
from nsgalpha.case.toml_lines import Path
from nsgalpha.checks import refuse
from nsgalpha.model.handles import Body, JointHandle, Plane, Primitive
from nsgalpha.model.model import Model
from nsgalpha.model.triangulated_surface import Surface

GROUND = "ground"
RESERVED = ("all", "spheres", "primitives")

Thing = Body | Plane | Primitive | Surface


NUMBERED = re.compile(r"(.+?) \d+")  # of a layout, or without its own name


class LostName(ValueError):
    """A name of a faulty table: references to it cannot be judged."""


class CaseNames:
    """Things of a model by name and group, and the paths of their tables.

    lost: names of things with problems.
    """

    def __init__(self, model: Model, limits: Limits, lost: Collection[str] = ()) -> None:
        self.model, self.limits = model, limits
        self.lost = {name for each in lost for name in (each, *_layout(each))}
        self.named = 0  # things that names stood for so far
        self.things: dict[str, Thing] = {}
        self.groups: dict[str, list[Thing]] = {}
        self.paths: dict[str, Path] = {}
        self.joints: list[JointHandle] = []

    def add(self, things: Sequence[Thing], path: Path, groups: Sequence[str]) -> None:
        """Keep `things`, stated at `path`, which belong to `groups`."""
        for thing in things:
            self.things[thing.name] = thing
            self.paths[thing.name] = path
        for group in groups:
            if group in RESERVED:
                raise refuse("group", group, f"none of {', '.join(RESERVED)}", "choose another name")
            self.groups.setdefault(group, []).extend(things)

    def resolve(self, reference: Reference) -> Any:
        """A thing, or a list of things; ValueError for unknown names, empty groups and wrong kinds.

        Where a body or a plane is asked for "ground" is None, unless something has this name.
        """
        if reference.kinds == (JointHandle,):
            return self._joint(reference.names[0])
        asked = reference.single and {Body, Plane} <= set(reference.kinds)
        if asked and reference.names == (GROUND,) and GROUND not in {*self.things, *self.groups}:
            return None
        found: list[Thing] = []
        for name in reference.names:
            things = self._named(name, reference.kinds)
            self.named += len(things)
            self.limits.check("named", self.named, "things named by groups and elements")
            what = " or ".join(dict.fromkeys(HANDLES[kind] for kind in reference.kinds))
            for thing in things:
                if not isinstance(thing, reference.kinds):
                    raise ValueError(f"{thing.name!r} is a {HANDLES[type(thing)]}: must be a {what}")
            if not things and self.lost:
                raise LostName(name)
            if not things:
                raise ValueError(f"group {name!r} is empty; leave it out or put a {what} into it")
            found += things
        if not reference.single:
            return found
        if len(found) != 1 and self.lost & set(reference.names):
            raise LostName(reference.names[0])
        if len(found) != 1:
            raise ValueError(f"{reference.names[0]!r} is a group of {len(found)}: must be one of them")
        return found[0]

    def _joint(self, name: str) -> JointHandle:
        """The joint of that name."""
        found = [joint for joint in self.joints if joint.name == name]
        if len(found) > 1:
            raise ValueError(f"{name!r} is the name of {len(found)} joints: must be that of one; rename them")
        if not found:
            raise self._unknown(name, [joint.name for joint in self.joints])
        return found[0]

    def _unknown(self, name: str, known: Sequence[str]) -> ValueError:
        """The error to raise, of a name that is lost or unknown."""
        if {name, *_layout(name)} & self.lost:
            return LostName(name)
        return ValueError(unknown_name(name, known))

    def _named(self, name: str, kinds: tuple[Any, ...]) -> Sequence[Thing]:
        """The thing that a name stands for."""
        if name in self.things:
            return [self.things[name]]
        if name in self.groups:
            return self.groups[name]
        if name == "spheres":
            return self.model.spheres
        if name == "primitives":
            return self.model.primitives
        if name == "all":
            everything: dict[Any, Sequence[Thing]] = {
                Body: self.model.bodies,
                Plane: self.model.planes,
                Primitive: self.model.primitives,
                Surface: self.model.surfaces,
            }
            meant = [kind for kind in kinds if len(kinds) == 1 or kind in (Body, Plane)]
            if not meant:
                raise ValueError("'all' is not clear here: name groups, 'spheres' or 'primitives'")
            return [thing for kind in meant for thing in everything[kind]]
        raise self._unknown(name, [*RESERVED, *self.groups, *self.things])


def _layout(name: str) -> tuple[str, ...]:
    """The layout, or the kind, of which a name with a number is one."""
    found = NUMBERED.fullmatch(name)
    return (found[1],) if found else ()
