"""Published cases with numbers: each builds a model, runs it and compares with a reference.

A case is a package of this folder. Its docstring opens with the title and `run()` returns an
`Outcome`; nothing else is needed, the folder's name is the name of the case. See README.md. The scripts
in examples/ are no cases: each checks itself. Nor are random_scenes/ and bystanders/, which have no
reference. The folder benchmarks/ judges nothing.
"""

import importlib
import importlib.util
import pkgutil
from typing import Protocol

from verification.outcome import Outcome

NO_CASES = {"benchmarks", "bystanders", "examples", "random_scenes"}


class VerificationCase(Protocol):
    """The interface of a case package."""

    __doc__: str | None

    def run(self) -> Outcome:
        """Build, simulate, compare."""
        ...


def case_names() -> list[str]:
    """Names of all cases, in alphabetical order."""
    found = {module.name for module in pkgutil.iter_modules(__path__) if module.ispkg}
    return sorted(found - NO_CASES)


def phased_names() -> list[str]:
    """Names of the cases with a module `phases`: they can vary the arrival within the step (phases.py)."""
    return [name for name in case_names() if importlib.util.find_spec(f"{__name__}.{name}.phases")]


def load_case(name: str) -> VerificationCase:
    """Import the case `name`; imports happen here only, so that a listing costs nothing."""
    return importlib.import_module(f"{__name__}.{name}")


def title_of(case: VerificationCase) -> str:
    """First line of the case's docstring, without the full stop."""
    return (case.__doc__ or "").strip().splitlines()[0].rstrip(".")
