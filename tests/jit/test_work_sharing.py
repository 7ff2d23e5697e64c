"""Parts of the work of a kernel: each is done once, and errors are raised."""

import threading
import time

import numpy as np
import pytest

from nsgalpha.jit.addresses import AVAILABLE
from nsgalpha.jit.decorators import kernel, unlocked
from nsgalpha.jit.work_sharing import Crew, share

pytestmark = pytest.mark.skipif(not AVAILABLE, reason="numba is switched off")


@kernel
def piece(k, given):
    """Count part `k`, with some work for each unit of `effort`; parts from `bad` on raise an error."""
    counts, sums, effort, bad = given
    counts[k] += 1
    if k >= bad:
        raise ValueError("it broke")
    total = 0.0
    for i in range(effort[k]):
        total += np.sin(total + i)
    sums[k] = total


@unlocked
def repeat(board, times, given):
    """Share the work so many times, with fewer parts each time."""
    parts = given[0].shape[0]
    for n in range(times):
        share(board, parts - n % parts, piece, given)
    return parts


def work(parts, effort=20, bad=10**9):
    rng = np.random.default_rng(parts)
    return np.zeros(parts, np.int64), np.zeros(parts), rng.integers(0, 2 * effort, parts), bad


@pytest.mark.parametrize("threads", [1, 2, 3, 7])
@pytest.mark.parametrize("parts", [1, 2, 5, 64])
def test_each_part_is_done_once(threads, parts):
    crew, given = Crew(threads), work(parts)
    times = 40 * parts
    assert crew.run(repeat, (crew.board, times, given)) == parts
    assert np.array_equal(given[0], 40 * (parts - np.arange(parts)))
    alone = work(parts)
    for k in range(parts):
        piece(k, alone)
    assert np.array_equal(given[1], alone[1])


def test_no_work_is_lost_where_threads_fall_asleep_and_wake():
    """Parts have all lengths, so that threads sleep at times."""
    crew, given = Crew(4), work(9, effort=3000)
    for _ in range(20):
        crew.run(repeat, (crew.board, 180, given))
    assert np.array_equal(given[0], 20 * 20 * (9 - np.arange(9)))


def test_several_threads_take_part():
    """A thread without a core takes no part: there are several attempts."""
    crew, given = Crew(2), work(8, effort=200_000)
    end = time.monotonic() + 60.0
    while True:
        begun, own = time.process_time(), time.thread_time()
        crew.run(repeat, (crew.board, 1, given))
        if time.process_time() - begun > 1.3 * (time.thread_time() - own):
            break
        assert time.monotonic() < end, "the other thread does nothing"


@pytest.mark.parametrize("bad", [0, 11])
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_an_error_in_any_thread_is_raised_and_no_thread_is_left(threads, bad):
    crew, before = Crew(threads), threading.active_count()
    with pytest.raises(ValueError, match="it broke"):
        crew.run(repeat, (crew.board, 100, work(12, bad=bad)))
    assert threading.active_count() == before
    given = work(12)
    crew.run(repeat, (crew.board, 12, given))
    assert np.array_equal(given[0], 12 - np.arange(12))
