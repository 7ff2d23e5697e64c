"""`python -m verification.catalogue` writes files from registrations and from docs/catalogue.toml.

These are docs/catalogue.md, the tables of docs/laws.md and elements/__init__.pyi.
"""

import re
import tomllib
from pathlib import Path
from typing import Any

from nsgalpha.model.registration import found_in, offer_of

DOCS = Path(__file__).resolve().parents[1] / "docs"
TABLE, PAGE, LAWS = DOCS / "catalogue.toml", DOCS / "catalogue.md", DOCS / "laws.md"
STUB = DOCS.parent / "elements" / "__init__.pyi"

STATES = {"here": "here", "partly": "partly", "not": "not"}
HEADERS = ("chain element", "state", "here", "formula", "source", "differences; what is missing")
INTRODUCTION = """\
# The chain elements of mpacts

All {count} chain elements in the documentation of mpacts, and their counterparts here. Written by
`python -m verification.catalogue` from [catalogue.toml](catalogue.toml); edit that.

| state | names | |
|---|---|---|
| here | {here} | the expressions can be evaluated today; {function} are functions of arrays, no elements |
| partly | {partly} | "so far" is what there is of it, what is missing is said |
| not | {absent} | why is said |

Letters are those of [laws.md](laws.md): d is the overlap, g = -d the gap, u the rate. u_n > 0 separates,
r is the distance of the centres, n the normal from B to A. Geometries are explained in
[design/geometries.md](design/geometries.md), motion without inertia in
[how-to/overdamped.md](how-to/overdamped.md). Where no source is given a formula is that of the
documentation of mpacts.

In the expressions `ns` is nsgalpha, and classes and functions are those of `elements` and
`elements.geometry`. `spheres`, `shell`, `body`, `nodes` and `pairs` are bodies of `model`, `surface` is
one of `triangles` on the nodes. `centres`, `rods`, `links`, `tubes` and `plates` are primitives of it,
`law` is a law. `balls`, `points`, `capsules`, `disks`, `polygons` and `facing` are `primitives(...)`;
`axis` and `other` are vectors. All others are numbers. `network` is a model of springs, `contacts` are
its `ns.compliant_contacts`, `result` is a run of it.
"""

Row = dict[str, Any]


def groups() -> list[tuple[str, list[Row]]]:
    """Titles and rows of the table."""
    return [(group["title"], group["row"]) for group in _table()["group"]]


def values() -> dict[str, float]:
    """Numbers that the expressions use."""
    return dict(_table()["values"])


def page() -> str:
    """The page as text."""
    rows = [row for _, group in groups() for row in group]
    count = {state: sum(len(row["names"]) for row in rows if row["state"] == state) for state in STATES}
    function = sum(len(row["names"]) for row in rows if row.get("function"))
    count["absent"] = count.pop("not")
    parts = [INTRODUCTION.format(count=sum(count.values()), function=function, **count)]
    for title, group in groups():
        lines = [HEADERS, ("---",) * len(HEADERS), *map(_cells, group)]
        parts.append(f"## {title}\n\n" + "".join(f"| {' | '.join(line)} |\n" for line in lines))
    return "\n".join(parts)


def _table() -> dict[str, Any]:
    return tomllib.loads(TABLE.read_text(encoding="utf-8"))


def _cells(row: Row) -> tuple[str, ...]:
    state = STATES[row["state"]] + (", *function*" if row.get("function") else "")
    use = ", ".join(f"`{expression}`" for expression in row.get("use", ()))
    if use and row["state"] == "partly":
        use = f"so far {use}"
    return (
        ", ".join(f"`{name}`" for name in row["names"]),
        state,
        use,
        row["formula"],
        row.get("source", ""),
        row.get("missing") or row.get("deviation", ""),
    )


def laws() -> str:
    """The page of laws: a row for every element or law registered with its heading."""
    rows: dict[str, list[str]] = {}
    for name, thing in found_in("elements").items():
        heading, *cells = offer_of(thing).page or ("",)
        if heading:
            row = " | ".join((f"`{name}`", *cells, "")).replace("|  |", "| |").rstrip()
            rows.setdefault(heading, []).append(f"| {row}\n")
    parts = re.split(r"(?m)^(?=## )", LAWS.read_text(encoding="utf-8"))
    for k, part in enumerate(parts):
        own = rows.pop(part[3 : part.find("\n")], None)
        if own is not None:
            before, line, _, after = re.split(r"(?m)(^\|[-|]+\|\n)((?:^\|.*\n)*)", part, maxsplit=1)
            parts[k] = "".join((before, line, *own, after))
    if rows:
        raise ValueError(f"page: {LAWS.name} has no heading {next(iter(rows))!r}")
    return "".join(parts)


def stub() -> str:
    """The public names of elements for editors and type checkers."""
    found = {name: thing.__module__.removeprefix("elements") for name, thing in found_in("elements").items()}
    lines = ["# Written by `python -m verification.catalogue`.", "# ruff: noqa: I001"]
    for name, place in found.items():
        fits = lines[-1].startswith(f"from {place} ") and len(lines[-1]) + 2 * len(name) + 6 <= 110
        last = f"{lines.pop()}, " if fits else f"from {place} import "
        lines.append(f"{last}{name} as {name}")
    return "\n".join((*lines, "", "__all__: list[str]", ""))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    LAWS.write_text(laws(), encoding="utf-8")
    STUB.write_text(stub(), encoding="utf-8")
