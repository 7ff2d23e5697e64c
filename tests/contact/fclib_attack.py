"""Read mutated files in a process that may die: `python fclib_attack.py FOLDER FIRST LAST` prints what came of each.

A line `seed mutating` before, and `seed outcome` after: `same`, `other` (another problem, that of the file),
`refused`, or `RAW` with an error that a user should never see. The process ends itself if one takes too long.
"""

import faulthandler
import resource
import sys
import warnings
from pathlib import Path

import h5py
import numpy as np
from fclib_mutations import mutated, originals
from plain_reader import read_plainly

from nsgalpha.io import fclib

MEMORY = 2**30  # [bytes] beyond what the process has at the start
SECONDS = 20  # for a file


def main(folder, first, last):
    sound = [_problem(folder / "sound.hdf5", content) for content in originals()]
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY,) * 2)
    warnings.simplefilter("error")
    for seed in range(first, last):
        print(seed, "mutating", flush=True)
        faulthandler.dump_traceback_later(SECONDS, exit=True)
        path = mutated(seed, folder)
        print(seed, outcome(path, sound), flush=True)
        faulthandler.cancel_dump_traceback_later()


def _problem(path, content):
    path.write_bytes(content)
    return fclib.read(path)


def outcome(path, sound):
    """What came of reading the file."""
    try:
        problem = fclib.read(path)
    except (ValueError, OSError) as error:
        text = str(error)
        clean = (
            type(error) is ValueError
            and text.startswith(f"{path}: ")
            and text.isprintable()
            and len(text) < 1000
        )
        return "refused" if clean else f"RAW {error!r}"
    except Exception as error:
        return f"RAW {error!r}"
    W, q, mu, _ = read_plainly(path)
    if not (
        np.allclose(problem.W.toarray(), W) and np.allclose(problem.q, q) and np.array_equal(problem.mu, mu)
    ):
        return "RAW read wrong"
    same = any(
        np.array_equal(each.q, problem.q) and (each.W != problem.W).nnz == 0
        for each in sound
        if each.W.shape == problem.W.shape
    )
    return "same" if same else "other"


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
