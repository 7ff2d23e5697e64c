"""Workers of a sweep: processes, an executor of the user, this process, its threads.

A worker here is an executor that has one point at a time. Processes are pools of one process each, so that it
is known which point a process died of, and the others continue.
"""

import os
import pickle
import signal
import sys
import threading
from abc import abstractmethod
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from contextlib import suppress
from multiprocessing import get_context, parent_process
from typing import Any, Protocol

from nsgalpha.checks import refuse
from nsgalpha.linalg.single_thread import STATED
from nsgalpha.stepping.interrupts import interrupted_by
from nsgalpha.sweeps.sweep_points import Point
from nsgalpha.sweeps.worker_task import Task, TaskOutcome

THREADS = (*STATED, "NUMBA_NUM_THREADS")


class Worker(Protocol):
    """An executor of points."""

    @abstractmethod
    def submit(self, task: Task, point: Point) -> "Future[TaskOutcome]":
        """Begin with `point`; the future has its outcome, or that the worker died."""

    def replacement(self) -> "Worker":
        """The worker that takes over from one that died; itself unless there is another."""
        return self

    def close(self) -> None:
        """End a worker that has nothing to do; one that is not ours continues."""
        return

    def kill(self) -> None:
        """End a worker in the middle of a point; foreign ones continue."""
        return


class LocalWorker(Worker):
    """The process that sweeps."""

    def submit(self, task: Task, point: Point) -> "Future[TaskOutcome]":
        """Run the point; the future is done."""
        future: Future[TaskOutcome] = Future()
        future.set_result(task(point))
        return future


class Worlds:
    """The threads of this process, whose compiled steps run at the same time.

    The first point runs in the thread that sweeps: it compiles, with the help of separate processes, which
    begin in no other thread (compile_workers.py).
    """

    def __init__(self, count: int) -> None:
        self.workers = [WorldThread(self) for _ in range(count)]
        self.compiled = False
        self.ended = threading.Event()


class WorldThread(Worker):
    """A thread of `worlds`, one for each point."""

    def __init__(self, worlds: Worlds) -> None:
        self._worlds = worlds
        self._thread: threading.Thread | None = None

    def submit(self, task: Task, point: Point) -> "Future[TaskOutcome]":
        """Begin with `point`; the first one is done."""
        if not self._worlds.compiled:
            future = LocalWorker().submit(task, point)
            self._worlds.compiled = True
            return future
        future = Future()
        future.set_running_or_notify_cancel()
        self._thread = threading.Thread(target=self._run, args=(future, task, point), daemon=True)
        self._thread.start()
        return future

    def _run(self, future: "Future[TaskOutcome]", task: Task, point: Point) -> None:
        try:
            with interrupted_by(self._worlds.ended):
                outcome = task(point)
        except BaseException as error:  # raised where the future is read
            future.set_exception(error)
        else:
            future.set_result(outcome)

    def kill(self) -> None:
        """End all runs after their present steps, and wait for this one."""
        self._worlds.ended.set()
        if self._thread is not None:
            self._thread.join()


class UserExecutor(Worker):
    """An executor of the user, who looks after it. A cluster replaces a dead worker, a broken pool stays
    broken, and only points that have not begun are cancelled.
    """

    def __init__(self, executor: Executor) -> None:
        self._executor = executor

    def submit(self, task: Task, point: Point) -> "Future[TaskOutcome]":
        """Hand `point` on."""
        return _submit(self._executor, task, point)


class WorkerProcess(Worker):
    """A process of this machine, begun afresh (not forked), with one thread for linear algebra."""

    def __init__(self, payload: bytes) -> None:
        self._payload = payload
        self._pool = ProcessPoolExecutor(1, mp_context=get_context("spawn"), initializer=_begin)
        self._started = self._pool.submit(_load, payload)

    def check(self) -> None:
        """Wait until it runs; RuntimeError if it does not start or cannot load the functions."""
        try:
            _, trouble = self._started.result()
        except BrokenExecutor:
            raise RuntimeError(
                "the worker processes do not start; a script that calls sweep must do so below "
                "`if __name__ == '__main__':`, since every worker imports the script"
            ) from None
        if trouble:
            raise RuntimeError(f"a worker process cannot load build or reduce: {trouble}")

    def submit(self, task: Task, point: Point) -> "Future[TaskOutcome]":
        """Begin with `point`."""
        return _submit(self._pool, task, point)

    def replacement(self) -> "WorkerProcess":
        """A new process."""
        self.close()
        return WorkerProcess(self._payload)

    def close(self) -> None:
        """Wait until it has ended."""
        self._pool.shutdown(cancel_futures=True)

    def kill(self) -> None:
        """Terminate it."""
        with suppress(BrokenExecutor, ProcessLookupError):
            pid, _ = self._started.result()
            os.kill(pid, signal.SIGTERM)
        self.close()


def processes(count: int, task: Task) -> list[WorkerProcess]:
    """`count` processes that are ready. Raises ValueError if their task could not be sent."""
    try:
        payload = pickle.dumps(task)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        remedy = f"define it in a module or at the top of the script, or say workers=1 ({error})"
        raise refuse("build", task.build, "a function that worker processes can import", remedy) from None
    workers = [WorkerProcess(payload) for _ in range(count)]
    try:
        for each in workers:
            each.check()
    except BaseException:
        for each in workers:
            each.kill()
        raise
    return workers


def _submit(executor: Executor, task: Task, point: Point) -> "Future[TaskOutcome]":
    """Begin; that the executor is broken is said by the future."""
    try:
        return executor.submit(task, point)
    except BrokenExecutor as error:
        future: Future[TaskOutcome] = Future()
        future.set_exception(error)
        return future


def executor_of(value: Any) -> Executor:
    """An executor as it is, a dask client as one; ValueError for anything else."""
    distributed = sys.modules.get("distributed")  # imported, if it is a client of it
    if distributed is not None and isinstance(value, distributed.Client):
        return value.get_executor(pure=False)
    if not isinstance(value, Executor):
        raise refuse("executor", value, "a concurrent.futures.Executor or a dask.distributed.Client")
    return value


def _load(payload: bytes) -> tuple[int, str]:
    """In a worker: its process number, and the error in loading the functions."""
    try:
        pickle.loads(payload)
    except Exception as error:
        return os.getpid(), f"{type(error).__name__}: {error}"
    return os.getpid(), ""


def _begin() -> None:
    """Start a worker: one thread, ends with its parent, leaves Ctrl-C to it."""
    from threadpoolctl import threadpool_limits

    os.environ.update(dict.fromkeys(THREADS, "1"))  # for libraries that are loaded later
    threadpool_limits(1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """A pool whose owner is killed would wait for work for ever."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
