"""Threads that run one kernel together, and meet in it.

    team = Team(2)
    team.run(kernel, arguments_of_each)     one call in each thread, the first in that of the caller
    agree(team.meetings, me, value)         in the kernel: waits for all, returns the largest of their values

In round r of a meeting a thread opens a lock of the one 2^r further on, and waits for its own. Nobody leaves
before all have come. Two sets of locks take turns. The locks are those of Python's C interface. They put a
thread to sleep, on all systems, and need no interpreter: a meeting takes up to 20 microseconds. A thread
looks at a lock for as long as that before it sleeps.

Source: Hensgen, Finkel and Manber, Int. J. Parallel Program. 17 (1988) 1.
"""

import ctypes
import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types

from nsgalpha.arrays import Ints
from nsgalpha.jit.addresses import called_by_kernels
from nsgalpha.jit.decorators import kernel

MOST = 64  # threads
BROKEN = 1000  # result of a meeting after an error in another thread; larger than all values
TRIES = 2000  # looks at a lock before a thread sleeps
APART = 8  # integers in a line of the cache


class Meetings(NamedTuple):
    """The arrays of a team of T threads."""

    functions: Ints  # (2,) addresses of those that close and open a lock
    locks: Ints  # (2, T, rounds) addresses
    values: Ints  # (2, T) that the threads bring
    turn: Ints  # (T, APART) 0 or 1, which set of locks is next
    broken: Ints  # (1,) BROKEN after an error, else 0


class Team:
    """Threads that run kernels together, `size` in number with that of the caller."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._renew()

    def _renew(self) -> None:
        rounds, size = max(1, (self.size - 1).bit_length()), self.size
        locks = np.array([new_lock() for _ in range(2 * size * rounds)], np.int64)
        weakref.finalize(self, free, locks)
        others = np.zeros((2, size), np.int64), np.zeros((size, APART), np.int64), np.zeros(1, np.int64)
        self.meetings = Meetings(lock_functions(), locks.reshape(2, size, rounds), *others)

    def run(self, kernel: Callable[..., Any], arguments: Sequence[tuple[Any, ...]]) -> Any:
        """Call the compiled `kernel` with the `arguments` of each thread; returns the result of the first.

        An error in any thread is raised once all have ended.
        """
        errors: list[BaseException] = []

        def call(*given: Any) -> Any:
            try:
                return kernel(*given)
            except BaseException as error:  # raised below
                errors.append(error)
                self._break()

        others = [threading.Thread(target=call, args=each, daemon=True) for each in arguments[1:]]
        try:
            for each in others:
                each.start()
            found = call(*arguments[0])
        except BaseException:
            self._break()
            raise
        finally:
            for each in others:
                if each.ident is not None:
                    each.join()
        if errors:
            self._renew()
            raise errors[0]
        return found

    def _break(self) -> None:
        """No thread waits any longer."""
        self.meetings.broken[0] = BROKEN
        for lock in self.meetings.locks.flat:
            ctypes.pythonapi.PyThread_release_lock(ctypes.c_void_p(int(lock)))


def lock_functions() -> Ints:
    """Addresses of the functions that close and open a lock."""
    both = ctypes.pythonapi.PyThread_acquire_lock, ctypes.pythonapi.PyThread_release_lock
    return np.array([ctypes.cast(each, ctypes.c_void_p).value for each in both], np.int64)


def new_lock() -> int:
    """Address of a new lock, closed."""
    make = ctypes.pythonapi.PyThread_allocate_lock
    make.restype = ctypes.c_void_p
    address: int | None = make()
    if address is None:
        raise MemoryError("no lock for a thread is left")
    ctypes.pythonapi.PyThread_acquire_lock(ctypes.c_void_p(address), 1)
    return address


def free(locks: Ints) -> None:
    """Return `locks` to the system."""
    for lock in locks:
        ctypes.pythonapi.PyThread_free_lock(ctypes.c_void_p(int(lock)))


def _call_c(builder: Any, result: Any, function: Any, lock: Any, *more: Any) -> Any:
    pointer = ir.IntType(8).as_pointer()
    kind = ir.FunctionType(result, [pointer, *(each.type for each in more)])
    called = builder.inttoptr(function, kind.as_pointer())
    return builder.call(called, [builder.inttoptr(lock, pointer), *more])


@called_by_kernels
def close_lock(typing_context, function, lock, waits):
    """Close `lock` if it is open, or wait until then; returns 1 if it was closed now."""

    def generate(context, builder, _, values):
        return _call_c(builder, ir.IntType(32), *values)

    return types.int32(types.int64, types.int64, types.int32), generate


@called_by_kernels
def open_lock(typing_context, function, lock):
    """Open `lock`."""

    def generate(context, builder, _, values):
        _call_c(builder, ir.VoidType(), *values)
        return context.get_dummy_value()

    return types.none(types.int64, types.int64), generate


@kernel
def _pass(close, lock):
    """Wait until `lock` is open, and close it."""
    for _ in range(TRIES):
        if close_lock(close, lock, np.int32(0)) == 1:
            return
    close_lock(close, lock, np.int32(1))


@kernel
def agree(team, me, value):
    """Wait for all threads of the `team`; returns the largest of their values, or BROKEN.

    Without a team, None, it is the `value` of the only thread.
    """
    if team is None:
        return value
    size = team.values.shape[1]
    turn = team.turn[me, 0]
    team.turn[me, 0] = 1 - turn
    team.values[turn, me] = value
    distance, r = 1, 0
    while distance < size:
        open_lock(team.functions[1], team.locks[turn, (me + distance) % size, r])
        _pass(team.functions[0], team.locks[turn, me, r])
        distance, r = 2 * distance, r + 1
    largest = team.broken[0]
    for k in range(size):
        largest = max(largest, team.values[turn, k])
    return largest
