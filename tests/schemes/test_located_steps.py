"""Steps that end at impacts: `simulate(impacts="located")`."""

import math

import numpy as np
import pytest

import nsgalpha as ns
from elements import (
    JointFriction,
    Limit,
    Revolute,
    SpherePlane,
    SphereSphere,
)
from nsgalpha.schemes.generalized_alpha.located_stepper import LocatedStepper
from nsgalpha.schemes.scheme_settings import AUGMENTED
from nsgalpha.schemes.stepper_interface import Advance
from nsgalpha.stepping.step_outcome import LOCATE

G, R = 9.81, 0.1


def bouncing(e_n):
    model = ns.Model(gravity=(0, 0, -G))
    ball = model.add_sphere(radius=R, mass=1.0, position=(0, 0, R + 0.9))
    model.add(SpherePlane(ball, model.add_plane(normal=(0, 0, 1)), e_n=e_n))
    return model


def height(e_n, t):
    """Height [m] and velocity [m/s] after a drop from 0.9 m, and the impacts so far."""
    v, arrival, impacts = math.sqrt(2.0 * G * 0.9), math.sqrt(2.0 * 0.9 / G), 1
    while True:
        v *= e_n
        if arrival + 2.0 * v / G > t:
            return v * (t - arrival) - 0.5 * G * (t - arrival) ** 2, v - G * (t - arrival), impacts
        arrival, impacts = arrival + 2.0 * v / G, impacts + 1


def located(model, t_end, h, **options):
    result = ns.simulate(model, t_end=t_end, h=h, impacts="located", **options)
    assert result.status.ok, result.status
    return result


def at(result, t):
    """The state at `t` [s], after a last step from the level before."""
    i = int(np.flatnonzero(result.t < t)[-1])
    return located(result.model, t, t - result.t[i], state=result.state(i)).state()


def impacts(result):
    return int((result.stats.located > 0).sum())


@pytest.mark.parametrize("e_n", [0.8, 0.9, 1.0])
def test_a_ball_bounces_exactly(e_n):
    """v^2 falls by e^2 at each impact, and free flight is exact."""
    t = 2.5
    result = located(bouncing(e_n), t, 1e-2)
    z, v, expected = height(e_n, t)
    end = at(result, t)
    assert end.position[0, 2] - R == pytest.approx(z, abs=1e-11)
    assert end.velocity[0, 2] == pytest.approx(v, abs=1e-10)
    assert impacts(result) == expected
    assert 250 <= len(result.stats.h) <= 251 + expected
    struck = result.t[1:][result.stats.located > 0]
    assert struck[0] == pytest.approx(0.428352937, abs=1e-9)


@pytest.mark.parametrize("e_n", [0.0, 0.5])
def test_a_ball_comes_to_rest(e_n):
    """With e = 0.5 after 1.2 s and infinitely many impacts, of which the last are handed over."""
    result = located(bouncing(e_n), 2.0, 1e-2)
    assert result.position[-1, 0, 2] == pytest.approx(R, abs=1e-10)
    assert abs(result.velocity[-1, 0, 2]) < 1e-10
    assert impacts(result) <= 20
    assert result.stats.handed.sum() == (e_n > 0.0)


@pytest.mark.parametrize("e_n", [0.8, 1.0])
def test_the_height_after_a_bounce_has_its_slope_in_the_drop_height(e_n):
    """Fixed steps have none: the arrival stays within its step."""
    t, drop, small = 0.6, 0.9, 1e-6
    heights = []
    for change in (-small, small):
        state = bouncing(e_n).initial_state()
        state.position[0, 2] += change
        heights.append(at(located(bouncing(e_n), t, 1e-2, state=state), t).position[0, 2])
    arrival, speed = math.sqrt(2.0 * drop / G), math.sqrt(2.0 * G * drop)
    slope = e_n * G / speed * (t - arrival) + (G * (t - arrival) - e_n * speed) / speed
    assert (heights[1] - heights[0]) / (2.0 * small) == pytest.approx(slope, abs=1e-8)


def test_balls_meet_in_one_long_step():
    """7 m/s, 0.5 s: 17.5 diameters past each other without the impact."""
    model = ns.Model()
    model.add_sphere(radius=R, mass=1.0, position=(0, 0, 0), velocity=(7.0, 0, 0))
    model.add_sphere(radius=R, mass=1.0, position=(1.0, 0, 0))
    model.add(SphereSphere(among=model.spheres, e_n=0.6))
    struck = []
    result = located(model, 0.5, 0.5, watch=[ns.OnImpact(struck.append)])
    assert result.velocity[-1, :, 0] == pytest.approx([1.4, 5.6], abs=1e-12)
    assert result.stats.located.tolist() == [1, 0]
    assert result.stats.trials.sum() <= 4
    assert result.status.remarks == []
    assert [each.t for each in struck] == pytest.approx([0.8 / 7.0], abs=1e-12)
    assert struck[0].impulse[0] == pytest.approx(-5.6, abs=1e-12)


@pytest.mark.parametrize("h", [0.3, 0.1, 1e-3])
def test_an_impact_at_the_end_of_a_step_is_not_lost(h):
    """1.8 m at 3 m/s; rounding puts the impact before or behind the end of a step."""
    model = ns.Model()
    model.add_sphere(radius=R, mass=1.0, position=(0, 0, 0), velocity=(3.0, 0, 0))
    model.add_sphere(radius=R, mass=1.0, position=(2.0, 0, 0))
    model.add(SphereSphere(among=model.spheres, e_n=1.0))
    result = located(model, 1.2, h)
    assert result.t[1:][result.stats.located > 0] == pytest.approx([0.6], abs=1e-13)
    assert result.velocity[-1, :, 0] == pytest.approx([0.0, 3.0], abs=1e-12)
    assert result.position[-1, 0, 0] == pytest.approx(1.8, abs=1e-12)


def broken():
    """A ball breaks three within four cushions, on a cloth."""
    model, r = ns.Model(gravity=(0, 0, -G)), 0.028575
    across = 2.0 * r * math.cos(math.pi / 6.0)
    model.add_sphere(radius=r, mass=0.17, position=(-0.6, 0.003, r), velocity=(8.0, 0, 0))
    for x, y in ((0, 0), (1.0001 * across, 1.0003 * r), (1.0002 * across, -1.0004 * r)):
        model.add_sphere(radius=r, mass=0.17, position=(x, y, r))
    model.add(SphereSphere(among=model.spheres, mu=0.06, e_n=0.93))
    model.add(SpherePlane(model.spheres, model.add_plane(normal=(0, 0, 1)), mu=0.2))
    for normal, offset in (((1, 0, 0), -1.0), ((-1, 0, 0), -1.0), ((0, 1, 0), -0.5), ((0, -1, 0), -0.5)):
        model.add(SpherePlane(model.spheres, model.add_plane(normal=normal, offset=offset), mu=0.2, e_n=0.85))
    return model


def ends(build, sizes, end):
    """Positions and velocities at `end` [s], one run for each size of the steps."""
    found = []
    for h in sizes:
        result = located(build(), end, h)
        assert (result.stats.h < h).sum() <= impacts(result) + 5  # balls begin to roll
        state = at(result, end)
        found.append((state.position, np.hstack([state.velocity, state.angular_velocity])))
    return found


def test_a_break_of_four():
    """Forces are constant between impacts and until balls begin to roll, where steps end."""
    (x, v), *others = ends(broken, (1e-3, 5e-3, 1e-2), 1.0)
    assert max(np.abs(each[0] - x).max() for each in others) < 1e-12
    assert max(np.abs(each[1] - v)[:, :3].max() for each in others) < 1e-11
    assert max(np.abs(each[1] - v)[:, 3:].max() for each in others) < 1e-10  # rates: over the radius


def test_energy_falls_in_a_break():
    """It goes into friction and impacts, which are at the ends of their steps."""
    result = located(broken(), 1.0, 1e-2)
    assert np.diff(result.energy()).max() < 1e-12
    budget = result.budget()
    assert np.abs(budget.residual).max() < 1e-12
    assert budget.impacts[-1] < -1.0
    assert budget.friction[-1] < -1.0


def pendulum_on_a_stop():
    model = ns.Model(gravity=(0, 0, -G))
    rod = model.add_body(mass=1.0, inertia=(0.01, 0.1, 0.1), position=(0.5, 0, 0))
    pin = model.add(Revolute(None, rod, point=(0, 0, 0), axis=(0, 1, 0)))
    model.add(Limit(pin, low=-1.0, high=0.7, e_n=0.6))
    return model


def test_a_pendulum_on_a_stop():
    """It meets the limit of its angle four times."""
    (x, v), *others = ends(pendulum_on_a_stop, (2.5e-4, 5e-3, 2.5e-3, 1.25e-3), 1.2)
    errors = np.array([[np.abs(each[0] - x).max(), np.abs(each[1] - v).max()] for each in others])
    assert np.log2(errors[:-1] / errors[1:]).min() > 1.9


@pytest.mark.parametrize("every", [1, 7])
@pytest.mark.parametrize(("build", "h"), [(broken, 1e-2), (pendulum_on_a_stop, 5e-3)])
def test_a_resumed_run_has_the_same_impacts(tmp_path, build, h, every):
    whole, parts = (ns.Recording(every=every, file=tmp_path / name) for name in ("a.h5", "b.h5"))
    watch = [ns.Sensor("t", lambda now: now.h, times=[0.1, 0.5, 0.9])]
    one = located(build(), 0.9, h, recording=whole, watch=watch)
    located(build(), 0.47, h, recording=parts, watch=watch)
    two = ns.resume(parts.file, t_end=0.9, watch=watch)
    assert (one.stats.h[:] == two.stats.h[:]).all()
    assert one.t[-1] == two.t[-1]
    for name in ("position", "rotation", "velocity", "angular_velocity"):
        assert np.array_equal(getattr(one, name)[-1], getattr(two, name)[-1]), name
    assert np.array_equal(one.sensors["t"].value, two.sensors["t"].value)


def rack():
    """A ball into a rack of six, whose balls touch or come close."""
    model, r = ns.Model(gravity=(0, 0, -G)), 0.03
    model.add_sphere(radius=r, mass=0.2, position=(-0.3, 0.002, r), velocity=(5.0, 0, 0))
    for i in range(3):
        for j in range(i + 1):
            model.add_sphere(radius=r, mass=0.2, position=(1.7321 * i * r, 2.0001 * (j - 0.5 * i) * r, r))
    model.add(SphereSphere(among=model.spheres, mu=0.06, e_n=0.9))
    model.add(SpherePlane(model.spheres, model.add_plane(normal=(0, 0, 1)), mu=0.2))
    return model


@pytest.mark.parametrize(
    ("build", "h", "t"), [(broken, 1e-2, 0.5), (rack, 1e-2, 0.3), (pendulum_on_a_stop, 5e-3, 1.0)]
)
def test_steps_of_the_compiled_loop_are_those_from_python(monkeypatch, build, h, t):
    """To the bit; the loop takes all steps without an event."""
    one = located(build(), t, h)
    calls, fly = [], LocatedStepper._fly
    monkeypatch.setattr(LocatedStepper, "_fly", lambda self, steps, *_: Advance(steps.first, LOCATE))
    two = located(build(), t, h)
    for name in ("t", "position", "rotation", "velocity", "angular_velocity", "acceleration"):
        assert np.array_equal(getattr(one, name), getattr(two, name)), name
    for name in ("h", "located", "trials", "handed", "contacts", "sub_impacts", "velocity_residual"):
        assert np.array_equal(getattr(one.stats, name), getattr(two.stats, name)), name
    acting = [np.abs(each.contacts.multipliers).max(axis=1) > 0.0 for each in (one, two)]
    impulses = [each.contacts.impulse[rows] for each, rows in zip((one, two), acting, strict=True)]
    assert np.abs(impulses[0] - impulses[1]).max() < 1e-12

    def count(self, steps, *given):
        done = fly(self, steps, *given)
        calls.append(done.done - steps.first)
        return done

    monkeypatch.setattr(LocatedStepper, "_fly", count)
    again = located(build(), t, h)
    assert sum(calls) == ((again.stats.located == 0) & (again.stats.h == h)).sum()


@pytest.mark.parametrize("overlap", [0.0, 1e-8])
def test_a_ball_that_is_sent_into_one_it_touches_strikes_at_once(overlap):
    """No step led to such a state; a ball beside them is met later."""
    model = ns.Model()
    for x, v in ((0.0, 2.0), (2.0 * R - overlap, 0.0), (1.0, 0.0)):
        model.add_sphere(radius=R, mass=1.0, position=(x, 0, 0), velocity=(v, 0, 0))
    model.add(SphereSphere(among=model.spheres, e_n=0.5))
    result = located(model, 0.1, 1e-2)
    assert result.t[1] < 1e-15
    assert result.velocity[1:, :2, 0] == pytest.approx(np.tile([0.5, 1.5], (len(result.t) - 1, 1)), abs=1e-12)
    assert impacts(result) == 1


def test_balls_meet_across_the_boundary_of_a_cell():
    """Two balls of 7 and 0 m/s, .4 m apart by the nearest image, meet after (.4 - 2 R)/7 s."""
    model = ns.Model(periodic=(2.0, None, None))
    for x, v in ((0.9, 7.0), (-0.7, 0.0)):
        model.add_sphere(radius=R, mass=1.0, position=(x, 0, 0), velocity=(v, 0, 0))
    model.add(SphereSphere(among=model.spheres, e_n=0.6))
    result = located(model, 0.1, 1e-2)
    assert result.velocity[-1, :, 0] == pytest.approx([1.4, 5.6], abs=1e-12)
    assert result.t[1:][result.stats.located > 0] == pytest.approx([0.2 / 7.0], abs=1e-12)


def test_fixed_steps_have_no_located_impacts():
    result = ns.simulate(bouncing(0.5), t_end=1.0, h=1e-2)
    for name in ("located", "trials", "handed"):
        assert not getattr(result.stats, name).any()
    assert (result.stats.h == 1e-2).all()


def test_an_impact_that_is_not_located_is_in_the_status(monkeypatch):
    monkeypatch.setattr("nsgalpha.schemes.generalized_alpha.located_stepper.MOST_TRIALS", 0)
    result = located(bouncing(0.8), 0.5, 1e-2)
    assert result.stats.located.min() == -1
    assert "in 1 step impacts were not located" in str(result.status)


def sliding_pendulum():
    model = pendulum_on_a_stop()
    model.add(JointFriction(model.joints[0], bound=0.1, mu=0.1, radius=0.1))
    return model


@pytest.mark.parametrize(
    ("build", "options", "named"),
    [
        (sliding_pendulum, {}, "joint friction"),
        (lambda: bouncing(0.5), {"scheme": ns.MoreauJean()}, "MoreauJean"),
        (
            lambda: bouncing(0.5),
            {"scheme": ns.GeneralizedAlpha(formulation=AUGMENTED)},
            "formul",
        ),
        (lambda: bouncing(0.5), {"h": [1e-2, 1e-3]}, "a number"),
        (lambda: bouncing(0.5), {"impacts": "locate"}, "did you mean 'located'"),
    ],
)
def test_what_cannot_be_located_is_refused(build, options, named):
    with pytest.raises(ValueError, match=named):
        ns.simulate(build(), **{"t_end": 1.0, "h": 1e-2, "impacts": "located"} | options)
