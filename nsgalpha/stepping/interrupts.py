"""Ctrl-C during a run: KeyboardInterrupt at once, but not within the wrappers of kernels.

numba's wrappers call Python where functions and named tuples pass to a kernel or come from it, and do not
check whether it has raised. There Ctrl-C turns into another error or crashes the interpreter (numba 0.68: one
in 25 times in a run with loads). It therefore waits for the end of the step (`serve`). While a kernel is
compiled it is safe. It also waits where something would be left behind: half of a part in a file.

Only the main thread gets Ctrl-C. Runs in other threads ask for an event between steps (`interrupted_by`).
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import FrameType

LIBRARIES = sys.stdlib_module_names | {"numba", "llvmlite", "numpy", "scipy", "h5py", "tqdm"}
CALLED_BY_KERNELS = "numba", "weakref", "importlib", "namedtuple_"  # modules, or how their names begin
GUARDED = "_compile_for_args"  # compilation: a function of numba whose caller checks for errors
#: Modules that are not left before they return.
WHOLE = "nsgalpha.io.run_file", "nsgalpha.jit.thread_team", "nsgalpha.jit.work_sharing"
OURS, LAST = "nsgalpha.", "nsgalpha.api.simulation"  # where the run is called; who calls it is not looked at

_event: ContextVar[threading.Event | None] = ContextVar("event", default=None)


class _Handler:
    """The handler of Ctrl-C during a run."""

    def __init__(self, at_once: bool) -> None:
        self.at_once = at_once
        self.waiting = False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        unsafe = _module(frame) == "weakref" if self.at_once else _unguarded(frame)
        if not self.waiting and unsafe:
            self.waiting = True  # a second Ctrl-C does not wait
        else:
            self.waiting = False
            raise KeyboardInterrupt


@contextmanager
def interruptible(*, at_once: bool = False) -> Iterator[None]:
    """Ctrl-C is safe within it. Other threads, and programs that handle the signal, are left alone.

    With `at_once` it waits only where Python would drop it, in callbacks of weak references (h5py has many):
    for code that passes no functions to kernels.
    """
    if not _in_main_thread() or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    handler = _Handler(at_once)
    signal.signal(signal.SIGINT, handler)
    try:
        yield
    finally:
        if signal.getsignal(signal.SIGINT) is handler:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        if handler.waiting:  # since `serve`
            signal.raise_signal(signal.SIGINT)


@contextmanager
def interrupted_by(event: threading.Event) -> Iterator[None]:
    """Runs of this thread within it end, by KeyboardInterrupt, once the `event` is set."""
    token = _event.set(event)
    try:
        yield
    finally:
        _event.reset(token)


def serve() -> None:
    """Between two steps: KeyboardInterrupt if Ctrl-C waits, or the thread is to end."""
    event = _event.get()
    if event is not None and event.is_set():
        raise KeyboardInterrupt
    handler = signal.getsignal(signal.SIGINT)
    if isinstance(handler, _Handler) and handler.waiting and _in_main_thread():
        handler.waiting = False
        raise KeyboardInterrupt


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


def _unguarded(frame: FrameType | None) -> bool:
    """True if an error in `frame` would pass unchecked code or leave a mess.

    Wrappers of kernels are not Python and have no frame: our code seems to call their callees. So are direct
    calls of the libraries, which soon return. Functions of users are left at once.
    """
    while frame is not None and _module(frame) != LAST:
        caller, module = frame.f_back, _module(frame)
        entered = _is_library(module) and not _is_library(_module(caller))
        by_kernel = _module(caller).startswith(OURS) or module.startswith(CALLED_BY_KERNELS)
        if module in WHOLE or (entered and by_kernel and frame.f_code.co_name != GUARDED):
            return True
        frame = caller
    return False


def _is_library(module: str) -> bool:
    return module.partition(".")[0] in LIBRARIES or module.startswith("namedtuple_")


def _module(frame: FrameType | None) -> str:
    return str(frame.f_globals.get("__name__", "")) if frame is not None else ""
