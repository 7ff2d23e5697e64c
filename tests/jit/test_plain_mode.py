"""The plain mode, and the choice of the mode."""

import numpy as np
import pytest

from nsgalpha.jit import numba_internals
from nsgalpha.jit.addresses import AVAILABLE
from tests.fresh_python import run_python

pytestmark = pytest.mark.skipif(not AVAILABLE, reason="numba is switched off")

SCENE = """
import sys
import numpy as np
import nsgalpha as ns
from elements import CompliantSpherePlane, CompliantSphereSphere, Revolute, SpherePlane, SphereSphere
from elements import RegularisedCoulomb, SpringDashpot
from nsgalpha.jit.numba_internals import ACCELERATED

def balls(x):
    places = [(x + 0.15 * i, 0.01 * i, 0.1 + 0.15 * i) for i in range(3)]
    return [model.add_sphere(radius=0.1, mass=1.0, position=place) for place in places]

model = ns.Model(gravity=(0.0, 0.0, -9.81))
hard, soft = balls(0.0), balls(5.0)
floor = model.add_plane(normal=(0.0, 0.0, 1.0))
model.add(SphereSphere(among=hard, mu=0.3, e_n=0.5))
model.add(SpherePlane(hard, floor, mu=0.3, e_n=0.5))
model.add(Revolute(hard[0], hard[1], point=(0.1, 0.0, 0.2), axis=(0.0, 1.0, 0.0)))
laws = dict(normal=SpringDashpot(stiffness=1e5, damping=10.0))
laws["tangential"] = RegularisedCoulomb(mu=0.3, velocity_zone=0.01)
model.add(CompliantSphereSphere(among=soft, **laws))
model.add(CompliantSpherePlane(soft, floor, **laws))
result = ns.simulate(model, t_end=0.3, h=1e-3)
np.savez(sys.argv[1], position=result.position, velocity=result.velocity, rotation=result.rotation)
print(ACCELERATED)
"""


def run(path, mode):
    """The mode and the results of the scene."""
    done = run_python("-c", SCENE, path, environment={"NSGALPHA_JIT": mode})
    with np.load(path) as file:
        return done.stdout.strip(), dict(file)


@pytest.mark.long
def test_both_modes_give_the_same_to_the_bit(tmp_path):
    plain, of_plain = run(tmp_path / "plain.npz", "plain")
    accelerated, of_accelerated = run(tmp_path / "accelerated.npz", "accelerated")
    assert (plain, accelerated) == ("False", "True")
    for name, values in of_plain.items():
        assert np.array_equal(values, of_accelerated[name]), name


def test_a_version_that_was_not_tried_is_plain_and_says_so(monkeypatch, caplog):
    monkeypatch.setattr(numba_internals.numba, "__version__", "99.0.1")
    monkeypatch.setenv("NSGALPHA_JIT", "")
    assert not numba_internals._is_accelerated()
    assert "numba 99.0.1: this version was not tried" in caplog.text
    monkeypatch.setenv("NSGALPHA_JIT", "accelerated")
    assert numba_internals._is_accelerated()


def test_a_missing_name_is_plain_and_says_so(monkeypatch, caplog):
    monkeypatch.setattr(numba_internals, "_missing", "Dispatcher.compile is missing")
    monkeypatch.setenv("NSGALPHA_JIT", "")
    assert not numba_internals._is_accelerated()
    assert "Dispatcher.compile is missing" in caplog.text


def test_an_unknown_mode_is_refused(monkeypatch):
    monkeypatch.setenv("NSGALPHA_JIT", "fast")
    with pytest.raises(ValueError, match="NSGALPHA_JIT is 'fast'; it may be 'plain', 'accelerated' or unset"):
        numba_internals._is_accelerated()
