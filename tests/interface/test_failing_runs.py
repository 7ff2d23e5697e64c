"""A failed run ends with a status sentence, and its steps are kept."""

import numpy as np
import pytest

import nsgalpha as ns
from elements import CompliantSpherePlane, Drag, SpherePlane, SphereSphere, Spring, SpringDashpot
from nsgalpha.run.run_records import STATISTICS
from nsgalpha.schemes.generalized_alpha.alpha_stepper import GeneralizedAlphaStepper
from nsgalpha.stepping.step_outcome import SMOOTH

NAN = float("nan")


def falling_ball():
    model = ns.Model(gravity=(0, 0, -9.8))
    model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 1.0))
    return model


@pytest.mark.parametrize("bad", [NAN, float("inf")])
@pytest.mark.parametrize("part", ["force", "torque"])
def test_a_load_that_turns_not_finite_ends_the_run(bad, part):
    model = falling_ball()

    def load(t, state):
        value = np.full((1, 3), bad if t > 0.055 else 0.0)
        return value if part == "force" else (np.zeros((1, 3)), value)

    model.add_load(load)
    result = ns.simulate(model, t_end=0.2, h=0.01)
    assert not result.status.ok
    assert not result.status
    assert "not finite" in result.status.message
    assert "0.06 s" in result.status.message
    assert result.status.time == pytest.approx(0.06)
    assert result.t == pytest.approx(0.01 * np.arange(6))
    assert result.position[-1, 0, 2] == pytest.approx(1.0 - 4.9 * 0.05**2, abs=1e-12)
    assert len(result.stats.contacts) == 5


@pytest.mark.parametrize("h", [0.01, 1e-4])
def test_a_prescribed_motion_that_turns_not_finite_ends_the_run(h):
    model = falling_ball()
    plane = model.add_plane(
        normal=(0, 0, 1), motion=lambda t: ((0, 0, NAN if t > 0.055 else 0.0), (0, 0, 0)), name="lift"
    )
    model.add(SpherePlane(model.spheres, plane))
    result = ns.simulate(model, t_end=0.2, h=h)
    assert not result.status.ok
    assert "lift" in result.status.message
    assert "finite" in result.status.message
    assert result.t[-1] == pytest.approx(0.055, abs=h)
    assert result.position[-1, 0, 2] == pytest.approx(1.0 - 4.9 * result.t[-1] ** 2, abs=1e-12)


def test_a_ball_between_closing_walls_ends_the_run_whatever_is_recorded():
    for every in (1, 7):
        model = ns.Model()
        ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0))
        walls = [
            model.add_plane(normal=(s, 0, 0), motion=lambda t, s=s: ((s * (t - 0.15), 0, 0), (s, 0, 0)))
            for s in (1, -1)
        ]
        model.add(SpherePlane(ball, walls))
        result = ns.simulate(model, t_end=0.1, h=1e-3, record_every=every)
        assert not result.status.ok
        assert "correction did not converge" in result.status.message
        assert "'sphere 0'" in result.status.message
        assert result.t[-1] == pytest.approx(0.05, abs=2e-3)
        assert len(result.stats.contacts) == round(result.t[-1] / 1e-3)


def test_a_single_step_that_fails_raises_with_the_status():
    model = falling_ball()
    model.add_load(lambda t, state: np.full((1, 3), NAN if t > 0.015 else 0.0))
    state = ns.step(model, model.initial_state(), 0.01)
    with pytest.raises(ns.StepFailed, match="not finite") as caught:
        ns.step(model, state, 0.01)
    assert not caught.value.status.ok
    assert caught.value.status.time == pytest.approx(0.02)


def test_an_overflow_ends_the_run():
    model = falling_ball()
    model.add_load(lambda t, state: 1e300 * np.exp(state.velocity**2 + 1.0) * (1.0 + 1e4 * t))
    with np.errstate(over="ignore", invalid="ignore"):
        result = ns.simulate(model, t_end=0.2, h=0.01)
    assert not result.status.ok
    assert np.isfinite(result.velocity).all()


ARRAYS = ("position", "rotation", "velocity", "angular_velocity", "acceleration", "auxiliary")
INERT = {
    "GeneralizedAlpha": ns.GeneralizedAlpha(),
    "VelocityVerlet": ns.VelocityVerlet(),
    "SemiImplicit(0)": ns.SemiImplicit(0.0),
    "SemiImplicit(0.5)": ns.SemiImplicit(0.5),
    "SemiImplicit": ns.SemiImplicit(),
}
SCENES = [
    *((scheme, more) for scheme in INERT for more in ("", "soft", "load", "soft, load")),
    *(("GeneralizedAlpha", more) for more in ("hard", "hard, load", "hard, soft")),
    *((scheme, more) for scheme in ("Overdamped(0)", "Overdamped") for more in ("load", "soft, load")),
]


def ends_with_finite_states(model, scheme, steps, h=0.1):
    """Run `steps` steps, which fail; every state that is recorded is finite, the start among them."""
    honey = Drag(model.bodies, translational=1.0, rotational=1e-3)
    known = INERT | {"Overdamped": ns.Overdamped(honey), "Overdamped(0)": ns.Overdamped(honey, 0.0)}
    result = ns.simulate(model, t_end=steps * h, h=h, scheme=known[scheme])
    assert not result.status.ok, result.status
    assert 1 <= len(result.t) <= steps
    assert all(np.isfinite(getattr(result, name)).all() for name in ARRAYS)
    return result


@pytest.mark.parametrize(("scheme", "more"), SCENES)
@pytest.mark.parametrize("steps", [1, 3])
def test_rotations_that_are_no_numbers_end_the_run(scheme, more, steps):
    """No other number was wrong: the run "finished" with them."""
    model = ns.Model()
    ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 1), angular_velocity=(0, 0, 1e200))
    floor = model.add_plane(normal=(0, 0, 1))
    if "soft" in more:
        soft = model.add_sphere(radius=0.1, mass=1.0, position=(1, 0, 1))
        law = SpringDashpot(stiffness=1e4)
        model.add(CompliantSpherePlane(soft, floor, normal=law))
    if "hard" in more:
        model.add(SpherePlane(ball, floor, mu=0.3))
    if "load" in more:
        model.add_load(lambda t, state: (0.0 * state.position, np.full_like(state.position, 1e200)))
    result = ends_with_finite_states(model, scheme, steps)
    assert "rotation is not finite" in result.status.message


@pytest.mark.parametrize("steps", range(95, 110))
def test_an_explicit_step_above_its_limit_ends_the_run_in_whatever_step_it_overflows(steps):
    """Euler's method multiplies the amplitude by h omega = 1e3 in every step, the last one too."""
    model = ns.Model()
    bead = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 1.1))
    model.add(Spring([(bead, (0, 0, 0))], stiffness=1e8, length=1.0))
    result = ns.simulate(model, t_end=steps * 0.1, h=0.1, scheme=ns.SemiImplicit(0.0))
    assert all(np.isfinite(getattr(result, name)).all() for name in ARRAYS)
    assert result.status.ok == (len(result.t) == steps + 1)


@pytest.mark.parametrize("inertia", [None, (1e-3, 1.2e-3, 1.5e-3)])
def test_velocities_that_overflow_at_the_end_of_a_step_end_the_run(inertia):
    for scheme in INERT:
        model = ns.Model(gravity=(1.5e308, 0, 0))
        model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 1), velocity=(1.7e308, 0, 0), inertia=inertia)
        result = ends_with_finite_states(model, scheme, 1)
        assert "not finite" in result.status.message


def test_an_error_in_a_load_is_not_swallowed():
    model = falling_ball()
    model.add_load(lambda t, state: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        ns.simulate(model, t_end=0.2, h=0.01)


def test_a_finished_run_says_so():
    result = ns.simulate(falling_ball(), t_end=0.1, h=0.01)
    assert result.status.ok
    assert result.status.subproblem is None
    assert "finished at t = 0.1 s after 10 steps" in str(result.status)


def test_impact_sequences_that_reach_their_cap_are_named_in_the_status():
    """A light ball between two heavy ones strikes them about sqrt(mass ratio) times."""
    model = ns.Model()
    for x, mass, v in ((-1.0, 1e7, 1.0), (0.0, 1.0, 0.0), (1.0, 1e7, 0.0)):
        model.add_sphere(radius=0.5, mass=mass, position=(x, 0, 0), velocity=(v, 0, 0))
    model.add(SphereSphere(pairs=[model.spheres[:2], model.spheres[1:]], e_n=1.0))
    result = ns.simulate(model, t_end=1e-3, h=1e-3)
    assert result.status.ok
    assert result.stats.capped.sum() == 1
    assert "in 1 step impacts reached their cap" in result.status.message
    v = result.velocity[-1, :, 0]
    assert v[0] <= v[1] + 1e-9
    assert v[1] <= v[2] + 1e-9


def test_centres_that_coincide_within_a_step_end_the_run():
    """A ball so fast that it lands exactly in another one: there is no normal."""
    model = ns.Model()
    model.add_sphere(radius=0.01, mass=1.0, position=(0, 0, 0))
    model.add_sphere(radius=0.01, mass=1.0, position=(-1.0, 0, 0), velocity=(1.0, 0, 0))
    model.add(SphereSphere(among=model.spheres))
    result = ns.simulate(model, t_end=2.0, h=1.0)
    assert not result.status.ok
    assert len(result.t) == 1


def test_a_step_that_fails_is_taken_in_parts_and_counted():
    """A spring at a third of its period a step diverges; a sixth converges."""
    model = ns.Model()
    model.add_sphere(radius=0.01, mass=1.0, position=(0.01, 0, 0))
    model.add_load(lambda t, state: -1e6 * state.position)
    h = 2e-3 * np.pi / 3.0
    result = ns.simulate(model, t_end=5 * h, h=h, tol=1e-8)
    assert result.status.ok, result.status
    assert (result.stats.divided >= 2).all()
    assert "5 steps failed and were taken in parts" in result.status.message
    assert len(result.t) == 6
    in_parts = ns.simulate(model, t_end=5 * h, h=h / result.stats.divided[0], tol=1e-8)
    assert result.position[-1] == pytest.approx(in_parts.position[-1], abs=1e-12)


def test_a_step_that_fails_in_parts_too_ends_the_run():
    model = ns.Model()
    model.add_sphere(radius=0.01, mass=1.0, position=(0.01, 0, 0))
    model.add_load(lambda t, state: (-1e6 if t < 0.0035 else -1e9) * state.position)
    with np.errstate(over="ignore", invalid="ignore"):
        result = ns.simulate(model, t_end=0.01, h=5e-4, tol=1e-8)
    assert not result.status.ok
    assert "smooth motion did not converge; reduce h" in result.status.message
    assert result.t[-1] == pytest.approx(3e-3)
    assert len(result.stats.divided) == 6


def test_the_failure_of_smooth_motion_names_the_step_that_resolves_the_stiffest_contact():
    """h^2 k/m_eff = 1; where h is smaller already, the contacts are not the reason."""
    model = ns.Model()
    ball = model.add_sphere(radius=0.1, mass=2.0, position=(0, 0, 1))
    law = SpringDashpot(stiffness=1e6)
    model.add(CompliantSpherePlane(ball, model.add_plane(normal=(0, 0, 1)), normal=law))
    said = []
    for h in (1e-2, 1e-4):
        stepper = GeneralizedAlphaStepper(model, model.initial_state(), h, ns.GeneralizedAlpha(), 1e-8)
        said.append(stepper.failure(SMOOTH, -1, np.zeros(len(STATISTICS))).reason)
    assert "reduce h from 0.01 s to about 0.001 s" in said[0]
    assert said[1] == ""
