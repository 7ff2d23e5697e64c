"""`ns.layouts` as scripts use it: places are arrays for `add_sphere`, bad values are refused by name."""

import numpy as np
import pytest

import nsgalpha as ns

BALL = {"radius": 0.03, "apex": (0.5, 0.0, 0.03)}


def test_racks_of_eight_nine_and_ten_ball():
    counts = [
        len(places)
        for places in (
            ns.layouts.rack(rows=5, **BALL),
            ns.layouts.diamond(**BALL),
            ns.layouts.rack(rows=4, **BALL),
        )
    ]
    assert counts == [15, 9, 10]
    assert np.array_equal(ns.layouts.diamond(side=2, **BALL)[[0, 3]][:, 1], [0.0, 0.0])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"gap": 0.0, "seed": 1}, r"gap = 0\.0: must be positive where there is a seed"),
        ({"gap": 1e-3, "seed": 1.5}, r"seed = 1\.5: must be an integer"),
        ({"gap": 1e-3, "seed": -1}, "seed = -1: must be an integer from 0"),
        ({"side": 0}, "side = 0: must be"),
        ({"gap": -1e-3}, r"gap = -0\.001: must be"),
        ({"angle": np.nan}, "angle = nan: must be"),
    ],
)
def test_a_rack_refuses_what_it_cannot_be(wrong, message):
    with pytest.raises(ValueError, match=message):
        ns.layouts.diamond(**{**BALL, **wrong})
