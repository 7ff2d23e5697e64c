"""Sweeps over mechanisms, in processes and by an executor."""

import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from swept_models import swing

import nsgalpha as ns
from tests.constraints.jointed_models import H, chain


@pytest.mark.parametrize("workers", [{"workers": 2}, {"executor": ThreadPoolExecutor(1)}])
def test_mechanisms_are_swept(workers):
    lengths = [0.5, 1.0]
    table = ns.sweep(swing, {"length": lengths}, **workers)
    assert list(table.outcome) == ["done", "done"]
    alone = [swing(length) for length in lengths]
    assert np.array_equal(table["force"], [each["force"] for each in alone])
    assert table["angle"][0] > table["angle"][1] > 0.5


def test_models_and_results_go_to_other_processes():
    result = ns.simulate(chain(), t_end=10 * H, h=H)
    again = pickle.loads(pickle.dumps(result))
    assert np.array_equal(again.joints, result.joints)
    assert np.array_equal(again.reaction("hinge").force, result.reaction("hinge").force)
    one, two = (ns.step(each.model, each.state(), H) for each in (result, again))
    assert np.array_equal(one.position, two.position)
