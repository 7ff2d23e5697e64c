"""Sweeps: one function at many points, in parallel, into one table."""

from collections import Counter, deque
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Executor, Future
from contextlib import closing, nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from tqdm import tqdm

from nsgalpha.checks import count, function, integer, named, path, refuse, truth
from nsgalpha.jit.processors import processors
from nsgalpha.jit.thread_team import MOST
from nsgalpha.linalg.single_thread import one_thread
from nsgalpha.run.result import Result
from nsgalpha.sweeps.sweep_file import SweepStore
from nsgalpha.sweeps.sweep_points import Parameters, Point, points_of
from nsgalpha.sweeps.sweep_table import Table, table_of
from nsgalpha.sweeps.sweep_workers import (
    LocalWorker,
    UserExecutor,
    Worker,
    Worlds,
    executor_of,
    processes,
)
from nsgalpha.sweeps.worker_task import LOST, Task, TaskOutcome

if TYPE_CHECKING:
    from distributed import Client


@named
def sweep(
    build: Callable[..., Any],
    parameters: Parameters,
    *,
    reduce: Callable[[Result], Any] | None = None,
    workers: int | None = None,
    threads: int = 1,
    executor: "Executor | Client | None" = None,
    file: str | Path | None = None,
    retries: int = 2,
    progress: bool = False,
) -> Table:
    """Call `build(**point)` at every point of `parameters` and return the table of results.

    build: makes and runs a model. It returns a number or a dict of numbers, texts and arrays of them, or a
    Result which `reduce(result)` turns into these. A "status" in the dict, that of a Result, says how the run
    ended. Both run in the worker: a table holds numbers, not runs.

    parameters: names and their values, of which all combinations are taken, or a list of points (dicts with
    the same names), such as `sample_points` makes.

    workers: processes of this machine, by default one for each processor that may be used; 1 is this process
    itself. They import `build`: a script calls sweep below `if __name__ == "__main__":`. threads: 1 to 64 of
    this process, used instead of processes, for many small models. Compiled steps run at the same time, and
    Python in turn; the values are the same to the bit. executor: used instead of both, any
    `concurrent.futures.Executor` or a `dask.distributed.Client`.

    file: keeps every point as it comes (a line of JSON each). A sweep with a file that exists runs only the
    points that are not in it; those that failed or were lost are tried again.

    An error in `build` or `reduce` is the outcome "failed" of its point, a run that ends early "ended early",
    both with a message. A point whose worker dies is begun again, `retries` times, then it is "lost". The
    first point runs alone, so that the kernels are compiled once and the other workers find them. Ctrl-C ends
    the sweep: the table has the results so far, the other points are "not run". Runs in threads end after
    their present steps then; other work of `build` is waited for.

    >>> def divide(a, b):
    ...     return {"quotient": a // b, "rest": a % b}
    >>> table = ns.sweep(divide, {"a": [7, 8], "b": [2, 3]}, workers=1)
    >>> table["quotient"]
    array([3, 2, 4, 2])
    >>> print(table.status)
    4 points: 4 done

    Raises ValueError if an argument is out of range, the points do not have the same names, or processes
    cannot import `build`. Also raises it for a `file` of another function. Raises RuntimeError if processes
    do not start.
    """
    function("build", build, classes=True)
    if reduce is not None:
        function("reduce", reduce, classes=True)
    points, most = points_of(parameters), integer("retries", retries, 0)
    progress = truth("progress", progress)
    width, threads = _divided(workers, threads, executor)
    lent = None if executor is None else executor_of(executor)
    task = Task(build, reduce)
    outcomes: list[TaskOutcome | None] = [None] * len(points)
    with (
        one_thread() if threads > 1 else nullcontext(),
        nullcontext() if file is None else closing(SweepStore(path("file", file), build)) as store,
        tqdm(total=len(points), disable=None if progress else True, unit="point") as bar,
    ):
        if store is not None:
            outcomes = [store.find(point) for point in points]
        todo = [i for i, outcome in enumerate(outcomes) if outcome is None]
        bar.update(len(points) - len(todo))
        newest = -1
        with suppress(KeyboardInterrupt):
            pool = Worlds(threads).workers if threads > 1 else _pool(task, width, len(todo), lent)
            with closing(_run(task, points, todo, pool, most)) as running:
                for i, outcome in running:
                    newest, outcomes[i] = i, outcome
                    if store is not None:
                        store.append(points[i], outcome)
                    bar.update()
        last = outcomes[newest] if newest >= 0 else None
        if store is not None and last is not None:
            store.append(points[newest], last)  # Ctrl-C may have come before its row was whole
    return table_of(points, outcomes)


def _divided(workers: int | None, threads: int, executor: Any) -> tuple[int, int]:
    """Number of processes, and of threads in their place if it is not 1."""
    if workers is not None and executor is not None:
        raise refuse("workers", workers, "left out where executor is given", "the executor has its own")
    threads = integer("threads", threads, 1, MOST, "more than the processors gain nothing")
    if threads > 1 and (executor is not None or workers not in (None, 1)):
        allowed = "1 where executor or several workers are given"
        raise refuse("threads", threads, allowed, "threads are those of this process, and used instead")
    return processors() if workers is None else count("workers", workers), threads


def _pool(task: Task, width: int, points: int, lent: Executor | None) -> Sequence[Worker]:
    """The workers for so many `points`: of the executor `lent`, this process, or processes."""
    if points == 0:
        return []
    if lent is not None:
        return [UserExecutor(lent)] * points
    if width == 1:
        return [LocalWorker()]
    return processes(min(width, points), task)


def _run(
    task: Task, points: Sequence[Point], todo: Sequence[int], pool: Sequence[Worker], retries: int
) -> Generator[tuple[int, TaskOutcome], None, None]:
    """The outcomes of the points `todo` as they come, each with its number."""
    waiting, idle = deque(todo), list(pool)
    busy: dict[Future[TaskOutcome], tuple[int, Worker]] = {}
    ended: SimpleQueue[Future[TaskOutcome]] = SimpleQueue()
    tries: Counter[int] = Counter()
    compiled = False  # by the first point
    try:
        while waiting or busy:
            while waiting and idle and (compiled or not busy):
                i, worker = waiting.popleft(), idle.pop()
                tries[i] += 1
                future = worker.submit(task, points[i])
                busy[future] = i, worker
                future.add_done_callback(ended.put)
            future = ended.get()
            i, worker = busy.pop(future)
            outcome, lost = _outcome(future)
            idle.append(worker.replacement() if lost else worker)
            compiled = True
            if lost and tries[i] <= retries:
                waiting.append(i)
            else:
                yield i, replace(outcome, tries=tries[i])
    finally:
        for future, (_, worker) in busy.items():
            future.cancel()
            worker.kill()
        for worker in idle:
            worker.close()


def _outcome(future: "Future[TaskOutcome]") -> tuple[TaskOutcome, bool]:
    """A worker's outcome, and whether the worker was lost instead."""
    try:
        return future.result(), False
    except Exception as error:
        return TaskOutcome(LOST, {}, f"no worker brought it to an end: {type(error).__name__}: {error}"), True
