"""Checks of a catalogue: can all that a package offers be stated in case files?

    check_catalogue(CATALOGUE)

Case files take arguments by their types. An optional argument without TOML form, such as a function, is left
out of the keys. So are the things of a case file that need it: users learn of it when they name it.
"""

from __future__ import annotations

from collections.abc import Collection

from nsgalpha.case.case_schema import Schema
from nsgalpha.case.plugin_catalogue import Catalogue
from nsgalpha.checks import instance


def check_catalogue(catalogue: object, *, without: Collection[str] = ()) -> None:
    """Raise AssertionError, line by line, for arguments of a Catalogue without TOML form.

    without: arguments that scripts alone are to give, as "Wind.profile".

    Raises ValueError for a name in `without` that is no such argument.
    """
    found = instance("catalogue", catalogue, Catalogue, "a Catalogue", "see nsgalpha.case.Catalogue")
    of_files = Schema(Catalogue()).tables.without_form  # of bodies, planes and runs
    lacking = {name: why for name, why in Schema(found).tables.without_form.items() if name not in of_files}
    for name in without:
        if name not in lacking:
            raise ValueError(f"without: {name!r} has a form in case files, or is no argument; leave it out")
    left = [f"{name}: {why}" for name, why in lacking.items() if name not in {*without}]
    assert not left, "\n".join(left)
