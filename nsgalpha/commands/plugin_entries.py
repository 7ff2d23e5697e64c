"""Entry points of installed packages, found by group; a broken one harms no other.

Nothing of a package is imported before it is needed. Names of this project come first, so that no other
package takes one.
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from importlib.resources import files
from pathlib import Path
from typing import Any

from nsgalpha.shown_text import printable

OURS = "nsgalpha"


class Unusable(Exception):
    """An entry point whose package cannot be used; the message names both and says why."""


def offered(group: str) -> list[EntryPoint]:
    """The entry points of a `group`: ours, then the others, by name."""
    return sorted(entry_points(group=group), key=lambda point: (package_of(point) != OURS, point.name))


def package_of(point: EntryPoint) -> str:
    """The distribution that offers it."""
    return point.dist.name if point.dist is not None else "?"


def load(point: EntryPoint) -> Any:
    """The object of an entry point. Raises Unusable for any error of its package's import."""
    try:
        return point.load()
    except (Exception, SystemExit) as error:
        raise unusable(point, f"{type(error).__name__}: {error}") from error


def folder(point: EntryPoint) -> Path:
    """The folder of an entry point `package:folder`; Unusable as for `load`."""
    try:
        package = import_module(point.module)
        if not hasattr(package, "__path__"):  # which Python 3.12 takes for the package that it is in
            raise TypeError(f"{point.module} is not a package")
        return Path(str(files(package))) / point.attr
    except (Exception, SystemExit) as error:
        raise unusable(point, f"{type(error).__name__}: {error}") from error


def unusable(point: EntryPoint, reason: str) -> Unusable:
    """The error to raise about an entry point."""
    place = f"entry point {point.name!r} of {point.group} ({package_of(point)})"
    return Unusable(printable(f"{place}: cannot be used: {reason}"))
