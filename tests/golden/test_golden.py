"""Golden scenes repeat their results."""

import numpy as np
import pytest

from tests.golden.golden_scenes import KEPT, SCENES, distance

# Between machines last digits differ; impacts and the sliding of many contacts make more of them, and other
# numbers of iterations, which are not compared. Large islands are solved to the tolerance of the run on the
# way that their rounding takes.
TOLERANCE = {"large islands": 1e-4}


@pytest.fixture(scope="module")
def kept():
    with np.load(KEPT) as file:
        return dict(file)


@pytest.mark.parametrize("scene", SCENES)
def test_a_golden_scene_gives_what_it_gave(scene, kept):
    before = {name: values for name, values in kept.items() if name.startswith(f"{scene}/")}
    found = {f"{scene}/{name}": values for name, values in SCENES[scene]().items()}
    assert set(found) == set(before)
    off = {name: distance(found[name], before[name]) for name in found if "/stats." not in name}
    assert max(off.values()) < TOLERANCE.get(scene, 1e-6), off


def test_a_number_that_got_lost_is_seen():
    """Accelerations of states from which no run continues are not kept: NaN in both."""
    kept = np.array([1.0, np.nan])
    assert distance(kept, kept.copy()) == 0.0
    assert distance(np.array([np.nan, np.nan]), kept) == np.inf
    assert distance(np.array([1.5, np.nan]), kept) == 1.0 / 3.0
    assert distance(np.array([3, 4]), np.array([3, 2])) == 0.5
