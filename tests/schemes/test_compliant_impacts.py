"""Located impacts and accuracy of hard bodies with springs, bonds and compliant contacts."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import nsgalpha as ns
from elements import (
    CompliantSpherePlane,
    CompliantSphereSphere,
    CundallStrack,
    JointSpring,
    Limit,
    Maxwell,
    Revolute,
    SpherePlane,
    SphereSphere,
    Spring,
    SpringDashpot,
)
from nsgalpha.schemes.generalized_alpha.located_stepper import LocatedStepper
from nsgalpha.schemes.stepper_interface import Advance
from nsgalpha.stepping.step_outcome import LOCATE

G, R, FLOOR = 9.81, 0.1, (0, 0, 1)
EXACT = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-13, "max_step": 5e-3}


def simulated(model, t_end, **options):
    result = ns.simulate(model, t_end=t_end, **options)
    assert result.status.ok, result.status
    return result


def at(result, t):
    """The state at `t` [s], after a last step from the level before."""
    i = int(np.flatnonzero(result.t < t)[-1])
    h = t - result.t[i]
    return simulated(result.model, t, h=h, state=result.state(i), impacts="located").state()


def struck(result):
    return result.t[1:][result.stats.located > 0]


def hung(damping=0.0, stiffness=100.0, rest=-0.05, e_n=0.9, spring=Spring, **more):
    """A ball of 1 kg on a spring, .5 m above the floor; it rests at the height `rest`."""
    model, top = ns.Model(gravity=(0, 0, -G)), 5.0
    ball = model.add_sphere(radius=R, mass=1.0, position=(0, 0, R + 0.5))
    length = top - R - rest - G / stiffness
    given = {"stiffness": stiffness, "length": length, "damping": damping, **more}
    model.add(spring([((0, 0, top), ball)], **given))
    model.add(SpherePlane(ball, model.add_plane(normal=FLOOR), e_n=e_n))
    return model


def bounces(t_end, damping=0.0, stiffness=100.0, rest=-0.05, e_n=0.9):
    """Height and velocity at `t_end`, and times of impacts: damped oscillations in between."""
    d = 0.5 * damping
    w = math.sqrt(stiffness - d * d)
    start, z, v, times = 0.0, 0.5, 0.0, []

    def motion(s):
        a, b = z - rest, (v + d * (z - rest)) / w
        c, n, fall = math.cos(w * s), math.sin(w * s), math.exp(-d * s)
        x = fall * (a * c + b * n)
        return x + rest, fall * w * (b * c - a * n) - d * x

    while True:
        grid = np.linspace(1e-9, 2.0 * math.pi / w, 400)
        heights = np.array([motion(s)[0] for s in grid])
        falls = np.flatnonzero((heights[:-1] > 0.0) & (heights[1:] <= 0.0))
        hit = math.inf
        if len(falls):
            hit = brentq(lambda s: motion(s)[0], grid[falls[0]], grid[falls[0] + 1], xtol=1e-15)
        if start + hit > t_end:
            return *motion(t_end - start), times
        start, z, v = start + hit, 0.0, -e_n * motion(hit)[1]
        times.append(start)


@pytest.mark.parametrize("damping", [0.0, 3.0])
def test_a_ball_on_a_spring_bounces_in_second_order(damping):
    t = 1.5
    z, v, times = bounces(t, damping)
    errors = []
    for h in (1e-2, 5e-3, 2.5e-3):
        result = simulated(hung(damping), t, h=h, impacts="located")
        assert len(struck(result)) == len(times) >= 4
        end = at(result, t)
        errors.append((abs(end.position[0, 2] - R - z), abs(end.velocity[0, 2] - v)))
        errors[-1] += (np.abs(struck(result) - times).max(),)
    assert np.log2(np.array(errors[:-1]) / errors[1:]).min() > 1.9


@pytest.mark.parametrize("damping", [0.0, 3.0])
@pytest.mark.parametrize("accuracy", [1e-3, 1e-5])
def test_a_ball_on_a_spring_is_as_exact_as_asked(damping, accuracy):
    z, v, times = bounces(1.5, damping)
    result = simulated(hung(damping), 1.5, accuracy=accuracy)
    assert abs(result.position[-1, 0, 2] - R - z) < accuracy * 0.5
    assert abs(result.velocity[-1, 0, 2] - v) < accuracy * result.stats.speed[-1]
    assert struck(result) == pytest.approx(times, abs=accuracy)


def test_no_impact_is_missed_beside_a_stiff_spring():
    """In steps of a third and of all of its period the ball stays up."""
    for h in (0.02, 0.0628):
        result = simulated(hung(stiffness=1e4, rest=0.1, e_n=1.0), 1.0, h=h, impacts="located")
        assert result.position[:, 0, 2].min() > R - 1e-9
        assert len(struck(result)) > 0


def test_the_work_of_a_spring_is_that_before_the_impact():
    """The rest of the budget is the error of steps, of second order."""
    left = [
        np.abs(simulated(hung(3.0), 1.0, h=h, impacts="located").budget().residual).max()
        for h in (5e-3, 2.5e-3)
    ]
    assert left[0] < 0.02 * simulated(hung(3.0), 0.1, h=5e-3).budget().total[0]
    assert math.log2(left[0] / left[1]) > 1.8


def maxwell():
    """A spring with a history, in the place of the elastic one."""
    return hung(spring=Maxwell, dashpot=40.0)


def jointed():
    """A rod on a hinge, drawn by a spring, between stops."""
    model = ns.Model(gravity=(0, 0, -G))
    rod = model.add_body(mass=1.0, inertia=(0.01, 0.1, 0.1), position=(0.5, 0, 0))
    pin = model.add(Revolute(None, rod, point=(0, 0, 0), axis=(0, 1, 0)))
    model.add(Limit(pin, low=-1.0, high=0.4, e_n=0.6))
    model.add(Spring([((0.5, 0, 1.0), rod)], stiffness=60.0, length=0.5, damping=0.5))
    return model


def rubbing():
    """A ball that bounces beside two soft ones, which roll and rub on the floor."""
    model = hung()
    floor = model.planes[0]
    law = {
        "normal": SpringDashpot(stiffness=2e4, damping=5.0),
        "tangential": CundallStrack(stiffness=1e4, mu=0.3),
    }
    for x, v in ((1.0, 1.0), (1.3, -0.5)):
        model.add_sphere(radius=R, mass=0.5, position=(x, 0, R + 0.02), velocity=(v, 0, 0))
    soft = list(model.bodies)[1:]
    model.add(CompliantSpherePlane(soft, floor, **law))
    model.add(CompliantSphereSphere(among=soft, **law))
    return model


@pytest.mark.parametrize("build", [maxwell, jointed, rubbing])
def test_a_trial_leaves_nothing_behind(build):
    """The state after an undone step is that before it, to the bit."""
    model = build()
    run = simulated(model, 0.4, h=5e-3, impacts="located")

    class Thrice(LocatedStepper):
        """Every trial is made, taken back and made again."""

        def _trial(self, t, s, frames, row, recorder):
            start = self._start()
            super()._trial(t, s, frames, row, recorder)
            fraction = self.fraction.copy()
            self._undo(start)
            history = self.history()
            again = super()._trial(t, s, frames, row, recorder)
            assert np.array_equal(fraction, self.fraction)
            self._undo(start)
            for one, two in zip(start.motion, self.now.old, strict=True):
                assert np.array_equal(one, two)
            if history is not None:
                now = self.history()
                assert np.array_equal(history.values, now.values)
                assert np.array_equal(history.tangent, now.tangent)
                assert np.array_equal(history.opened, now.opened)
            return super()._trial(t, s, frames, row, recorder) if again > -3 else again

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("nsgalpha.api.simulation.LocatedStepper", Thrice)
        two = simulated(model, 0.4, h=5e-3, impacts="located")
    for name in ("t", "position", "rotation", "velocity", "angular_velocity", "acceleration"):
        assert np.array_equal(getattr(run, name), getattr(two, name)), name


@pytest.mark.parametrize("build", [hung, maxwell, jointed])
def test_steps_of_the_compiled_loop_are_those_from_python(monkeypatch, build):
    """Springs are in it, with their histories."""
    one = simulated(build(), 1.0, h=1e-2, impacts="located")
    monkeypatch.setattr(LocatedStepper, "_fly", lambda self, steps, *_: Advance(steps.first, LOCATE))
    two = simulated(build(), 1.0, h=1e-2, impacts="located")
    assert len(struck(one)) > 0
    for name in ("t", "position", "rotation", "velocity", "angular_velocity", "acceleration"):
        assert np.array_equal(getattr(one, name), getattr(two, name)), name


@pytest.mark.parametrize("every", [1, 4])
@pytest.mark.parametrize("build", [maxwell, jointed, rubbing])
@pytest.mark.parametrize("steps", [{"h": 5e-3, "impacts": "located"}, {"accuracy": 1e-3}])
def test_a_resumed_run_has_the_same_steps(tmp_path, build, steps, every):
    whole, parts = (ns.Recording(every=every, file=tmp_path / name) for name in ("a.h5", "b.h5"))
    one = simulated(build(), 0.5, recording=whole, **steps)
    stop = ns.StopWhen(lambda now: now.t > 0.31)
    ns.simulate(build(), t_end=0.5, recording=parts, watch=[stop], **steps)
    two = ns.resume(parts.file, t_end=0.5)
    assert 0.0 < two.t[-1] == one.t[-1]
    assert np.array_equal(one.stats.h[:], two.stats.h[:])
    for name in ("position", "rotation", "velocity", "angular_velocity"):
        assert np.array_equal(getattr(one, name)[-1], getattr(two, name)[-1]), name


def test_a_soft_ball_beside_a_hard_one_is_as_right_as_alone():
    """Both touch the floor, one with a law and one with impacts."""
    alone = hung()
    hard = simulated(alone, 1.0, h=5e-3, impacts="located")
    both = rubbing()
    result = simulated(both, 1.0, h=5e-3, impacts="located")
    assert struck(result) == pytest.approx(struck(hard), abs=2e-5)
    end, apart = at(result, 1.0), at(hard, 1.0)
    assert end.velocity[0, 2] == pytest.approx(apart.velocity[0, 2], abs=2e-3)
    assert np.isfinite(result.velocity).all()


def with_dashpot(stiffness, damping, t_end):
    """Height and velocity of a ball of 1 kg from .3 m, on f = max(0, k d + c d')."""
    y, t, flies = np.array([0.3, 0.0]), 0.0, True

    def touches(_, y):
        return y[0]

    def pushes(_, y):
        return -stiffness * y[0] - damping * y[1]

    touches.terminal = pushes.terminal = True
    touches.direction = pushes.direction = -1
    while t < t_end:
        event, force = (touches, lambda y: 0.0) if flies else (pushes, lambda y: pushes(0, y))
        found = solve_ivp(lambda _, y, f=force: [y[1], f(y) - G], (t, t_end), y, events=event, **EXACT)
        t, y, flies = found.t[-1], found.y[:, -1], not flies
        if t < t_end and not flies:
            y[0] = 0.0
    return y


@pytest.mark.parametrize(("stiffness", "damping"), [(1e4, 20.0), (1e6, 1000.0)])
def test_a_force_that_jumps_at_touch(stiffness, damping):
    """A dashpot sets in at once. The step ends there, after few trials."""
    model = ns.Model(gravity=(0, 0, -G))
    ball = model.add_sphere(radius=R, mass=1.0, position=(0, 0, R + 0.3))
    law = SpringDashpot(stiffness=stiffness, damping=damping)
    model.add(CompliantSpherePlane(ball, model.add_plane(normal=FLOOR), normal=law))
    z, v = with_dashpot(stiffness, damping, 0.5)
    for accuracy in (1e-3, 1e-4):
        result = simulated(model, 0.5, accuracy=accuracy)
        assert abs(result.position[-1, 0, 2] - R - z) < accuracy * 0.3
        assert abs(result.velocity[-1, 0, 2] - v) < accuracy * result.stats.speed[-1]
        assert result.stats.trials.sum() < 5 * len(result.stats.h) + 200


def test_soft_balls_meet_however_long_a_step_could_be():
    """Flight is exact in any step, and both ends of one can miss a contact."""
    model = ns.Model()
    model.add_sphere(radius=R, mass=1.0, position=(0, 0, 0), velocity=(7.0, 0, 0))
    model.add_sphere(radius=R, mass=1.0, position=(2.0, 0, 0))
    law = SpringDashpot(stiffness=1e5)
    model.add(CompliantSphereSphere(among=list(model.bodies), normal=law))
    result = simulated(model, 2.0, accuracy=1e-3)
    assert result.velocity[-1, :, 0] == pytest.approx([0.0, 7.0], abs=7e-3)


def test_a_row_on_springs_hits_a_wall():
    """Three balls on springs, with impacts on the wall and between them, against DOP853."""
    m, k, c, e = 1.0, 500.0, 1.0, 0.7
    model = ns.Model()
    x = np.array([0.3, 0.6, 0.9])
    for each in x:
        model.add_sphere(radius=R, mass=m, position=(each, 0, 0), velocity=(-4.0, 0, 0))
    bodies = list(model.bodies)
    model.add(Spring([(bodies[0], bodies[1]), (bodies[1], bodies[2])], stiffness=k, damping=c))
    model.add(SpherePlane(bodies, model.add_plane(normal=(1, 0, 0)), e_n=e))
    model.add(SphereSphere(among=bodies, e_n=e))

    def motion(_, y):
        f = k * (np.diff(y[:3]) - 0.3) + c * np.diff(y[3:])
        return np.concatenate([y[3:], [f[0] / m, (f[1] - f[0]) / m, -f[1] / m]])

    def gap(i):
        def of(_, y):
            return y[0] - R if i == 0 else y[i] - y[i - 1] - 2.0 * R

        of.terminal, of.direction = True, -1
        return of

    gaps = [gap(i) for i in range(3)]
    t, y, t_end, times = 0.0, np.concatenate([x, np.full(3, -4.0)]), 0.4, []
    while t < t_end:
        found = solve_ivp(motion, (t, t_end), y, events=gaps, **EXACT)
        t, y = found.t[-1], found.y[:, -1]
        hit = [i for i in range(3) if len(found.t_events[i])]
        for i in hit:
            times.append(t)
            if i == 0:
                y[3] *= -e
            else:
                mean, half = 0.5 * (y[2 + i] + y[3 + i]), 0.5 * e * (y[2 + i] - y[3 + i])
                y[2 + i], y[3 + i] = mean - half, mean + half
    assert len(times) == 6
    for accuracy in (1e-4, 1e-5):  # of the fastest, 4 m/s; the row carries errors of impacts on
        result = simulated(model, t_end, accuracy=accuracy)
        assert struck(result) == pytest.approx(times, abs=accuracy)
        assert result.position[-1, :, 0] == pytest.approx(y[:3], abs=accuracy)
        assert result.velocity[-1, :, 0] == pytest.approx(y[3:], abs=4.0 * accuracy * 4.0)


def test_a_pendulum_with_a_spring_strikes_its_stop_in_second_order():
    def end(h):
        state = at(simulated(jointed(), 1.0, h=h, impacts="located"), 1.0)
        return np.hstack([state.position, state.velocity, state.angular_velocity]).ravel()

    reference = end(1e-4)
    errors = [np.abs(end(h) - reference).max() for h in (4e-3, 2e-3)]
    assert math.log2(errors[0] / errors[1]) > 1.8
    result = simulated(jointed(), 1.0, accuracy=1e-4)
    assert np.abs(np.hstack([result.position[-1], result.velocity[-1]]) - reference[:6]).max() < 1e-3


def test_a_joint_spring_has_no_part_in_the_impact_of_its_joint():
    """A hinge with a spring and a damper strikes its stop; order two."""

    def run(h):
        model = ns.Model(gravity=(0, 0, -G))
        rod = model.add_body(mass=1.0, inertia=(0.01, 0.1, 0.1), position=(0.5, 0, 0))
        pin = model.add(Revolute(None, rod, point=(0, 0, 0), axis=(0, 1, 0)))
        model.add(Limit(pin, low=-1.0, high=0.4, e_n=0.6))
        model.add(JointSpring(pin, stiffness=20.0, damping=0.3))
        result = simulated(model, 1.0, h=h, impacts="located")
        assert len(struck(result)) == 1
        state = at(result, 1.0)
        return np.hstack([state.position, state.velocity, state.angular_velocity]).ravel()

    reference = run(2e-4)
    errors = [np.abs(run(h) - reference).max() for h in (4e-3, 2e-3)]
    assert math.log2(errors[0] / errors[1]) > 1.8
