"""Check of the packages that come with this one: `elements` and `verification` must be its own.

Another distribution may have a package of one of these names. The first one found, or the last one installed,
replaces the other. Imports from it are missing or something else.
"""

from __future__ import annotations

import warnings
from importlib.util import find_spec
from pathlib import Path

#: How the text of each begins.
OURS = {
    "elements": b'"""The catalogue of elements: everything that acts between bodies.',
    "verification": b'"""Published cases with numbers: each builds a model',
}


def foreign_packages() -> list[str]:
    """A sentence for each of the packages that is not there, or is another distribution's."""
    found = []
    for name, beginning in OURS.items():
        spec = find_spec(name)
        if spec is None:
            found.append(f"the package {name!r} that comes with nsgalpha is missing: install nsgalpha again")
        elif spec.origin is None or not _begins(Path(spec.origin), beginning):
            place = spec.origin or ", ".join(spec.submodule_search_locations or ())
            found.append(
                f"the package {name!r} in {place} is another distribution's and stands in the place of "
                f"nsgalpha's: uninstall it (pip uninstall {name}), then pip install --force-reinstall "
                "--no-deps nsgalpha, or give nsgalpha an environment of its own"
            )
    return found


def _begins(path: Path, beginning: bytes) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(beginning)) == beginning
    except OSError:
        return True  # in an archive, which is not looked into


def warn() -> None:
    """Say so once, when nsgalpha is imported."""
    for sentence in foreign_packages():
        warnings.warn(sentence, ImportWarning if "missing" in sentence else RuntimeWarning, stacklevel=3)
