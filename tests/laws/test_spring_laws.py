"""Laws of springs and dashpots: tangents, energy, values, the exact flow of Maxwell's element, refusals."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

from elements import LinearDashpot, LinearSpring, MaxwellSpring
from nsgalpha.forces import evaluate
from nsgalpha.testing import check_law

K, LENGTH = 1e3, 1e-4
CYCLE = {"overlap": 1e-4, "speed": 0.3}


def at(law, lengths, history=None, before=None, h=1e-3, **values):
    """The response of springs of these lengths; `before` the step they had others."""
    r = np.atleast_1d(np.asarray(lengths, float))
    increment = 0.0 if before is None else r - before
    if history is not None:
        values["history"] = history
    return evaluate(law, overlap=-r, increment=increment, h=h, **values)


@pytest.mark.parametrize("compression", [None, 300.0, 0.0])
@pytest.mark.parametrize("damping", [0.0, 2.0])
def test_springs(compression, damping):
    check_law(
        normal=LinearSpring(stiffness=K, compression=compression, length=LENGTH, damping=damping), **CYCLE
    )


def test_springs_that_break():
    law = LinearSpring(stiffness=K, length=0.5e-4, rupture=1.8e-4)
    response = at(law, [1.7e-4, 1.9e-4, 1.9e-4, 1e-4], history=[0.0, 0.0, 1.0, 1.0])
    assert response.history[:, 0].tolist() == [0.0, 1.0, 1.0, 1.0]
    assert response.force[:, 0] == pytest.approx([-K * 1.2e-4, -K * 1.4e-4, 0.0, 0.0], rel=1e-12)
    assert response.energy[2:].tolist() == [0.0, 0.0]


@pytest.mark.parametrize("dashpot", [0.1, 3.0, 1e3])
@pytest.mark.parametrize("compression", [None, 100.0, 0.0])
@pytest.mark.parametrize("threshold", [0.0, 1.0, 1.4])
@pytest.mark.sampled(4)
def test_springs_that_flow(dashpot, compression, threshold):
    law = MaxwellSpring(
        stiffness=K, compression=compression, dashpot=dashpot, length=LENGTH, threshold=threshold, damping=0.1
    )
    check_law(normal=law, energy=1e-4, **CYCLE)


def test_dashpots():
    check_law(normal=LinearDashpot(damping=3.0), **CYCLE)
    check_law(normal=LinearDashpot(damping=3.0, in_contact=True), adhesive=True, energy=1e-3, **CYCLE)
    rate = {"rate": [0.5, 0.5]}
    assert (
        evaluate(LinearDashpot(damping=3.0), overlap=[1e-3, -1e-3], **rate).force[:, 0].tolist() == [-1.5] * 2
    )
    touching = evaluate(
        LinearDashpot(damping=3.0, in_contact=True), overlap=[1e-3, -1e-3], fraction=0.5, **rate
    )
    assert touching.force[:, 0].tolist() == [-0.75, 0.0]


def elongation(law, y, s, h):
    """The elongation `y` after a stretch `s`, and derivatives by both."""
    rest = 1.0
    response = at(law, rest + y + s, history=[[0.0, rest - float(law.length), rest + y]], h=h)
    fresh = at(law, rest + y + s, before=rest + y, h=h) if law.length == rest else None
    return response, fresh


@given(
    y=st.floats(-0.3, 0.3),
    s=st.floats(-0.3, 0.3),
    dashpot=st.floats(0.05, 50.0),
    compression=st.sampled_from([10.0, 3.0, 0.0]),
)
def test_a_step_is_the_exact_flow(y, s, dashpot, compression):
    """Of y' = s/h - k(y) y/eta, through changes of sign and of stiffness."""
    h = 0.4
    law = MaxwellSpring(stiffness=10.0, compression=compression, dashpot=dashpot, length=1.0)

    def rate(_, y):
        return s / h - np.where(y > 0.0, 10.0, compression) * y / dashpot

    known, fresh = elongation(law, y, s, h)
    exact = solve_ivp(rate, (0.0, h), [y], rtol=1e-10, atol=1e-13, method="LSODA").y[0, -1]
    for response in (known, fresh):
        found = 1.0 + y + s - (1.0 + response.history[0, 1])
        assert found == pytest.approx(exact, abs=2e-8)
        k = 10.0 if found > 0.0 else compression
        assert response.force[0, 0] == pytest.approx(-k * found, abs=1e-12)
    eps = 1e-7
    here, below, above = (elongation(law, y, s + d, h)[0].force[0, 0] for d in (0.0, -eps, eps))
    slopes = np.array([(below - above) / (2 * eps), (below - here) / eps, (here - above) / eps])
    assert np.abs(slopes - known.by_overlap[0, 0]).min() < 2e-5  # at a kink that of one side


@given(y=st.floats(-0.3, 0.9), s=st.floats(-0.5, 0.5), dashpot=st.floats(0.05, 50.0))
def test_a_threshold_is_kept(y, s, dashpot):
    """Below it there is no flow; the length at rest does not shrink."""
    law = MaxwellSpring(stiffness=10.0, dashpot=dashpot, length=1.0, threshold=1.3)
    response, _ = elongation(law, y, s, 0.4)
    flow, r = response.history[0, 1], 1.0 + y + s
    assert flow >= -1e-15
    if max(y, y + s) <= 0.3:
        assert flow == pytest.approx(0.0, abs=1e-15)
    if flow > 1e-12:
        assert r >= 1.3 * (1.0 + flow) * (1.0 - 1e-14)
    slower = MaxwellSpring(stiffness=10.0, dashpot=2.0 * dashpot, length=1.0, threshold=1.3)
    assert elongation(slower, y, s, 0.4)[0].history[0, 1] <= flow + 1e-15


def test_a_threshold_begins_within_the_step():
    """y' = s/h - k y/eta from the instant at which r = theta r_0."""
    h, s, eta, k = 0.4, 0.5, 30.0, 10.0
    law = MaxwellSpring(stiffness=k, dashpot=eta, length=1.0, threshold=1.3)
    z = k * 0.5 * h / eta  # r goes from 1.05 to 1.55 and passes 1.3 in the middle
    expected = 0.3 * math.exp(-z) + 0.25 * (1.0 - math.exp(-z)) / z
    response = elongation(law, 0.05, s, h)[0]
    assert response.force[0, 0] == pytest.approx(-k * expected, rel=1e-12)


@pytest.mark.parametrize("steps", [1, 10])
def test_relaxation_at_constant_length(steps):
    law = MaxwellSpring(stiffness=K, dashpot=2e2, length=1.0)
    history = [[0.0, 0.0, 1.1]]
    for _ in range(steps):
        response = at(law, 1.1, history=history, h=0.5 / steps)
        history = response.history
    assert response.force[0, 0] == pytest.approx(-100.0 * math.exp(-0.5 * K / 2e2), rel=1e-12)
    assert response.energy[0] == pytest.approx(0.5 * response.force[0, 0] ** 2 / K, rel=1e-12)


def test_limits_of_a_flowing_spring():
    """The spring alone for a stiff dashpot, the dashpot alone for a soft one."""
    step = {"before": 1.2, "h": 0.1}
    spring = at(MaxwellSpring(stiffness=K, dashpot=1e15, length=1.0), 1.25, **step)
    assert spring.force[0, 0] == pytest.approx(-0.25 * K, rel=1e-9)
    dashpot = at(MaxwellSpring(stiffness=K, dashpot=1e-3, length=1.0), 1.25, **step)
    assert dashpot.force[0, 0] == pytest.approx(-1e-3 * 0.05 / 0.1, rel=1e-9)


def test_the_first_step_needs_no_memory():
    """The distance before it follows from the increment, with its derivative."""
    law, eps = MaxwellSpring(stiffness=10.0, dashpot=2.0, length=1.0), 1e-7
    here = at(law, 1.2, before=1.05, h=0.4)
    ends = [at(law, 1.2, before=1.05 - d, h=0.4).force[0, 0] for d in (-eps, eps)]
    assert (ends[1] - ends[0]) / (2 * eps) == pytest.approx(here.by_increment[0, 0, 0], rel=1e-6)
    ends = [at(law, 1.2 + d, before=1.05 + d, h=0.4).force[0, 0] for d in (-eps, eps)]
    assert (ends[0] - ends[1]) / (2 * eps) == pytest.approx(here.by_overlap[0, 0], rel=1e-6)


def test_numbers_of_single_pairs():
    law = LinearSpring(stiffness=[1.0, 2.0, 3.0], length=[1.0, 1.0, 2.0], rupture=[5.0, 6.0, 7.0])
    assert at(law, [2.0, 2.0, 4.0], history=[0.0] * 3).force[:, 0].tolist() == [-1.0, -2.0, -6.0]
    assert law.stiffest == 3.0
    with pytest.raises(
        ValueError, match=r"springs = 'numbers for 3 pairs': must be for the 2 of the element"
    ):
        at(law, [2.0, 2.0], history=[0.0] * 2)


@pytest.mark.parametrize(
    ("law", "arguments", "message"),
    [
        (LinearSpring, {"stiffness": 0.0}, r"stiffness = 0.0: must be in \(0, inf\)"),
        (LinearSpring, {"stiffness": [1.0, -2.0]}, r"stiffness\[1\] = -2.0: must be in \(0, inf\)"),
        (LinearSpring, {"length": -1.0}, r"length = -1.0: must be in \[0, inf\); it is a length in metres"),
        (LinearSpring, {"compression": -1.0}, r"compression = -1.0: .*; 0 is a rope"),
        (LinearSpring, {"damping": math.nan}, "damping = nan"),
        (LinearSpring, {"rupture": 0.5}, "rupture = 0.5: must be above 1; the length at rest of pair 0"),
        (
            LinearSpring,
            {"length": [1, 2], "damping": [1, 2, 3]},
            "length has 2, damping has 3 numbers: must be",
        ),
        (LinearSpring, {"stiffness": "soft"}, "stiffness = 'soft': must be a number, or one for each pair"),
        (MaxwellSpring, {"dashpot": 0.0}, r"dashpot = 0.0: must be in \(0, inf\)"),
        (MaxwellSpring, {"threshold": 0.5}, "threshold = 0.5: must be 0, or at least 1; it is a length over"),
        (MaxwellSpring, {"threshold": -1.0}, r"threshold = -1.0: must be in \[0, inf\)"),
        (LinearDashpot, {"damping": 0.0}, "damping = 0.0: must be positive and finite"),
    ],
)
def test_bad_numbers_are_refused(law, arguments, message):
    good = {LinearSpring: {"stiffness": 1.0, "length": 1.0}, LinearDashpot: {}}
    good[MaxwellSpring] = {"stiffness": 1.0, "length": 1.0, "dashpot": 1.0}
    with pytest.raises(ValueError, match=message):
        law(**{**good[law], **arguments})


def test_an_unknown_parameter_is_named():
    with pytest.raises(TypeError, match=r"unknown parameter 'stifness'; did you mean 'stiffness'\?"):
        LinearSpring(stifness=1.0, length=1.0)
