"""Signatures of elements whose `**law` stands for the arguments of a law."""

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

_T = TypeVar("_T", bound=Callable[..., Any])


def shows(law: type) -> Callable[[_T], _T]:
    """A decorator: `**law` of a function or class is shown as the keywords of `law` by help() and inspect."""

    def decorate(function: _T) -> _T:
        own = inspect.signature(function, eval_str=True)
        keywords = [
            p for p in inspect.signature(law, eval_str=True).parameters.values() if p.kind is p.KEYWORD_ONLY
        ]
        before = [p for p in own.parameters.values() if p.kind is not p.VAR_KEYWORD]
        function.__signature__ = own.replace(parameters=[*before, *keywords])  # type: ignore[attr-defined]
        return function

    return decorate
