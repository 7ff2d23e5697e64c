"""The energy budget closes: works against closed forms, and the order of the steps' error."""

import numpy as np
import pytest

import elements as e
import nsgalpha as ns

G = 10.0
UP = (0, 0, 1)


def pendulum():
    """A rod that begins level, hinged at the origin; its angle grows as it falls."""
    model = ns.Model(gravity=(0, 0, -G))
    rod = model.add_body(mass=1.0, inertia=(0.01, 0.1, 0.1), position=(0.5, 0, 0))
    return model, model.add(e.Revolute(None, rod, point=(0, 0, 0), axis=(0, 1, 0)))


def wheel(speed):
    model = ns.Model()
    body = model.add_body(mass=1, inertia=(0.1, 0.1, 0.2), position=(0, 0, 0), angular_velocity=(0, 0, speed))
    return model, model.add(e.Revolute(None, body, point=(0, 0, 0), axis=UP))


def ball_on_plane(height, *, velocity=(0, 0, 0), motion=None, **law):
    model = ns.Model(gravity=(0, 0, -G))
    ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0.1 + height), velocity=velocity)
    model.add(e.SpherePlane(ball, model.add_plane(normal=UP, motion=motion), **law))
    return model


def closes(budget):
    works = budget.drives + budget.friction + budget.impacts + budget.loads
    return budget.total - budget.total[0] - works - budget.residual


def test_a_ball_that_slides_and_then_rolls_loses_two_sevenths():
    budget = ns.simulate(ball_on_plane(0.0, velocity=(1, 0, 0), mu=0.2), t_end=0.3, h=0.01).budget()
    assert budget.friction[-1] == pytest.approx(-1 / 7, abs=1e-12)
    assert np.abs(budget.residual).max() < 1e-14
    for none in (budget.impacts, budget.drives, budget.loads):
        assert not none.any()


def test_a_belt_gives_what_a_ball_gains_and_friction_takes():
    """It slides for t = 2 v/(7 mu g), under m mu g on the belt with v: the belt does 2 m v^2/7."""
    model = ball_on_plane(0.0, mu=0.2, motion=lambda t: ((t, 0, 0), (1, 0, 0)))
    budget = ns.simulate(model, t_end=0.3, h=0.01).budget()
    assert budget.drives[-1] == pytest.approx(2 / 7, abs=1e-12)
    assert budget.friction[-1] == pytest.approx(-1 / 7, abs=1e-12)
    assert np.abs(budget.residual).max() < 1e-14


@pytest.mark.parametrize("e_n", [0.0, 0.5, 1.0])
def test_an_impact_takes_its_part_of_the_energy(e_n):
    """Of m v^2/2 = m g H it takes 1 - e^2, to O(h): the impact has the time of its step."""
    lost = [
        ns.simulate(ball_on_plane(0.2, e_n=e_n), t_end=0.25, h=h).budget().impacts[-1] for h in (2e-3, 5e-4)
    ]
    if e_n == 1.0:
        assert np.abs(lost).max() < 1e-13
    else:
        errors = np.array(lost) + (1 - e_n**2) * G * 0.2
        assert np.abs(errors) @ (1 / 2e-3, 1 / 5e-4) < 2 * 2 * 2.0 * G  # 2 v g h at most
        assert abs(errors[1]) < 5e-4 * 2.0 * G


def test_friction_in_an_impact_without_gravity_closes_to_rounding():
    model = ns.Model()
    spin, fast = (0, 0, 20), (1, 0, 0)
    one = model.add_sphere(radius=0.1, mass=1, position=(-0.3, 0.05, 0), velocity=fast, angular_velocity=spin)
    two = model.add_sphere(radius=0.1, mass=2.0, position=(0.1, 0, 0))
    model.add(e.SphereSphere([one, two], mu=0.3, e_n=0.8))
    budget = ns.simulate(model, t_end=0.5, h=0.01).budget()
    assert budget.impacts[-1] < -0.1
    assert np.abs(budget.residual).max() < 1e-13 * budget.total[0]


def test_an_elastic_stop_takes_nothing_and_another_one_takes_its_part():
    """The work of the law is (1 - e^2) of the energy at the stop, to O(h)."""
    for e_n in (0.5, 1.0):
        model, pin = pendulum()
        model.add(e.Limit(pin, high=1.0, e_n=e_n))
        budget = ns.simulate(model, t_end=0.7, h=1e-3).budget()
        at_stop = G * 0.5 * np.sin(1.0)
        assert budget.impacts[-1] == pytest.approx(-(1 - e_n**2) * at_stop, abs=1e-13 if e_n == 1 else 0.02)
        assert np.abs(closes(budget)).max() < 1e-13


def test_constant_friction_in_a_joint_takes_the_energy_of_a_wheel():
    model, axle = wheel(1.0)
    model.add(e.JointFriction(axle, bound=0.1))
    budget = ns.simulate(model, t_end=3.0, h=0.01).budget()
    assert budget.friction[-1] == pytest.approx(-0.1, abs=1e-14)
    assert np.abs(budget.residual).max() < 1e-15


def test_a_motor_of_limited_strength_gives_twice_what_it_accelerates():
    """It slips from 0 to w: it does J w^2, of which half is friction."""
    model, axle = wheel(0.0)
    model.add(e.SpeedMotor(axle, speed=3.0, strength=0.5))
    budget = ns.simulate(model, t_end=2.0, h=0.01).budget()
    assert budget.kinetic[-1] == pytest.approx(0.9)
    assert budget.drives[-1] == pytest.approx(1.8, abs=1e-13)
    assert budget.friction[-1] == pytest.approx(-0.9, abs=1e-13)


def moved_by(acting, h):
    model, pin = pendulum()
    if acting is not None:
        model.add(acting(pin))
    return ns.simulate(model, t_end=1.0, h=h).budget()


@pytest.mark.parametrize(
    "acting",
    [
        None,
        lambda pin: e.Drive(pin, lambda t: (np.sin(t) ** 2, np.sin(2 * t))),
        lambda pin: e.JointSpring(pin, stiffness=20.0, damping=0.5),
        lambda pin: e.JointFriction(pin, bound=1.0),
    ],
    ids=["free", "drive", "spring", "friction"],
)
def test_residual_is_of_second_order(acting):
    """Largest residual over the run."""
    sizes = [np.abs(moved_by(acting, h).residual).max() for h in (4e-3, 2e-3)]
    assert 1.9 < np.log2(sizes[0] / sizes[1]) < 2.2
    assert sizes[1] < 1e-3


def test_a_drive_does_the_work_that_the_energies_gain():
    budget = moved_by(lambda pin: e.Drive(pin, lambda t: (np.sin(t) ** 2, np.sin(2 * t))), 1e-3)
    angle, rate = np.sin(1.0) ** 2, np.sin(2.0)
    gained = 0.5 * 0.35 * rate**2 - G * 0.5 * np.sin(angle)
    assert budget.drives[-1] == pytest.approx(gained, abs=1e-5)


def test_loads_and_drag():
    """A drag d v on a body that a force F drives: F x - d int v^2."""
    model = ns.Model()
    model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0))
    model.add_load(lambda t, state: np.array([[2.0, 0, 0]]) - 0.5 * state.velocity)
    sizes = []
    for h in (0.02, 0.01):
        budget = ns.simulate(model, t_end=1.0, h=h).budget()
        v = 4.0 * (1 - np.exp(-0.5))
        assert budget.loads[-1] == pytest.approx(0.5 * v * v, rel=1e-3)
        sizes.append(np.abs(budget.residual).max())
    assert 1.8 < np.log2(sizes[0] / sizes[1]) < 2.2


def test_steps_or_contacts_that_are_not_recorded_are_refused():
    model = ball_on_plane(0.0, velocity=(1, 0, 0), mu=0.2)
    with pytest.raises(ValueError, match="5 of 10 steps are recorded"):
        ns.simulate(model, t_end=0.1, h=0.01, recording=ns.Recording(every=2)).budget()
    with pytest.raises(ValueError, match="no contacts are recorded"):
        ns.simulate(model, t_end=0.1, h=0.01, recording=ns.Recording(contacts=False)).budget()


def on_a_ball(h):
    """A ball that slides, rolls and drills on a larger one that is held."""
    model = ns.Model(gravity=(0, 0, -G))
    large = model.add_sphere(radius=1.0, mass=1e3, position=(0, 0, 0))
    model.add(e.Rigid(None, large, point=(0, 0, 0)))
    a = 0.2
    ball = model.add_sphere(
        radius=0.1,
        mass=1.0,
        position=(1.1 * np.sin(a), 0, 1.1 * np.cos(a)),
        velocity=(np.cos(a), 0.3, -np.sin(a)),
        angular_velocity=(0, 5, 30),
    )
    model.add(e.SphereSphere([large, ball], mu=0.2, rolling_radius=0.002, drilling_radius=0.01))
    return ns.simulate(model, t_end=0.2, h=h).budget()


def test_friction_on_a_curved_surface_leaves_second_order():
    """Sliding, rolling and drilling friction at once."""
    budgets = [on_a_ball(h) for h in (4e-3, 2e-3, 1e-3)]
    sizes = [np.abs(each.residual).max() for each in budgets]
    assert budgets[-1].friction[-1] < -0.1
    assert not budgets[-1].impacts.any()
    assert np.log2(sizes[1] / sizes[2]) > 1.8
    assert sizes[-1] < 1e-3


def test_damping_of_a_compliant_contact_is_a_loss_of_loads():
    """A ball coming to rest loses its potential energy, less the stored one."""
    model = ns.Model(gravity=(0, 0, -G))
    ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0.1))
    law = e.SpringDashpot(stiffness=1e4, damping=20.0)
    model.add(e.CompliantSpherePlane(ball, model.add_plane(normal=UP), normal=law))
    sizes = []
    for h in (1e-3, 5e-4):
        budget = ns.simulate(model, t_end=0.5, h=h).budget()
        assert budget.loads[-1] == pytest.approx(-(G**2) / 2e4, rel=0.05)  # (m g)^2/2k of (m g)^2/k
        sizes.append(np.abs(budget.residual).max())
    assert sizes[0] > 3.0 * sizes[1]
