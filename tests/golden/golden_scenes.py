"""Golden scenes, one for every kind of step: results, here and elsewhere.

    python -m tests.golden.golden_scenes --write FILE       keep the results of this tree
    python -m tests.golden.golden_scenes --against FILE     how far those of this tree are from them

A change that moves code and changes no arithmetic must show 0 in every line, on one machine. Between machines
the last digits differ, as compilers may round a product and a sum once. The comparison in test_golden.py
allows for the effect of that in these runs.
"""

import argparse
import itertools
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

import nsgalpha as ns
from elements import CompliantSpherePlane, Drag, Hertz, Spring
from nsgalpha.io.hdf5_tables import CONTACTS, STATES
from tests.interface.test_restart import scene
from tests.io.test_store import grains
from tests.physics.scenes import pile
from verification.benchmarks.mixture import build as mixture
from verification.scenes import pile as large_pile

KEPT = Path(__file__).parent / "golden.npz"
LEAST = 1e-6  # smaller values, as gaps of closed contacts, are compared with this
ROWS = 20  # kept of each array: they follow from the earlier ones
Arrays = dict[str, np.ndarray]


def recorded(result: ns.Result) -> Arrays:
    """Arrays of a result: states, contacts, statistics, histories."""
    assert result.status.ok, result.status
    arrays = {name: np.asarray(getattr(result, name)) for name in STATES}
    arrays |= {f"contacts.{name}": np.asarray(getattr(result.contacts, name)) for name in CONTACTS}
    arrays |= {f"stats.{name}": np.asarray(getattr(result.stats, name)) for name in ns.Statistics.__slots__}
    for i, history in enumerate(result.histories[-1:]):
        arrays |= {f"history{i}.{name}": np.asarray(getattr(history, name)) for name in history.__slots__}
    return {name: values[-ROWS:] for name, values in arrays.items() if values.dtype.kind in "fiub"}


def _springs() -> ns.Model:
    model = pile(seed=3, count=5)
    balls = model.bodies
    model.add(Spring([(balls[0], balls[1]), (balls[2], balls[3])], stiffness=50.0, damping=0.2))
    return model


def _resumed() -> Arrays:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.h5"
        ns.simulate(scene(), t_end=0.05, h=1e-3, recording=ns.Recording(file=path))
        return recorded(ns.resume(path, t_end=0.1))


def _hanging(g: float = 9.81) -> ns.Model:
    """Balls on springs between two points, some on a soft floor: one equilibrium.

    A pile has many, and the last digits decide which is found.
    """
    model = ns.Model(gravity=(0.0, 0.0, -g))
    balls = [model.add_sphere(radius=0.01, mass=0.05, position=(0.05 * k, 0.0, -0.02)) for k in range(1, 7)]
    ends = (0.0, 0.0, 0.0), (0.35, 0.05, 0.0)
    points = [ends[0], *balls, ends[1]]
    model.add(Spring([*itertools.pairwise(points)], stiffness=60.0, length=0.05))
    floor = model.add_plane(normal=(0.0, 0.1, 1.0), offset=-0.05)
    model.add(CompliantSpherePlane(balls, floor, normal=Hertz(modulus=1e6)))
    return model


def _at_rest() -> Arrays:
    found = ns.equilibrium(_hanging())
    assert found
    return {name: getattr(found.state, name) for name in ("position", "rotation")}


def _overdamped() -> Arrays:
    model, _ = grains(None)
    drag = Drag(model.spheres, translational=1.0, rotational=1e-4)
    scheme = ns.Overdamped(drag)
    return recorded(ns.simulate(model, t_end=0.02, h=1e-4, scheme=scheme, record_every=20))


SCENES: dict[str, Callable[[], Arrays]] = {
    "small islands": lambda: recorded(ns.simulate(pile(), t_end=0.2, h=1e-3)),
    "rolling, drilling": lambda: recorded(
        ns.simulate(pile(seed=1, rolling_radius=1e-3, drilling_radius=1e-3), t_end=0.2, h=1e-3)
    ),
    "large islands": lambda: recorded(ns.simulate(large_pile(125), t_end=0.15, h=1e-3, record_every=10)),
    "loads, moving floor": lambda: recorded(ns.simulate(scene(load=True, motion=True), t_end=0.1, h=1e-3)),
    "springs": lambda: recorded(ns.simulate(_springs(), t_end=0.1, h=1e-3)),
    "hard on soft": lambda: recorded(ns.simulate(mixture(3, 1), t_end=0.02, h=1e-3)),
    "histories": lambda: recorded(ns.simulate(grains(None)[0], t_end=0.02, h=1e-4, record_every=20)),
    "Verlet": lambda: recorded(
        ns.simulate(grains(None)[0], t_end=0.1, h=1e-4, scheme=ns.VelocityVerlet(), record_every=100)
    ),
    "semi-implicit": lambda: recorded(
        ns.simulate(grains(None)[0], t_end=0.02, h=1e-4, scheme=ns.SemiImplicit(), record_every=20)
    ),
    "without inertia": _overdamped,
    "resumed": _resumed,
    "at rest": _at_rest,
}


def results() -> Arrays:
    """All arrays of all scenes, by scene and name."""
    return {f"{scene}/{name}": values for scene, run in SCENES.items() for name, values in run().items()}


def distance(one: np.ndarray, two: np.ndarray) -> float:
    """Largest difference, over the largest number; infinite for other shapes, or where one alone is NaN."""
    if one.shape != two.shape or not np.array_equal(np.isnan(one), np.isnan(two)):
        return np.inf
    if np.array_equal(one, two, equal_nan=True):
        return 0.0
    size = max(np.nanmax(np.abs(one)), np.nanmax(np.abs(two)), LEAST)
    return float(np.nanmax(np.abs(one.astype(float) - two)) / size)


def main(arguments: list[str]) -> int:
    """0 if all are the same to the bit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    group = parser.add_mutually_exclusive_group(required=True)
    group.add_argument("--write", metavar="FILE", type=Path)
    group.add_argument("--against", metavar="FILE", type=Path)
    options = parser.parse_args(arguments)
    found = results()
    if options.write:
        np.savez_compressed(options.write, **found)
        return 0
    with np.load(options.against) as before:
        off = {}
        for scene_name in SCENES:
            names = {name for name in {*before, *found} if name.startswith(f"{scene_name}/")}
            single = names - ({*before} & {*found})
            apart = {name: distance(found[name], before[name]) for name in names - single}
            worst = max(apart, key=apart.__getitem__)
            off[scene_name] = apart[worst] + len(single)
            said = [f"only in one: {name}" for name in sorted(single)]
            print(f"{scene_name:24s} {apart[worst]:.1e}", *([worst] if apart[worst] else []), *said)
    return int(any(off.values()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
