"""Elements of an XML file with their lines.

Every element and attribute is marked when it is read, so that `left_out` lists all others. The parser is
expat of the standard library. It reports lines, and needs no memory besides the elements. Document types, and
with them entities, are refused.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from xml.parsers import expat

from nsgalpha.arrays import Floats
from nsgalpha.checks import finite, number_in, refuse, shown
from nsgalpha.shown_text import printable, shortened

DEEPEST = 50  # elements within each other
MOST = 200_000  # elements of a file
KEPT = 200  # characters of the text of an element, or a few more


class LeftOut(NamedTuple):
    """An element or attribute of a file that the model lacks, with the reason."""

    line: int
    element: str
    why: str

    def __str__(self) -> str:
        return f"line {self.line}, {self.element}: {self.why}"


@dataclass(eq=False)
class XmlElement:
    """An element of an XML file."""

    file: str
    line: int
    name: str
    attributes: Mapping[str, str]
    parent: XmlElement | None = field(default=None, repr=False)
    children: list[XmlElement] = field(default_factory=list, repr=False)
    text: str = ""
    read: set[str] = field(default_factory=set, repr=False)  # attributes
    is_read: bool = False
    why: str = ""  # it is left out, though it was looked at

    def __str__(self) -> str:
        """`<mass> of link 'upper'`."""
        own = f"<{_short(self.name)}>"
        if (self.parent is None or self.parent.parent is None) and "name" in self.attributes:
            return f"{_short(self.name)} {shown(self.attributes['name'])}"
        outer = self.parent
        while outer is not None and outer.parent is not None and outer.parent.parent is not None:
            outer = outer.parent
        return own if outer is None else f"{own} of {outer}"

    def error(self, message: str) -> ValueError:
        """The ValueError with file, line and element before the `message`."""
        return ValueError(f"{self.file}, line {self.line}, {self}: {message}")

    def refuse(self, key: str, value: Any, allowed: str, remedy: str = "") -> ValueError:
        """The ValueError for an attribute; see checks.refuse."""
        return self.error(str(refuse(key, value, allowed, remedy)))

    def all(self, name: str) -> list[XmlElement]:
        """The children of that `name`, which count as read."""
        found = [each for each in self.children if each.name == name]
        for each in found:
            each.is_read = True
        return found

    def child(self, name: str) -> XmlElement | None:
        """The child of that `name`; None if it is not given. Raises ValueError for two."""
        found = self.all(name)
        if len(found) > 1:
            raise found[1].error(f"is given twice, first in line {found[0].line}; state it once")
        return found[0] if found else None

    def needed(self, name: str) -> XmlElement:
        """The child of that `name`. Raises ValueError without one."""
        found = self.child(name)
        if found is None:
            raise self.error(f"has no <{name}>; add it")
        return found

    def get(self, key: str) -> str | None:
        """The text of an attribute; None if it is not given."""
        self.read.add(key)
        return self.attributes.get(key)

    def word(self, key: str) -> str:
        """The text of an attribute that must be given, and not be empty."""
        value = self.get(key)
        if not value or value.isspace():
            raise self.refuse(key, value, "given, and not empty")
        return value

    def vector(self, key: str, default: tuple[float, ...] | None = None) -> Floats:
        """The numbers of an attribute, as many as those of `default`, three without one."""
        text = self.get(key)
        if text is None and default is not None:
            return finite(key, default)
        count = 3 if default is None else len(default)
        words = (text or "").split()
        allowed = f"{count} finite numbers with blanks between them" if count > 1 else "a finite number"
        try:
            if len(words) != count:
                raise ValueError
            return finite(key, [_number(each) for each in words])
        except ValueError:
            raise self.refuse(key, text, allowed) from None

    def number(
        self, key: str, default: float | None = None, *, low: float = -math.inf, remedy: str = ""
    ) -> float:
        """The number of an attribute, at least `low`; required without a `default`."""
        if default is None and key not in self.attributes:
            raise self.refuse(key, None, "given: a number", remedy)
        value = float(self.vector(key, (0.0 if default is None else default,))[0])
        try:
            return number_in(key, value, low, math.inf, remedy=remedy)
        except ValueError as error:
            raise self.error(str(error)) from None


def read_xml(content: bytes, file: str) -> XmlElement:
    """The root of the XML text `content`, which errors call `file`.

    Raises ValueError, with the line, for wrong syntax and document types. Also raises it for more than
    200 000 elements, or more than 50 within each other.
    """
    parser = expat.ParserCreate()
    parser.buffer_text = True
    reading = _Reading(file, parser)
    parser.StartElementHandler, parser.EndElementHandler = reading.begin, reading.end
    parser.CharacterDataHandler, parser.StartDoctypeDeclHandler = reading.words, reading.refuse_doctype
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        words = expat.ErrorString(error.code)
        raise ValueError(f"{file}, line {error.lineno}: {words}; the file must be XML") from None
    except (LookupError, UnicodeError) as error:
        raise ValueError(f"{file}, line 1: {error}; save the file as UTF-8") from None
    assert reading.root is not None
    return reading.root


def left_out(root: XmlElement, reasons: Mapping[str, str]) -> list[LeftOut]:
    """Unread elements, attributes and texts in the order of lines.

    reasons: by the names of elements and attributes.
    """
    found = list(_left_out(root, reasons))
    return sorted(found, key=lambda each: each.line)


def _left_out(root: XmlElement, reasons: Mapping[str, str]) -> Iterator[LeftOut]:
    unknown, waiting = "is not known here", [root]
    while waiting:
        element = waiting.pop()
        if element.why or not element.is_read:
            why = element.why or reasons.get(element.name, unknown)
            yield LeftOut(element.line, str(element), why)
            continue
        for key in (each for each in element.attributes if each not in element.read):
            name = f"{_short(key)} = {shown(element.attributes[key])} in {element}"
            yield LeftOut(element.line, name, reasons.get(key, unknown))
        if element.text.strip():
            yield LeftOut(element.line, f"text {shown(element.text.strip())} in {element}", unknown)
        waiting += reversed(element.children)


def _short(text: str) -> str:
    return shortened(printable(text), 60)


def _number(word: str) -> float:
    """The number of a `word`. Raises ValueError for others, and for those that only Python knows."""
    if "_" in word or not word.isascii():
        raise ValueError
    return float(word)


class _Reading:
    """The element that is being read, and those around it."""

    def __init__(self, file: str, parser: Any) -> None:
        self.file, self.parser = file, parser
        self.root: XmlElement | None = None
        self.open: list[XmlElement] = []
        self.count = 0

    def begin(self, name: str, attributes: dict[str, str]) -> None:
        line, outer = self.parser.CurrentLineNumber, self.open[-1] if self.open else None
        element = XmlElement(self.file, line, name, attributes, outer)
        self.count += 1
        if len(self.open) == DEEPEST or self.count > MOST:
            most = f"{DEEPEST} elements within each other" if self.count <= MOST else f"{MOST} elements"
            raise element.error(f"the file has more than {most}; a robot needs fewer")
        if outer is None:
            self.root = element
        else:
            outer.children.append(element)
        self.open.append(element)

    def end(self, name: str) -> None:
        self.open.pop()

    def words(self, text: str) -> None:
        if self.open and not text.isspace() and len(self.open[-1].text) < KEPT:
            self.open[-1].text += text[:KEPT]

    def refuse_doctype(self, *_: Any) -> None:
        line = self.parser.CurrentLineNumber
        raise ValueError(f"{self.file}, line {line}: has a document type, <!DOCTYPE ...>; remove it")
