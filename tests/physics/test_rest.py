"""Large islands at rest keep the impulses of the last step, until something changes.

Rounding adds up: now and then, two steps take its sum away.
"""

import numpy as np
import pytest

import nsgalpha as ns
from elements import Revolute, Rigid, SpherePlane, SphereSphere
from nsgalpha.contact.islands.islands import LARGE
from verification.scenes import GRAVITY, ball_mass, column
from verification.scenes import RADIUS as R

COUNT, H, WAKES = 90, 1e-3, 0.05
MASS = ball_mass(R)


def test_a_column_rests_under_its_weight():
    result = ns.simulate(column(COUNT), t_end=0.5, h=H)
    assert 3 * result.stats.contacts.max() > LARGE
    assert result.stats.resting[5:].mean() > 0.9
    forces = np.sort(np.abs(result.contacts.at(-1).wrench[:, 2]))
    assert forces == pytest.approx(MASS * GRAVITY * np.arange(1, COUNT + 1), rel=1e-9)
    assert np.abs(result.velocity[-1]).max() < 1e-10 * COUNT * GRAVITY * H
    assert result.position[-1] == pytest.approx(result.position[0], abs=1e-10 * R)


def alone(model):
    """The column."""


def beside_a_pendulum(model):
    ball = model.add_sphere(radius=R, mass=MASS, position=(3, 0, 1))
    model.add(Revolute(None, ball, point=(2.8, 0, 1), axis=(0, 1, 0)))


def under_a_load(model):
    """One in Python, so that steps are driven from there."""
    model.add_load(lambda t, state: np.zeros((COUNT, 3)))


def welded(model):
    """Two balls in the middle of the column are one body."""
    model.add(Rigid(model.bodies[40], model.bodies[41], point=(0, 0, 82 * R)))


@pytest.mark.parametrize("scheme", [ns.GeneralizedAlpha(), ns.MoreauJean()])
@pytest.mark.parametrize(
    ("beside", "part"), [(alone, 0.9), (beside_a_pendulum, 0.9), (under_a_load, 0.9), (welded, 0.3)]
)
def test_a_column_rests_beside_other_features(scheme, beside, part):
    """Solutions of jointed islands are less exact, so that fewer steps are kept."""
    model = column(COUNT)
    beside(model)
    result = ns.simulate(model, t_end=0.2, h=H, scheme=scheme)
    assert result.status.ok, result.status
    assert result.stats.resting[5:].mean() > part
    contacts = result.contacts.at(-1)
    carried = contacts.wrench[contacts.plane >= 0, 2].sum()
    assert carried == pytest.approx(COUNT * MASS * GRAVITY, rel=1e-8)
    assert np.abs(result.velocity[-1, :COUNT]).max() < 1e-10


def fall(model):
    """A ball that meets the column at 0.05 s."""
    top, height = model.spheres[-1], (2 * COUNT + 1) * R + 0.5 * GRAVITY * WAKES**2
    ball = model.add_sphere(radius=R, mass=MASS, position=(0, 0, height))
    model.add(SphereSphere(between=([top], [ball]), mu=0.3))


def blow(model):
    """A wind from 0.05 s on that presses the column down."""
    wind = np.zeros((COUNT, 3))

    def load(t, state):
        wind[:, 2] = -MASS if t > WAKES else 0.0
        return wind

    model.add_load(load)


def lift(model):
    """A lift, the floor of another column, that sets off at 0.05 s."""

    def motion(t):
        since = max(t - WAKES, 0.0)
        return (1.0, 0.0, 0.5 * since**2), (0.0, 0.0, since)

    floor = model.add_plane(normal=(0, 0, 1), motion=motion)
    spheres = [
        model.add_sphere(radius=R, mass=MASS, position=(1.0, 0, (2 * k + 1) * R)) for k in range(COUNT)
    ]
    model.add(SphereSphere(among=spheres, mu=0.3))
    model.add(SpherePlane(spheres, floor, mu=0.3))


@pytest.mark.parametrize(("change", "islands"), [(fall, 1), (blow, 1), (lift, 2)])
def test_a_column_wakes(change, islands):
    model = column(COUNT)
    change(model)
    result = ns.simulate(model, t_end=0.08, h=H)
    first, resting = round(WAKES / H), result.stats.resting
    assert result.status.ok, result.status
    assert resting[5 : first - 2].mean() > 0.9 * islands
    assert (resting[first - 2 : first + 3] == islands - 1).any()


@pytest.mark.parametrize("change", [fall, blow, lift])
def test_the_forces_after_it_are_those_of_the_change(change):
    model = column(COUNT)
    change(model)
    result = ns.simulate(model, t_end=0.12, h=H)
    total, n = COUNT + (change is fall), result.contacts.at(-1)
    acts = {
        fall: (total * GRAVITY,),
        blow: (total * (GRAVITY + 1.0),),
        lift: (total * GRAVITY, COUNT * (GRAVITY + 1.0)),
    }
    assert np.sort(n.wrench[n.plane >= 0, 2]) == pytest.approx(MASS * np.array(acts[change]), rel=1e-7)


def test_a_run_goes_on_at_rest_to_the_bit():
    model = column(COUNT)
    whole = ns.simulate(model, t_end=0.1, h=H, record_every=10)
    half = ns.simulate(model, t_end=0.05, h=H)
    on = ns.simulate(model, t_end=0.1, h=H, state=half.state(), record_every=10)
    assert on.stats.resting[:].mean() > 0.9
    assert (on.position[-1] == whole.position[-1]).all()
    assert (on.velocity[-1] == whole.velocity[-1]).all()
