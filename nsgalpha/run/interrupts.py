"""Ctrl-C during a run: KeyboardInterrupt at once, but not within the wrappers of kernels.

numba's wrappers call Python where functions and named tuples pass to a kernel or come from it, and do not
check whether it has raised. There Ctrl-C turns into another error or crashes the interpreter (numba 0.68: one
in 25 times in a run with loads), so the signal is sent again a little later. While a kernel is compiled it is
safe. It also waits where something would be left behind: filters of warnings (quiet.py), half of a part in a
file.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

AGAIN = 2e-3  # seconds
UNGUARDED = "numba", "weakref"  # modules whose Python is called by code that does not check for errors
GUARDED = "_compile_for_args"  # except this function
WHOLE = "nsgalpha.run.quiet", "nsgalpha.io.store"  # modules that are not left before they return


@contextmanager
def interruptible() -> Iterator[None]:
    """Ctrl-C is safe within it. Other threads, and programs that handle the signal, are left alone."""
    ours = (
        threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    )
    if ours:
        signal.signal(signal.SIGINT, _strike)
    try:
        yield
    finally:
        if ours and signal.getsignal(signal.SIGINT) is _strike:
            signal.signal(signal.SIGINT, signal.default_int_handler)


def _strike(number: int, frame: FrameType | None) -> None:
    if not _unguarded(frame):
        raise KeyboardInterrupt
    later = threading.Timer(AGAIN, signal.raise_signal, (number,))
    later.daemon = True
    later.start()


def _unguarded(frame: FrameType | None) -> bool:
    """Whether code in a `frame`, or in one that called it, must not raise."""
    called: FrameType | None = None  # the last frame of an unguarded module
    while frame is not None:
        module = _module(frame)
        if module in WHOLE or (module == "contextlib" and _module(frame.f_back).startswith("nsgalpha.")):
            return True
        if module.partition(".")[0] in UNGUARDED:
            called = frame
        elif called is not None:
            if called.f_code.co_name != GUARDED:
                return True
            called = None
        frame = frame.f_back
    return False


def _module(frame: FrameType | None) -> str:
    return str(frame.f_globals.get("__name__", "")) if frame is not None else ""
