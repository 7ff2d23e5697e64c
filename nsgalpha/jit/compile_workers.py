"""Machine code written by separate processes, while this one finds further types.

A fork of this process takes the jobs that wait (deferred_codegen.py), writes the code of their kernels, keeps
it in the cache, and ends. It never calls its own compiled code.

Code that a fork fails to keep, for any reason, is written by this process. Forks are used on Linux alone,
with two processors or more, by the main thread, and not in the processes of a pool.
"""

from __future__ import annotations

import gc
import logging
import os
import signal
import sys
import warnings
from collections.abc import Callable
from itertools import count
from multiprocessing import parent_process
from threading import current_thread, main_thread
from time import monotonic, sleep
from typing import Any

from nsgalpha.jit.numba_internals import FunctionIdentity

BATCH = 1500  # statements in the kernels of a process
BRIEF = 250  # statements that are not worth one
MOST = 8  # processors in use: a separate process takes some 100 MB
LONGEST = 120.0  # seconds that this process waits for others
TICK = 0.002  # seconds between two looks at one


class Job:
    """A kernel with known types in numba's `state`, whose code `write` generates in some process."""

    def __init__(self, state: Any, write: Callable[[], Any]) -> None:
        self.state, self.write = state, write
        self.size = sum(len(block.body) for block in state.func_ir.blocks.values())
        self.process: Process | None = None


class Process:
    """A separate process."""

    def __init__(self, number: int) -> None:
        self.number = number
        self._ended = False

    def has_ended(self) -> bool:
        """True if it is no more."""
        if not self._ended:
            try:
                self._ended = os.waitpid(self.number, os.WNOHANG)[0] != 0
            except ChildProcessError:  # somebody else has waited for it
                self._ended = True
        return self._ended


_waiting: list[Job] = []
_running: list[Process] = []
_is_aside = False


def is_aside() -> bool:
    """True in a separate process."""
    return _is_aside


def may_begin() -> bool:
    """True if separate processes are of use here."""
    alone = parent_process() is None and current_thread() is main_thread()
    return sys.platform == "linux" and alone and _processors() > 1 and not _is_aside


def add(job: Job) -> None:
    """Have the code of a kernel written by a separate process on a free processor."""
    _waiting.append(job)
    if sum(each.size for each in _waiting) >= BATCH:
        _begin_some(_processors() - 1)


def wait_for(job: Job) -> None:
    """Wait for the worker that compiles `job`. Small jobs are compiled in this process."""
    _reap()
    if not _running and sum(each.size for each in _waiting) < BRIEF:
        _waiting.clear()
    end = monotonic() + LONGEST
    while job in _waiting or (job.process is not None and not job.process.has_ended()):
        if monotonic() > end:
            _end_all()
        _begin_some(_processors())
        sleep(TICK)


def forget() -> None:
    """Drop the waiting jobs."""
    _waiting.clear()


def _processors() -> int:
    return min(len(os.sched_getaffinity(0)), MOST)


def _begin_some(most: int) -> None:
    """Begin processes for waiting jobs, at `most` that many at a time."""
    _reap()
    size = min(BATCH, sum(each.size for each in _waiting) / most)
    while _waiting and len(_running) < most:
        jobs = [_waiting.pop(0)]
        while _waiting and sum(each.size for each in jobs) + _waiting[0].size <= size:
            jobs.append(_waiting.pop(0))
        _begin(jobs)


def _reap() -> None:
    _running[:] = [each for each in _running if not each.has_ended()]


def _end_all() -> None:
    """End processes that take too long."""
    _reap()  # the number of one that has ended may be that of another program
    for each in _running:
        os.kill(each.number, signal.SIGKILL)
    _waiting.clear()


def _begin(jobs: list[Job]) -> None:
    """Do some of the waiting jobs in a separate process; none without one."""
    with warnings.catch_warnings():  # on other threads, none of which this process waits for once it is alone
        warnings.simplefilter("ignore")
        try:
            number = os.fork()
        except OSError:
            return
    if number == 0:
        try:
            _be_alone()
            for each in jobs:
                each.write()
        finally:
            os._exit(0)
    process = Process(number)
    _running.append(process)
    for each in jobs:
        each.process = process


def _be_alone() -> None:
    """In a separate process: leave the other's resources to it."""
    global _is_aside
    _is_aside = True
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.closerange(3, 1 + max(map(int, os.listdir("/proc/self/fd"))))  # but for those of the terminal
    logging.disable()
    gc.disable()  # it would touch, and so copy, all pages
    FunctionIdentity._unique_ids = count(os.getpid() << 20)  # in the names of functions that numba adds
