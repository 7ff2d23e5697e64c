"""Motion without inertia: exact solutions, order, balance, and refusals."""

import math
import re

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import elements as e
import nsgalpha as ns
from nsgalpha.geometry import broad_phase
from nsgalpha.schemes.implicit import implicit_equations

ETA = 1e-3  # [Pa s]


def grid(side=3, spacing=1.9, seed=0):
    """Unit spheres on a disturbed cubic grid, in overlap."""
    rng = np.random.default_rng(seed)
    model = ns.Model()
    for cell in np.ndindex(side, side, side):
        position = spacing * np.array(cell) + rng.uniform(-0.05, 0.05, 3)
        model.add_sphere(radius=1.0, mass=1.0, position=position)
    return model


def relaxed(model, h=0.05, steps=20, drag=1.0, rotational=0.0, implicitness=1.0):
    resistance = e.Drag(model.spheres, translational=drag, rotational=rotational)
    scheme = ns.Overdamped(resistance, implicitness=implicitness)
    result = ns.simulate(model, t_end=steps * h, h=h, scheme=scheme)
    assert result.status, result.status.message
    return result


def test_a_sphere_sinks_with_the_velocity_of_stokes():
    radius, density = 1e-4, 1000.0
    mass = density * 4.0 / 3.0 * math.pi * radius**3
    model = ns.Model(gravity=(0.0, 0.0, -9.81))
    sphere = model.add_sphere(radius=radius, mass=mass, position=(0.0, 0.0, 1.0), velocity=(1.0, 0.0, 0.0))
    scheme = ns.Overdamped(e.Drag.stokes(sphere, ETA))
    result = ns.simulate(model, t_end=1.0, h=0.1, scheme=scheme)
    speed = 2.0 / 9.0 * density * 9.81 * radius**2 / ETA
    assert result.velocity[-1, 0] == pytest.approx([0.0, 0.0, -speed], rel=1e-12, abs=1e-18)
    assert result.position[-1, 0, 2] == pytest.approx(1.0 - speed, rel=1e-12)


def test_a_torque_turns_a_sphere_with_the_rate_of_stokes():
    model = ns.Model()
    sphere = model.add_sphere(radius=0.5, mass=1.0, position=(0.0, 0.0, 0.0))
    model.add_load(lambda t, state: (np.zeros((1, 3)), np.array([[0.0, 0.3, 0.0]])))
    result = ns.simulate(model, t_end=1.0, h=0.25, scheme=ns.Overdamped(e.Drag.stokes(sphere, 2.0)))
    rate = 0.3 / (8.0 * math.pi * 2.0 * 0.125)
    assert result.angular_velocity[-1, 0] == pytest.approx([0.0, rate, 0.0], rel=1e-12, abs=1e-18)
    assert result.rotation[-1, 0] == pytest.approx(
        [math.cos(rate / 2), 0.0, math.sin(rate / 2), 0.0], rel=1e-12, abs=1e-18
    )


@pytest.mark.parametrize(("implicitness", "order"), [(0.0, 1), (0.5, 2), (1.0, 1)])
@pytest.mark.parametrize("damping", [0.0, 0.7])
def test_order(implicitness, order, damping):
    """Two spheres that push each other apart: d' = -2 k d^1.5 / (gamma + 2 c)."""
    k, gamma, start, end = 10.0, 1.3, 0.5, 0.2

    def overlap(h):
        model = ns.Model()
        for x in (0.0, 2.0 - start):
            model.add_sphere(radius=1.0, mass=1.0, position=(x, 0.0, 0.0))
        law = e.ExudynNormal(stiffness=k, exponent=1.5, damping=damping)
        model.add(e.CompliantSphereSphere(among=model.spheres, normal=law))
        steps = round(end / h)
        result = relaxed(model, h, steps, drag=gamma, implicitness=implicitness)
        return 2.0 - (result.position[-1, 1, 0] - result.position[-1, 0, 0])

    exact = (start**-0.5 + k * end / (gamma + 2.0 * damping)) ** -2
    errors = [abs(overlap(h) - exact) for h in (0.01, 0.005, 0.0025)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.15)
    assert np.log2(errors[1] / errors[2]) == pytest.approx(order, abs=0.1)


@pytest.mark.parametrize(("implicitness", "order"), [(0.0, 1), (0.5, 2), (1.0, 1)])
def test_order_under_a_load_that_depends_on_time(implicitness, order):
    model = ns.Model()
    model.add_sphere(radius=1.0, mass=1.0, position=(0.0, 0.0, 0.0))
    model.add_load(lambda t, state: np.array([[math.exp(t), 0.0, 0.0]]))

    def error(h):
        return abs(
            relaxed(model, h, round(1.0 / h), implicitness=implicitness).position[-1, 0, 0] - math.e + 1.0
        )

    assert np.log2(error(0.1) / error(0.05)) == pytest.approx(order, abs=0.1)


def test_a_sphere_slides_down_an_incline_against_drag_and_friction():
    """gamma v = m g sin - mu m g cos, with friction that slips."""
    angle, mu, gamma, mass = 0.6, 0.3, 4.0, 2.0
    g = 9.81 * np.array([math.sin(angle), 0.0, -math.cos(angle)])
    model = ns.Model(gravity=g)
    stiffness = 1e5
    sunk = mass * 9.81 * math.cos(angle) / stiffness
    sphere = model.add_sphere(radius=0.1, mass=mass, position=(0.0, 0.0, 0.1 - sunk))
    floor = model.add_plane(normal=(0, 0, 1))
    model.add(
        e.CompliantSpherePlane(
            sphere, floor, normal=e.SpringDashpot(stiffness=stiffness), tangential=e.RegularisedCoulomb(mu=mu)
        )
    )
    speed = mass * 9.81 * (math.sin(angle) - mu * math.cos(angle)) / gamma
    result = relaxed(model, h=1e-3, steps=50, drag=gamma)
    assert result.velocity[-1, 0, 0] == pytest.approx(speed, rel=1e-6)
    assert result.velocity[-1, 0, 2] == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("implicitness", [0.0, 0.5, 1.0])
def test_forces_between_bodies_leave_the_centre_where_it_is(implicitness):
    model = grid()
    model.add(
        e.CompliantSphereSphere(among=model.spheres, normal=e.SpringDashpot(stiffness=1.0, damping=0.4))
    )
    result = relaxed(model, implicitness=implicitness)
    centre = result.position.mean(axis=1)
    assert np.abs(result.position[-1] - result.position[0]).max() > 0.02
    assert np.abs(centre - centre[0]).max() < 1e-12


def test_the_solution_of_an_integrator_for_ordinary_differential_equations():
    """A packing with friction springs, resolved by small steps, against springs alone by SciPy."""
    model, k, gamma, end = grid(2), 1.0, 1.5, 1.0
    model.add(e.CompliantSphereSphere(among=model.spheres, normal=e.SpringDashpot(stiffness=k)))

    def rate(_, y):
        x = y.reshape(-1, 3)
        f = np.zeros_like(x)
        for i in range(len(x)):
            for j in range(len(x)):
                apart = x[i] - x[j]
                distance = np.linalg.norm(apart)
                if i != j and distance < 2.0:
                    f[i] += k * (2.0 - distance) * apart / distance
        return f.ravel() / gamma

    start = np.array([body.position for body in model.bodies]).ravel()
    exact = solve_ivp(rate, (0.0, end), start, rtol=1e-10, atol=1e-12).y[:, -1].reshape(-1, 3)
    result = relaxed(model, h=0.01, steps=100, drag=gamma, implicitness=0.5)
    assert np.abs(exact - start.reshape(-1, 3)).max() > 0.05
    assert result.position[-1] == pytest.approx(exact, abs=2e-5)


FRICTION_SPRINGS = {
    "normal": e.SpringDashpot(stiffness=1.0, damping=0.1),
    "tangential": e.CundallStrack(stiffness=0.5, mu=0.3),
}


def test_friction_springs_turn_the_bodies_and_rest_in_the_end():
    model = grid(2)
    model.add(e.CompliantSphereSphere(among=model.spheres, **FRICTION_SPRINGS))
    result = relaxed(model, h=0.2, steps=100, rotational=1.0)
    assert np.abs(result.angular_velocity[:20]).max() > 1e-3
    assert np.abs(result.velocity[-1]).max() < 1e-3 * np.abs(result.velocity[1]).max()


def test_a_run_that_is_continued_is_the_same_run():
    """With friction springs that have a history, and a moving plane."""
    model = grid(2)
    model.add(e.CompliantSphereSphere(among=model.spheres, **FRICTION_SPRINGS))
    push = model.add_plane(normal=(0, 0, 1), motion=lambda t: ((0.0, 0.0, 0.1 * t - 0.9), (0.0, 0.0, 0.1)))
    model.add(e.CompliantSpherePlane(model.spheres, push, **FRICTION_SPRINGS))
    scheme = ns.Overdamped(e.Drag(model.spheres, translational=1.0, rotational=1.0))
    whole = ns.simulate(model, t_end=2.0, h=0.1, scheme=scheme)
    half = ns.simulate(model, t_end=1.0, h=0.1, scheme=scheme)
    rest = ns.simulate(model, t_end=2.0, h=0.1, scheme=scheme, state=half.state(-1))
    assert np.abs(whole.angular_velocity[-1]).max() > 1e-3
    assert rest.position[-1] == pytest.approx(whole.position[-1], abs=1e-12)
    assert rest.angular_velocity[-1] == pytest.approx(whole.angular_velocity[-1], abs=1e-11)


@pytest.mark.parametrize("damping", [0.0, 0.4])
def test_iterations_find_what_factorisations_do(monkeypatch, damping):
    """Conjugate gradients, and their kind for the tangents of dashpots, which are not symmetric."""

    def end(few):
        monkeypatch.setattr(implicit_equations, "DIRECT", few)
        monkeypatch.setattr(implicit_equations, "FEW", few)
        model = grid(4)
        model.add(
            e.CompliantSphereSphere(
                among=model.spheres, normal=e.SpringDashpot(stiffness=1.0, damping=damping)
            )
        )
        return relaxed(model, steps=5)

    direct, iterated = end(10**9), end(0)
    assert iterated.stats.smooth_iterations.max() > 3
    assert direct.stats.smooth_iterations.max() == 1
    assert iterated.position == pytest.approx(direct.position, abs=1e-9)


@pytest.mark.parametrize("reach", [0.0, 0.3])
def test_the_skin_of_the_broad_phase_does_not_matter(monkeypatch, reach):
    """Bodies that cross it several times; more of them than are listed altogether."""

    def end(skin):
        monkeypatch.setattr(broad_phase, "SKIN", skin)
        monkeypatch.setattr(broad_phase, "LOOK_AHEAD", 0)
        model = grid(4)
        law = {"normal": e.SpringDashpot(stiffness=1.0, damping=0.1), "reach": reach}
        model.add(e.CompliantSphereSphere(among=model.spheres, **law))
        model.add_load(lambda t, state: np.outer(np.arange(64) % 5 - 2.0, [1.0, 0.4, 0.2]))
        return relaxed(model, steps=60).position[-1]

    assert np.abs(end(0.05) - end(5.0)).max() < 1e-9


def test_a_moving_plane_pushes():
    model = ns.Model()
    sphere = model.add_sphere(radius=1.0, mass=1.0, position=(0.0, 0.0, 1.0))
    pusher = model.add_plane(normal=(0, 0, 1), motion=lambda t: ((0.0, 0.0, 0.5 * t), (0.0, 0.0, 0.5)))
    model.add(e.CompliantSpherePlane(sphere, pusher, normal=e.SpringDashpot(stiffness=100.0)))
    result = relaxed(model, h=0.02, steps=100, drag=2.0)
    assert result.velocity[-1, 0, 2] == pytest.approx(0.5, rel=1e-6)
    assert 1.0 + 0.5 * 2.0 - result.position[-1, 0, 2] == pytest.approx(2.0 * 0.5 / 100.0, rel=1e-3)


def test_drag_is_a_load_for_the_other_schemes():
    model = ns.Model()
    sphere = model.add_sphere(radius=1.0, mass=2.0, position=(0.0, 0.0, 0.0), velocity=(1.0, 0.0, 0.0))
    model.add_load(e.Drag(sphere, translational=3.0))
    result = ns.simulate(model, t_end=0.5, h=1e-3)
    assert result.velocity[-1, 0, 0] == pytest.approx(math.exp(-0.75), rel=1e-6)


def test_weights_and_tensors():
    model = ns.Model()
    for x in (0.0, 5.0):
        model.add_sphere(radius=1.0, mass=1.0, position=(x, 0.0, 0.0))
    model.add_load(lambda t, state: np.ones((2, 3)))
    drag = e.Drag(model.spheres, translational=np.diag([1.0, 2.0, 4.0]), weight=[1.0, 0.5])
    result = ns.simulate(model, t_end=0.1, h=0.1, scheme=ns.Overdamped(drag))
    assert result.velocity[-1] == pytest.approx(np.array([[1.0, 0.5, 0.25], [2.0, 1.0, 0.5]]))


def test_a_body_without_resistance_ends_the_run_with_a_sentence():
    model = ns.Model()
    for x in (0.0, 5.0):
        model.add_sphere(radius=1.0, mass=1.0, position=(x, 0.0, 0.0))
    scheme = ns.Overdamped(e.Drag(model.bodies[0], translational=1.0))
    result = ns.simulate(model, t_end=1.0, h=0.1, scheme=scheme)
    assert not result.status
    assert "the velocities; 'sphere 1' has none: give every body one" in result.status.message
    assert len(result.t) == 1


def test_many_bodies_without_resistance_are_counted():
    model = ns.Model()
    for k in range(9):
        model.add_sphere(radius=1.0, mass=1.0, position=(5.0 * k, 0.0, 0.0), name=f"ball {k}")
    scheme = ns.Overdamped(e.Drag(model.bodies[3], translational=1.0))
    message = ns.simulate(model, t_end=1.0, h=0.1, scheme=scheme).status.message
    assert "'ball 0', 'ball 1', 'ball 2', 'ball 4', 'ball 5', 3 more have none: give" in message


def test_bad_input_is_refused():
    model = ns.Model()
    ball = model.add_sphere(radius=1.0, mass=1.0, position=(0.0, 0.0, 1.0))
    drag = e.Drag(ball, translational=1.0)
    for arguments, words in (
        ({"translational": -1.0}, "translational = -1.0: must be a number >= 0"),
        ({"rotational": math.nan}, "rotational = nan"),
        ({"translational": [1.0, 2.0]}, "one for each of the 1 bodies"),
        ({"translational": np.diag([1.0, -1.0, 0.0])}, "positive semidefinite"),
        ({"translational": np.triu(np.ones((3, 3)))}, "symmetric tensors"),
        ({"translational": 1.0, "weight": -2.0}, "weight = -2.0"),
        ({}, "both are 0"),
    ):
        with pytest.raises(ValueError, match=re.escape(words)):
            e.Drag(ball, **arguments)
    with pytest.raises(ValueError, match="viscosity = 0"):
        e.Drag.stokes(ball, 0)
    with pytest.raises(ValueError, match="implicitness = 2: "):
        ns.Overdamped(drag, implicitness=2)
    with pytest.raises(ValueError, match="none is given"):
        ns.Overdamped([])
    with pytest.raises(ValueError, match="must be a resistance"):
        ns.Overdamped(3.0)
    floor = model.add_plane(normal=(0, 0, 1))
    model.add(e.SpherePlane(ball, floor))
    with pytest.raises(ValueError, match="GeneralizedAlpha for set-valued contact"):
        ns.simulate(model, t_end=1.0, h=0.1, scheme=ns.Overdamped(drag))
