"""Cases of compliant contact use their data: radii, data of a start."""

import dataclasses

import numpy as np
import pytest

from verification.compliant_exudyn import reference as exudyn
from verification.compliant_exudyn.model import normal_law
from verification.compliant_rockable.reference import cases
from verification.compliant_rockable.replay import replay


def test_spheres_of_unequal_radii_touch_where_they_are_and_keep_their_angular_momentum():
    case = cases()["default_oblique_friction"]
    first, second = case.data["bodies"]
    radius, mass = np.array([0.1, 0.05]), np.array([1.6, 0.3])
    start = case.motion.copy()
    start[0, 0, 1] = 0.148, 0.04, 0.0
    data = {**case.data, "bodies": [first, {**second, "h": 0.05}]}
    motion, force = replay(dataclasses.replace(case, data=data, mass=mass, motion=start), parts=100)
    assert dataclasses.replace(case, data=data).radius == pytest.approx(radius)
    distance = np.linalg.norm(motion[:, 0, 0] - motion[:, 0, 1], axis=1)
    closed = force[:, 0] > 0.0
    assert closed.any()
    assert (distance[closed] < 0.15).all()
    assert force[closed, 1:4].any()
    x, v, w = motion[:, 0], motion[:, 1], motion[:, 2]
    inertia = 0.4 * mass * radius**2
    spin = (mass[:, None] * np.cross(x, v) + inertia[:, None] * w).sum(axis=1)
    assert spin == pytest.approx(np.broadcast_to(spin[0], spin.shape), abs=1e-3 * np.abs(spin[0]).max())
    assert np.abs(motion[-1, 2] - motion[0, 2]).max() > 1.0  # friction has turned them


def test_a_given_impact_velocity_is_taken_over_and_a_plastic_overlap_refused():
    case = next(c for c in exudyn.collisions() if c.parameters["impactModel"])
    assert normal_law(case.parameters).impact_velocity == 0.0
    assert normal_law({**case.parameters, "dataInit": [0.0, 0.0, 0.7, 0.0]}).impact_velocity == 0.7
    with pytest.raises(ValueError, match="plastic overlap"):
        normal_law({**case.parameters, "dataInit": [0.0, 0.0, 0.7, 1e-4]})
