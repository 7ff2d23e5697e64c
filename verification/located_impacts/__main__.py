"""`python -m verification.located_impacts [--shots N] [--seed K] [--accuracy A]`: random shots."""

import argparse

from verification.located_impacts import SEED, SHOTS, shot_rows
from verification.located_impacts.shots import played

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="random shots of fifteen balls in steps that end at impacts")
    parser.add_argument("--shots", type=int, default=SHOTS)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--accuracy", type=float, help="of steps that are found; else steps of 10 ms")
    given = parser.parse_args()
    shots = played(given.shots, given.seed, given.accuracy, show=True)
    for row in shot_rows(shots, given.accuracy):
        bound = "" if row.tolerance is None else f", at most {row.tolerance:g}"
        print(f"{row.quantity}: {row.ours:.3g} {row.unit}{bound}{'' if row.passed else ' MISSED'}")
