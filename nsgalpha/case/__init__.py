"""Case files: models and their runs as TOML.

    case = load_case("break.toml")
    result = case.run("break.h5")

lines.py: where keys are; catalogue.py, leaves.py, tables.py, schema.py: what may be said, from the signatures
of what is installed; check.py, build.py: from a text to a model; command.py: the commands. What is imported
from here is loaded when it is used: the command line and catalogues of other packages need no validation.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nsgalpha.case.case import Case, load_case, parse_case
    from nsgalpha.case.catalogue import Catalogue
    from nsgalpha.case.errors import CaseError
    from nsgalpha.case.schema import json_schema

__all__ = ["Case", "CaseError", "Catalogue", "json_schema", "load_case", "parse_case"]

_MODULES = {
    "Case": "case",
    "CaseError": "errors",
    "Catalogue": "catalogue",
    "json_schema": "schema",
    "load_case": "case",
    "parse_case": "case",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
