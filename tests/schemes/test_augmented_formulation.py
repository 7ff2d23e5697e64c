"""The augmented Lagrangian as formulation of the scheme: the solutions of the default one."""

import h5py
import numpy as np
import pytest

import elements as e
import nsgalpha as ns
from nsgalpha.case import parse_case
from tests.constraints.jointed_models import hammer
from tests.constraints.test_backlash import pair
from tests.constraints.test_contacts_of_chains import chain
from tests.constraints.test_held_and_singular import four_bar
from tests.constraints.test_jointed_contact import double_pendulum
from tests.physics.test_persistent_contact import bowl
from verification.persistent_contact.model import SCENES
from verification.throw_angle.model import build as build_throw

AUGMENTED = ns.GeneralizedAlpha(formulation="augmented Lagrangian")


def slider(**law):
    """A ball that slides, rolls and comes to rest on a plane."""
    model = ns.Model(gravity=(0, 0, -9.81))
    ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0.1), velocity=(0.3, 0.1, 0))
    model.add(e.SpherePlane(ball, model.add_plane(normal=(0, 0, 1)), **law))
    return model


def dragged():
    """Balls on a plane that a load follows: it depends on their velocities."""
    model = slider(mu=0.3)
    other = model.add_sphere(radius=0.1, mass=0.5, position=(0.25, 0.05, 0.1))
    model.add(e.SphereSphere(among=model.spheres, mu=0.2, e_n=0.5))
    model.add(e.SpherePlane(other, model.planes[0], mu=0.3))
    model.add_load(lambda t, state: -2.0 * state.velocity)
    return model


MODELS = {  # model, t_end, h, accepted difference of velocities over the largest
    "sliding": (lambda: slider(mu=0.3), 0.2, 1e-3, 1e-11),
    "rolling": (lambda: slider(mu=0.3, rolling_radius=5e-3), 0.6, 2e-3, 1e-11),
    "drilling": (lambda: bowl(spin=(1, 2, 30), mu=0.3, drilling_radius=1e-3), 0.2, 1e-3, 1e-10),
    "all rows": (
        lambda: bowl(spin=(1, 2, 30), mu=0.3, rolling_radius=1e-3, drilling_radius=1e-3),
        0.2,
        1e-3,
        1e-10,
    ),
    "loads that follow": (dragged, 0.4, 2e-3, 1e-9),
    "impacts of rods": (lambda: double_pendulum(0.5), 0.8, 2e-3, 1e-7),
    "a hammer": (hammer, 0.2, 1e-3, 1e-10),
    "redundant joints": (four_bar, 0.3, 1e-3, 1e-10),
    "limits of gears": (lambda: pair(e_n=0.5)[0], 0.3, 1e-3, 1e-8),
    "a chain on a plane": (lambda: chain(6), 0.02, 1e-3, 1e-11),
    **{
        f"persistent, {each.title}": (lambda each=each: each.build(each.start), 0.1, 1e-3, 1e-9)
        for each in SCENES
    },
}


@pytest.mark.parametrize("name", MODELS)
def test_both_formulations_move_alike(name):
    build, t_end, h, accepted = MODELS[name]
    usual = ns.simulate(build(), t_end=t_end, h=h)
    ours = ns.simulate(build(), t_end=t_end, h=h, scheme=AUGMENTED)
    assert usual.status.ok
    assert ours.status.ok
    assert not ours.stats.divided.any()
    quantities = "velocity", "angular_velocity"
    size = max(np.abs(getattr(usual, quantity)).max() for quantity in quantities)
    for quantity in quantities:
        apart = getattr(usual, quantity) - getattr(ours, quantity)
        assert np.abs(apart).max() <= accepted * size
    assert np.abs(usual.position - ours.position).max() < 1e-8


@pytest.mark.parametrize("penalty", [1.0, 1e-2, 1e-4])
def test_the_solution_does_not_depend_on_the_penalty(penalty):
    model = build_throw(-58.59, 0.039, 0.93)[0]
    scheme = ns.GeneralizedAlpha(formulation="augmented Lagrangian", penalty=penalty)
    ours = ns.simulate(model, t_end=0.01, h=1e-4, scheme=scheme)
    usual = ns.simulate(model, t_end=0.01, h=1e-4)
    assert ours.status.ok
    assert np.abs(ours.velocity - usual.velocity).max() < 1e-11
    assert ours.stats.sub_impacts.max() > 0


def test_a_cycle_of_newtons_method_fails_with_a_remedy():
    """Full steps cycle in this impact of the paper with k = p = m: nothing else is tried."""
    model = build_throw(-11.72, 0.093, 0.93)[0]
    scheme = ns.GeneralizedAlpha(formulation="augmented Lagrangian", penalty=1.0)
    result = ns.simulate(model, t_end=0.01, h=1e-4, scheme=scheme)
    assert not result.status.ok
    assert result.status.subproblem == "velocity correction"
    assert result.status.contact == ("cue", "object")
    assert "reduce the penalty, 1, or leave the formulation out" in result.status.message
    assert result.status.residual > 1e-3
    assert ns.simulate(model, t_end=0.01, h=1e-4, scheme=AUGMENTED).status.ok


def test_a_run_continues_to_the_bit():
    whole = ns.simulate(dragged(), t_end=0.2, h=2e-3, scheme=AUGMENTED)
    half = len(whole.t) // 2
    rest = ns.simulate(dragged(), t_end=0.2, h=2e-3, scheme=AUGMENTED, state=whole.state(half))
    assert np.array_equal(rest.velocity, whole.velocity[half:])
    assert np.array_equal(rest.position, whole.position[half:])


def test_compliant_contact_is_refused():
    model = ns.Model(gravity=(0, 0, -10))
    ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0.1))
    spring = e.SpringDashpot(stiffness=1e4)
    model.add(e.CompliantSpherePlane(ball, model.add_plane(normal=(0, 0, 1)), normal=spring))
    with pytest.raises(
        ValueError, match=r"formulation = 'augmented Lagrangian': must be 'Delassus' for models"
    ):
        ns.simulate(model, t_end=0.01, h=1e-3, scheme=AUGMENTED)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"formulation": "augmented"}, "formulation = 'augmented': must be"),
        ({"formulation": None}, "formulation"),
        ({"penalty": 0.0}, "penalty = 0.0: must be positive"),
        ({"penalty": -1.0}, "0.1 is a good choice"),
        ({"penalty": 0.2}, "penalty = 0.2: must be left out where formulation is 'Delassus'"),
    ],
)
def test_unknown_formulations_and_penalties_are_refused(given, says):
    with pytest.raises(ValueError, match=says):
        ns.GeneralizedAlpha(**given)


def test_a_file_goes_on_with_the_formulation(tmp_path):
    file = tmp_path / "run.h5"
    scheme = ns.GeneralizedAlpha(formulation="augmented Lagrangian", penalty=1.0)
    ns.simulate(slider(mu=0.3), t_end=0.02, h=1e-3, scheme=scheme, recording=ns.Recording(file=file))
    ns.resume(file, t_end=0.04)
    whole = ns.simulate(slider(mu=0.3), t_end=0.04, h=1e-3, scheme=scheme)
    with h5py.File(file) as stored:
        assert b"augmented Lagrangian" in stored["settings"][()].tobytes()
    assert np.array_equal(ns.load(file).velocity, whole.velocity)


def test_a_case_file_states_the_formulation():
    text = "title = 'a ball'\n[[bodies]]\ntype = 'sphere'\nradius = 0.1\nmass = 1\nposition = [0, 0, 0.1]\n"
    text += "[scheme]\ntype = 'GeneralizedAlpha'\nformulation = 'augmented Lagrangian'\npenalty = 0.2\n"
    text += "[run]\nt_end = 0.01\nh = 1e-3\n"
    scheme = ns.GeneralizedAlpha(formulation="augmented Lagrangian", penalty=0.2)
    assert parse_case(text, "ball.toml").run().settings.scheme == scheme
