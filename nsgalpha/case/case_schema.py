"""The schema of case files, as a pydantic type and as a JSON schema for editors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from pydantic import TypeAdapter

from nsgalpha.api.simulation import simulate
from nsgalpha.case.argument_annotations import Numbers
from nsgalpha.case.layouts import LAYOUTS, SIZES
from nsgalpha.case.plane_groups import WALLS
from nsgalpha.case.plugin_catalogue import Catalogue, Maker, installed, parameters
from nsgalpha.case.scalar_types import WORD
from nsgalpha.case.table_types import Fields, Tables, by_name, literal, several, value
from nsgalpha.model.feeding import feed_spheres
from nsgalpha.model.handles import Body, Plane, Primitive
from nsgalpha.model.model import Model
from nsgalpha.model.triangulated_surface import Surface
from nsgalpha.run.recording import Recording

DRAFT = "http://json-schema.org/draft-07/schema#"
SOLIDS: dict[str, Maker] = {
    "box": Model.add_box,
    "capsule": Model.add_capsule,
    "clump": Model.add_clump,
    "cone": Model.add_cone,
    "cylinder": Model.add_cylinder,
}
BODIES: dict[str, Maker] = {
    "sphere": Model.add_sphere,
    "body": Model.add_body,
    "point": Model.add_point,
    **SOLIDS,
}

MODEL = ("gravity", "periodic", "cell_motion")


class Schema:
    """The tables of case files for a catalogue: `adapter` checks, `tables.keys` are the keys of each.

    Arguments without TOML form are left out; `tables.refused` and `tables.without_form` give the reason: see
    nsgalpha.testing.check_catalogue.
    """

    def __init__(self, catalogue: Catalogue) -> None:
        self.tables = tables = Tables(catalogue)
        self.group: Fields = {"group": (tables.field(str | Sequence[str]), False)}
        self.adapter: TypeAdapter[Any] = TypeAdapter(
            tables.table(
                "table:case",
                {
                    "title": (value(WORD), False),
                    **self._model(),
                    "bodies": (several(self._bodies()), True),
                    "planes": (several(self._planes()), False),
                    "walls": (several(tables.of_kind("walls")), False),
                    "primitives": (several(self._primitive("primitives", ())), False),
                    "meshes": (several(self._mesh()), False),
                    "surfaces": (several(self._surface()), False),
                    "cells": (several(tables.of_kind("cells")), False),
                    "feeds": (several(self._feed()), False),
                    "groups": (by_name(tables.field(Sequence[Body | Plane | Primitive | Surface])), False),
                    "elements": (several(tables.of_kind("elements")), False),
                    "joints": (several(tables.of_kind("joints")), False),
                    "drives": (several(tables.of_kind("drives")), False),
                    "loads": (several(tables.of_kind("loads")), False),
                    "open_boundaries": (several(tables.of_kind("open_boundaries")), False),
                    "scheme": (tables.of_kind("schemes"), False),
                    "run": (self._run(), True),
                    "recording": (self._recording(), False),
                },
                doc="A model, and how it is run. SI units.",
            )
        )

    def json(self) -> dict[str, Any]:
        """The JSON schema."""
        made = self.adapter.json_schema(mode="validation")
        made["required"] = [key for key in made["required"] if key != "bodies"]
        made["anyOf"] = [{"required": [key]} for key in ("bodies", "cells", "feeds")]
        return {"$schema": DRAFT, "title": "nsgalpha case", **made}

    def _model(self) -> Fields:
        """Arguments of the model; a catalogue without motions of cells has no `cell_motion`."""
        known = self.tables.arguments(Model)
        return {key: (known[key][0], False) for key in MODEL if key in known}

    def _bodies(self) -> Any:
        """[[bodies]]: single ones, and layouts of many."""
        carried = several(self._primitive("bodies.primitives", ("carrier", "name")))
        grouped: Fields = {**self.group, "primitives": (carried, False)}
        density: Fields = {"density": (self.tables.field(float), False)}
        rows, choices = self.tables.field(Numbers), {}
        for name, maker in BODIES.items():
            own = self.tables.arguments(maker, ("spheres",))
            if name == "sphere":
                own = {**own, "mass": (own["mass"][0], False), **density}
            if name == "clump":
                own = {**own, "spheres": (rows, True)}  # not the name of a file
            fields = {"type": (literal(name), True), **own, **grouped}
            choices[name] = self.tables.table(f"bodies:{name}", fields, maker)
        items = self.tables.arguments(Model.add_sphere, ("position",))
        for name, layout in LAYOUTS.items():
            fields = {
                "type": (literal(name), True),
                **{key: (type_, False) for key, (type_, _) in items.items()},
                **density,
                "size": (self.tables.arguments(Model.add_box)["size"][0], False),
                "spheres": (rows, False),
                "scale": (self.tables.field(float), False),
                **self._places(layout),
                "names": (self.tables.field(Sequence[str]), False),
                "scatter": (self._scatter(), False),
                **grouped,
            }
            choices[name] = self.tables.table(f"bodies:{name}", fields, layout)
        return self.tables.choice("bodies", choices)

    def _places(self, layout: Maker) -> Fields:
        """Arguments of a layout; radii of a packing are drawn, or a list."""
        own = self.tables.arguments(layout)
        return self._drawn(own) if layout is LAYOUTS["random_packing"] else own

    def _drawn(self, own: Fields) -> Fields:
        """Arguments with `sizes`, which may stand for the radius."""
        sizes = {
            name: self.tables.table(
                f"sizes:{name}", {"type": (literal(name), True), **self.tables.arguments(maker)}, maker
            )
            for name, maker in SIZES.items()
        }
        drawn = self.tables.choice("sizes", sizes)
        return {**own, "radius": (own["radius"][0], False), "sizes": (drawn, False)}

    def _scatter(self) -> Any:
        """How bodies of a layout differ."""
        number, truth = self.tables.field(float), self.tables.field(bool)
        sizes = self.tables.field(float | Sequence[float])
        fields = {
            "seed": (self.tables.field(int), True),
            "radius": (number, False),
            **dict.fromkeys(("position", "velocity"), (sizes, False)),
            "rotation": (truth, False),
        }
        doc = (
            "Uniform scatter from a `seed`: radius up to that part of it, position [m] and velocity [m/s] up "
            "to that in each direction, or to three of them; rotation: any."
        )
        return self.tables.table("table:scatter", fields, doc=doc)

    def _planes(self) -> Any:
        """[[planes]]: single ones, and walls of several."""
        choices = {}
        for name, maker in {"plane": Model.add_plane, **WALLS}.items():
            moves = self.tables.arguments(Model.add_plane)
            fields = {
                "type": (literal(name), name != "plane"),
                **{key: moves[key] for key in ("name", "body", "motion")},
                **self.tables.arguments(maker),
                **self.group,
            }
            choices[name] = self.tables.table(f"planes:{name}", fields, maker)
        return self.tables.choice("planes", choices, "plane")

    def _primitive(self, name: str, without: Sequence[str]) -> Any:
        fields = {**self.tables.arguments(Model.add_primitive, without), **self.group}
        return self.tables.table(f"table:{name}", fields, Model.add_primitive)

    def _mesh(self) -> Any:
        fields = {**self.tables.arguments(Model.add_mesh), **self.group}
        return self.tables.table("table:meshes", fields, Model.add_mesh)

    def _feed(self) -> Any:
        fields = {**self._drawn(self.tables.arguments(feed_spheres, ("model",))), **self.group}
        return self.tables.table("table:feeds", fields, feed_spheres)

    def _surface(self) -> Any:
        fields = {**self.tables.arguments(Model.add_surface), **self.group}
        return self.tables.table("table:surfaces", fields, Model.add_surface)

    def _run(self) -> Any:
        """[run]: arguments of `simulate`, and how it starts."""
        stated = ("t_end", "h", "accuracy", "impacts", "tol")
        left_out = [name for name in parameters(simulate) if name not in stated]
        start: Fields = {"start": (self.tables.of_kind("starts"), False)}
        fields = {**self.tables.arguments(simulate, left_out), **start}
        return self.tables.table("table:run", fields, simulate)

    def _recording(self) -> Any:
        fields = self.tables.arguments(Recording, ("file", "overwrite"))
        return self.tables.table("table:recording", fields, Recording)


@cache
def schema() -> Schema:
    """That of all installed packages."""
    return Schema(installed())


def json_schema() -> Mapping[str, Any]:
    """The JSON schema (draft 7) of case files with the elements and laws that are installed."""
    return schema().json()
