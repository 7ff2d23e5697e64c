"""Checks of scenes of many contacts: penetration, restarts, steps from Python, rotated scenes.

class TestSticks(HeapChecks):
    scene, t_end, features = staticmethod(sticks), 0.6, 10
"""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from solid_scenes import run, same

import nsgalpha as ns

H = 1e-3
TURN = Rotation.from_rotvec((0.4, -1.1, 0.7))


class HeapChecks:
    """Tests of a `scene(frame, load)`: turned by `frame`, with a load from Python that is zero.

    features: contacts of fewer features between bodies would not do. until: time [s] to which rounding has
    not grown.
    """

    scene: Callable[..., ns.Model]
    t_end: float
    features: int
    until = 0.2

    @pytest.fixture(scope="class")
    @classmethod
    def whole(cls):
        """The whole run."""
        result = run(cls.scene(), cls.t_end, H)
        contacts = result.contacts
        assert len(np.unique(contacts.feature[contacts.plane < 0])) > cls.features
        return result

    def test_nothing_penetrates(self, whole):
        assert whole.stats.penetration.max() < 1e-10

    def test_it_goes_on_from_its_file_to_the_bit(self, whole, tmp_path):
        steps = round(0.6 * self.t_end / H)
        run(self.scene(), steps * H, H, recording=ns.Recording(file=tmp_path / "run.h5"))
        same(ns.resume(tmp_path / "run.h5", t_end=self.t_end), whole)

    def test_steps_from_python_are_the_same_to_the_bit(self, whole):
        same(run(self.scene(load=True), self.t_end, H), whole)

    def test_turned_it_moves_the_same(self, whole):
        again = run(self.scene(frame=TURN), self.until, H)
        some = whole.position[: len(again.position)]
        assert (again.contacts.plane[:] < 0).sum() > 3
        assert again.position == pytest.approx(TURN.apply(some.reshape(-1, 3)).reshape(some.shape), abs=1e-10)


def no_load(model):
    """Add a load of zero from Python, which keeps the steps out of compiled loops."""
    model.add_load(lambda t, state: np.zeros((len(model.bodies), 3)))
