"""Contacts that stay closed while normals rotate: order 2, energy kept, nothing done where none rotates."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import elements as e
import nsgalpha as ns
from nsgalpha.contact.islands.islands import closed_rows
from nsgalpha.schemes.generalized_alpha import corrections
from nsgalpha.schemes.generalized_alpha.persistent_contacts import turn_velocities
from nsgalpha.schemes.generalized_alpha.step_data import StepData
from nsgalpha.stepping.warm_start import recall_turned
from verification.persistent_contact.model import SCENES, error
from verification.phases import fitted_order

G = 9.81
H = 1e-3
START = np.array(
    [0.9 * np.sin(0.8), 0.0, -0.9 * np.cos(0.8)]
)  # in a bowl with the radius 1, of a ball of 0.1


def bowl(velocity=(0, 1.5, 0), spin=(0, 0, 0), start=START, gravity=(0, 0, -G), unit=1.0, **law):
    """A ball in a bowl that a joint holds; lengths in 1 / `unit` m."""
    model = ns.Model(gravity=unit * np.asarray(gravity))
    shell = model.add_sphere(radius=unit, mass=1.0, position=(0, 0, 0))
    model.add(e.Rigid(None, shell, point=(0, 0, 0)))
    x, v = unit * np.asarray(start), unit * np.asarray(velocity)
    ball = model.add_sphere(radius=0.1 * unit, mass=1.0, position=x, velocity=v, angular_velocity=spin)
    model.add(e.SphereInShell(ball, shell, **law))
    return model


def run(model, t_end, h=H):
    result = ns.simulate(model, t_end=t_end, h=h)
    assert result.status.ok, result.status
    return result


def energy(result, body=1):
    """Of a ball with the mass 1 and the radius 0.1 m [J]."""
    v, w = result.velocity[:, body], result.angular_velocity[:, body]
    return 0.5 * (v**2).sum(axis=1) + 0.002 * (w**2).sum(axis=1) + G * result.position[:, body, 2]


def order_of(build, t_end, steps=(4e-3, 2e-3, 1e-3), fine=5e-5):
    """Fitted orders of positions and velocities, against a run with the step `fine`."""
    exact = run(build(), t_end, fine)
    orders = []
    for name in ("position", "velocity"):
        last = getattr(exact, name)[-1]
        errors = [np.abs(getattr(run(build(), t_end, h), name)[-1] - last).max() for h in steps]
        orders.append(fitted_order(steps, errors))
    return orders


@pytest.mark.parametrize("quantity", ["position", "velocity"])
@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.title)
def test_motion_on_a_sphere_is_that_of_its_differential_equation_to_second_order(scene, quantity):
    steps = (4e-3, 2e-3, 1e-3)
    errors = [error(scene, quantity, h, 0.3) for h in steps]
    assert errors[-1] < dict(zip(("position", "velocity"), scene.bounds, strict=True))[quantity]
    assert fitted_order(steps, errors) > 1.9


def seesaw():
    """A ball rolls along a plate on a hinge."""
    model = ns.Model(gravity=(0, 0, -G))
    plate = model.add_body(mass=2.0, inertia=(0.3, 0.4, 0.5), position=(0, 0, 0))
    model.add(e.Revolute(None, plate, point=(0, 0, 0), axis=(0, 1, 0)))
    top = model.add_plane(normal=(0, 0, 1), offset=0.02, body=plate)
    ball = model.add_sphere(
        radius=0.1, mass=1.0, position=(0.1, 0, 0.12), velocity=(-0.5, 0, 0), angular_velocity=(0, -5, 0)
    )
    model.add(e.SpherePlane(ball, top, mu=1.0))
    return model


def tilting():
    """A ball rolls on a plane that tilts as prescribed."""
    model = ns.Model(gravity=(0, 0, -G))

    def motion(t):
        half, rate = 0.15 * np.sin(3.0 * t), 0.9 * np.cos(3.0 * t)
        return (0, 0, 0), (0, 0, 0), (np.cos(half), 0, np.sin(half), 0), (0, rate, 0)

    x = np.array([0.2, 0.0, 0.1])
    ball = model.add_sphere(
        radius=0.1, mass=1.0, position=x, velocity=np.cross((0, 0.9, 0), x), angular_velocity=(0, 0.9, 0)
    )
    model.add(e.SpherePlane(ball, model.add_plane(normal=(0, 0, 1), motion=motion), mu=1.0))
    return model


def stacked():
    """A ball rolls off another that rolls away."""
    model = ns.Model(gravity=(0, 0, -G))
    floor = model.add_plane(normal=(0, 0, 1))
    lower = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0.1))
    top = (0.2 * np.sin(0.2), 0, 0.1 + 0.2 * np.cos(0.2))
    upper = model.add_sphere(radius=0.1, mass=0.7, position=top)
    model.add(e.SpherePlane([lower, upper], floor, mu=0.3))
    model.add(e.SphereSphere(pairs=[(upper, lower)], mu=0.3))
    return model


def capsule():
    """A body on the round end of its capsule spins and falls."""
    model = ns.Model(gravity=(0, 0, -G))
    turned = Rotation.from_rotvec((0.3, 0, 0)).as_quat()[[3, 0, 1, 2]]
    centre = np.array([0, 0, 0.1]) + Rotation.from_rotvec((0.3, 0, 0)).apply((0, 0, 0.1))
    body = model.add_body(
        mass=1.0, inertia=(0.01, 0.01, 0.01), position=centre, rotation=turned, angular_velocity=(0, 0, 3)
    )
    rod = model.add_primitive([(0, 0, -0.1), (0, 0, 0.1)], radius=0.1, carrier=body)
    model.add(e.CapsulePlane([rod], [model.add_plane(normal=(0, 0, 1))]))
    return model


@pytest.mark.parametrize(
    ("build", "t_end"), [(seesaw, 0.3), (tilting, 0.4), (stacked, 0.16), (capsule, 0.24)]
)
def test_motion_on_bodies_that_move_is_of_second_order(build, t_end):
    assert min(order_of(build, t_end)) > 1.9


def test_a_ball_that_circles_in_a_shell_keeps_its_speed_and_presses_by_its_centripetal_force():
    speed, h = 2.0, 4e-3
    model = bowl(velocity=(0, speed, 0), start=(0.9, 0, 0), gravity=(0, 0, 0))
    result = run(model, 1000 * h, h)
    speeds = np.linalg.norm(result.velocity[:, 1], axis=1)
    assert speeds == pytest.approx(speed, rel=1e-8)  # until the force of the first step is found
    assert speeds[5:] == pytest.approx(speeds[-1], rel=1e-13)
    angle = np.arctan(h * speed / 0.9)  # of a step, in which positions are projected
    force = result.contacts.multipliers[:, 0] / h
    assert force[-900:] == pytest.approx(2.0 * speed * np.tan(0.5 * angle) / h, rel=1e-8)
    assert force[-1] == pytest.approx(speed**2 / 0.9, rel=1e-4)


@pytest.mark.parametrize("h", [1e-2, 1e-3])
@pytest.mark.parametrize(
    ("velocity", "start"),
    [((0, 0, 0), START), ((0, 0.05, 0), (0.018, 0, -0.89982)), ((0, 4, 0), START)],
    ids=["pendulum", "small", "fast"],
)
def test_a_ball_in_a_bowl_keeps_its_energy(velocity, start, h):
    """Without rotating forces it loses half or more in 2000 steps of 10 ms."""
    start = 0.9 * np.asarray(start) / np.linalg.norm(start)
    change = energy(run(bowl(velocity=velocity, start=start), 2000 * h, h))
    exchanged = change[0] + 0.9 * G
    change -= change[0]
    assert change.max() < 1e-3 * (h / 1e-2) ** 2 * exchanged
    assert change.min() > -3e-3 * (h / 1e-2) ** 2 * exchanged


@pytest.mark.parametrize("law", [{}, {"mu": 0.3}])
def test_impulses_of_contacts_are_the_change_of_momentum(law):
    result = run(bowl(**law), 0.2)
    change = np.diff(result.velocity[:, 1], axis=0) - H * result.model.gravity
    assert np.array_equal(result.contacts.record, 1 + np.arange(len(change)))
    assert result.contacts.impulse == pytest.approx(change, abs=1e-15)


@pytest.mark.parametrize("e_n", [0.5, 1.0])
def test_a_ball_that_runs_through_a_loop_does_not_bounce_by_its_restitution(e_n):
    plain, bouncing = (run(bowl(velocity=(0, 8, 0), e_n=each), 1.0) for each in (0.0, e_n))
    assert bouncing.stats.sub_impacts.max() == 0
    assert np.array_equal(plain.position, bouncing.position)


def test_a_ball_that_meets_a_bowl_still_bounces():
    result = run(bowl(velocity=(0, 0, -1), start=(0, 0, -0.5), gravity=(0, 0, 0), e_n=0.5), 1.0)
    assert result.velocity[-1, 1] == pytest.approx([0, 0, 0.5], abs=1e-12)


@pytest.mark.parametrize("h", [4e-3, 1e-3])
def test_a_ball_that_leaves_another_takes_no_energy_with_it(h):
    model = ns.Model(gravity=(0, 0, -G))
    fixed = model.add_sphere(radius=1.0, mass=1.0, position=(0, 0, 0))
    model.add(e.Rigid(None, fixed, point=(0, 0, 0)))
    direction = np.array([np.sin(0.1), 0, np.cos(0.1)])
    ball = model.add_sphere(
        radius=0.1, mass=1.0, position=1.1 * direction, velocity=1.2 * np.cross((0, 1, 0), direction)
    )
    model.add(e.SphereSphere(pairs=[(ball, fixed)]))
    result = run(model, 0.8, h)
    change = energy(result) - energy(result)[0]
    assert len(set(result.contacts.record)) < 0.9 * len(result.t)  # it has left
    assert -40.0 * h**2 < change.min()
    assert change.max() <= 1e-12


def test_a_force_that_ends_at_once_leaves_the_speed_to_second_order():
    def speed(h):
        model = ns.Model()
        fixed = model.add_sphere(radius=1.0, mass=1.0, position=(0, 0, 0))
        model.add(e.Rigid(None, fixed, point=(0, 0, 0)))
        ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 1.1), velocity=(2, 0, 0))
        model.add(e.SphereSphere(pairs=[(ball, fixed)]))

        def pull(t, state):
            force = np.zeros((2, 3))
            towards = -state.position[1] / np.linalg.norm(state.position[1])
            force[1] = 50.0 * towards * (t < 0.2)
            return force

        model.add_load(pull)
        return np.linalg.norm(run(model, 0.3, h).velocity[-1, 1])

    assert abs(speed(4e-3) - 2.0) < 4e-5
    assert abs(speed(1e-3) - 2.0) < 3e-6


def test_flat_contact_is_left_alone_to_the_bit(monkeypatch):
    """Forces with constant normals do not change velocities in any digit."""
    changed = []

    def watched(rows, constants, h, instant, load):
        before = instant.new.v.copy(), instant.new.w.copy()
        turn_velocities(rows, constants, h, instant, load)
        after = instant.new.v, instant.new.w
        changed.append(not all(map(np.array_equal, before, after)))

    monkeypatch.setattr(corrections, "turn_velocities", watched)
    model = ns.Model(gravity=(0.3, 0, -G))
    floor = model.add_plane(normal=(0.1, 0.2, 1), motion=lambda t: ((0.1 * t * t, 0, 0), (0.2 * t, 0, 0)))
    up = np.array([0.1, 0.2, 1]) / np.linalg.norm((0.1, 0.2, 1))
    ball = model.add_sphere(
        radius=0.1, mass=1.0, position=0.1 * up, velocity=(1, -0.1, -0.08), angular_velocity=(1, 2, 3)
    )
    model.add(e.SpherePlane(ball, floor, mu=0.2, rolling_radius=1e-3, drilling_radius=1e-3))
    model.add_load(lambda t, state: np.zeros((1, 3)))
    run(model, 0.1)
    assert len(changed) >= 100
    assert not any(changed)
    changed.clear()
    model = bowl()
    model.add_load(lambda t, state: np.zeros((2, 3)))
    run(model, 0.1)
    assert all(changed[2:])


@pytest.mark.parametrize(
    "law", [{}, {"mu": 0.3}, {"mu": 0.3, "rolling_radius": 2e-3, "drilling_radius": 2e-3}]
)
def test_steps_from_python_are_those_of_the_compiled_loop(law):
    compiled = run(bowl(spin=(0, 0, 20), **law), 0.5)
    model = bowl(spin=(0, 0, 20), **law)
    model.add_load(lambda t, state: np.zeros((2, 3)))
    stepwise = run(model, 0.5)
    assert stepwise.velocity == pytest.approx(compiled.velocity, abs=1e-11)
    assert stepwise.position == pytest.approx(compiled.position, abs=1e-12)


def test_balls_in_a_large_island_move_as_each_alone():
    """Seventy balls in one shell that moves, and hardly does, are one island of 210 rows."""
    model = ns.Model(gravity=(0, 0, -G))
    shell = model.add_sphere(radius=1.0, mass=1e12, position=(0, 0, 0))
    model.add(e.Rigid(None, shell, point=(0, 0, 0)))
    angles = 2.0 * np.pi * np.arange(70) / 70
    along = Rotation.from_euler("z", angles[:, None]).apply(START)
    across = Rotation.from_euler("z", angles[:, None]).apply((0, 1.5, 0))
    balls = [
        model.add_sphere(radius=0.1, mass=1.0, position=x, velocity=v)
        for x, v in zip(along, across, strict=True)
    ]
    model.add(e.SphereInShell(balls, shell, mu=0.3))
    large, alone = run(model, 0.3), run(bowl(mu=0.3), 0.3)
    back = Rotation.from_euler("z", -angles[:, None])
    assert back.apply(large.position[-1, 1:]) == pytest.approx(
        np.tile(alone.position[-1, 1], (70, 1)), abs=1e-8
    )


def test_beside_compliant_contact_a_ball_moves_as_alone():
    model = bowl()
    soft = [model.add_sphere(radius=0.1, mass=1.0, position=(3, 0, z)) for z in (0.0, 0.199)]
    model.add(e.CompliantSphereSphere(among=soft, normal=e.Hertz(modulus=1e5)))
    together, alone = run(model, 0.3), run(bowl(), 0.3)
    assert together.position[-1, 1] == pytest.approx(alone.position[-1, 1], abs=1e-10)


@pytest.mark.parametrize("law", [{}, {"mu": 0.5, "rolling_radius": 1e-3}])
def test_a_run_goes_on_to_the_bit(law):
    model = bowl(spin=(5, 0, 10), **law)
    whole = run(model, 0.1)
    rest = ns.simulate(model, t_end=0.1, h=H, state=whole.state(37))
    for name in ("position", "rotation", "velocity", "angular_velocity"):
        assert np.array_equal(getattr(rest, name), getattr(whole, name)[37:]), name


def test_motion_is_the_same_in_all_frames_and_units():
    plain = run(bowl(mu=0.3), 0.5).position[-1, 1]
    turned = Rotation.from_rotvec((0.3, -2.0, 1.0))
    frame = bowl(
        turned.apply((0, 1.5, 0)), start=turned.apply(START), gravity=turned.apply((0, 0, -G)), mu=0.3
    )
    assert turned.inv().apply(run(frame, 0.5).position[-1, 1]) == pytest.approx(plain, abs=1e-13)
    assert 1e6 * run(bowl(mu=0.3, unit=1e-6), 0.5).position[-1, 1] == pytest.approx(plain, abs=1e-13)


def present(**law):
    """A step from the bowl, its ball moved along the wall, and its rows."""
    model = bowl(**law)
    now = StepData(model, model.initial_state(), H, ns.GeneralizedAlpha(), 1e-10)
    moved = Rotation.from_rotvec((0.05, 0.1, 0.2)).apply(START)
    now.new.x[1] = moved
    now.new.q[:, 0] = 1.0
    now.increment[1, :3] = moved - START
    now.forces.past.wrench[0] = (1.0, -2.0, 3.0, 0.02, 0.01, -0.03)
    now.system.measure(now.new, now.candidates)
    system = now.system
    rows = closed_rows(np.array([0]), now.candidates, system.laws, system.bodies, system.work)
    return now, rows, -START / 0.9, -moved / 0.9


def smallest_rotation(before, after):
    axis = np.cross(before, after)
    return Rotation.from_rotvec(axis / np.linalg.norm(axis) * np.arcsin(np.linalg.norm(axis)))


def test_forces_rotate_with_the_normal_by_the_smallest_rotation():
    now, rows, before, after = present(mu=0.3, rolling_radius=1e-3, drilling_radius=1e-3)
    r = np.empty(len(rows.G))
    recall_turned(rows.contact, rows.row, rows.G, now.forces.past, now.candidates, r)
    wrench = np.array([1.0, -2.0, 3.0, 0.02, 0.01, -0.03]).reshape(2, 3)
    force, torque = smallest_rotation(before, after).apply(wrench)
    vectors = [force @ row[0, :3] if row[0, :3].any() else torque @ row[0, 3:] for row in rows.G]
    assert r == pytest.approx(vectors, abs=1e-14)
    assert r[0] == pytest.approx(wrench[0] @ before, abs=1e-14)


@pytest.mark.parametrize("jumped", [False, True])
def test_velocities_change_by_half_of_what_the_wrench_of_the_last_step_loses(jumped):
    """The lever of a jumped point is a rotated one, equal for a ball."""
    now, rows, before, after = present(mu=0.3)
    if jumped:
        now.forces.past.place[0, 3:6] += (2.0, 3.0, -1.0)
    v, w = now.new.v.copy(), now.new.w.copy()
    turn_velocities(rows, now.constants, H, now.instant, np.zeros(len(rows.G)))
    wrench = np.array([1.0, -2.0, 3.0, 0.02, 0.01, -0.03]).reshape(2, 3)
    force, torque = smallest_rotation(before, after).apply(wrench)
    lost = wrench[0] - force
    moment = wrench[1] + np.cross(-0.1 * before, wrench[0]) - torque - np.cross(-0.1 * after, force)
    assert (now.new.v - v)[1] == pytest.approx(0.5 * H * lost, abs=1e-16)
    assert (now.new.w - w)[1] == pytest.approx(0.5 * H * moment / 0.004, abs=1e-15)


def test_the_wrench_that_turns_acts_on_both_bodies_alike():
    model = ns.Model()
    one = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0))
    two = model.add_sphere(radius=0.2, mass=3.0, position=(0, 0, 0.3))
    model.add(e.SphereSphere(pairs=[(one, two)], mu=0.5))
    now = StepData(model, model.initial_state(), H, ns.GeneralizedAlpha(), 1e-10)
    now.new.x[1] = (0.03, 0.0, np.sqrt(0.09 - 0.0009))
    now.new.q[:, 0] = 1.0
    now.increment[1, 0] = 0.03
    now.forces.past.wrench[0, :3] = (0.5, 0.2, -2.0)
    now.system.measure(now.new, now.candidates)
    bodies = now.system.bodies
    rows = closed_rows(np.array([0]), now.candidates, now.system.laws, bodies, now.system.work)
    v = now.new.v.copy()
    turn_velocities(rows, now.constants, H, now.instant, np.zeros(len(rows.G)))
    change = now.new.v - v
    assert np.abs(change[:2]).max() > 1e-5
    assert change[0] == pytest.approx(-3.0 * change[1], abs=1e-18)


def test_contacts_that_open_or_carried_nothing_do_not_turn():
    for case in ("open", "empty", "new"):
        now, rows, *_ = present()
        if case == "open":
            now.candidates.gap[0] = 1e-6
        elif case == "empty":
            now.forces.past.wrench[:] = 0.0
        else:
            now.forces.past.touched[:] = False
        before = now.new.v.copy()
        turn_velocities(rows, now.constants, H, now.instant, np.zeros(len(rows.G)))
        assert np.array_equal(now.new.v, before), case
