"""Work of a kernel that several threads share: fork and join in compiled code.

    crew = Crew(2)                      threads, with that of the caller
    crew.run(kernel, arguments)         one call of the kernel; the others wait for work until it returns
    share(board, parts, piece, given)   in the kernel, for `crew.board`: calls piece(k, given) for each part k

Any thread that is free takes the next part. None waits for a thread that the system keeps from its core.
The results of a part must depend on neither the thread nor the order. Where a part raises an error the
caller repeats it, so that the error is raised as by one thread.

A thread without work looks for some microseconds, and then sleeps at a lock of Python's C interface
(thread_team.py). It notes this before, and looks once more. The thread that clears the note wakes it.
"""

import threading
import weakref
from collections.abc import Callable
from typing import Any, NamedTuple

import numba as nb
import numpy as np
from llvmlite import ir
from numba import types

from nsgalpha.arrays import Ints
from nsgalpha.jit.addresses import called_by_kernels, named
from nsgalpha.jit.decorators import inlined, kernel, unlocked
from nsgalpha.jit.numba_internals import cgutils
from nsgalpha.jit.thread_team import close_lock, free, lock_functions, new_lock, open_lock

APART = 8  # integers in a line of the cache
LEFT, DONE, TOTAL, FUNCTION, GIVEN, FAILED, OVER = range(0, 7 * APART, APART)
LOOKS = 4000  # at the work before a thread sleeps
PIECE = nb.void(nb.int64, nb.int64)  # number of the part, address of the data


class Board(NamedTuple):
    """The arrays of T threads."""

    words: Ints  # parts that are left, done and in total; function and arguments; a part that failed; the end
    asleep: Ints  # (T APART,) 1 while a thread sleeps, or is about to
    functions: Ints  # (2,) addresses of those that close and open a lock
    locks: Ints  # (T,) their addresses


class Crew:
    """Threads that share the work of kernels, `size` in number with that of the caller."""

    def __init__(self, size: int) -> None:
        locks = np.array([new_lock() for _ in range(size)], np.int64)
        weakref.finalize(self, free, locks)
        words, asleep = np.zeros(7 * APART, np.int64), np.zeros(size * APART, np.int64)
        self.board = named(Board(words, asleep, lock_functions(), locks))
        words[OVER] = 1
        serve(self.board, 0)  # threads do not compile

    def run(self, kernel: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        """Call the compiled `kernel`, which is given the board, while the others serve."""
        board = self.board
        board.words[:] = 0
        board.asleep[:] = 0
        others = [
            threading.Thread(target=serve, args=(board, t), daemon=True) for t in range(1, len(board.locks))
        ]
        try:
            for each in others:
                each.start()
            return kernel(*arguments)
        finally:
            dismiss(board)
            for each in others:
                if each.ident is not None:
                    each.join()


def _atomic(operation: str) -> Any:
    """An intrinsic: the value of `array[k]` before an `operation` with `value`, in one order for all."""

    def typed(typing_context, array, k, value):
        def generate(context, builder, signature, values):
            data = context.make_array(signature.args[0])(context, builder, values[0]).data
            return builder.atomic_rmw(operation, builder.gep(data, [values[1]]), values[2], "seq_cst")

        return types.int64(array, types.int64, types.int64), generate

    return called_by_kernels(typed)


_add, _exchange = _atomic("add"), _atomic("xchg")


@called_by_kernels
def _look(typing_context, array, k):
    """The value of `array[k]`, that of other threads."""

    def generate(context, builder, signature, values):
        data = context.make_array(signature.args[0])(context, builder, values[0]).data
        return builder.load_atomic(builder.gep(data, [values[1]]), "seq_cst", 8)

    return types.int64(array, types.int64), generate


@called_by_kernels
def _post(typing_context, words, piece, given):
    """Write the addresses of `piece` and of a copy of the data `given`."""
    taken = types.int64, given
    called = typing_context.resolve_function_type(piece, taken, {})

    def generate(context, builder, signature, values):
        place = cgutils.alloca_once_value(builder, values[2])
        outlined = _outline(context, builder, piece, called, values[2].type)
        data = context.make_array(words)(context, builder, values[0]).data
        word = ir.IntType(64)
        for where, pointer in ((FUNCTION, outlined), (GIVEN, place)):
            builder.store(builder.ptrtoint(pointer, word), builder.gep(data, [word(where)]))
        return context.get_dummy_value()

    return types.none(words, piece, given), generate


def _outline(context: Any, builder: Any, piece: Any, called: Any, given: Any) -> Any:
    """A function of the signature PIECE that calls `piece` with the data at an address."""
    convention, module = context.call_conv, builder.module
    kind = convention.get_function_type(types.none, PIECE.args)
    function = ir.Function(module, kind, module.get_unique_name("piece"))
    function.linkage = "internal"
    inner = ir.IRBuilder(function.append_basic_block("entry"))
    k, address = convention.get_arguments(function)
    value = inner.load(inner.inttoptr(address, given.as_pointer()))
    context.get_function(piece, called)(inner, (k, value))
    convention.return_value(inner, context.get_dummy_value())
    return function


@called_by_kernels
def _call(typing_context, address, k, given):
    """Call the function at the `address`; returns 1 if it raises an error, which is dropped."""

    def generate(context, builder, _, values):
        convention = context.call_conv
        pointer = builder.inttoptr(
            values[0], convention.get_function_type(types.none, PIECE.args).as_pointer()
        )
        status, _ = convention.call_function(builder, pointer, types.none, PIECE.args, values[1:])
        return builder.zext(status.is_error, ir.IntType(64))

    return types.int64(types.int64, types.int64, types.int64), generate


@kernel
def _wake(board, t):
    """Wake thread `t` if it sleeps, or is about to."""
    if _look(board.asleep, t * APART) == 1 and _exchange(board.asleep, t * APART, 0) == 1:
        open_lock(board.functions[1], board.locks[t])


@kernel
def _is_awaited(board, t):
    """True if thread `t` has nothing to do. The caller, 0, waits until all parts are done."""
    words = board.words
    if t == 0:
        return _look(words, DONE) < words[TOTAL]
    return _look(words, LEFT) <= 0 and _look(words, OVER) == 0


@kernel
def _wait(board, t):
    """Wait until there is something to do for thread `t`."""
    for _ in range(LOOKS):
        if not _is_awaited(board, t):
            return
    while _is_awaited(board, t):
        _exchange(board.asleep, t * APART, 1)
        if _is_awaited(board, t) or _exchange(board.asleep, t * APART, 0) == 0:
            close_lock(board.functions[0], board.locks[t], np.int32(1))


@kernel
def _take(board):
    """Do parts until none is left."""
    words = board.words
    while _look(words, LEFT) > 0:
        left = _add(words, LEFT, -1)
        if left <= 0:
            return
        total, k = _look(words, TOTAL), 0
        k = total - left
        if _call(_look(words, FUNCTION), k, _look(words, GIVEN)) != 0:
            _exchange(words, FAILED, k)
        if _add(words, DONE, 1) + 1 == total:
            _wake(board, 0)


@unlocked
def serve(board, t):
    """Thread `t` takes parts of all work until it is dismissed."""
    while True:
        _wait(board, t)
        if _look(board.words, OVER) != 0:
            return
        _take(board)


@kernel
def dismiss(board):
    """End the service of the other threads."""
    _exchange(board.words, OVER, 1)
    for t in range(1, board.locks.shape[0]):
        _wake(board, t)


@kernel
def fork_and_join(board, parts):
    """Do all `parts` of the work on the `board`; returns one that raised an error, or -1."""
    words = board.words
    words[DONE], words[TOTAL], words[FAILED] = 0, parts, -1
    _exchange(words, LEFT, parts)
    for t in range(1, min(parts, board.locks.shape[0])):
        _wake(board, t)
    _take(board)
    _wait(board, 0)
    return _look(words, FAILED)


@inlined
def share(board, parts, piece, given):
    """Call the kernel `piece(k, given)` for each of the `parts` k, in the threads of the `board`."""
    _post(board.words, piece, given)
    failed = fork_and_join(board, parts)
    if failed >= 0:
        piece(failed, given)
