"""Several compliant contacts of one pair: each keeps what its law remembers, in restarts and files."""

import numpy as np
import pytest

import nsgalpha as ns
from elements import Compliant, CundallStrack, SpringDashpot
from tests.interface import test_several_contacts as hard

H = 1e-4
EXPLICIT = ns.VelocityVerlet()


LAWS = {
    "normal": SpringDashpot(stiffness=1e4, damping=0.5),
    "tangential": CundallStrack(stiffness=3e3, mu=0.3),
}


def sliding(numbered):
    """Two capsules that slide and turn on a plane: their ends are strained differently."""
    model = ns.Model(gravity=(0.0, 0.0, -hard.G))
    for k in range(2):
        model.add_sphere(
            radius=hard.RADIUS,
            mass=hard.MASS,
            inertia=(1e-3, 1e-2, 1e-2),
            position=(0.0, k, hard.RADIUS - 5e-4),
            velocity=(0.05, 0.02 * k, 0.0),
            angular_velocity=(0.0, 0.0, 0.3),
        )
    ends = hard.CapsulesOnPlane(model.bodies, model.add_plane(normal=(0, 0, 1)), numbered)
    model.add(Compliant(ends, **LAWS))
    return model


def same(one, two):
    """The same motion and the same memory in the last state, to the last digit."""
    a, b = one.state(-1), two.state(-1)
    for name in ("position", "rotation", "velocity", "angular_velocity"):
        assert np.array_equal(getattr(a, name), getattr(b, name)), name
    for name in a.contacts.__slots__:
        assert np.array_equal(getattr(a.contacts, name), getattr(b.contacts, name)), name


@pytest.mark.parametrize("scheme", [None, EXPLICIT])
@pytest.mark.parametrize("numbered", [False, True])
def test_a_run_goes_on_from_a_state_and_from_a_file_to_the_last_digit(tmp_path, scheme, numbered):
    model, file = sliding(numbered), tmp_path / "run.h5"
    whole = ns.simulate(model, t_end=100 * H, h=H, scheme=scheme)
    assert whole.status.ok, whole.status
    memory = whole.state(60).contacts
    assert memory.feature.tolist() == 2 * ([7, 3] if numbered else [0, 1])
    assert np.abs(memory.values[0] - memory.values[1]).max() > 1e-5
    same(ns.simulate(model, t_end=100 * H, h=H, scheme=scheme, state=whole.state(60)), whole)
    ns.simulate(model, t_end=60 * H, h=H, scheme=scheme, recording=ns.Recording(file=file))
    same(ns.resume(file, t_end=100 * H, model=model), whole)
