"""Sensors, conditions and impact calls see a run without changing it."""

import numpy as np
import pytest

import nsgalpha as ns
from elements import CompliantSpherePlane, ExudynNormal, SpherePlane, SphereSphere
from tests.interface.test_restart import NAMES, scene

G = 9.81


def falling_ball(e_n=0.5, height=0.5, **options):
    model = ns.Model(gravity=(0, 0, -G))
    ball = model.add_sphere(radius=0.1, mass=2.0, position=(0, 0, 0.1 + height), **options)
    model.add(SpherePlane(ball, model.add_plane(normal=(0, 0, 1)), e_n=e_n, mu=0.3))
    return model


def cradle():
    model = ns.Model()
    for k in range(5):
        model.add_sphere(
            radius=0.5, mass=1.0, position=(k - 0.01 * (k == 0), 0, 0), velocity=(float(k == 0), 0, 0)
        )
    model.add(SphereSphere(among=model.spheres, e_n=1.0))
    return model


@pytest.mark.parametrize("count", [5, 60])
def test_watching_does_not_change_a_run(count):
    plain = ns.simulate(scene(count=count), t_end=0.1, h=1e-3, record_every=7)
    watch = [
        ns.Sensor("a", lambda now: now.t, every=3),
        ns.StopWhen(lambda now: False, every=5),
        ns.OnImpact(lambda impact: None),
    ]
    watched = ns.simulate(scene(count=count), t_end=0.1, h=1e-3, record_every=7, watch=watch)
    assert np.array_equal(plain.t, watched.t)
    for name in NAMES:
        assert np.array_equal(getattr(plain, name), getattr(watched, name)), name
    assert np.array_equal(plain.contacts.multipliers, watched.contacts.multipliers)
    assert np.array_equal(plain.stats.contacts, watched.stats.contacts)
    assert plain.status.message == watched.status.message


@pytest.mark.parametrize("every", [1, 4, 1000])
def test_a_sensor_sees_the_states_of_the_run(every):
    full = ns.simulate(scene(), t_end=0.1, h=1e-3)
    sensor = ns.Sensor("motion", lambda now: np.hstack([now.state.position, now.state.velocity]), every=every)
    seen = ns.simulate(scene(), t_end=0.1, h=1e-3, record_every=30, watch=[sensor]).sensors["motion"]
    rows = np.arange(0, 101, every)
    assert np.array_equal(seen.t, full.t[rows])
    assert np.array_equal(seen.value, np.concatenate([full.position, full.velocity], axis=2)[rows])


def test_a_sensor_measures_at_given_times_or_just_after():
    times = [0.0, 0.0105, 0.02, 0.0999, 5.0]
    sensor = ns.Sensor("t", lambda now: now.t, times=times)
    seen = ns.simulate(scene(), t_end=0.1, h=1e-3, watch=[sensor]).sensors["t"]
    assert seen.t == pytest.approx([0.0, 0.011, 0.02, 0.1], abs=1e-12)
    assert np.array_equal(seen.t, seen.value)


def test_an_unknown_sensor_is_refused_with_the_nearest_one(tmp_path):
    sensor = ns.Sensor("motion", lambda moment: moment.state.t)
    result = ns.simulate(scene(), t_end=0.01, h=1e-3, watch=[sensor])
    result.save(tmp_path / "run.h5")
    for each in (result, ns.load(tmp_path / "run.h5")):
        with pytest.raises(KeyError, match=r"'moton': .*'motion'"):
            each.sensors["moton"]
    with pytest.raises(KeyError, match="no sensors; state them by simulate"):
        ns.simulate(scene(), t_end=0.01, h=1e-3).sensors["motion"]


def test_a_sensor_of_contacts_sees_those_of_the_step():
    full = ns.simulate(scene(count=60), t_end=0.05, h=1e-3)
    sensor = ns.Sensor("impulse", lambda now: now.contacts.multipliers[:, 0].sum(), every=1)
    seen = ns.simulate(scene(count=60), t_end=0.05, h=1e-3, record_every=50, watch=[sensor])
    expected = [full.contacts.at(i).multipliers[:, 0].sum() for i in range(51)]
    assert max(expected) > 0.0
    assert np.array_equal(seen.sensors["impulse"].value, expected)


def test_a_sensor_of_compliant_contacts_sees_their_forces():
    model = ns.Model(gravity=(0, 0, -G))
    ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0.1))
    model.add(
        CompliantSpherePlane(ball, model.add_plane(normal=(0, 0, 1)), normal=ExudynNormal(stiffness=1e4))
    )
    sensor = ns.Sensor("force", lambda now: now.compliant_contacts().force.sum(axis=0), every=10)
    for scheme in (ns.GeneralizedAlpha(), ns.VelocityVerlet()):
        result = ns.simulate(model, t_end=0.1, h=1e-4, scheme=scheme, record_every=10, watch=[sensor])
        forces = [result.compliant_contacts(i).force.sum(axis=0) for i in range(len(result.t))]
        assert result.sensors["force"].value[:, 2].max() > G
        assert np.array_equal(result.sensors["force"].value, forces)


@pytest.mark.parametrize("every", [1, 10])
def test_a_condition_ends_the_run_with_the_step_in_which_it_holds(every):
    model = falling_ball()
    stop = ns.StopWhen(lambda now: now.state.position[0, 2] < 0.35, every=every, name="the gate")
    result = ns.simulate(model, t_end=1.0, h=1e-3, record_every=40, watch=[stop])
    fall = np.sqrt(2 * 0.25 / G)
    assert result.status.ok
    assert "by the gate" in result.status.message
    assert fall <= result.t[-1] < fall + every * 1e-3
    assert result.position[-1, 0, 2] < 0.35
    assert len(result.stats.contacts) == round(result.t[-1] / 1e-3)
    whole = ns.simulate(model, t_end=1.0, h=1e-3)
    assert np.array_equal(result.position[-1], whole.position[round(result.t[-1] / 1e-3)])


def test_a_stopped_run_goes_on(tmp_path):
    path = tmp_path / "run.h5"
    stop = ns.StopWhen(lambda now: now.t > 0.0415)
    height = ns.Sensor("height", lambda now: now.state.position[:, 2], every=3)
    ns.simulate(scene(), t_end=0.1, h=1e-3, recording=ns.Recording(file=path), watch=[stop, height])
    resumed = ns.resume(path, t_end=0.1, watch=[height])
    whole = ns.simulate(scene(), t_end=0.1, h=1e-3, watch=[height])
    assert np.array_equal(resumed.position, whole.position)
    assert np.array_equal(resumed.sensors["height"].t, whole.sensors["height"].t)
    assert np.array_equal(resumed.sensors["height"].value, whole.sensors["height"].value)


def test_every_bounce_is_an_impact():
    impacts = []
    ns.simulate(falling_ball(), t_end=1.2, h=1e-3, watch=[ns.OnImpact(impacts.append)])
    speeds = [np.sqrt(2 * G * 0.5) * 0.5**k for k in range(4)]
    assert [impact.jump for impact in impacts[:4]] == pytest.approx([1.5 * u for u in speeds], rel=0.03)
    first, then = impacts[0], impacts[1]
    assert first.t == pytest.approx(np.sqrt(2 * 0.5 / G), abs=2e-3)
    assert then.t - first.t == pytest.approx(2 * 0.5 * speeds[0] / G, abs=4e-3)
    assert first.a.name == "sphere 0"
    assert first.b.name == "plane 0"
    assert first.normal == pytest.approx([0, 0, 1])
    assert first.impulse[2] == pytest.approx(2.0 * first.jump)


def test_a_ball_at_rest_is_struck_by_nothing():
    impacts = []
    watch = [ns.OnImpact(impacts.append)]
    ns.simulate(falling_ball(height=0.0), t_end=0.1, h=1e-3, watch=watch)
    assert not impacts


def test_an_impact_passes_through_a_cradle():
    impacts = []
    ns.simulate(cradle(), t_end=0.1, h=1e-3, watch=[ns.OnImpact(impacts.append)])
    assert {(impact.a.index, impact.b.index) for impact in impacts} == {(0, 1), (1, 2), (2, 3), (3, 4)}
    assert len({impact.t for impact in impacts}) == 1
    assert all(np.linalg.norm(impact.impulse) == pytest.approx(1.0, rel=1e-6) for impact in impacts)


def test_an_impact_slower_than_asked_for_is_none():
    impacts = []
    ns.simulate(falling_ball(), t_end=1.2, h=1e-3, watch=[ns.OnImpact(impacts.append, faster_than=2.0)])
    assert len(impacts) == 2


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ns.Sensor("", abs), "name = ''"),
        (lambda: ns.Sensor("a/b", abs), "without '/'"),
        (lambda: ns.Sensor("a", 3.0), "quantity = 3.0: must be a function"),
        (lambda: ns.Sensor("a", abs, every=0), "every = 0"),
        (lambda: ns.Sensor("a", abs, every=1, times=[1.0]), "give one of them"),
        (lambda: ns.Sensor("a", abs, times=[np.nan]), "finite numbers"),
        (lambda: ns.StopWhen(None), "condition = None"),
        (lambda: ns.StopWhen(abs, every=-1), "every = -1"),
        (lambda: ns.OnImpact(abs, faster_than=0.0), "faster_than = 0.0"),
        (lambda: ns.OnImpact("print"), "call = 'print'"),
        (lambda: ns.Recording(every=0), "every = 0"),
        (lambda: ns.Recording(seconds=0.0), "seconds = 0.0"),
    ],
)
def test_bad_watchers_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize(
    ("watch", "message"),
    [
        ([print], "watch = <built-in function print>"),
        ([ns.Sensor("a", lambda now: 0.0)] * 2, "two sensors are called 'a'"),
        ([ns.Sensor("a", lambda now: np.zeros(int(1e3 * now.t + 0.5)))], "always the same shape"),
        ([ns.Sensor("a", lambda now: "high")], "must be numbers"),
    ],
)
def test_what_cannot_be_watched_is_refused(watch, message):
    with pytest.raises(ValueError, match=message):
        ns.simulate(scene(), t_end=0.01, h=1e-3, watch=watch)


def test_every_and_recording_are_not_given_both():
    with pytest.raises(ValueError, match="record_every = 3"):
        ns.simulate(scene(), t_end=0.01, h=1e-3, record_every=3, recording=ns.Recording())
