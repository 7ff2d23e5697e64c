"""The live view of a run, which is imported when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from nsgalpha.checks import refuse
from nsgalpha.model.model import Model
from nsgalpha.model.state import State
from nsgalpha.show.live_view import LiveView, opened

View = bool | Callable[[str], object]


@contextmanager
def viewed(view: View, model: Model, state: State) -> Iterator[tuple[LiveView, ...]]:
    """The watchers of a run that is viewed: none if `view` is False.

    view: True opens the browser; a function is called with the address instead, to show it elsewhere. The run
    waits some seconds for its page. Raises ValueError for anything else.
    """
    if view is not True and view is not False and (not callable(view) or isinstance(view, type)):
        raise refuse("view", view, "True, False or a function of the address", "True opens the browser")
    if view is False:
        yield ()
        return
    page = LiveView(model, state)
    try:
        (opened if view is True else view)(page.server.address)
        page.wait()
        yield (page,)
    except BaseException as error:
        page.end(f"ended by {type(error).__name__}: {error}".removesuffix(": "))
        raise
    else:
        page.end(page.ended)
