"""Linear algebra has one thread while a run lasts: its matrices are many and small.

On two cores a step of ten pins in a mixture took 5.3 ms with two threads, and takes 2.7 ms with one. A step
of 10 648 spheres without inertia took as long, and twice the processor time. Results do not depend on the
cores.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from threading import Lock

from threadpoolctl import ThreadpoolController

STATED = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS")


class _Limits:
    """The limits while runs last, several perhaps, in separate threads."""

    def __init__(self) -> None:
        self._lock, self._held, self._runs = Lock(), ExitStack(), 0
        self._libraries: ThreadpoolController | None = None
        self._modules = 0  # imported when the libraries were found

    def begin(self) -> None:
        """Another run begins."""
        with self._lock:
            self._runs += 1
            if self._runs == 1:
                self._hold()

    def end(self) -> None:
        """A run ends; with the last one the limits do."""
        with self._lock:
            self._runs -= 1
            if self._runs == 0:
                self._held.close()

    def find(self) -> None:
        """A library has been loaded."""
        with self._lock:
            self._libraries = None
            if self._runs > 0:
                self._hold()

    def _hold(self) -> None:
        if self._libraries is None or len(sys.modules) != self._modules:  # an import may have loaded one
            self._libraries = ThreadpoolController()  # looks at all libraries, for some milliseconds
            self._modules = len(sys.modules)
        self._held.enter_context(self._libraries.limit(limits=1, user_api="blas"))


_limits = _Limits()


@contextmanager
def one_thread() -> Iterator[None]:
    """One thread for linear algebra, unless the environment states a number (STATED)."""
    if any(name in os.environ for name in STATED):
        yield
        return
    _limits.begin()
    try:
        yield
    finally:
        _limits.end()


def loaded() -> None:
    """Limit a newly loaded library of linear algebra to one thread, too."""
    _limits.find()
