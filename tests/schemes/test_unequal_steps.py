"""Steps whose size changes: order, memory, times, records, under all schemes."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest

import nsgalpha as ns
from elements import CompliantSpherePlane, CundallStrack, Drag, ExudynNormal, Revolute, SpherePlane, Spring
from nsgalpha.case import load_case
from nsgalpha.stepping.step_times import StepTimes, time_after

PATTERN = np.array([1.0, 1.0 / 2.0, 1.0 / 3.0])
END = 1.1


def pattern(n, end=END):
    """`n` times steps of h, h/2, h/3, to `end` [s]."""
    return np.tile(PATTERN * (end / n / PATTERN.sum()), n).tolist()


def forced():
    """A ball on a spring and damper under a force that changes with time."""
    model = ns.Model(gravity=(0, 0, -9.81))
    model.add_sphere(radius=0.1, mass=1.0, position=(1, 0, 0), velocity=(0, 1, 0))

    def load(t, state):
        x, v = state.position[0], state.velocity[0]
        return [[3.0 * np.sin(4.0 * t) - 20.0 * x[0], -20.0 * x[1] - 0.3 * v[1], 0.0]]

    model.add_load(load)
    return model


def pendulum():
    """A double pendulum."""
    model = ns.Model(gravity=(0, 0, -9.81))
    rods = [model.add_body(mass=1.0, inertia=(0.01, 0.1, 0.1), position=(0.5 + k, 0, 0)) for k in range(2)]
    model.add(Revolute(None, rods[0], point=(0, 0, 0), axis=(0, 1, 0)))
    model.add(Revolute(*rods, point=(1, 0, 0), axis=(0, 1, 0)))
    return model


def top():
    """A body that tumbles freely."""
    model = ns.Model()
    model.add_body(mass=1.0, inertia=(0.01, 0.03, 0.02), position=(0, 0, 0), angular_velocity=(1.0, 5.0, 0.3))
    return model


def contacts():
    """Balls that slide on a spring, hang on a spring, lie on compliant ground."""
    model = ns.Model(gravity=(0, 0, -9.81))
    floor = model.add_plane(normal=(0, 0, 1))
    slides = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0.1), velocity=(9.0, 0, 0))
    hangs = model.add_sphere(radius=0.1, mass=1.0, position=(0, 1, 2.0), velocity=(0.3, 0, 0))
    lies = model.add_sphere(radius=0.1, mass=1.0, position=(0, 2, 0.09), velocity=(0.1, 0, 0))
    model.add(SpherePlane(slides, floor, mu=0.1))
    model.add(Spring([(slides, (-1, 0, 0.1)), (hangs, (0, 1, 2.6))], stiffness=4.0, length=0.2))
    laws = {
        "normal": ExudynNormal(stiffness=500.0, damping=1.0),
        "tangential": CundallStrack(stiffness=200.0, mu=0.5),
    }
    model.add(CompliantSpherePlane(lies, floor, **laws))
    return model


def carried():
    """A ball on compliant ground that oscillates up and down."""
    model = ns.Model(gravity=(0, 0, -9.81))
    motion = ns.Shaking(amplitude=(0, 0, 0.02), frequency=1.5)
    floor = model.add_plane(normal=(0, 0, 1), motion=motion)
    ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0.08))
    model.add(CompliantSpherePlane(ball, floor, normal=ExudynNormal(stiffness=500.0, damping=5.0)))
    return model


def apart(one, two):
    """Largest differences of positions and rotations, and of velocities, of two states."""
    x = np.abs(one.position - two.position).max() + np.abs(one.rotation - two.rotation).max()
    v = np.abs(one.velocity - two.velocity).max() + np.abs(one.angular_velocity - two.angular_velocity).max()
    return x, v


def orders(build, end=END, **how):
    """Orders of positions and velocities as steps of a pattern are halved."""
    exact = ns.simulate(build(), t_end=end, h=end / 10000, record_every=10000, **how).state()
    errors = []
    for n in (80, 160, 320):
        result = ns.simulate(build(), t_end=end, h=pattern(n, end), **how)
        assert result.status, result.status
        assert len(result.t) == 3 * n + 1
        errors.append(apart(result.state(), exact))
    return np.log2(np.array(errors)[:-1] / np.array(errors)[1:])


@pytest.mark.parametrize("rho", [0.0, 0.8, 1.0])
@pytest.mark.parametrize("build", [forced, pendulum, top])
def test_generalized_alpha_keeps_its_order(build, rho):
    assert orders(build, rho_inf=rho).min() > 1.9


def springs():
    """A pendulum on a spring, and a ball that slides beside it."""
    model = pendulum()
    rods = model.bodies[:]
    ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 2, 0.1), velocity=(3.0, 0, 0))
    model.add(Spring([(rods[1], (1.5, 0, 1.0)), (ball, (0, 2, 1.0))], stiffness=4.0, length=0.5))
    model.add(SpherePlane(ball, model.add_plane(normal=(0, 0, 1)), mu=0.05))
    return model


def test_order_of_compiled_springs_joints_and_friction():
    assert orders(springs, 0.5).min() > 1.9


def test_order_with_friction_springs_and_compliant_contact():
    assert orders(contacts, 0.5).min() > 1.9


@pytest.mark.parametrize("build", [forced, top])
def test_velocity_verlet_keeps_its_order(build):
    assert orders(build, scheme=ns.VelocityVerlet()).min() > 1.9


def test_the_midpoint_rule_of_moreau_and_jean_keeps_its_order():
    assert orders(forced, scheme=ns.MoreauJean(theta=0.5)).min() > 1.9


def test_first_order_schemes_keep_theirs():
    assert orders(pendulum, scheme=ns.MoreauJean(theta=0.5)).min() > 0.85  # joints are of first order there
    assert orders(forced, scheme=ns.SemiImplicit()).min() > 0.95


@pytest.mark.parametrize("n", [160, 320])
def test_frames_that_are_ahead_of_bodies_follow_the_step(n):
    """An error of first order grows with the mean of h^2 over that of h, by 1.22."""
    runs = [
        ns.simulate(carried(), t_end=END, h=h, scheme=ns.SemiImplicit()).state()
        for h in (END / 20000, END / (3 * n), pattern(n))
    ]
    (x, v), (x_pattern, v_pattern) = (apart(run, runs[0]) for run in runs[1:])
    assert x_pattern < 1.3 * x
    assert v_pattern < 1.3 * v


@pytest.mark.parametrize("scheme", [ns.GeneralizedAlpha(), ns.VelocityVerlet()])
def test_order_on_moving_ground(scheme):
    assert orders(carried, scheme=scheme).min() > 1.9


def test_motion_without_inertia_keeps_its_order():
    exact = 0.5 * np.exp(-4.0 * 0.5)  # x' = -k x/c
    errors = []
    for n in (40, 80, 160):
        model = ns.Model()
        ball = model.add_sphere(radius=0.1, mass=1.0, position=(0.5, 0, 0))
        model.add(Spring([(ball, (0, 0, 0))], stiffness=40.0, length=0.0))
        drag = Drag(model.spheres, translational=10.0)
        result = ns.simulate(model, t_end=0.5, h=pattern(n, 0.5), scheme=ns.Overdamped(drag))
        errors.append(abs(result.position[-1, ball, 0] - exact))
    assert np.log2(np.array(errors)[:-1] / np.array(errors)[1:]).min() > 0.95


def rolling():
    """A ball that slides, then rolls, and one that falls beside it and bounces."""
    model = ns.Model(gravity=(0, 0, -10))
    floor = model.add_plane(normal=(0, 0, 1))
    model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0.1), velocity=(2.0, 0, 0), name="slides")
    model.add_sphere(radius=0.1, mass=1.0, position=(0, 1, 0.3), name="falls")
    model.add(SpherePlane(model.spheres, floor, mu=0.2, e_n=0.5))
    return model


SIZES = pattern(60, 0.6)


def test_steps_in_a_loop_are_the_run():
    result = ns.simulate(rolling(), t_end=0.6, h=SIZES)
    model, state = rolling(), rolling().initial_state()
    for k, h in enumerate(SIZES):
        state = ns.step(model, state, h)
        assert state.h == h
        assert (state.t, state.position.tolist()) == (result.t[k + 1], result.position[k + 1].tolist())
        assert state.auxiliary.tolist() == result.auxiliary[k + 1].tolist()


def test_constant_friction_stays_exact():
    """Sliding at mu g until it rolls at 5/7 of the speed, t = 2 v/(7 mu g)."""
    result = ns.simulate(rolling(), t_end=0.2, h=pattern(20, 0.2))
    t = result.t
    assert result.velocity[:, 0, 0] == pytest.approx(2.0 - 2.0 * t, abs=1e-13)
    assert result.position[:, 0, 0] == pytest.approx(2.0 * t - t**2, abs=1e-13)
    assert np.abs(result.position[:, 0, 2] - 0.1).max() < 1e-13


def test_the_record_has_the_sizes_of_the_steps():
    result = ns.simulate(rolling(), t_end=0.6, h=SIZES, record_every=7)
    assert result.stats.h.tolist() == SIZES
    steps = [*range(0, 180, 7), 180]
    assert result.t == pytest.approx(np.concatenate([[0.0], np.cumsum(SIZES)])[steps], abs=1e-14)
    assert result.h.tolist() == [0.0] + [SIZES[k - 1] for k in steps[1:]]
    assert result.state(0).h is None
    assert result.state(3).h == SIZES[20]
    assert result.to_pandas("steps")["h"].tolist() == SIZES


def test_the_last_size_is_that_of_all_other_steps():
    result = ns.simulate(rolling(), t_end=0.5, h=[0.1, 0.02, 0.05])
    assert result.t == pytest.approx([0.0, 0.1, 0.12, *(0.12 + 0.05 * np.arange(1, 9))])
    assert result.status.message == f"finished at t = {result.t[-1]:g} s after 10 steps"


@pytest.mark.parametrize("scheme", [ns.GeneralizedAlpha(), ns.MoreauJean()])
def test_a_file_is_resumed_to_the_bit(scheme, tmp_path):
    whole = ns.simulate(rolling(), t_end=0.6, h=SIZES, scheme=scheme)
    for name, every in (("all", 1), ("some", 7)):
        recording = ns.Recording(every=every, file=tmp_path / name)
        ns.simulate(rolling(), t_end=0.25, h=SIZES, scheme=scheme, recording=recording)
        found = ns.resume(tmp_path / name, t_end=0.6)
        assert np.asarray(found.stats.h).tolist() == SIZES
        one, two = found.state(), whole.state()
        assert (one.t, one.h) == (two.t, two.h)
        for part in ("position", "rotation", "velocity", "angular_velocity", "acceleration", "auxiliary"):
            assert np.array_equal(getattr(one, part), getattr(two, part)), part
        assert set(np.asarray(found.h)[1:]) <= set(SIZES)


@pytest.mark.parametrize("scheme", [ns.GeneralizedAlpha(), ns.VelocityVerlet(), ns.SemiImplicit()])
def test_a_run_goes_on_from_any_state(scheme):
    """The state has the size of the last step: the next one may have another."""

    def build():
        model = forced()
        model.add(
            CompliantSpherePlane(
                model.spheres,
                model.add_plane(normal=(0, 0, 1), offset=-3.0),
                normal=ExudynNormal(stiffness=500.0, damping=1.0),
            )
        )
        return model

    whole = ns.simulate(build(), t_end=END, h=pattern(40), scheme=scheme)
    for at in (1, 2, 63):
        rest = ns.simulate(build(), t_end=END, h=pattern(40)[at:], scheme=scheme, state=whole.state(at))
        assert rest.t == pytest.approx(whole.t[at:], abs=1e-14)
        assert rest.position[-1] == pytest.approx(whole.position[-1], abs=1e-13)
        assert rest.velocity[-1] == pytest.approx(whole.velocity[-1], abs=1e-12)


def test_sensors_look_at_the_first_step_at_or_after_a_time():
    wanted = [0.05, 0.1, 0.100001, 0.33, 0.6]
    sensors = [
        ns.Sensor("times", lambda now: now.h, times=wanted),
        ns.Sensor("every", lambda now: now.state.position[0, 0], every=4),
    ]
    result = ns.simulate(rolling(), t_end=0.6, h=SIZES, watch=sensors)
    levels = np.searchsorted(result.t, np.array(wanted) - 1e-12)
    assert result.sensors["times"].t.tolist() == result.t[levels].tolist()
    assert result.sensors["times"].value.tolist() == result.h[levels].tolist()
    assert result.sensors["every"].t.tolist() == result.t[::4].tolist()
    assert result.sensors["every"].value.tolist() == result.position[::4, 0, 0].tolist()


def test_a_longer_step_is_no_impact():
    """The impulse of a contact at rest grows with the step."""
    model, impacts = rolling(), []
    watch = [ns.OnImpact(impacts.append, faster_than=0.05)]
    result = ns.simulate(model, t_end=0.6, h=[0.001, 0.02] * 29, watch=watch)
    assert {impact.a.name for impact in impacts} == {"falls"}
    arrival = next(t for t in result.t if t >= 0.2)  # of the fall from .2 m
    assert impacts[0].t == arrival


def test_the_energy_budget_of_unequal_steps():
    """Sliding is exact: the point of contact has 2 m/s - 7 mu g t/2."""
    budget = ns.simulate(rolling(), t_end=0.19, h=pattern(19, 0.19)).budget()
    assert budget.friction[-1] == pytest.approx(-2.0 * (2.0 * 0.19 - 3.5 * 0.19**2), abs=1e-12)
    assert np.abs(budget.residual).max() < 1e-12


def test_impacts_in_the_energy_budget():
    """The ball that falls loses 3/4 of 2 J in its first impact."""
    budget = ns.simulate(rolling(), t_end=0.38, h=pattern(400, 0.38)).budget()
    assert budget.impacts[-1] == pytest.approx(-1.5, abs=0.02)
    assert np.abs(budget.residual).max() < 0.02


def test_paraview_has_the_times(tmp_path):
    result = ns.simulate(rolling(), t_end=0.6, h=SIZES, record_every=10)
    folder = ns.show.paraview(result, tmp_path)
    times = [float(each.get("timestep")) for each in ET.parse(folder / "bodies.pvd").iter("DataSet")]
    assert times == result.t.tolist()


def test_bodies_come_at_the_first_step_at_or_after_their_time():
    model = rolling()
    late = model.add_sphere(radius=0.1, mass=1.0, position=(0, 3, 2.0), name="late")
    model.add(ns.Feeder([late], times=[0.3], name="hand"))
    model.add(ns.Outlet(None, bodies=[model.bodies[0]], start=0.41, name="door"))
    result = ns.simulate(model, t_end=0.6, h=SIZES)
    events = result.events
    assert events.t == pytest.approx([next(t for t in result.t if t > each - 1e-9) for each in (0.3, 0.41)])


def test_feeders_draw_the_same_places_when_a_run_is_resumed(tmp_path):
    def build():
        model = rolling()
        late = [model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 9.0)) for _ in range(6)]
        model.add(SpherePlane(late, model.planes[0], mu=0.2, e_n=0.5))
        region = ns.regions.Box(low=(-1, 2, 1), high=(1, 4, 2))
        model.add(ns.Feeder(late, region, rate=15.0, seed=3, name="rain"))
        return model

    whole = ns.simulate(build(), t_end=0.6, h=SIZES)
    ns.simulate(build(), t_end=0.2, h=SIZES, recording=ns.Recording(file=tmp_path / "rain"))
    found = ns.resume(tmp_path / "rain", t_end=0.6)
    assert len(whole.events.t) == 6
    assert np.array_equal(found.position, whole.position)
    assert np.array_equal(found.events.t, whole.events.t)


def test_levels_of_equal_steps_are_counted_from_zero():
    for t0, h in ((0.0, 0.1), (0.3, 0.1), (7 * 0.01, 0.01), (0.123, 1e-3)):
        times = StepTimes(t0, h)
        level, size = times.levels(5, 105)
        assert level.tolist() == [time_after(t0, h, k) for k in range(5, 106)]
        assert (size == h).all()
        assert [times.nearest(t) for t in level] == list(range(5, 106))
        assert [times.first_at(t) for t in level] == list(range(5, 106))
        assert times.first_at(0.5 * (level[0] + level[1])) == 6


def test_levels_follow_changes():
    times = StepTimes(1.0, [0.5, 0.5, 0.25, 2.0], before=0.3)
    level, size = times.levels(0, 6)
    assert level.tolist() == [1.0, 1.5, 2.0, 2.25, 4.25, 6.25, 8.25]
    assert size.tolist() == [0.5, 0.5, 0.25, 2.0, 2.0, 2.0]
    assert [times.size_before(k) for k in (0, 1, 3, 4)] == [0.3, 0.5, 0.25, 2.0]
    assert (times.least, times.most) == (0.25, 2.0)
    assert [times.first_at(t) for t in (0.0, 1.0, 1.1, 2.0, 2.1, 2.25, 2.3, 4.25, 5.0)] == [
        -2,
        0,
        1,
        2,
        3,
        3,
        4,
        4,
        5,
    ]
    times.change(3, 0.25)
    assert times.levels(2, 5)[0].tolist() == [2.0, 2.25, 2.5, 2.75]
    times.change(1, 1.0)
    assert times.levels(0, 3)[0].tolist() == [1.0, 1.5, 2.5, 3.5]
    times.change(0, 0.125)
    assert times.levels(0, 2)[0].tolist() == [1.0, 1.125, 1.25]
    assert times.levels(2, 2)[0].tolist() == [1.25]


@pytest.mark.parametrize("h", [[], [0.1, 0.0], [0.1, np.nan], [[0.1]], [0.1, -1.0], [np.inf]])
def test_sizes_that_are_none_are_refused(h):
    with pytest.raises(ValueError, match=r"^h = "):
        ns.simulate(rolling(), t_end=0.1, h=h)


@pytest.mark.parametrize("h", [0.0, -1.0, np.nan])
def test_a_state_with_a_bad_size_is_refused(h):
    x, q = np.zeros((1, 3)), np.array([[1.0, 0, 0, 0]])
    with pytest.raises(ValueError, match=r"^h = "):
        ns.State(0.0, x, q, x, x, h=h)


def test_a_case_file_takes_sizes(tmp_path):
    path = tmp_path / "case.toml"
    ball = '[[bodies]]\ntype = "sphere"\nname = "ball"\nradius = 0.1\nmass = 1.0\nposition = [0, 0, 1]\n'
    path.write_text(f"{ball}[run]\nt_end = 0.1\nh = [0.01, 0.03]\n")
    result = load_case(path).run()
    assert result.t == pytest.approx([0.0, 0.01, 0.04, 0.07, 0.1])
