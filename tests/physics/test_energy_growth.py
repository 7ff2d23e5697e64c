"""Energy made by steps is reported at the end, supplied energy is not."""

import re
from dataclasses import replace

import numpy as np
import pytest

import elements as e
import nsgalpha as ns
from nsgalpha.case.named_loads import Force, SpringToPoint
from nsgalpha.model.frame_motions import Shaking
from nsgalpha.run.energy_growth import SHARE, source_of

GREW = re.compile(r"the energy has grown by (\S+) J.*first seen at t = (\S+) s.*take h = (\S+) s or less")
SPRING = {"normal": e.SpringDashpot(stiffness=1e4)}
LIMIT = 2.0 / np.sqrt(1e4)  # s: of VelocityVerlet for 1 kg on this spring


def ball_on_spring(height=0.11, **law):
    model = ns.Model(gravity=(0, 0, -10))
    ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, height), name="ball")
    plane = model.add_plane(normal=(0, 0, 1))
    model.add(e.CompliantSpherePlane(ball, plane, **(law or SPRING)))
    return model


def box_under_pressure():
    model = ns.Model(gravity=(0, 0, -9.81))
    box = model.add_box((0.1, 0.1, 0.1), density=1000, position=(0, 0, 0.0505), velocity=(0, 0, -1))
    law = {"normal": e.LinearPressure(stiffness=2e11)}
    model.add(e.CompliantSolidPlane(box, model.add_plane(normal=(0, 0, 1)), **law))
    return model


def row_of_balls():
    """Six balls in touch, of which the first strikes the others; sqrt(m/k) is 0.1 ms."""
    model = ns.Model()
    for k in range(6):
        place, speed = (0.02 * k - (k == 0) * 2e-4, 0, 0), (float(k == 0), 0, 0)
        model.add_sphere(radius=0.01, mass=0.01, position=place, velocity=speed)
    model.add(e.CompliantSphereSphere(among=model.bodies, normal=e.SpringDashpot(stiffness=1e6)))
    return model


@pytest.mark.parametrize(
    ("model", "scheme", "h", "t_end"),
    [
        (ball_on_spring(), ns.VelocityVerlet(), 1.02 * LIMIT, 0.5),
        (ball_on_spring(), ns.VelocityVerlet(), 0.97 * LIMIT, 0.5),
        (box_under_pressure(), ns.VelocityVerlet(), 5e-5, 2e-3),
        (row_of_balls(), ns.VelocityVerlet(), 2e-4, 2e-2),
        (row_of_balls(), ns.GeneralizedAlpha(), 2e-4, 2e-2),
        (row_of_balls(), ns.SemiImplicit(), 1.6e-3, 0.2),
    ],
)
def test_steps_that_are_too_long_for_a_stiff_contact_are_named_with_one_that_is_not(model, scheme, h, t_end):
    result = ns.simulate(model, t_end=t_end, h=h, scheme=scheme)
    assert result.status.ok
    found = GREW.search(result.status.message)
    growth, first, shorter = map(float, found.groups())
    energy = result.energy()
    assert energy[-1] < energy[0] + 1.01 * growth < 1.02 * energy.max()
    seen = np.argmin(np.abs(result.t - first))
    assert energy[seen] - energy[0] > SHARE * result.energy("kinetic")[: seen + 1].max()
    again = ns.simulate(model, t_end=100 * shorter, h=shorter, scheme=scheme)
    assert again.status.remarks == []


@pytest.mark.parametrize("scheme", [ns.VelocityVerlet(), ns.GeneralizedAlpha(), ns.SemiImplicit()])
def test_steps_that_resolve_a_contact_are_not_named(scheme):
    assert ns.simulate(ball_on_spring(), t_end=0.3, h=0.1 * LIMIT, scheme=scheme).status.remarks == []


def pressed(model):
    """Nothing more: the ball is deep in its spring, which throws it up."""


def hanging(model):
    ball = model.bodies[0]
    model.add_load(SpringToPoint(ball, point=(0, 0, 3.0), stiffness=50.0))


def pushed(model):
    model.add_load(Force(model.bodies[0], force=(30.0, 0, 0)))


def sprung(model):
    rod = model.add_body(mass=1.0, inertia=(0.01, 0.1, 0.1), position=(5.5, 0, 0))
    pin = model.add(e.Revolute(None, rod, point=(5, 0, 0), axis=(0, 1, 0)))
    model.add(e.JointSpring(pin, stiffness=100.0, rest=2.0))


def stretched(model):
    two = [model.add_point(mass=0.1, position=(x, 9, 0), gravity=(0, 0, 0)) for x in (0, 1)]
    model.add(e.Spring([tuple(two)], stiffness=50.0, length=0.3))


def adhesive(model):
    balls = [
        model.add_sphere(radius=0.1, mass=0.1, position=(x, 9, 0), gravity=(0, 0, 0)) for x in (0, 0.199)
    ]
    model.add(e.CompliantSphereSphere(among=balls, normal=e.DMT(modulus=1e6, work=10.0)))


QUIET = pressed, hanging, pushed, sprung, stretched, adhesive


@pytest.mark.parametrize("fill", QUIET)
@pytest.mark.sampled(2)
def test_energy_that_was_stored_is_known_and_gives_no_remark(fill, tmp_path):
    model = ball_on_spring(height=0.07)
    fill(model)
    assert source_of(model) == ""
    path = tmp_path / "run.h5"
    result = ns.simulate(model, t_end=0.1, h=5e-4, recording=ns.Recording(file=path))
    assert result.energy("kinetic").max() > 2 * result.energy("kinetic")[0]
    assert result.status.remarks == []
    assert ns.resume(path, t_end=0.3).status.remarks == []  # in the middle of the motion


def test_what_impacts_under_a_ceiling_give_at_the_end_of_a_step_is_within_the_limit():
    """A ball between hard ceiling and soft floor gains m g h |v| at each impact."""
    model = ns.Model(gravity=(0, 0, -10))
    ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0.3), velocity=(0, 0, 5))
    model.add(e.SpherePlane(ball, model.add_plane(normal=(0, 0, -1), offset=-0.5), e_n=1.0))
    floor = e.SpringDashpot(stiffness=400.0)
    model.add(e.CompliantSpherePlane(ball, model.add_plane(normal=(0, 0, 1)), normal=floor))
    result = ns.simulate(model, t_end=5.0, h=1e-2, rho_inf=1.0)
    assert result.energy()[-1] > 1.5 * result.energy()[0]
    assert result.status.remarks == []


def moved(model):
    model.add_plane(normal=(0, 0, 1), offset=-3, motion=Shaking(amplitude=(0, 0, 0.1), frequency=5))


def by_function(model):
    model.add_load(lambda t, state: np.zeros((len(state.position), 3)))


def by_torque(model):
    model.add_load(Force(model.bodies[0], torque=(1.0, 0, 0)))


def by_motor(model):
    wheel = model.add_body(mass=1.0, inertia=(0.1, 0.1, 0.1), position=(5, 0, 0))
    model.add(e.Motor(model.add(e.Revolute(None, wheel, point=(5, 0, 0), axis=(0, 1, 0))), 1.0))


def by_speed(model):
    wheel = model.add_body(mass=1.0, inertia=(0.1, 0.1, 0.1), position=(5, 0, 0))
    axle = model.add(e.Revolute(None, wheel, point=(5, 0, 0), axis=(0, 1, 0)))
    model.add(e.SpeedMotor(axle, speed=1.0, strength=1.0))


def by_law(model):
    def blast(contact, response):
        response.force[:, 0] = 1e3

    model.add(e.CompliantSpherePlane(model.bodies[0], model.add_plane(normal=(0, 1, 0)), normal=blast))


def on_one_side(model):
    two = [model.add_sphere(radius=0.1, mass=1.0, position=(x, 9, 0)) for x in (0, 1)]
    model.add(e.CompliantSphereSphere(among=two, acts_on="a", **SPRING))


def switched(model):
    two = [model.add_point(mass=0.1, position=(x, 9, 0)) for x in (0, 1)]
    spring = model.add(e.Spring([tuple(two)], stiffness=50.0, length=0.3))
    spring.active = lambda t: t > 0.1


@pytest.mark.parametrize(
    "fill", [moved, by_function, by_torque, by_motor, by_speed, by_law, on_one_side, switched]
)
def test_models_into_which_something_may_put_energy_are_not_judged(fill):
    model = ball_on_spring()
    assert source_of(model) == ""
    fill(model)
    assert source_of(model) != ""


def test_motion_without_inertia_is_not_judged():
    model = ball_on_spring(height=0.05)
    scheme = ns.Overdamped(e.Drag(model.bodies, translational=0.01))
    assert ns.simulate(model, t_end=0.01, h=1e-3, scheme=scheme).status.remarks == []


def test_an_element_that_is_switched_on_within_a_run_ends_the_judgement():
    """A spring activated at separated ends has an energy without a source."""
    model = ball_on_spring()
    two = [
        model.add_point(mass=0.1, position=(x, 9, 0), velocity=(way, 0, 0)) for x, way in ((0, -2), (0.3, 2))
    ]
    spring = model.add(e.Spring([tuple(two)], stiffness=500.0, length=0.3))
    spring.active = False

    def switch(now):
        spring.active = True
        return 0.0

    watch = [ns.Sensor("switch", switch, times=[0.05])]
    result = ns.simulate(model, t_end=0.2, h=1e-3, watch=watch)
    assert result.energy("kinetic").max() > 4 * result.energy("total")[0]
    assert result.status.remarks == []


@pytest.mark.parametrize("part", [0, 3])
def test_what_begins_to_move_by_the_acceleration_of_a_state_is_within_the_limit(part):
    """The integrator keeps a push, or a torque, that is gone."""
    model = ns.Model()
    model.add_body(mass=1.0, inertia=(1.0, 1.0, 1.0), position=(0, 0, 0))
    memory = np.zeros((1, 6))
    memory[0, part] = 5.0
    state = replace(model.initial_state(), acceleration=memory, auxiliary=memory)
    result = ns.simulate(model, t_end=0.1, h=0.01, state=state)
    assert result.energy()[-1] > 3e-4
    assert result.status.remarks == []


def test_a_ball_that_is_lifted_out_of_an_overlap_of_the_start_is_within_the_limit():
    model = ns.Model(gravity=(0, 0, -10))
    ball = model.add_sphere(radius=1.0, mass=1.0, position=(0, 0, 1.0 - 5e-7))
    model.add(e.SpherePlane(ball, model.add_plane(normal=(0, 0, 1))))
    result = ns.simulate(model, t_end=1e-5, h=1e-6)
    assert np.ptp(result.energy()) == pytest.approx(5e-6, rel=1e-3)
    assert result.status.remarks == []


def test_rounding_far_from_the_origin_is_within_the_limit():
    """A slow ball rises by 0.1 micrometres a step, rounded to 0.12."""
    model = ns.Model(gravity=(0, 0, -10))
    model.add_sphere(radius=1e-3, mass=1.0, position=(0, 0, 1e9), velocity=(0, 0, 1e-2))
    result = ns.simulate(model, t_end=4e-4, h=1e-5)
    energy = result.energy()
    assert energy.max() - energy[0] > SHARE * result.energy("kinetic").max()
    assert result.status.remarks == []
