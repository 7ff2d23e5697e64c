"""A model from checked tables: bodies, planes, primitives and groups, then their elements.

Refusals of the model are reported with the path of the table, and of the key that the message begins with.
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from nsgalpha.case.case_errors import MOST_TOLD, Problem, Source
from nsgalpha.case.case_names import CaseNames, LostName
from nsgalpha.case.case_schema import BODIES, SOLIDS
from nsgalpha.case.layout_bodies import of_layout
from nsgalpha.case.plugin_catalogue import parameters
from nsgalpha.case.scalar_types import WORD, Reference
from nsgalpha.case.size_limits import Limits, check_asked
from nsgalpha.case.table_types import DRAWN, OF_ELEMENTS, CaseTable
from nsgalpha.case.toml_lines import Path
from nsgalpha.case.toml_tables import Checked, names_given
from nsgalpha.checks import positive
from nsgalpha.model.additions import ElementGroup
from nsgalpha.model.feeding import fed_radii, feed_spheres
from nsgalpha.model.handles import Body, Plane
from nsgalpha.model.model import Model
from nsgalpha.model.switched_elements import Switched

SHAPES = {"size": "box", "spheres": "clump"}  # of bodies of a layout, by the key that states it
FIRST_WORD = re.compile(r"(\w+)(?:\[(\d+)\])?")

Values = dict[str, Any]


class Builder:
    """The model of a case under construction, and the problems so far."""

    def __init__(self, checked: Checked, source: Source, limits: Limits) -> None:
        self.case, self.source, self.limits = checked.table.values, source, limits
        self.numbers, self.more = checked.numbers, checked.more
        self.problems: list[Problem] = [*checked.problems]
        if asked := check_asked(self.case, limits):  # nothing is built
            self.problems += [Problem(self._place(*each.path), each.message) for each in asked]
            self.finish()
        self.pairs = 0  # of planes with bodies that elements let touch them
        self.joints: dict[str, Path] = {}  # the tables of joints and drives, by their names
        self.model = Model()
        with self.at((), self.case):
            stated: dict[str, Any] = {
                key: self.case[key] for key in ("gravity", "periodic") if key in self.case
            }
            if "periodic" in stated:  # TOML has no None
                stated["periodic"] = [None if each == 0 else each for each in stated["periodic"]]
            if "cell_motion" in self.case:
                stated["cell_motion"] = self.made(self.case["cell_motion"], ("cell_motion",))
            self.model = Model(**stated)
        self.names = CaseNames(self.model, limits, checked.lost)

    def build(self) -> None:
        """Build all of it, also behind a problem: CaseError has those of the whole case."""
        for key, add in (
            ("bodies", self._bodies),
            ("planes", self._planes),
            ("walls", self._walls),
            ("primitives", self._primitives),
            ("meshes", self._meshes),
            ("surfaces", self._surfaces),
            ("cells", self._cells),
            ("feeds", self._feed),
            ("groups", self._groups),
            ("joints", self._joint),
            ("elements", self._element),
            ("drives", self._drive),
            ("loads", self._load),
            ("open_boundaries", self._boundary),
        ):
            tables = self.case.get(key, ())
            for name, table in tables.items() if isinstance(tables, Mapping) else enumerate(tables):
                path, before = self._place(key, name), len(self.problems)
                values = table.values if isinstance(table, CaseTable) else {}
                with self.at(path, values):
                    add(table, path)
                if len(self.problems) > before:
                    self.names.lost.update(names_given(values) or [str(name)])
                if len(self.problems) >= MOST_TOLD:
                    self.finish()

    def _place(self, key: Any = (), number: Any = None, *inner: Any) -> Path:
        """Path of a table in the file, where left-out tables count."""
        known = self.numbers.get(key)
        number = known[number] if known is not None and isinstance(number, int) else number
        return (key, *(() if number is None else (number,)), *inner)

    def finish(self) -> None:
        """CaseError if there were problems."""
        if self.problems:
            raise self.source.error(self.problems, self.more)

    @contextmanager
    def at(self, path: Path, values: Mapping[str, Any]) -> Iterator[None]:
        """Context that turns an error of a value into a problem of `path` or its key.

        A table that names a lost thing is left alone: without that it cannot be judged.
        """
        try:
            with np.errstate(over="raise", invalid="raise"):
                yield
        except LostName:
            pass
        except _Placed as error:
            self.problems.append(error.problem)
        except ArithmeticError as error:
            words = f"a number is too large or too small to compute with ({error})"
            self.problems.append(Problem(path, words))
        except (ValueError, TypeError) as error:
            self.problems.append(Problem((*path, *named_key(str(error), values)), str(error)))

    def made(self, value: Any, path: Path) -> Any:
        """The argument for a checked value: tables become their things, names become handles."""
        if isinstance(value, CaseTable):
            return self._made(value, path)
        if isinstance(value, Reference):
            try:
                return self.names.resolve(value)
            except LostName:
                raise
            except ValueError as error:
                raise _Placed(Problem(path, str(error))) from None
        if isinstance(value, list | tuple):
            return type(value)(self.made(each, (*path, k)) for k, each in enumerate(value))
        if isinstance(value, dict):
            return self.arguments(value, path)
        return value

    def arguments(self, values: Mapping[str, Any], path: Path, without: Sequence[str] = ()) -> Values:
        """Arguments for checked values."""
        return {key: self.made(value, (*path, key)) for key, value in values.items() if key not in without}

    def _made(self, table: CaseTable, path: Path) -> Any:
        """The thing that a table of the catalogue states."""
        assert table.maker is not None
        arguments = self.arguments(table.values, path, ("type", "law"))
        for key, value in dict(arguments.pop("laws", {})).items():
            if key in arguments:
                law = table.values["laws"].values["law"]
                raise ValueError(f"laws: {law} has one for {key!r}; leave one of them out")
            arguments[key] = value
        for name, parameter in parameters(table.maker).items():
            if name not in arguments and parameter.default is parameter.empty:
                arguments[name] = None  # which the argument takes: table_types.py
        return self.construct(table.maker, arguments, path, table.values)

    def construct(self, make: Any, arguments: Values, path: Path, values: Mapping[str, Any]) -> Any:
        """`make(**arguments)`; where it refuses one, it is asked for the others, without that or with 1."""
        first: _Placed | None = None
        given = dict(arguments)
        while True:
            try:
                made = make(**given)
            except (ValueError, TypeError) as error:
                key = named_key(str(error), values)
                problem = Problem((*path, *key), str(error))
                if first is None:
                    first = _Placed(problem)
                elif key:
                    self.problems.append(problem)
                if not key or key[0] not in given:
                    raise first from None
                value, name = given.pop(key[0]), key[0]
                known = parameters(make)
                optional = name in known and known[name].default is not inspect.Parameter.empty
                if optional and name != "mass":  # which fixed bodies alone can do without
                    continue
                if isinstance(value, bool) or not isinstance(value, int | float) or value == 1.0:
                    raise first from None
                given[name] = 1.0
                continue
            if first is not None:
                raise first
            return made

    def _bodies(self, table: CaseTable, path: Path) -> None:
        """One body, or those of a layout."""
        values, kind = dict(table.values), table.values["type"]
        groups = listed(values.pop("group", ()))
        carried = values.pop("primitives", ())
        del values["type"]
        if kind in BODIES:
            items = [values]
        else:
            self._draw(values, path)
            items = of_layout(table, values)
            groups = [*([values["name"]] if "name" in values else []), *groups]
        bodies = [self._body(kind, item, path) for item in items]
        self.names.add(bodies, path, groups)
        for body in bodies:
            for k, each in enumerate(carried):
                where = (*path, "primitives", k)
                self._primitives(each, where, body)

    def _body(self, kind: str, item: Values, path: Path) -> Any:
        shape = kind if kind in SOLIDS else next((made for key, made in SHAPES.items() if key in item), None)
        if shape is not None:
            return self.construct(getattr(self.model, f"add_{shape}"), item, path, item)
        if "density" in item:
            if "mass" in item:
                raise ValueError("density, mass: give one of them")
            density, radius = positive("density", item.pop("density")), item.get("radius")
            if radius is None:
                raise ValueError("density: needs a radius; bodies without one have a mass")
            item["mass"] = density * 4.0 / 3.0 * math.pi * positive("radius", radius) ** 3
        if kind == "point":
            return self.construct(self.model.add_point, item, path, item)
        if "mass" not in item and not item.get("fixed"):
            raise ValueError("mass: missing; give a mass in kg, or of spheres a density in kg/m^3")
        if kind != "body" and "radius" in item:
            return self.construct(self.model.add_sphere, item, path, item)
        if "inertia" not in item and not item.get("fixed"):
            raise ValueError("radius: missing; a body without one needs its inertia in kg m^2")
        return self.construct(self.model.add_body, item, path, item)

    def _planes(self, table: CaseTable, path: Path) -> None:
        """One plane, or several walls."""
        values = self.arguments(table.values, path, ("type", "group"))
        groups = listed(table.values.get("group", ()))
        if table.values.get("type", "plane") == "plane":
            plane = self.construct(self.model.add_plane, values, path, table.values)
            self.names.add([plane], path, groups)
            return
        assert table.maker is not None
        moves = {key: values.pop(key) for key in ("body", "motion") if key in values}
        name = values.pop("name", table.values["type"])
        planes = [
            self.model.add_plane(name=f"{name} {wall.name}", normal=wall.normal, offset=wall.offset, **moves)
            for wall in table.maker(**values)
        ]
        self.names.add(planes, path, [name, *groups])

    def _walls(self, table: CaseTable, path: Path) -> None:
        """A wall: its plane by its name, its body, and a joint with a drive."""
        values = {"model": self.model, **self.arguments(table.values, path, ("type",))}
        assert table.maker is not None
        made = self.construct(table.maker, values, path, table.values)
        self.names.add([made.plane], path, [])
        self.names.add([made.body], path, [])
        self.joints[made.slider.name] = path
        self.names.joints.append(made.slider)

    def _primitives(self, table: CaseTable, path: Path, carrier: Body | None = None) -> None:
        values = self.arguments(table.values, path, ("group",))
        if carrier is not None:
            values["carrier"] = carrier
        groups = listed(table.values.get("group", ()))
        with self.at(path, table.values):
            self.names.add([self.model.add_primitive(**values)], path, groups)

    def _meshes(self, table: CaseTable, path: Path) -> None:
        values = self.arguments(table.values, path, ("group",))
        made = self.model.add_mesh(**values)
        self.names.add(made, path, listed(table.values.get("group", ())))

    def _surfaces(self, table: CaseTable, path: Path) -> None:
        values = self.arguments(table.values, path, ("group",))
        self.names.add([self.model.add_surface(**values)], path, listed(table.values.get("group", ())))

    def _cells(self, table: CaseTable, path: Path) -> None:
        """Cells: a group of surfaces with their name, and one of their nodes."""
        values = {"model": self.model, **self.arguments(table.values, path, ("type",))}
        assert table.maker is not None
        made = self.construct(table.maker, values, path, table.values)
        name = values.get("name", table.values["type"])
        self.names.add(made.surfaces, path, [name])
        self.names.add(made.nodes, path, [f"{name} nodes"])

    def _feed(self, table: CaseTable, path: Path) -> None:
        """Balls of a feeder: a group with its name."""
        given = dict(table.values)
        self._draw(given, path)
        values = {"model": self.model, **self.arguments(given, path, ("group",))}
        asked = {key: each for key, each in values.items() if key in parameters(fed_radii)}
        count = len(self.construct(fed_radii, asked, path, given))
        self.limits.check("bodies", len(self.model.bodies) + count, "bodies in the whole case")
        feeder = self.construct(feed_spheres, values, path, given)
        self.names.add(feeder.bodies, path, [feeder.name, *listed(table.values.get("group", ()))])

    def _draw(self, values: Values, path: Path) -> None:
        """Radii of the table `sizes`, if there is one."""
        sizes = values.pop("sizes", None)
        if sizes is None:
            return
        if "radius" in values:
            raise ValueError("radius, sizes: give one of them")
        values["radius"] = self.made(sizes, (*path, "sizes"))

    def _groups(self, reference: Reference, path: Path) -> None:
        name = WORD.checked("group", path[-1])
        if name in self.names.things or name in self.names.groups:
            raise ValueError(f"{name!r} is a name or a group already; choose another name")
        things = self.names.resolve(reference) if reference.names else []
        self.names.add([], path, [name])
        self.names.groups[name] = things

    def _element(self, table: CaseTable, path: Path) -> None:
        element, given = self._apart(table, path, OF_ELEMENTS)
        if "active" in given:
            active = given.pop("active")
            for part in element.parts if isinstance(element, ElementGroup) else [element]:
                if not isinstance(part, Switched):
                    raise ValueError(
                        f"active: {type(part).__name__} is set-valued contact, which always acts"
                    )
                part.active = active
        handles = element.handles()
        planes = sum(isinstance(handle, Plane) for handle in handles)
        self.pairs += planes * (len(handles) - planes)
        self.limits.check("pairs", self.pairs, "pairs of a plane and a body in the whole case")
        self.model.add(element, **given)

    def _apart(self, table: CaseTable, path: Path, keys: Container[str]) -> tuple[Any, Values]:
        """The thing of a table, and the `keys` unknown to its maker."""
        own = parameters(table.maker) if table.maker is not None else {}
        given = {key: each for key, each in table.values.items() if key in keys and key not in own}
        rest = {key: each for key, each in table.values.items() if key not in given}
        return self.made(replace(table, values=rest), path), given

    def _joint(self, table: CaseTable, path: Path) -> None:
        made, given = self._apart(table, path, DRAWN)
        joint = self.model.add(made, **given)
        self.joints[joint.name] = path
        self.names.joints.append(joint)

    def _drive(self, table: CaseTable, path: Path) -> None:
        drive = self.model.add(self.made(table, path))
        self.joints[drive.name] = path

    def _boundary(self, table: CaseTable, path: Path) -> None:
        boundary = self.made(table, path)
        with self.at((*path, "name"), table.values):
            self.model.add(boundary)

    def _load(self, table: CaseTable, path: Path) -> None:
        self.model.add_load(self.made(table, path))


class _Placed(Exception):
    """A problem whose path is known."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


def named_key(message: str, values: Mapping[str, Any]) -> Path:
    """The key, possibly with an index, at a message's beginning, if the table has it."""
    found = FIRST_WORD.match(message)
    if found is None or found[1] not in values:
        return ()
    return (found[1],) if found[2] is None else (found[1], int(found[2]))


def listed(value: str | Sequence[str]) -> list[str]:
    """One word or several as a list."""
    return [value] if isinstance(value, str) else list(value)
