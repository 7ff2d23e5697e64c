"""Loads and springs in the compiled loop agree with Python, for any stiffness."""

import numpy as np
import pytest

import nsgalpha as ns
from elements import Dashpot, Drag, Maxwell, SpherePlane, SphereSphere, Spring
from nsgalpha.case.named_loads import Force, SpringToPoint
from nsgalpha.model.load_interface import CompiledLoad, load_kernel
from nsgalpha.schemes.generalized_alpha import alpha_stepper

ENDS = ((0.0, 0.0, 0.3), (0.05, 0.0, 0.4))


@load_kernel
def wind(t, x, q, v, w, at, p, wrench):
    """A wind that swings."""
    for b in at:
        wrench[b, 1] += p[0] * np.sin(p[1] * t)


class Wind(CompiledLoad):
    kernel = wind

    def __init__(self, body, strength, rate):
        super().__init__([body.index], [strength, rate])


def model(*kinds, stiffness=50.0, spin=None):
    """Three balls on a plane before an impact, with loads named by `kinds`."""
    made = ns.Model(gravity=(0.0, 0.0, -9.81))
    given = {} if spin is None else {"inertia": np.diag([4e-4, 5e-4, 7e-4]), "angular_velocity": spin}
    balls = [
        made.add_sphere(
            radius=0.05,
            mass=0.5,
            position=(0.12 * k, 0.01 * k, 0.05),
            velocity=(0.4 * (k == 0), 0, 0),
            **given,
        )
        for k in range(3)
    ]
    floor = made.add_plane(normal=(0, 0, 1))
    made.add(SphereSphere(among=balls, mu=0.1, e_n=0.9))
    made.add(SpherePlane(balls, floor, mu=0.2, e_n=0.3))
    if "spring" in kinds:
        made.add(Spring([(balls[0], balls[1]), (balls[2], ENDS[0])], stiffness=stiffness, damping=0.1))
    if "maxwell" in kinds:
        made.add(Maxwell([(balls[1], ENDS[1])], stiffness=40.0, dashpot=2.0))
    if "rupture" in kinds:
        made.add(Spring([(balls[2], ENDS[0])], stiffness=30.0, rupture=0.352))
    if "dashpot" in kinds:
        made.add(Dashpot([(balls[0], balls[2])], damping=0.5))
    if "drag" in kinds:
        made.add_load(Drag(balls, translational=0.3, rotational=1e-3))
    if "force" in kinds:
        made.add_load(Force(balls[:2], force=(0.1, 0.2, 0.0), torque=(0.0, 0.0, 1e-3), start=0.02, end=0.06))
    if "point" in kinds:
        made.add_load(SpringToPoint(balls[1:], point=ENDS[1], stiffness=20.0, damping=0.1, length=0.1))
    if "wind" in kinds:
        made.add_load(Wind(balls[2], 2.0, 80.0))
    return made


CASES = {
    "spring": ("spring",),
    "drag": ("drag",),
    "spring and drag": ("spring", "drag"),
    "memory": ("maxwell", "rupture", "dashpot"),
    "loads": ("force", "point", "wind"),
    "all": ("spring", "maxwell", "rupture", "dashpot", "drag", "force", "point", "wind"),
}


def motion(result):
    return np.hstack([result.position, result.velocity, result.angular_velocity])


def run(made, t_end=0.15, h=1e-3, **options):
    result = ns.simulate(made, t_end=t_end, h=h, **options)
    assert result.status.ok, result.status
    return result


def from_python(monkeypatch, made, **options):
    """A run whose loads are evaluated from Python, with tangents where there are any."""
    with monkeypatch.context() as patch:
        patch.setattr(alpha_stepper, "are_compiled", lambda system: False)
        return run(made, **options)


def steps_from_python(monkeypatch, made, **options):
    """A run, and how many of its steps have left the compiled loop."""
    left = []
    with monkeypatch.context() as patch:
        whole = alpha_stepper.advance_stepwise
        patch.setattr(alpha_stepper, "advance_stepwise", lambda *given: left.append(1) or whole(*given))
        return run(made, **options), len(left)


@pytest.mark.parametrize("kinds", CASES.values(), ids=CASES)
@pytest.mark.parametrize("spin", [None, (3.0, 20.0, 5.0)], ids=["isotropic", "general"])
@pytest.mark.sampled(5)
def test_it_is_the_motion_that_steps_from_python_find(kinds, spin, monkeypatch):
    here, left = steps_from_python(monkeypatch, model(*kinds, spin=spin))
    there = from_python(monkeypatch, model(*kinds, spin=spin))
    assert left == 0
    assert np.abs(motion(here) - motion(there)).max() < 2e-6
    assert here.stats.contacts[-1] == there.stats.contacts[-1]


@pytest.mark.parametrize("stiffness", [1e3, 1e5, 1e7])
def test_stiff_springs_are_those_of_steps_with_tangents(stiffness, monkeypatch):
    """h^2 k/m from .002 to 20: where the loop does not solve a step, it is taken with tangents."""
    here = run(model("spring", "drag", stiffness=stiffness), t_end=0.03)
    there = from_python(monkeypatch, model("spring", "drag", stiffness=stiffness), t_end=0.03)
    assert np.abs(motion(here) - motion(there)).max() < 1e-6 * max(1.0, np.abs(motion(there)).max())


def test_a_run_that_goes_on_is_the_run_that_did_not_stop():
    made = model("spring", "drag", "point", *CASES["memory"])
    whole = run(made)
    first = run(made, t_end=0.07)
    rest = run(made, state=first.state(-1))
    assert np.array_equal(rest.position[-1], whole.position[-1])
    assert np.array_equal(rest.velocity[-1], whole.velocity[-1])
    assert np.array_equal(rest.histories[-1].values, whole.histories[-1].values)


def test_a_turning_body_goes_on_from_any_state():
    """Convergence is judged with the inertia of the present pose."""
    made = ns.Model(gravity=(0.0, 0.0, -9.81))
    given = {"inertia": (1e-6, 3e-6, 3.5e-6), "angular_velocity": (3.0, 20.0, 5.0)}
    ball = made.add_sphere(radius=0.05, mass=5e-3, position=(0, 0, 0.3), velocity=(0.3, 0, 0), **given)
    made.add_load(Drag([ball], translational=1.0, rotational=3e-4))
    made.add(Spring([(ball, (0, 0, 0))], stiffness=50.0, length=0.2))
    h = 2.0**-10
    whole = run(made, t_end=40 * h, h=h)
    for first in range(1, 40):
        rest = run(made, t_end=40 * h, h=h, state=whole.state(first))
        assert np.array_equal(motion(rest), motion(whole)[first:])


def test_a_run_that_leaves_the_loop_and_comes_back_remembers(monkeypatch):
    """Steps from Python between others: the histories of the springs go there and back."""
    made = model("maxwell", "rupture", "spring")
    alone = run(made)
    advance = alpha_stepper.GeneralizedAlphaStepper.advance
    left = []

    def now_and_then(self, steps, *given):
        self.hard |= steps.first % 10 == 0
        steps = steps._replace(last=min(steps.last, steps.first + 3))
        left.append(self.hard)
        return advance(self, steps, *given)

    monkeypatch.setattr(alpha_stepper.GeneralizedAlphaStepper, "advance", now_and_then)
    mixed = run(made)
    assert sum(left) > 3
    assert np.abs(motion(mixed) - motion(alone)).max() < 1e-6
    assert np.abs(mixed.histories[-1].values - alone.histories[-1].values).max() < 1e-7


def test_a_spring_breaks_in_the_loop():
    result = run(model("rupture"), t_end=0.4)
    values = np.array([history.values[:, 0].max(initial=0.0) for history in result.histories])
    assert values[0] == 0.0
    assert values[-1] == 1.0
    assert np.flatnonzero(values)[0] > 1


def test_springs_and_drag_are_of_second_order(monkeypatch):
    """Without contact: two balls on springs, against a step of a tenth."""

    def end(h):
        made = ns.Model(gravity=(0.0, 0.0, -9.81))
        balls = [made.add_sphere(radius=0.01, mass=0.2, position=(0.3 * k, 0, 0)) for k in range(2)]
        made.add(Spring([(balls[0], balls[1]), (balls[0], ENDS[0])], stiffness=40.0, damping=0.05))
        made.add_load(Drag(balls, translational=0.1))
        made.add_load(Wind(balls[1], 1.0, 9.0))
        return motion(run(made, t_end=0.4, h=h))[-1]

    reference = end(1e-4)
    errors = [np.abs(end(h) - reference).max() for h in (8e-3, 4e-3, 2e-3)]
    assert 1.8 < np.log2(errors[0] / errors[1]) < 2.2
    assert 1.8 < np.log2(errors[1] / errors[2]) < 2.2


def test_a_load_that_is_not_finite_ends_the_run_with_a_status():
    made = model()
    made.add_load(Wind(made.bodies[0], np.nan, 1.0))
    result = ns.simulate(made, t_end=0.1, h=1e-3)
    assert not result.status.ok
    assert "finite" in result.status.message


def test_a_function_of_python_is_a_load_as_well():
    made, same = model("wind"), model()
    ball = same.bodies[2]

    def blows(t, state):
        force = np.zeros_like(state.position)
        force[ball.index, 1] = 2.0 * np.sin(80.0 * t)
        return force

    same.add_load(blows)
    assert np.abs(motion(run(made)) - motion(run(same))).max() < 1e-8


@pytest.mark.parametrize("python", [False, True], ids=["compiled", "from Python"])
@pytest.mark.parametrize("mass", [1e-6, 1e6])
def test_a_light_body_moves_as_it_does_without_a_heavy_one(mass, python):
    """v' = -c v/m: forces that are small beside those on other bodies are found as well."""
    made = ns.Model(gravity=(0.0, 0.0, -9.81))
    light = made.add_sphere(radius=0.01, mass=1e-6, position=(0, 0, 0), velocity=(1, 0, 0))
    made.add_sphere(radius=0.5, mass=mass, position=(5, 0, 0))
    made.add(SphereSphere(among=made.spheres))
    made.add_load(Drag([light], translational=1e-4))
    if python:
        made.add_load(lambda t, state: np.zeros((2, 3)))
    v = run(made, t_end=0.05).velocity[-1, light]
    decay = np.exp(-0.05 * 100.0)
    assert v == pytest.approx([decay, 0.0, -0.0981 * (1.0 - decay)], abs=1e-4)


def test_a_body_falls_on_at_its_terminal_velocity():
    """Weight and drag cancel: h c/m = 10, within a few steps to rounding."""
    made = ns.Model(gravity=(0.0, 0.0, -9.81))
    ball = made.add_sphere(radius=0.01, mass=1e-6, position=(0, 0, 0), velocity=(1, 0, 0))
    made.add_load(Drag([ball], translational=1e-2))
    assert run(made, t_end=0.1).velocity[-1, ball] == pytest.approx([0.0, 0.0, -9.81e-4], abs=1e-13)


@pytest.mark.parametrize("at", [[-1], [0.7], [[0]], ["ball"]])
def test_a_load_acts_on_numbers_of_bodies(at):
    with pytest.raises(ValueError, match=r"^at = .*must be numbers of bodies"):
        CompiledLoad(at, [1.0])
    with pytest.raises(ValueError, match=r"^parameters = "):
        CompiledLoad([0], [[1.0]])


def test_a_load_on_a_body_that_is_not_there_is_refused():
    """Its kernel would write beside the wrenches."""
    made = model()
    load = Wind(made.bodies[0], 1.0, 1.0)
    load.at[:] = 3
    made.add_load(load)
    with pytest.raises(ValueError, match=r"^at of load Wind = 3: must be below 3, the number of bodies"):
        ns.simulate(made, t_end=0.1, h=1e-3)
