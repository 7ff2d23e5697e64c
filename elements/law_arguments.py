"""Signatures of elements whose `**law` stands for the arguments of a law."""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from nsgalpha.checks import unknown

_T = TypeVar("_T", bound=Callable[..., Any])


def shows(law: type) -> Callable[[_T], _T]:
    """Decorator that shows `**law` of a function or class as the keywords of `law` in help().

    An unknown keyword is a TypeError with the name of the function or class.
    """

    def decorate(function: _T) -> _T:
        own = inspect.signature(function, eval_str=True)
        keywords = [
            p for p in inspect.signature(law, eval_str=True).parameters.values() if p.kind is p.KEYWORD_ONLY
        ]
        before = [p for p in own.parameters.values() if p.kind is not p.VAR_KEYWORD]
        shown = own.replace(parameters=[*before, *keywords])
        kind: Any = function
        target: Any = kind.__init__ if isinstance(function, type) else function

        @wraps(target)
        def checked(*args: Any, **given: Any) -> Any:
            for name in given:
                if name not in shown.parameters:
                    raise unknown(function.__name__, name, list(shown.parameters))
            return target(*args, **given)

        made: Any = checked
        if isinstance(function, type):
            made, kind.__init__ = function, checked
        made.__signature__ = shown
        return cast(_T, made)

    return decorate
