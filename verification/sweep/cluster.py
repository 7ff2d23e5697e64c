"""The sweep on a dask cluster of two processes, one of them killed."""

import os
import signal
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import nsgalpha as ns
from nsgalpha.sweeps.sweep_points import Point
from verification.sweep.model import break_shot

#: Only this machine reaches the cluster: anyone with access runs code in it.
ALONE: dict[str, Any] = {"host": "127.0.0.1", "dashboard_address": None}


def lines(file: Path) -> int:
    """Lines of a file that may not be there yet."""
    return file.read_bytes().count(b"\n") if file.exists() else 0


def kill_after(points: int, file: Path, pid: int) -> None:
    """Kill process `pid` as soon as `file` holds so many points."""
    while lines(file) <= points:
        time.sleep(0.01)
    os.kill(pid, signal.SIGKILL)


def on_a_cluster(points: Sequence[Point], file: Path, progress: bool = False) -> tuple[ns.Table, int]:
    """The table of breaks at `points`, and how many processes were begun for two workers.

    A worker is killed when a third of the points is in `file`. Needs dask[distributed].
    """
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, silence_logs=50, **ALONE) as cluster,
        Client(cluster) as client,
    ):
        before = set(client.run(os.getpid).values())
        killer = threading.Thread(target=kill_after, args=(len(points) // 3, file, min(before)), daemon=True)
        killer.start()
        table = ns.sweep(break_shot, points, executor=client, file=file, progress=progress)
        killer.join()
        client.wait_for_workers(2, timeout=60)
        return table, len(before | set(client.run(os.getpid).values()))
