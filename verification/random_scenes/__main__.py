"""`python -m verification.random_scenes [--count 600] [--first 0]`: differences, and runs that fail."""

import argparse
from collections import Counter

from verification.random_scenes.differences import differences
from verification.random_scenes.scenes import random_scene


def main() -> None:
    """Print scenes with a difference, their number, and the causes."""
    parser = argparse.ArgumentParser(prog="python -m verification.random_scenes", description=__doc__)
    parser.add_argument("--count", type=int, default=600)
    parser.add_argument("--first", type=int, default=0)
    asked = parser.parse_args()
    found: Counter[str] = Counter()
    residual = 0.0
    for seed in range(asked.first, asked.first + asked.count):
        scene = random_scene(seed)
        result, apart = differences(scene, seed)
        found["capped"] += bool(result.stats.capped.any())
        found["relaxed"] += bool(result.stats.relaxed.any())
        found["failed"] += not result.status.ok
        found["scenes with a difference"] += bool(apart)
        proven = bool(apart) and all(d.residual is not None for d in apart)
        found["  of them several solutions of one problem"] += proven
        residual = max([residual, *(d.residual for d in apart if d.residual is not None)])
        text = ", ".join(f"{d.way}: {d.size:.1e} m/s in step {d.step}" for d in apart)
        if apart or not result.status.ok:
            print(
                f"{seed} {scene.kind}, {len(scene.mass)} balls, {scene.law}, h {scene.h:g}: {text}"
                f"{', several solutions' if proven else ''}",
                flush=True,
            )
            if not result.status.ok:
                print(f"  {result.status}", flush=True)
    for name, number in found.items():
        print(f"{name}: {number} of {asked.count}")
    print(f"residual of both solutions in both statements, over the largest rate or impulse: {residual:.1e}")


if __name__ == "__main__":
    main()
