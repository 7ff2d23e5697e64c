"""Functions without models, which worker processes of sweeps import at once."""

import os
import signal
import threading
import time
from pathlib import Path

import numpy as np


def product(a, b=2.0):
    return {"product": a * b, "pair": [a, b]}


def third_fails(a):
    if a == 3:
        raise ArithmeticError("three cannot be had")
    return a * 0.1


def log(folder, text):
    with (Path(folder) / "log").open("a") as stream:
        stream.write(f"{text}\n")


def logged(a, folder):
    log(folder, a)
    return a / 7


def fails_once(a, folder):
    log(folder, a)
    if a == 2 and (Path(folder) / "log").read_text().split().count("2") == 1:
        raise OSError("not yet")
    return a


def dies(a, folder, times):
    """Point 3 kills its process so many times."""
    log(folder, a)
    if a == 3 and (Path(folder) / "log").read_text().split().count("3") <= times:
        os.kill(os.getpid(), signal.SIGKILL)
    return a * 0.1


def slow(a, folder):
    log(folder, os.getpid())
    time.sleep(0.2)
    return a / 7


def stops(a):
    if a == 3:
        raise KeyboardInterrupt
    return a


def leaves(a):
    raise SystemExit(a)


def threads(a):
    from threadpoolctl import threadpool_info

    np.ones((2, 2)) @ np.ones((2, 2))
    return {"blas": max(each["num_threads"] for each in threadpool_info()), "pid": os.getpid()}


def interval(a):
    begin = time.perf_counter()
    time.sleep(0.05)
    return {"begin": begin, "end": time.perf_counter()}


def thread_name(a):
    return threading.current_thread().name
