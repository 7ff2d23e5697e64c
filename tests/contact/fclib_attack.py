"""Read hostile files in a process that may die, with lines before and after each.

    python fclib_attack.py FOLDER FIRST LAST    mutations, by seed: `same`, `other` (another problem, that of
                                                the file), `refused`, or `RAW` and what nobody should ever see
    python fclib_attack.py FOLDER               the corpus: the error of each file

The process has MEMORY more than at its start, and ends itself if one file takes SECONDS.
"""

import faulthandler
import resource
import sys
import warnings
from pathlib import Path

import numpy as np
from fclib_corpus import CORPUS, write_corpus
from fclib_mutations import mutated, originals
from plain_reader import read_plainly

from nsgalpha.contact import solve
from nsgalpha.io import fclib

MEMORY = 2**30  # [bytes]
SECONDS = 20


def main(folder, *seeds):
    """Read the files of `seeds`, first and last, or of the corpus."""
    sound = []
    for content in originals():
        (folder / "sound.hdf5").write_bytes(content)
        sound.append(fclib.read(folder / "sound.hdf5"))
        if seeds:
            solve(sound[-1])  # compiles
    if not seeds:
        write_corpus(folder)
    warnings.simplefilter("error")
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY,) * 2)
    for case in range(*seeds) if seeds else CORPUS:
        print(case, "begun", flush=True)
        faulthandler.dump_traceback_later(SECONDS, exit=True)
        print(case, of_seed(case, folder, sound) if seeds else of_corpus(folder / f"{case}.hdf5"), flush=True)
        faulthandler.cancel_dump_traceback_later()


def of_corpus(path):
    """The error that reading the file gave."""
    try:
        fclib.read(path)
    except Exception as error:
        return f"{type(error).__name__} {error}"
    return "read"


def of_seed(seed, folder, sound):
    """Outcome of reading the file of a seed, and of its solution."""
    path = mutated(seed, folder)
    try:
        problem = fclib.read(path)
    except (ValueError, OSError) as error:
        text = str(error)
        clean = type(error) is ValueError and text.startswith(f"{path}: ") and text.isprintable()
        return "refused" if clean and len(text) < 1000 else f"RAW {error!r}"
    except Exception as error:
        return f"RAW {error!r}"
    W, q, mu, _ = read_plainly(path)
    if not (np.allclose(problem.W.toarray(), W) and np.allclose(problem.q, q)):
        return "RAW read wrong"
    if not np.array_equal(problem.mu, mu):
        return "RAW read wrong"
    solution = solve(problem)
    if solution.status and not solution.residual <= 1e-8:
        return f"RAW solved with a residual of {solution.residual}"
    same = any(np.array_equal(each.q, q) and np.array_equal(each.W.toarray(), W) for each in sound)
    return "same" if same else "other"


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:]))
