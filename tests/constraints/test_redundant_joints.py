"""Redundant joints in the result and the status of a run."""

import numpy as np
import pytest

import nsgalpha as ns
from elements import Revolute, Spherical
from tests.constraints.jointed_models import pendulum


def door():
    """A door on two hinges and a handle on a ball joint."""
    model = ns.Model(gravity=(0, 0, -9.81))
    leaf = model.add_body(mass=20.0, inertia=(7, 8, 1), position=(0.4, 0, 1), name="door")
    handle = model.add_body(mass=0.2, inertia=(1e-4,) * 3, position=(0.8, 0, 1))
    for k, z in enumerate((0.2, 1.8)):
        model.add(Revolute(None, leaf, point=(0, 0, z), axis=(0, 0, 1), name=("lower", "upper")[k]))
    model.add(Spherical(leaf, handle, point=(0.8, 0, 1), name="knob"))
    return model


def test_a_door_on_two_hinges_has_five_redundant_rows():
    result = ns.simulate(door(), t_end=0.01, h=1e-3)
    assert result.redundant.joints == ("lower", "upper")
    assert result.redundant.rows == 5
    assert "5 rows of joints are redundant" in result.status.message
    assert "'lower', 'upper'" in result.status.message


def test_nothing_is_said_where_no_joint_is_redundant():
    model, _, _ = pendulum()
    result = ns.simulate(model, t_end=0.01, h=1e-3)
    assert result.redundant.joints == ()
    assert result.redundant.rows == 0
    assert "redundant" not in result.status.message
    free = ns.Model()
    free.add_body(mass=1.0, inertia=(1, 1, 1), position=(0, 0, 0))
    assert ns.simulate(free, t_end=0.01, h=1e-3).redundant.rows == 0


def test_a_result_file_tells_of_redundant_joints(tmp_path):
    path = tmp_path / "door.h5"
    result = ns.simulate(door(), t_end=0.01, h=1e-3, recording=ns.Recording(file=path))
    found = ns.load(path)
    assert found.redundant == result.redundant


def test_the_reactions_of_redundant_hinges_carry_the_weight_together():
    result = ns.simulate(door(), t_end=0.01, h=1e-3)
    force = sum(result.reaction(name).force[-1] for name in result.redundant.joints)
    assert abs(force[2] - 20.2 * 9.81) < 1e-9
    assert np.abs(force[:2]).max() < 1.0


def far_from_its_hinge(inertia, lever=1.0):
    """A body of 1 kg beside the hinge, along its axis, whose weight bends it."""
    model = ns.Model(gravity=(0, -9.81, 0))
    body = model.add_body(mass=1.0, inertia=(inertia,) * 3, position=(0, 0, -lever), name="bob")
    model.add(Revolute(None, body, point=(0, 0, 0), axis=(0, 0, 1), name="hinge"))
    return model


@pytest.mark.parametrize("inertia", [1e-8, 1e-9, 1e-11])
def test_a_body_that_turns_too_easily_at_its_lever_is_refused(inertia):
    """Rows of its hinge are parallel there, to rounding, and one would be left out: the hinge would open."""
    with pytest.raises(
        ValueError, match=r"inertia of bob = .* times as large at the lever of hinge; give it"
    ):
        ns.simulate(far_from_its_hinge(inertia), t_end=0.1, h=1e-3)


@pytest.mark.parametrize(
    ("inertia", "lever"),
    [(2e-7, 1.0), (1e-2, 0.3), (1e-4, 0.1), (1e-6, 0.1), (3e-9, 0.1), (1e-11, 1e-3), (1e-11, 0.0)],
)
def test_a_light_body_near_its_hinge_is_held(inertia, lever):
    result = ns.simulate(far_from_its_hinge(inertia, lever), t_end=0.1, h=1e-3)
    assert result.status
    assert np.abs(result.position[:, 0] - (0, 0, -lever)).max() < 1e-12
    assert not result.redundant.rows
