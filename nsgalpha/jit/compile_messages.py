"""Messages on compilation: a first run compiles for up to a minute, and says so.

They are warnings of the logger "nsgalpha", which Python prints on stderr unless a program says otherwise:
`logging.getLogger("nsgalpha").setLevel("ERROR")` for none.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import perf_counter
from typing import Any

from nsgalpha.jit.decorators import unkept
from nsgalpha.jit.numba_internals import event

PATIENCE = 2.0  # seconds of compilation that pass without a word
LOG = logging.getLogger("nsgalpha")


class Clock(event.Listener):
    """The time [s] that compilation takes, with words after PATIENCE."""

    def __init__(self) -> None:
        self.announced = False
        self.spent = 0.0
        self.kernels: set[Any] = set()
        self._depth, self._begun = 0, 0.0  # kernels are compiled within the compilation of others

    def on_start(self, event: Any) -> None:
        """A kernel is compiled."""
        dispatcher = event.data["dispatcher"]
        if self._depth == 0:
            self._begun = perf_counter()
        long = self.spent + perf_counter() - self._begun > PATIENCE
        if long and not self.announced and hasattr(dispatcher, "of_nsgalpha"):
            self.announced = True
            reason = unkept(dispatcher)
            later = (
                f"as in every run: {reason}; see NUMBA_CACHE_DIR" if reason else "later runs start at once"
            )
            LOG.warning("compiling the kernels that this model needs, for up to a minute; %s", later)
        self._depth += 1

    def on_end(self, event: Any) -> None:
        """It has been."""
        self._depth -= 1
        dispatcher = event.data["dispatcher"]
        if not hasattr(dispatcher, "inner"):  # Python's way to a kernel is none
            self.kernels.add((id(dispatcher), event.data["args"]))  # some come twice: deferred_codegen.py
        if self._depth == 0:
            self.spent += perf_counter() - self._begun

    def tell(self) -> None:
        """Say how long it took, if there was a word on it."""
        if self.announced and self.spent > PATIENCE:
            LOG.warning("compiled %d kernels in %.0f s", len(self.kernels), self.spent)
            self.spent = 0.0
            self.kernels.clear()


_clock: ContextVar[Clock | None] = ContextVar("clock", default=None)


@contextmanager
def announced() -> Iterator[None]:
    """Compilation within it is announced."""
    clock = Clock()
    token = _clock.set(clock)
    try:
        with event.install_listener("numba:compile", clock):
            yield
    finally:
        _clock.reset(token)


def begun() -> None:
    """The first steps are done: say how long compilation took, within `announced`."""
    clock = _clock.get()
    if clock is not None:
        clock.tell()
