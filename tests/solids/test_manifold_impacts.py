"""Impact laws where faces and edges are struck: the table in docs/design/impacts.md."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import nsgalpha as ns
from elements import Contact
from verification.benchmarks.solids import heap

G = 9.81
UP = (0, 0, 1)


@dataclass
class Law:
    """A law of impacts, the energy after a fall, and the rates of two dominoes."""

    settings: dict[str, Any]
    tilted: float
    rates: tuple[float, float]


LAWS = [
    Law({}, 0.147262, (-0.32752, 2.09113)),
    Law({"max_impacts": 2}, 0.147262, (-0.32752, 2.09113)),
    Law({"impact_law": "simultaneous"}, 0.176397, (-1.52947, 2.37867)),
]
EACH = pytest.mark.parametrize("law", LAWS, ids=["sequence", "closed", "simultaneous"])


def fall(law, e, tilt, h):
    """Kinetic energy after a fall over that before, of a box without friction."""
    model = ns.Model()
    q = (1, 0.5 * tilt, tilt, 0)
    box = model.add_box((0.4, 0.3, 0.2), mass=1.0, position=(0, 0, 0.1011), rotation=q, velocity=(0, 0, -1))
    model.add(Contact(among=[box, model.add_plane(normal=UP)], e_n=e))
    result = ns.simulate(model, t_end=4e-3, h=h, scheme=ns.GeneralizedAlpha(**law.settings))
    assert result.status, result.status
    v, w = result.velocity[-1, box], result.angular_velocity[-1, box]
    return v @ v + w @ box.inertia @ w


@EACH
@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_a_flat_fall_is_reversed_by_all_laws(law, e):
    assert fall(law, e, 0.0, 1e-3) == pytest.approx(e * e, abs=1e-13)


@EACH
def test_a_tilted_fall_loses_more_and_by_the_law_if_its_corners_close_together(law):
    assert fall(law, 0.5, 1e-3, 1e-3) == pytest.approx(law.tilted, abs=1e-5)
    assert fall(law, 0.5, 1e-3, 1e-5) == pytest.approx(0.16126, abs=1e-5)  # one corner in this step


@EACH
def test_two_dominoes_share_an_impact_in_one_law_only(law):
    """The first tile has 4 rad/s about its edge, and its top strikes the second one."""
    model, (width, depth, height), gap, rate = ns.Model(gravity=(0, 0, -G)), (0.01, 0.03, 0.05), 0.012, 4.0
    tilt = math.asin(gap / height) - 1e-4
    c, s = math.cos(tilt), math.sin(tilt)
    x, z = 0.5 * (height * s - width * c), 0.5 * (width * s + height * c)
    motion = {"velocity": (rate * z, 0, -rate * x), "angular_velocity": (0, rate, 0)}
    q = (math.cos(0.5 * tilt), 0, math.sin(0.5 * tilt), 0)
    first = model.add_box((width, depth, height), mass=0.02, position=(x, 0, z), rotation=q, **motion)
    second = model.add_box((width, depth, height), mass=0.02, position=(gap + 0.5 * width, 0, 0.5 * height))
    model.add(Contact(among=[first, second, model.add_plane(normal=UP)], mu=0.6, e_n=0.5))
    result = ns.simulate(model, t_end=1e-3, h=2e-4, scheme=ns.GeneralizedAlpha(**law.settings))
    assert result.status, result.status
    assert result.angular_velocity[-1, :, 1] == pytest.approx(law.rates, abs=1e-4)


@EACH
@pytest.mark.parametrize("e", [0.0, 0.5])
def test_a_rocking_block_lets_its_old_edge_go_in_all_laws(law, e):
    """1 - (1 + e) 3/2 sin^2 a of its rate, a the angle of its diagonal."""
    model, (width, height), rate, h = ns.Model(gravity=(0, 0, -G)), (0.2, 0.5), 0.7, 1e-7
    c, s = math.cos(rate * h), math.sin(rate * h)
    x, z = 0.5 * (height * s - width * c), 0.5 * (width * s + height * c)
    motion = {"velocity": (-rate * z, 0, rate * x), "angular_velocity": (0, -rate, 0)}
    q = (math.cos(0.5 * rate * h), 0, math.sin(0.5 * rate * h), 0)
    block = model.add_box((width, 0.3, height), mass=1.0, position=(x, 0, z), rotation=q, **motion)
    model.add(Contact(among=[block, model.add_plane(normal=UP)], mu=10.0, e_n=e))
    result = ns.simulate(model, t_end=4 * h, h=h, scheme=ns.GeneralizedAlpha(**law.settings))
    assert result.status, result.status
    expected = 1 - (1 + e) * 1.5 * math.sin(math.atan(width / height)) ** 2
    assert -result.angular_velocity[-1, block, 1] / rate == pytest.approx(expected, abs=1e-5)
    assert np.abs(result.angular_velocity[-1, block, [0, 2]]).max() < 1e-9


def test_an_impact_of_a_heap_is_as_exact_as_the_end_of_its_sequence():
    """One stays at 7e-8 of the fastest rate, which once closed the sequence."""
    result = ns.simulate(heap(45, 0.3, 3), t_end=0.15, h=9e-4)
    assert result.stats.sub_impacts.max() > 100
    assert not result.stats.capped.any()
