"""Steps that end at the corners of tables of loads and motors."""

from itertools import pairwise

import numpy as np
import pytest

import nsgalpha as ns
from elements import Motor, Revolute, SpeedMotor

J, T = 0.2, 2.0
UP = (0, 0, 1)
PULSE = [(0.0, 0.0), (0.3, 0.0), (0.305, 10.0), (0.315, 10.0), (0.32, 0.0), (3.0, 0.0)]


def pinned():
    model = ns.Model()
    rod = model.add_body(mass=1.0, inertia=(J, J, J), position=(0, 0, 0))
    return model, model.add(Revolute(None, rod, point=(0, 0, 0), axis=UP))


def turned(rows, t):
    """Rate and angle at `t` of a rod from rest; its torque is linear between the `rows`."""
    rate = angle = 0.0
    for (start, one), (end, two) in pairwise(rows):
        s, slope = min(end, t) - start, (two - one) / (end - start)
        if s > 0.0:
            angle += rate * s + (one * s**2 / 2.0 + slope * s**3 / 6.0) / J
            rate += (one * s + slope * s**2 / 2.0) / J
    return rate, angle


@pytest.mark.parametrize(
    ("way", "bound"),
    [
        ({"accuracy": 1e-3}, 1e-3),
        ({"accuracy": 1e-6}, 1e-6),
        ({"impacts": "located", "h": 0.1}, 1e-12),
        ({"impacts": "located", "h": 7e-3}, 1e-12),
    ],
)
def test_a_short_pulse_is_not_passed_in_a_long_step(way, bound):
    """A torque that is linear in a step is exact."""
    model, pin = pinned()
    model.add(Motor(pin, PULSE))
    result = ns.simulate(model, t_end=T, **way)
    assert result.status.ok
    for t, _ in PULSE[1:-1]:
        assert np.abs(result.t - t).min() < 1e-12
    angle, rate = result.coordinate(pin)
    rate_then, angle_then = turned(PULSE, result.t[-1])
    assert rate[-1] == pytest.approx(rate_then, abs=bound)
    assert angle[-1] == pytest.approx(angle_then, abs=2.0 * bound)


@pytest.mark.parametrize("way", [{"accuracy": 1e-6}, {"impacts": "located", "h": 0.07}])
def test_a_motor_follows_the_corners_of_its_speed(way):
    """Its strength suffices, so that the rate is that of the table."""
    rows = [(0.0, 0.0), (0.25, 1.0), (0.75, 1.0), (0.8, -0.5), (T, -0.5)]
    model, pin = pinned()
    model.add(SpeedMotor(pin, speed=rows, strength=100.0))
    result = ns.simulate(model, t_end=T, **way)
    for t, wanted in rows[1:-1]:
        k = int(np.abs(result.t - t).argmin())
        assert result.t[k] == pytest.approx(t, abs=1e-12)
        assert result.coordinate(pin)[1][k] == pytest.approx(wanted, abs=1e-9)
    angle = 0.125 + 0.5 + 0.05 * 0.25 - 0.5 * (result.t[-1] - 0.8)
    assert result.coordinate(pin)[0][-1] == pytest.approx(angle, abs=1e-6)
