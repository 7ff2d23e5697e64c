"""Functions whose unknown keywords are refused by name, with the one that was meant."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from nsgalpha.checks import unknown

_P = ParamSpec("_P")
_T = TypeVar("_T")


def named(function: Callable[_P, _T]) -> Callable[_P, _T]:
    """`function`; an unknown keyword is a TypeError that lists those there are: did you mean 't_end'?"""
    known = [name for name in inspect.signature(function).parameters if name != "self"]

    @wraps(function)
    def checked(*args: _P.args, **given: _P.kwargs) -> _T:
        for name in given:
            if name not in known:
                raise unknown(function.__qualname__, name, known)
        return function(*args, **given)

    return checked
