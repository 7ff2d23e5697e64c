"""Docstrings as plain text with code between single backticks. The markup of reStructuredText is escaped, and
indented blocks are kept as they are. Fields of dataclasses are listed with the comments behind them, in place
of a signature. Types have the names that the sources give them.
"""

import dataclasses
import inspect
import re

from numpy.typing import ArrayLike, NDArray
from sphinx.util.typing import stringify_annotation

from nsgalpha import arrays

CODE = re.compile(r"(``.+?``|`[^`]+`)")
MARKUP = re.compile(r"([*|\\]|_(?=\W|$))")
SECTION = re.compile(r"(Args|Attributes|Raises|Returns):$")
FIELD = re.compile(r"^    (\w+): (.+?)(?:  # (.*))?$")
RANGE = re.compile(r" = (?:positive_field|field_in)\((?:.*default=([^,()]+))?.*\)")  # of nsgalpha.checks
NAMES = {
    stringify_annotation(kind, mode): name
    for mode in ("smart", "fully-qualified")
    for name, kind in (
        ("ArrayLike", ArrayLike),
        ("Floats", arrays.Floats),
        ("Ints", arrays.Ints),
        ("NDArray[bool]", NDArray[bool]),
    )
}


def escaped(line):
    """`line` with markup outside of code escaped, and code as a literal."""
    parts = CODE.split(line)
    return "".join(
        MARKUP.sub(r"\\\1", part) if k % 2 == 0 else "``" + part.strip("`").strip() + "``"
        for k, part in enumerate(parts)
    )


def plain(lines):
    """The lines of a docstring for Sphinx.

    Blocks that are indented after a blank line are literal; lines indented below `Args:` and the like are a
    list, an item for each.
    """
    found, kind, before = [], "text", ""
    for line in lines:
        depth = len(line) - len(line.lstrip())
        if line.lstrip().startswith(">>>"):
            kind = "example"
        elif kind == "example" and not line.strip():
            kind = "text"
        elif kind != "example" and line.strip():
            if not depth:
                kind = "text"
            elif kind == "text" and not before.strip():
                kind = "literal"
                found += ["::", ""]
            elif kind == "text" and SECTION.match(before):
                kind = "list"
                found.append("")
        if kind in ("literal", "example") or not line.strip():
            found.append(line)
        elif kind == "list":
            found.append(("* " if depth <= 4 else "  ") + escaped(line.strip()))
        else:
            found.append(escaped(line.strip()))
        before = line
    return [*found, ""]


def fields_of(kind):
    """Name, type with default, and comment of the fields that a user reads or gives."""
    for line in inspect.getsource(kind).splitlines():
        if line.startswith("    def "):
            return
        match = FIELD.match(line)
        if match and not match[1].startswith("_") and not match[2].startswith("ClassVar"):
            stated = re.sub(r" = field\(default_factory=(\w+)\)| = field\(repr=False\)", "", match[2])
            stated = RANGE.sub(lambda found: f" = {found[1]}" if found[1] else "", stated)
            yield match[1], stated, match[3] or ""


def process(app, what, name, obj, options, lines):
    """The hook of autodoc for docstrings."""
    if what == "class" and dataclasses.is_dataclass(obj):
        if lines and lines[0].startswith(f"{obj.__name__}("):
            lines.clear()  # dataclass's own
        stated = [] if "Attributes:" in lines else list(fields_of(obj))
        lines[:] = plain(list(lines))
        for field, kind, comment in stated:
            lines.append(f"* ``{field}: {kind}``" + (f" -- {escaped(comment)}" if comment else ""))
        lines.append("")
    else:
        lines[:] = plain(list(lines))


def named(text):
    """A signature with the names of types."""
    for kind in sorted(NAMES, key=len, reverse=True):
        text = text.replace(kind, NAMES[kind])
    return text


def signature(app, what, name, obj, options, stated, returned):
    """The hook of autodoc for signatures."""
    if what == "class" and dataclasses.is_dataclass(obj):
        return "", None
    return stated and named(stated), returned and named(returned)


def skip(app, what, name, obj, skipped, options):
    """The hook of autodoc that leaves out the inputs of the compiled loop from laws."""
    return True if name in ("kernel", "parameters") else None


def setup(app):
    """Connect to autodoc."""
    app.connect("autodoc-skip-member", skip)
    app.connect("autodoc-process-docstring", process)
    app.connect("autodoc-process-signature", signature)
    return {"parallel_read_safe": True}
