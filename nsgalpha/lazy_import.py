"""Lazy imports that avoid circular dependencies."""

from importlib import import_module
from typing import Any


def late(place: str) -> Any:
    """The thing at `place`, such as "nsgalpha.io.result_saving:save".

    Methods of Model, Result and State are short cuts to modules that know these classes: an import
    statement would close a circle.
    """
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)
