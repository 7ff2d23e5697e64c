"""The time stepping of Moreau and Jean against closed forms."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import elements as e
import nsgalpha as ns
from nsgalpha.model.regions import Ball

G = 10.0  # [m/s^2]
R = 0.1  # [m]
THETAS = 0.5, 0.75, 1.0


def run(model, t_end, h, theta=0.5, **options):
    result = ns.simulate(model, t_end=t_end, h=h, scheme=ns.MoreauJean(theta), **options)
    assert result.status.ok, result.status
    return result


def on_plane(angle=0.0, height=0.0, velocity=(0.0, 0.0, 0.0), spin=(0.0, 0.0, 0.0), **law):
    """A ball of 1 kg at a `height` above a plane that is inclined by an `angle` along x."""
    model = ns.Model(gravity=(G * np.sin(angle), 0.0, -G * np.cos(angle)))
    place = (0.0, 0.0, R + height)
    ball = model.add_sphere(radius=R, mass=1.0, position=place, velocity=velocity, angular_velocity=spin)
    model.add(e.SpherePlane(ball, model.add_plane(normal=(0.0, 0.0, 1.0)), **law))
    return model


def block(mu, angle, speed):
    """Three balls that are one rigid body, on an inclined plane."""
    model = ns.Model(gravity=(G * np.sin(angle), 0.0, -G * np.cos(angle)))
    places = (0.0, 0.0, R), (-0.3, 0.2, R), (-0.3, -0.2, R)
    balls = [model.add_sphere(radius=R, mass=1.0, position=x, velocity=(speed, 0.0, 0.0)) for x in places]
    for other in balls[1:]:
        model.add(e.Rigid(balls[0], other, point=places[0]))
    model.add(e.SpherePlane(balls, model.add_plane(normal=(0.0, 0.0, 1.0)), mu=mu))
    return model


def row_of_balls(count, gap, e_n):
    """Balls along x, of which the first hits the others with 1 m/s."""
    model = ns.Model()
    for k in range(count):
        x = k * (2.0 * R + gap) - (0.05 if k == 0 else 0.0)
        model.add_sphere(radius=R, mass=1.0, position=(x, 0.0, 0.0), velocity=(float(k == 0), 0.0, 0.0))
    model.add(e.SphereSphere(among=model.spheres, e_n=e_n))
    return model


def pendulum():
    model = ns.Model(gravity=(0.0, 0.0, -G))
    ball = model.add_sphere(radius=0.05, mass=1.0, position=(1.0, 0.0, 0.0))
    model.add(e.Revolute(ball, None, point=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0)))
    return model


def bounced(height, e_n, t):
    """Height of a ball's lowest point [m] at time `t`: it falls from `height` and bounces."""
    left = t - np.sqrt(2.0 * height / G)
    v = e_n * np.sqrt(2.0 * height * G)
    while left > 2.0 * v / G:
        left, v = left - 2.0 * v / G, e_n * v
    return v * left - 0.5 * G * left**2


def orders(errors):
    return np.log2(np.divide(errors[:-1], errors[1:]))


@pytest.mark.parametrize("theta", [0.5, 1.0])
def test_a_bouncing_ball_converges_with_h_over_the_arrival(theta):
    errors = []
    for h in (8e-3, 4e-3, 2e-3):
        heights = 1.0 + np.linspace(0.0, 0.04, 11)
        ends = [run(on_plane(height=z, e_n=0.8), 1.0, h, theta).position[-1, 0, 2] - R for z in heights]
        errors.append(np.mean([abs(z - bounced(h0, 0.8, 1.0)) for z, h0 in zip(ends, heights, strict=True)]))
    assert errors[-1] < 6e-3
    assert np.mean(orders(errors)) == pytest.approx(1.0, abs=0.2)


def test_impacts_of_a_bouncing_ball_are_recorded_at_their_times():
    h, e_n, seen = 2e-3, 0.8, []
    watch = ns.OnImpact(lambda impact: seen.append(impact.t))
    result = run(on_plane(height=1.0, e_n=e_n), 1.5, h, watch=[watch])
    first, speed = np.sqrt(0.2), np.sqrt(2.0 * G)
    exact = [first, first + 2.0 * e_n * speed / G]
    np.testing.assert_allclose(seen[:2], exact, atol=4.0 * h)
    assert result.stats.sub_impacts.sum() == len(seen) == 2
    assert 0.0 < result.stats.penetration.max() <= h * speed / R
    step = int(np.searchsorted(result.t, seen[0] - 0.5 * h))
    assert result.velocity[step, 0, 2] == pytest.approx(e_n * speed, abs=2.0 * G * h)
    struck = result.contacts.at(step)
    assert struck.multipliers[0, 0] == pytest.approx((1.0 + e_n) * speed, abs=4.0 * G * h)
    np.testing.assert_array_equal(struck.wrench, 0.0)  # none of it carries a load


def test_free_fall_is_exact_with_theta_one_half():
    result = run(on_plane(height=9.0, velocity=(2.0, 0.0, 0.0)), 1.0, 0.05)
    np.testing.assert_allclose(result.position[-1, 0], (2.0, 0.0, R + 9.0 - 0.5 * G), atol=1e-12)


@pytest.mark.parametrize(("theta", "order"), [(0.5, 2.0), (1.0, 1.0)])
def test_order_of_smooth_motion_under_a_load_that_follows_it(theta, order):
    def error(h):
        model = ns.Model()
        model.add_sphere(radius=R, mass=1.0, position=(1.0, 0.0, 0.0))
        model.add_load(lambda t, state: -4.0 * state.position)
        return abs(run(model, 2.0, h, theta).position[-1, 0, 0] - np.cos(4.0))

    np.testing.assert_allclose(orders([error(h) for h in (0.04, 0.02, 0.01)]), order, atol=0.15)


@pytest.mark.parametrize(("theta", "order"), [(0.5, 2.0), (1.0, 1.0)])
@pytest.mark.sampled(2)
def test_order_of_the_free_rotation_of_a_body_with_three_moments_of_inertia(theta, order):
    def end(h, theta):
        model = ns.Model()
        inertia = np.diag((1.0, 2.0, 3.0))
        spin = (0.3, 2.0, 0.5)
        model.add_body(mass=1.0, inertia=inertia, position=(0.0, 0.0, 0.0), angular_velocity=spin)
        return run(model, 1.0, h, theta).rotation[-1, 0]

    exact = (4.0 * end(2.5e-3, 0.5) - end(5e-3, 0.5)) / 3.0
    errors = [np.abs(end(h, theta) - exact).max() for h in (0.04, 0.02, 0.01)]
    np.testing.assert_allclose(orders(errors), order, atol=0.1)


def test_a_block_on_an_incline_stops_where_friction_has_taken_its_energy():
    angle, mu, speed, h = 0.2, 0.5, 2.0, 1e-2
    result = run(block(mu, angle, speed), 1.0, h)
    slowing = G * (mu * np.cos(angle) - np.sin(angle))
    assert result.position[-1, 0, 0] == pytest.approx(speed**2 / (2.0 * slowing), abs=slowing * h**2)
    np.testing.assert_allclose(result.velocity[-1], 0.0, atol=1e-12)


def test_a_block_sticks_below_the_angle_of_friction_and_slides_above_it():
    angle, t = 0.2, 0.5
    rest = run(block(np.tan(angle) + 0.01, angle, 0.0), t, 1e-2)
    np.testing.assert_allclose(rest.position - rest.position[0], 0.0, atol=1e-13)
    slides = run(block(0.1, angle, 0.0), t, 1e-2)
    speed = G * (np.sin(angle) - 0.1 * np.cos(angle)) * t
    np.testing.assert_allclose(slides.velocity[-1, :, 0], speed, rtol=1e-12)
    np.testing.assert_allclose(slides.position[-1, 0, 0], 0.5 * speed * t, rtol=1e-12)


def test_a_ball_slides_until_it_rolls_with_five_sevenths_of_its_speed():
    result = run(on_plane(velocity=(1.0, 0.0, 0.0), mu=0.3), 0.5, 1e-2)
    np.testing.assert_allclose(result.velocity[-1, 0], (5.0 / 7.0, 0.0, 0.0), atol=1e-12)
    np.testing.assert_allclose(result.angular_velocity[-1, 0], (0.0, 5.0 / 7.0 / R, 0.0), atol=1e-11)


def test_rolling_and_drilling_friction_stop_a_ball_at_their_times():
    h, spin = 1e-3, 5.0
    stopped = run(on_plane(spin=(0.0, 0.0, spin), drilling_radius=0.02), 0.5, h)
    slowing = 0.02 * G / (0.4 * R**2)
    angle = np.cumsum(stopped.angular_velocity[:, 0, 2])[-1] * h
    assert angle == pytest.approx(spin**2 / (2.0 * slowing), abs=spin * h)
    rolling = on_plane(velocity=(1.0, 0.0, 0.0), spin=(0.0, 1.0 / R, 0.0), mu=1.0, rolling_radius=0.01)
    rolls = run(rolling, 0.5, h)
    # m a = -F,  2/5 m r^2 a/r = r F - rho m g
    slowing = 0.01 / R * G * 5.0 / 7.0
    assert rolls.velocity[-1, 0, 0] == pytest.approx(1.0 - slowing * 0.5, rel=1e-9)


@pytest.mark.parametrize("theta", THETAS)
def test_a_pendulum_drifts_with_the_square_of_the_step_and_converges_with_it(theta):
    exact = ns.simulate(pendulum(), t_end=1.0, h=2.5e-3).position[-1, 0]
    drift, error = [], []
    for h in (0.02, 0.01, 0.005):
        x = run(pendulum(), 1.0, h, theta).position[:, 0]
        drift.append(np.abs(np.linalg.norm(x, axis=1) - 1.0).max())
        error.append(np.linalg.norm(x[-1] - exact))
    assert drift[-1] < 1.5e-4
    np.testing.assert_allclose(orders(drift), 2.0, atol=0.1)
    np.testing.assert_allclose(orders(error), 1.0, atol=0.15)


def test_the_joint_of_a_hanging_pendulum_carries_its_weight():
    model = ns.Model(gravity=(0.0, 0.0, -G))
    ball = model.add_sphere(radius=0.05, mass=2.0, position=(0.0, 0.0, -1.0))
    joint = model.add(e.Revolute(None, ball, point=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0)))
    result = run(model, 0.1, 0.01)
    np.testing.assert_allclose(result.reaction(joint).force[-1], (0.0, 0.0, 2.0 * G), atol=1e-10)


@pytest.mark.parametrize("e_n", [0.0, 0.5, 1.0])
def test_two_balls_meet_by_newtons_law(e_n):
    model = ns.Model()
    one = model.add_sphere(radius=R, mass=1.0, position=(0.0, 0.0, 0.0), velocity=(1.0, 0.0, 0.0))
    two = model.add_sphere(radius=R, mass=3.0, position=(0.25, 0.0, 0.0))
    model.add(e.SphereSphere(pairs=[(one, two)], e_n=e_n))
    v = run(model, 0.2, 1e-2).velocity[-1, :, 0]
    np.testing.assert_allclose(v, ((1.0 - 3.0 * e_n) / 4.0, (1.0 + e_n) / 4.0), atol=1e-12)


def test_a_cradle_of_touching_balls_is_one_impact_and_one_with_gaps_a_sequence():
    """Newton's law for all contacts at once: the first opens with e_n, others do not."""
    touching = run(row_of_balls(5, 0.0, 1.0), 0.1, 1e-3)
    np.testing.assert_allclose(touching.velocity[-1, :, 0], (-0.6, 0.4, 0.4, 0.4, 0.4), atol=1e-10)
    apart = run(row_of_balls(5, 5e-3, 1.0), 0.1, 1e-3)
    np.testing.assert_allclose(apart.velocity[-1, :, 0], (0.0, 0.0, 0.0, 0.0, 1.0), atol=1e-10)


def heap(e_n, mu):
    """Balls that fall onto a plane and each other."""
    model, rng = ns.Model(gravity=(0.0, 0.0, -G)), np.random.default_rng(5)
    for k in range(12):
        x = np.array((0.21 * (k % 2), 0.21 * (k // 2 % 2), 0.15 + 0.25 * (k // 4)))
        model.add_sphere(radius=R, mass=rng.uniform(0.5, 2.0), position=x + rng.uniform(0.0, 0.01, 3))
    model.add(e.SphereSphere(among=model.spheres, e_n=e_n, mu=mu))
    model.add(e.SpherePlane(model.spheres, model.add_plane(normal=(0.0, 0.0, 1.0)), e_n=e_n, mu=mu))
    return model


def energies(result):
    mass = np.array([body.mass for body in result.model.bodies])
    T = 0.5 * np.sum(mass * np.sum(result.velocity**2, axis=2), axis=1)
    T += 0.5 * np.sum(0.4 * mass * R**2 * np.sum(result.angular_velocity**2, axis=2), axis=1)
    return T + G * result.position[:, :, 2] @ mass


@pytest.mark.parametrize("theta", THETAS)
@pytest.mark.parametrize(("e_n", "mu"), [(0.0, 0.4), (0.6, 0.0)])
def test_contacts_give_no_energy(theta, e_n, mu):
    """The bound is the work of a load on contacts that open slower than it.

    This is m (g h)^2/8 with theta = 1/2.
    """
    h = 2e-3
    E = energies(run(heap(e_n, mu), 0.6, h, theta))
    assert E[-1] < 0.8 * E[0]
    assert np.diff(E).max() <= 12 * 2.0 * (G * h) ** 2 / 8.0


def test_a_column_at_rest_stays_and_carries_its_weight():
    """With 70 balls an island has more rows than the kernels solve."""
    for count in (5, 70):
        model = ns.Model(gravity=(0.0, 0.0, -G))
        for k in range(count):
            model.add_sphere(radius=R, mass=1.0, position=(0.0, 0.0, R + 2.0 * R * k))
        model.add(e.SpherePlane(model.spheres, model.add_plane(normal=(0.0, 0.0, 1.0)), mu=0.3))
        model.add(e.SphereSphere(among=model.spheres, mu=0.3))
        result = run(model, 0.02, 5e-3)
        np.testing.assert_allclose(result.velocity[-1], 0.0, atol=1e-9)
        normal = np.sort(result.contacts.at(len(result.t) - 1).multipliers[:, 0]) / 5e-3
        np.testing.assert_allclose(normal, G * np.arange(1.0, count + 1.0), rtol=1e-6)


def test_a_scene_that_is_turned_moves_likewise():
    turn = Rotation.from_rotvec((0.7, -1.1, 0.4)).as_matrix()

    def end(A):
        model = ns.Model(gravity=A @ (0.0, 0.0, -G))
        for mass, x, v in (
            (1.0, (0.0, 0.0, 0.2), (1.0, 0.0, 0.0)),
            (2.0, (0.15, 0.05, 0.4), (0.0, 0.0, -1.0)),
        ):
            model.add_sphere(radius=R, mass=mass, position=A @ x, velocity=A @ v)
        model.add(e.SpherePlane(model.spheres, model.add_plane(normal=A @ (0.0, 0.0, 1.0)), mu=0.3, e_n=0.5))
        model.add(e.SphereSphere(among=model.spheres, mu=0.3, e_n=0.5))
        return run(model, 0.4, 2e-3).position[-1] @ A

    np.testing.assert_allclose(end(turn), end(np.eye(3)), atol=1e-9)


def test_balls_meet_across_a_periodic_boundary():
    model = ns.Model(periodic=(1.0, None, None))
    for x, v in ((0.2, -1.0), (0.9, 0.0)):
        model.add_sphere(radius=R, mass=1.0, position=(x, 0.0, 0.0), velocity=(v, 0.0, 0.0))
    model.add(e.SphereSphere(among=model.spheres, e_n=1.0))
    np.testing.assert_allclose(run(model, 0.2, 1e-2).velocity[-1, :, 0], (0.0, -1.0), atol=1e-12)


def test_a_moving_plane_takes_a_ball_along():
    model = ns.Model(gravity=(0.0, 0.0, -G))
    ball = model.add_sphere(radius=R, mass=1.0, position=(0.0, 0.0, R), velocity=(0.0, 0.0, 0.5))
    rising = ns.ConstantVelocity(velocity=(0.0, 0.0, 0.5))
    model.add(e.SpherePlane(ball, model.add_plane(normal=(0.0, 0.0, 1.0), motion=rising)))
    result = run(model, 0.2, 1e-2)
    np.testing.assert_allclose(result.position[-1, 0, 2], R + 0.5 * 0.2, atol=1e-12)


def test_a_rope_catches_a_ball():
    model = ns.Model(gravity=(0.0, 0.0, -G))
    ball = model.add_sphere(radius=0.05, mass=1.0, position=(0.0, 0.0, -0.5))
    model.add(e.Rope(None, ball, points=((0.0, 0.0, 0.0), (0.0, 0.0, -0.5)), length=1.0))
    h = 2e-3
    result = run(model, 0.6, h)
    assert result.position[-1, 0, 2] == pytest.approx(-1.0, abs=2.0 * h * np.sqrt(G))
    np.testing.assert_allclose(result.velocity[-1], 0.0, atol=1e-12)


@pytest.mark.parametrize("model", [heap(0.5, 0.3), block(0.3, 0.4, 0.5)])
def test_a_run_that_goes_on_from_a_state_is_the_same_to_the_bit(model, tmp_path):
    whole = run(model, 0.1, 1e-3)
    path = tmp_path / "run.h5"
    half = run(model, 0.05, 1e-3, recording=ns.Recording(file=path))
    for rest in (run(model, 0.1, 1e-3, state=half.state()), ns.resume(path, t_end=0.1)):
        for name in ("position", "rotation", "velocity", "angular_velocity"):
            np.testing.assert_array_equal(getattr(rest, name)[-1], getattr(whole, name)[-1], name)


def test_a_load_that_is_too_stiff_for_the_step_ends_the_run():
    model = ns.Model()
    model.add_sphere(radius=R, mass=1.0, position=(1.0, 0.0, 0.0))
    model.add_load(lambda t, state: -4e4 * state.position)
    status = ns.simulate(model, t_end=1.0, h=0.02, scheme=ns.MoreauJean()).status
    assert not status.ok
    assert "reduce h" in str(status)


def test_a_body_that_passes_through_another_in_a_step_is_said():
    model = ns.Model()
    model.add_sphere(radius=R, mass=1.0, position=(0.0, 0.0, 0.0), velocity=(100.0, 0.0, 0.0))
    model.add_sphere(radius=R, mass=1.0, position=(1.55, 0.0, 0.0))
    model.add(e.SphereSphere(among=model.spheres))
    result = ns.simulate(model, t_end=0.05, h=1e-2, scheme=ns.MoreauJean())
    assert result.stats.fast.any()
    assert "passed through 'sphere 1'" in str(result.status)


def test_a_case_file_names_the_scheme():
    """With theta = 1 a ball that falls from rest for n steps has fallen g h^2 n (n + 1)/2."""
    ball = '[[bodies]]\ntype = "sphere"\nradius = 0.1\nmass = 1\nposition = [0, 0, 1]\n'
    text = "gravity = [0, 0, -10]\n" + ball + '[scheme]\ntype = "MoreauJean"\ntheta = 1\n'
    result = ns.case.parse_case(text + "[run]\nt_end = 0.1\nh = 0.01\n").run()
    assert result.position[-1, 0, 2] == pytest.approx(1.0 - 10.0 * 1e-4 * 55.0, abs=1e-12)


def _soft(model, ball):
    model.add(e.CompliantSpherePlane(ball, model.planes[0], normal=e.Hertz(modulus=1e6)))


def _motor(model, ball):
    hinge = model.add(e.Revolute(ball, None, point=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0)))
    model.add(e.Motor(hinge, 1.0))


def _friction(model, ball):
    hinge = model.add(e.Revolute(ball, None, point=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0)))
    model.add(e.JointFriction(hinge, bound=1.0))


def _outlet(model, ball):
    model.add(ns.Outlet(Ball(centre=(9.0, 0.0, 0.0), radius=1.0)))


@pytest.mark.parametrize(
    ("part", "words"),
    [
        (_soft, "compliant contact"),
        (_motor, "drives"),
        (_friction, "friction in joints"),
        (_outlet, "bodies that come and go"),
    ],
)
def test_what_has_no_place_in_the_scheme_is_refused(part, words):
    model = ns.Model()
    ball = model.add_sphere(radius=R, mass=1.0, position=(0.0, 0.0, 1.0))
    model.add_plane(normal=(0.0, 0.0, 1.0))
    part(model, ball)
    with pytest.raises(ValueError, match=f"scheme = 'MoreauJean': must be GeneralizedAlpha for .*{words}"):
        run(model, 0.1, 0.01)


@pytest.mark.parametrize("numbers", [{"theta": 0.4}, {"theta": 1.1}, {"gamma": -0.1}, {"gamma": 2.0}])
def test_numbers_out_of_range_are_refused(numbers):
    with pytest.raises(ValueError, match=next(iter(numbers))):
        ns.MoreauJean(**numbers)
