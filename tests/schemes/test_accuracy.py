"""Steps that follow from an accuracy: `simulate(accuracy=...)`, and motion between them, `Result.at`."""

import math

import numpy as np
import pytest
from scipy.special import ellipj, ellipk

import nsgalpha as ns
from elements import CompliantSpherePlane, JointFriction, Revolute, SpherePlane, SphereSphere, SpringDashpot
from nsgalpha.schemes.scheme_settings import AUGMENTED
from verification.located_impacts.shots import RADIUS, shot

G, R = 9.81, 0.1
FLOOR = (0, 0, 1)


def run(model, t_end, accuracy, **options):
    result = ns.simulate(model, t_end=t_end, accuracy=accuracy, **options)
    assert result.status.ok, result.status
    return result


def bouncing(e_n):
    model = ns.Model(gravity=(0, 0, -G))
    ball = model.add_sphere(radius=R, mass=1.0, position=(0, 0, R + 0.9), angular_velocity=(0.0, 3.0, 0))
    model.add(SpherePlane(ball, model.add_plane(normal=FLOOR), e_n=e_n))
    return model


def sliding(mu=0.2, v=2.0):
    """A ball slides, and rolls from 2 v / 7 mu g on."""
    model = ns.Model(gravity=(0, 0, -G))
    ball = model.add_sphere(radius=R, mass=1.0, position=(0, 0, R), velocity=(v, 0, 0))
    model.add(SpherePlane(ball, model.add_plane(normal=FLOOR), mu=mu))
    return model


def pendulum():
    """A rod of 2/3 m about its end, from the horizontal: the reduced length is 1 m with J = m s^2 / 2."""
    model = ns.Model(gravity=(0, 0, -G))
    s = 2.0 / 3.0
    rod = model.add_body(mass=1.0, inertia=(0.2, s * (1.0 - s), 0.2), position=(s, 0, 0))
    model.add(Revolute(None, rod, point=(0, 0, 0), axis=(0, 1, 0)))
    return model


def swing(t):
    """Angle below the horizontal, and rate, of a pendulum of 1 m; elliptic functions."""
    k2, w = 0.5, math.sqrt(G)
    sn, cn, *_ = ellipj(ellipk(k2) - w * t, k2)
    return 0.5 * math.pi - 2.0 * math.asin(math.sqrt(k2) * sn), 2.0 * w * math.sqrt(k2) * cn


def test_flight_and_bounces_take_few_steps():
    result = run(bouncing(0.8), 2.0, 1e-6)
    first = math.sqrt(2.0 * 0.9 / G)
    v = math.sqrt(2.0 * G * 0.9)
    times, speed = [first], v
    while times[-1] + 2.0 * speed * 0.8 / G < 2.0:
        speed *= 0.8
        times.append(times[-1] + 2.0 * speed / G)
    assert result.t[1:][result.stats.located > 0] == pytest.approx(times, abs=1e-12)
    assert len(result.stats.h) < 12 + 3 * len(times)
    assert result.t[-1] == pytest.approx(2.0, abs=1e-14)
    left = 2.0 - times[-1]
    assert result.velocity[-1, 0, 2] == pytest.approx(0.8 * speed - G * left, abs=1e-11)


def test_a_ball_that_comes_to_roll_does_so_at_the_end_of_a_step():
    mu, v, t = 0.2, 2.0, 1.0
    result = run(sliding(mu, v), t, 1e-3)
    rolls = 2.0 * v / (7.0 * mu * G)
    assert np.abs(result.t - rolls).min() < 1e-9
    x = v * rolls - 0.5 * mu * G * rolls**2 + 5.0 / 7.0 * v * (t - rolls)
    assert result.position[-1, 0, 0] == pytest.approx(x, abs=1e-12)
    assert result.velocity[-1, 0, 0] == pytest.approx(5.0 / 7.0 * v, abs=1e-12)


@pytest.mark.parametrize("accuracy", [1e-2, 1e-3, 1e-4])
def test_a_pendulum_is_as_exact_as_asked(accuracy):
    t = 4.0
    result = run(pendulum(), t, accuracy)
    angle, rate = swing(t)
    top = math.sqrt(2.0 * G)
    assert result.angular_velocity[-1, 0, 1] / top == pytest.approx(rate / top, abs=3.0 * accuracy)
    x = 2.0 / 3.0 * np.array([math.cos(angle), 0.0, -math.sin(angle)])
    assert np.abs(result.position[-1, 0] - x).max() < 3.0 * accuracy
    assert (result.stats.error <= accuracy * result.stats.h / t + 1e-13).all()


def test_steps_of_a_pendulum_grow_like_one_over_the_root():
    coarse, fine = (len(run(pendulum(), 4.0, accuracy).stats.h) for accuracy in (1e-3, 1e-5))
    assert 7.0 < fine / coarse < 10.5


def test_the_motion_between_steps_is_that_of_the_steps():
    """Parabolas to rounding, at impacts the velocity after them, and a pendulum to its accuracy."""
    result = run(bouncing(0.8), 1.0, 1e-6)
    first, v = math.sqrt(2.0 * 0.9 / G), math.sqrt(2.0 * G * 0.9)
    t = np.array([0.0, 0.1, 0.3, 0.7, 1.0])
    fall, rise = t < first, 0.8 * v - G * (t - first)
    found = result.at(t)
    z = np.where(fall, 0.9 - 0.5 * G * t**2, 0.8 * v * (t - first) - 0.5 * G * (t - first) ** 2)
    assert found.position[:, 0, 2] - R == pytest.approx(z, abs=1e-12)
    assert found.velocity[:, 0, 2] == pytest.approx(np.where(fall, -G * t, rise), abs=1e-11)
    assert found.angular_velocity[:, 0, 1] == pytest.approx(np.full(5, 3.0), abs=1e-11)
    assert found.rotation[:, 0, 2] == pytest.approx(np.sin(1.5 * t), abs=1e-11)
    result = run(pendulum(), 2.0, 1e-4)
    t = np.linspace(0.0, 2.0, 57)
    found, (angle, rate) = result.at(t), np.transpose([swing(each) for each in t])
    assert found.angular_velocity[:, 0, 1] == pytest.approx(rate, abs=2e-3)
    assert found.position[:, 0, 2] == pytest.approx(-2.0 / 3.0 * np.sin(angle), abs=3e-4)
    assert found.rotation[:, 0, 2] == pytest.approx(np.sin(0.5 * angle), abs=3e-4)


def english():
    """A ball that slides with spin about the vertical, until it rolls."""
    model = ns.Model(gravity=(0, 0, -G))
    ball = model.add_sphere(
        radius=R, mass=1.0, position=(0, 0, R), velocity=(2, 0, 0), angular_velocity=(0, 0, 30)
    )
    model.add(SpherePlane(ball, model.add_plane(normal=FLOOR), mu=0.02))
    return model


@pytest.mark.parametrize("options", [{"accuracy": 1e-6}, {"h": 0.5, "impacts": "located"}])
def test_angular_velocities_between_steps_follow_many_turns_about_a_changing_axis(options):
    """The rate about the vertical stays, that across grows by 5 mu g / 2 R until the ball rolls."""
    result = ns.simulate(english(), t_end=4.0, **options)
    t = np.linspace(0.0, 4.0, 83)
    across = np.minimum(2.5 * 0.02 * G / R * t, 2.0 * 5.0 / 7.0 / R)
    assert result.at(t).angular_velocity[:, 0, 1] == pytest.approx(across, abs=1e-9)
    assert result.at(t).angular_velocity[:, 0, 2] == pytest.approx(30.0, abs=1e-9)
    turns = np.linalg.norm(result.angular_velocity[1:, 0], axis=1) * result.stats.h
    assert turns.max() > 2.0 * math.pi


def test_motion_before_an_impact_follows_from_its_impulses():
    fine = ns.simulate(rack(), t_end=0.25, h=1e-3, impacts="located")
    rough = run(rack(), 0.25, 1e-8)
    t = np.linspace(0.0, 0.25, 71)
    one, two = fine.at(t), rough.at(t)
    assert two.velocity == pytest.approx(one.velocity, abs=1e-6)
    assert two.angular_velocity == pytest.approx(one.angular_velocity, abs=1e-3)


def test_recorded_states_are_found_again():
    result = run(pendulum(), 0.5, 1e-3)
    found = result.at(result.t)
    for name in ("position", "velocity", "angular_velocity"):
        assert getattr(found, name) == pytest.approx(getattr(result, name), abs=1e-12)
    signs = np.sign((found.rotation * result.rotation).sum(axis=2, keepdims=True))
    assert signs * found.rotation == pytest.approx(result.rotation, abs=1e-12)


def test_motion_between_rare_records_is_refused():
    result = run(pendulum(), 0.5, 1e-3, record_every=5)
    with pytest.raises(ValueError, match="record every step"):
        result.at([0.3])
    with pytest.raises(ValueError, match="times"):
        result.at([0.6])
    assert result.at([]).position.shape == (0, 1, 3)


def rack():
    """A ball breaks fifteen within four cushions, off centre."""
    model, r = ns.Model(gravity=(0, 0, -G)), 0.028575
    across = 2.0 * r * math.cos(math.pi / 6.0)
    model.add_sphere(radius=r, mass=0.17, position=(-0.6, 0.003, r), velocity=(8.0, 0, 0))
    for i in range(5):
        for j in range(i + 1):
            place = (1.0004 * i * across, 1.0004 * (2 * j - i) * r + 1e-6 * ((7 * i + 3 * j) % 5), r)
            model.add_sphere(radius=r, mass=0.17, position=place)
    model.add(SphereSphere(among=model.spheres, mu=0.06, e_n=0.93))
    model.add(SpherePlane(model.spheres, model.add_plane(normal=FLOOR), mu=0.2))
    for normal, offset in (((1, 0, 0), -1.0), ((-1, 0, 0), -1.0), ((0, 1, 0), -0.5), ((0, -1, 0), -0.5)):
        model.add(SpherePlane(model.spheres, model.add_plane(normal=normal, offset=offset), mu=0.2, e_n=0.85))
    return model


def test_a_rack_of_fifteen_is_broken_as_exactly_as_asked():
    """Long steps and short ones agree: between impacts, and where sliding ends, forces are constant."""
    coarse, fine = run(rack(), 0.3, 1e-6), run(rack(), 0.3, 1e-6, h=1e-3)
    assert np.abs(coarse.velocity[-1] - fine.velocity[-1]).max() < 1e-6
    assert np.abs(coarse.position[-1] - fine.position[-1]).max() < 1e-7
    assert len(coarse.stats.h) < 100 < 300 < len(fine.stats.h)
    assert np.diff(coarse.energy()).max() < 1e-12
    assert fine.stats.h.max() == pytest.approx(1e-3)


@pytest.mark.parametrize("every", [1, 4])
@pytest.mark.parametrize("build", [rack, pendulum, lambda: bouncing(0.5)])
def test_a_resumed_run_has_the_same_steps(tmp_path, build, every):
    """A run that is stopped knows its planned end."""
    whole, parts = (ns.Recording(every=every, file=tmp_path / name) for name in ("a.h5", "b.h5"))
    one = run(build(), 0.4, 1e-4, recording=whole)
    stop = ns.StopWhen(lambda now: now.t > 0.11)
    run(build(), 0.4, 1e-4, recording=parts, watch=[stop])
    two = ns.resume(parts.file, t_end=0.4)
    assert 0.11 < two.t[np.searchsorted(two.t, 0.11)] < 0.4
    for name in ("h", "error", "following", "trials"):
        assert np.array_equal(getattr(one.stats, name)[:], getattr(two.stats, name)[:]), name
    for name in ("position", "rotation", "velocity", "angular_velocity"):
        assert np.array_equal(getattr(one, name)[-1], getattr(two, name)[-1]), name


def test_a_run_resumed_to_a_later_end_takes_longer_steps(tmp_path):
    """The first end bounds neither the steps nor their errors where no `h` was given."""
    run(bouncing(0.8), 0.01, 1e-6, recording=ns.Recording(file=tmp_path / "a.h5"))
    result = ns.resume(tmp_path / "a.h5", t_end=2.0)
    whole = run(bouncing(0.8), 2.0, 1e-6)
    assert len(result.stats.h) <= len(whole.stats.h) + 12
    for name in ("position", "velocity", "angular_velocity"):
        assert getattr(result, name)[-1] == pytest.approx(getattr(whole, name)[-1], abs=1e-10), name


def test_a_joint_whose_friction_holds_it_ends_a_step():
    """A rod on a vertical pin, slowed by a constant torque M, stands at J w / M and stays."""
    model = ns.Model()
    rod = model.add_body(mass=1.0, inertia=(0.2, 0.2, 0.2), position=(0, 0, 0), angular_velocity=(0, 0, 3.0))
    pin = model.add(Revolute(None, rod, point=(0, 0, 0), axis=FLOOR))
    model.add(JointFriction(pin, bound=0.4))
    result = run(model, 2.0, 1e-3)
    assert np.abs(result.t - 1.5).min() < 1e-8
    assert result.angular_velocity[-1, 0, 2] == pytest.approx(0.0, abs=1e-12)
    angle, _ = result.coordinate(pin)
    assert angle[-1] == pytest.approx(2.25, abs=1e-9)


def test_impacts_are_seen_and_sensors_measure_at_the_ends_of_steps():
    struck = []
    watch = [ns.OnImpact(struck.append), ns.Sensor("h", lambda now: now.h, times=[0.1, 0.6])]
    result = run(bouncing(0.8), 1.0, 1e-6, watch=watch)
    assert [each.t for each in struck] == pytest.approx([math.sqrt(1.8 / G)], abs=1e-12)
    series = result.sensors["h"]
    assert set(series.t) <= set(result.t)
    assert (series.t >= [0.1, 0.6]).all()


def test_a_held_contact_that_opens_does_not_overlap_on_the_way():
    """Friction drives a ball on, in lower and lower rebounds; the last is held."""
    found = shot(77, 4349, 1e-6)
    assert not found.failure
    assert found.between < 1e-9 * RADIUS


def test_a_step_that_cannot_be_accurate_names_time_and_body(monkeypatch):
    monkeypatch.setattr("nsgalpha.stepping.error_control.LEAST", 1e-3)
    result = ns.simulate(pendulum(), t_end=4.0, accuracy=1e-9)
    assert not result.status.ok
    assert result.status.subproblem == "error control"
    assert "'body 0'" in str(result.status)
    assert "accuracy = 1e-09" in str(result.status)
    assert result.t[-1] < 0.1


def test_fixed_steps_have_no_error():
    result = ns.simulate(pendulum(), t_end=0.1, h=1e-2)
    assert not result.stats.error.any()
    assert not result.stats.following.any()


def soft_ball():
    model = ns.Model(gravity=(0, 0, -G))
    ball = model.add_sphere(radius=R, mass=1.0, position=(0, 0, 1))
    law = SpringDashpot(stiffness=1e4)
    model.add(CompliantSpherePlane(ball, model.add_plane(normal=FLOOR), normal=law))
    return model


@pytest.mark.parametrize(
    ("build", "options", "named"),
    [
        (pendulum, {"accuracy": 0.0}, "accuracy"),
        (pendulum, {"accuracy": 1.0}, "accuracy"),
        (pendulum, {"accuracy": math.nan}, "accuracy"),
        (pendulum, {"impacts": "fixed"}, "impacts"),
        (pendulum, {"h": [1e-2, 1e-3]}, "h"),
        (pendulum, {"h": -1.0}, "h"),
        (pendulum, {"t_end": -1.0}, "t_end"),
        (pendulum, {"t_end": math.inf}, "t_end"),
        (pendulum, {"h": 1e-14}, "h = 1e-14: must be at least 1e-13"),
        (pendulum, {"scheme": ns.MoreauJean()}, "accuracy = 0.0001: must be left out with MoreauJean"),
        (
            pendulum,
            {"scheme": ns.GeneralizedAlpha(formulation=AUGMENTED)},
            "accuracy = 0.0001: .*formulation",
        ),
        (soft_ball, {"scheme": ns.VelocityVerlet()}, "VelocityVerlet"),
    ],
)
def test_what_has_no_accuracy_is_refused(build, options, named):
    with pytest.raises(ValueError, match=named):
        ns.simulate(build(), **{"t_end": 1.0, "accuracy": 1e-4} | options)
