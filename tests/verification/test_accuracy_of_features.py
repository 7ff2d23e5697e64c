"""Every feature of the bystanders to an accuracy: exact, or refused by name."""

import numpy as np
import pytest

import nsgalpha as ns
from verification.bystanders.features import FEATURES, SOFT, Feature
from verification.bystanders.stage import Stage

#: Without large islands: a heap whose balls strike at many times is no case for an accuracy.
ALL = [each for each in FEATURES.values() if not each.large]
T_END, COARSE, FINE = 0.06, 1e-4, 1e-6
ROUGH = 1e-3  # of stiff contacts, whose impacts of a few milliseconds need many steps
REFUSED = {"joint friction": "in proportion"}


def run(feature: Feature, accuracy: float) -> ns.Result:
    model = ns.Model(gravity=(0, 0, -9.81))
    feature.build(Stage(model))
    return ns.simulate(model, t_end=T_END, accuracy=accuracy)


def errors(feature: Feature, accuracy: float, better: float) -> tuple[float, float]:
    """Largest differences of velocities and positions at the end, over the coarser `accuracy`."""
    coarse, fine = run(feature, accuracy), run(feature, better)
    assert coarse.status.ok, coarse.status
    assert fine.status.ok, fine.status
    speed = max(np.abs(fine.velocity).max(), np.sqrt(9.81 * 0.1))
    size = max(np.ptp(fine.position[0], axis=0).max(), 0.1)
    v, x = (
        np.abs(getattr(coarse, name)[-1] - getattr(fine, name)[-1]).max() for name in ("velocity", "position")
    )
    return float(v / (accuracy * speed)), float(x / (accuracy * size))


@pytest.mark.long
@pytest.mark.parametrize("feature", [each for each in ALL if each.kind != SOFT], ids=str)
def test_a_feature_is_as_exact_as_asked(feature):
    if feature.name in REFUSED:
        with pytest.raises(ValueError, match=REFUSED[feature.name]):
            run(feature, COARSE)
        return
    assert max(errors(feature, COARSE, FINE)) < 5.0


@pytest.mark.long
@pytest.mark.parametrize("feature", [each for each in ALL if each.kind == SOFT], ids=str)
def test_a_compliant_feature_is_as_exact_as_asked(feature):
    assert max(errors(feature, ROUGH, COARSE)) < 5.0
