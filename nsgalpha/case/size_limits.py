"""Size limits of case files, checked before memory is allocated.

A file of a few lines can ask for any number of bodies, or name the same bodies any number of times. It can
also nest tables until the interpreter gives up. The user raises a limit, the file cannot: `load_case(path,
limits=Limits(bodies=10**6))`, `nsgalpha run CASE.toml --limit bodies=1000000`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from math import prod
from typing import Any

from nsgalpha.case.case_errors import CaseError, Problem
from nsgalpha.case.toml_lines import LONGEST, tokens
from nsgalpha.checks import count, parameter_set, refuse

DEEPEST = 100  # depth of reading that stays below Python's own limit
LAYOUT_KEYS = {"grid": "count", "rack": "rows", "diamond": "side", "column": "count", "hexagonal": "count"}
LAYOUT_KEYS["random_packing"] = "sizes"


@parameter_set
class Limits:
    """The most of everything that a case may hold and ask for.

    size: of the file [bytes]. values and tables: in it. depth: of lists and tables within each other, at most
    100. bodies: of single tables and layouts together. shapes: planes and primitives, those that bodies of a
    layout carry for each. named: things that the names in groups, elements and loads stand for, together.
    pairs: of planes with the bodies that elements let touch them.

    Raises ValueError unless all are integers >= 1.
    """

    size: int = 20_000_000
    values: int = 500_000
    tables: int = 100_000
    depth: int = 30
    bodies: int = 100_000
    shapes: int = 100_000
    named: int = 5_000_000
    pairs: int = 5_000_000

    def __post_init__(self) -> None:
        for each in fields(self):
            object.__setattr__(self, each.name, count(each.name, getattr(self, each.name)))
        if self.depth > DEEPEST:
            raise refuse("depth", self.depth, f"an integer from 1 to {DEEPEST}")

    def check(self, name: str, asked: int, words: str) -> None:
        """Raises ValueError if `asked` exceeds the limit `name`; `words` name the quantity."""
        most = getattr(self, name)
        if asked > most:
            shown = str(asked) if asked < 1e9 else f"{asked:.3g}"
            remedy = f"raise that with Limits({name}=...), or --limit {name}=..."
            raise ValueError(f"{shown} {words}: must be at most {most}; {remedy}")


def check_text(text: str, name: str, limits: Limits) -> None:
    """Raises CaseError for a TOML text with too deep nesting, too many or too long words.

    Dotted keys nest, too. Values are counted by their separators.
    """
    brackets = dots = values = tables = 0
    before = "newline"
    for kind, word, line in tokens(text):
        last, before = before, kind
        if kind == "newline":
            dots = 0
        elif len(word) > LONGEST:
            message = [f"{name}, line {line}: a word of more than {LONGEST} characters; a case needs none"]
            raise CaseError(message)
        if kind != "mark":
            continue
        if word == ".":
            dots += 1
        elif word in "[{":
            tables += word == "{" or (brackets == 0 and last == "newline")
            brackets, dots, values = brackets + 1, 0, values + 1
        elif word in "]}":
            brackets, dots = max(brackets - 1, 0), 0
        else:
            values, dots = values + 1, 0
        try:
            limits.check("depth", brackets + dots, "tables and lists within each other")
            limits.check("values", values, "values or more")
            limits.check("tables", tables, "tables or more")
        except ValueError as error:
            raise CaseError([f"{name}, line {line}: {error}"]) from None


def check_data(data: Any, name: str, limits: Limits) -> None:
    """Raises CaseError for data of a case with too deep nesting or too many values."""
    values, tables, level, depth = 0, 0, [data], 0
    try:
        while level:
            depth += 1
            limits.check("depth", depth, "tables and lists within each other")
            values += sum(map(len, level))
            tables += sum(isinstance(part, Mapping) for part in level)
            limits.check("values", values, "values or more")
            limits.check("tables", tables, "tables or more")
            inner = (
                each for part in level for each in (part.values() if isinstance(part, Mapping) else part)
            )
            level = [each for each in inner if isinstance(each, Mapping | list | tuple)]
    except ValueError as error:
        raise CaseError([f"{name}: {error}"]) from None


def check_asked(case: Mapping[str, Any], limits: Limits) -> list[Problem]:
    """First place of the checked tables that asks for too many bodies or shapes."""
    problems = []
    for name, words, asked in (
        ("bodies", "bodies in the whole case", _bodies(case)),
        ("shapes", "planes and primitives in the whole case", _shapes(case)),
    ):
        counted = list(asked)
        total = 0
        for path, number in counted:
            total += number
            if total > getattr(limits, name):
                try:
                    limits.check(name, sum(number for _, number in counted), words)
                except ValueError as error:
                    problems.append(Problem(path, str(error)))
                break
    return problems


Counted = Iterable[tuple[tuple[str | int, ...], int]]


def _bodies(case: Mapping[str, Any]) -> Counted:
    """Bodies by the place that asks for them."""
    for k, table in enumerate(case.get("bodies", ())):
        key = LAYOUT_KEYS.get(table.values["type"])
        yield ("bodies", k) if key is None else ("bodies", k, key), bodies_of(table.values)
    yield ("walls",), len(case.get("walls", ()))
    for k, table in enumerate(case.get("feeds", ())):  # which by mass or volume is known when it is made
        sizes = table.values.get("sizes")
        yield ("feeds", k), max(table.values.get("number", 1), sizes.values["count"] if sizes else 1)
    for k, table in enumerate(case.get("cells", ())):
        level, count = (
            max(table.values.get(key, least), 0) for key, least in (("subdivisions", 2), ("count", 1))
        )
        yield ("cells", k, "count"), count * (10 * 4 ** min(level, 20) + 2)  # of an icosphere


def _shapes(case: Mapping[str, Any]) -> Counted:
    """Planes and primitives by the place that asks for them."""
    for k, table in enumerate(case.get("planes", ())):
        kind = table.values.get("type", "plane")
        number = {"box": 6, "ring": max(table.values.get("sides", 0), 0)}.get(kind, 1)
        yield ("planes", k), number
    for k, table in enumerate(case.get("bodies", ())):
        for key in ("primitives", "spheres"):  # each of a clump is a primitive
            carried = table.values.get(key, ())
            if isinstance(carried, Sequence) and carried:
                yield ("bodies", k, key), len(carried) * bodies_of(table.values)
    for key in ("walls", "primitives"):
        yield (key,), len(case.get(key, ()))
    for k, table in enumerate(case.get("surfaces", ())):
        triangles = table.values.get("triangles", ())
        yield ("surfaces", k, "triangles"), len(triangles) if isinstance(triangles, Sequence) else 1
    for k, table in enumerate(case.get("meshes", ())):
        polygons = table.values["polygons"]
        yield ("meshes", k, "polygons"), len(polygons) if isinstance(polygons, Sequence) else 1


def bodies_of(values: Mapping[str, Any]) -> int:
    """How many bodies a checked table of [[bodies]] states; the layouts themselves refuse counts below 1."""
    kind = values["type"]
    if kind == "rack":
        rows = max(values["rows"], 0)
        return int(rows * (rows + 1) // 2)
    if kind == "diamond":
        return int(max(values.get("side", 3), 0) ** 2)
    if kind == "column":
        return max(values["count"], 0)
    if kind == "random_packing":
        sizes, radius = values.get("sizes"), values.get("radius", 0.0)
        return max(sizes.values["count"], 0) if sizes else len(radius) if isinstance(radius, Sequence) else 1
    if kind not in ("grid", "hexagonal"):
        return 1
    cells = prod(max(n, 0) for n in values["count"])
    return min(cells, max(values.get("number") or cells, 0))
