"""Hard capsules against closed forms: resting, sliding, falling, crossing, rotated."""

import numpy as np
import pytest
from scenes import rotation_of
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import nsgalpha as ns
from elements import CapsuleCapsule, CapsulePlane, CapsuleSphere, SpherePlane, SphereSphere
from elements.geometry.capsule_geometry import AXIS
from nsgalpha.system import step_candidates
from nsgalpha.system.system import System

R, L, M, G = 0.1, 0.5, 2.0, 9.81  # [m] radius, half length; [kg]; [m/s^2]
I = M * L * L / 3.0  # [kg m^2] about an axis across  # noqa: E741
H = 1e-9  # [s] of a step in which nothing moves but by an impact


def add_rod(model, position, across=I, **motion):
    """A rod along x; returns the capsule."""
    inertia = (0.4 * M * R * R, across, across)
    body = model.add_body(mass=M, inertia=inertia, position=position, **motion)
    return model.add_primitive([(-L, 0, 0), (L, 0, 0)], radius=R, carrier=body)


def on_floor(angle=0.0, height=0.0, law=None, gravity=G, across=I, **motion):
    """A rod over a floor, rotated by `angle` about -y."""
    model = ns.Model(gravity=(0, 0, -gravity))
    turn = np.cos(0.5 * angle), 0, -np.sin(0.5 * angle), 0
    z = R + L * abs(np.sin(angle)) + height
    rod = add_rod(model, (0, 0, z), rotation=turn, across=across, **motion)
    model.add(CapsulePlane(rod, model.add_plane(normal=(0, 0, 1)), **(law or {})))
    return model


def last(contacts, name):
    """The values of the last recorded state."""
    return getattr(contacts, name)[contacts.record == contacts.record[-1]]


@pytest.mark.parametrize("load", [False, True], ids=["compiled", "from Python"])
def test_a_sliding_capsule_presses_more_on_its_front_end(load):
    """v = v0 - mu g t; friction at the floor turns: (N_front - N_back) L = mu m g R."""
    mu, v0, t = 0.3, 3.0, 0.5
    model = on_floor(law={"mu": mu}, velocity=(v0, 0, 0))
    if load:
        model.add_load(lambda t, state: np.zeros((1, 3)))
    result = ns.simulate(model, t_end=t, h=0.01)
    assert result.status.ok
    assert result.velocity[-1, 0] == pytest.approx([v0 - mu * G * t, 0, 0], abs=1e-12)
    assert result.position[-1, 0] == pytest.approx([v0 * t - 0.5 * mu * G * t * t, 0, R], abs=1e-12)
    more = 0.5 * mu * M * G * R / L
    wrench = last(result.contacts, "wrench")
    assert last(result.contacts, "features").tolist() == [[0, 0, 0, 0], [0, 1, 0, 0]]
    assert wrench[:, 2] == pytest.approx([0.5 * M * G - more, 0.5 * M * G + more], rel=1e-10)
    assert wrench[:, 0] == pytest.approx(-mu * wrench[:, 2], rel=1e-10)


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("angle", [-0.4, 0.3])
def test_an_impact_on_one_end(e, angle):
    """P = (1 + e) v/(1/m + l^2/I), l the horizontal distance of the end."""
    v = 1.5
    model = on_floor(angle, 0.0, {"e_n": e}, gravity=0.0, velocity=(0, 0, -v))
    result = ns.simulate(model, t_end=H, h=H)
    arm = L * np.cos(angle) * np.sign(angle)
    P = (1.0 + e) * v / (1.0 / M + arm * arm / I)
    assert result.velocity[1, 0] == pytest.approx([0, 0, P / M - v], abs=1e-7)
    assert result.angular_velocity[1, 0] == pytest.approx([0, P * arm / I, 0], abs=1e-7)


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_an_impact_on_both_ends(e):
    v = 1.5
    model = on_floor(0.0, 0.0, {"e_n": e}, gravity=0.0, velocity=(0.3, 0, -v))
    result = ns.simulate(model, t_end=H, h=H)
    assert result.velocity[1, 0] == pytest.approx([0.3, 0, e * v], abs=1e-7)
    assert result.angular_velocity[1, 0] == pytest.approx(0.0, abs=1e-7)


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("across", [I, 2.0 * M * L * L], ids=["slender", "dumbbell"])
def test_one_end_strikes_while_the_other_one_rests(e, across):
    """The resting end is thrown up if I > m L^2; else it strikes."""
    rate = 2.0
    falls = {"velocity": (0, 0, -rate * L), "angular_velocity": (0, rate, 0)}
    result = ns.simulate(on_floor(0.0, 0.0, {"e_n": e}, 0.0, across, **falls), t_end=H, h=H)
    ends = np.array([0.0, -2.0 * rate * L])  # velocities upwards of those at -x and +x
    W = np.full((2, 2), 1.0 / M) + L * L / across * np.array([[1.0, -1.0], [-1.0, 1.0]])
    while ends.min() < -1e-12:
        struck = ends.argmin()
        ends -= W[struck] * (1.0 + e) * ends[struck] / W[struck, struck]
    v, w = result.velocity[1, 0, 2], result.angular_velocity[1, 0, 1]
    assert [v + w * L, v - w * L] == pytest.approx(ends, abs=1e-7)


def test_it_comes_to_rest_on_both_ends():
    """Ends strike in turn, several times within a step at last."""
    result = ns.simulate(on_floor(0.3, 0.1, {"e_n": 0.5, "mu": 0.2}), t_end=3.0, h=5e-3)
    assert result.status.ok
    assert np.abs(result.velocity[-1]).max() + np.abs(result.angular_velocity[-1]).max() < 1e-10
    assert result.position[-1, 0, 2] == pytest.approx(R, abs=1e-9)
    assert last(result.contacts, "wrench")[:, 2] == pytest.approx(0.5 * M * G, rel=1e-6)
    assert result.stats.penetration.max() < 1e-9
    assert result.stats.sub_impacts.max() > 1
    assert np.diff(result.energy("total")).max() < 1e-9


def test_the_error_of_a_fall_on_one_end_is_of_first_order_at_least():
    """The end slides without friction: (I + m L^2 cos^2) a'' = m L cos a (L sin a a'^2 - g)."""
    angle, t = 0.9, 0.2

    def rates(_, y):
        s, c = np.sin(y[0]), np.cos(y[0])
        return y[1], M * L * c * (L * s * y[1] ** 2 - G) / (I + M * L * L * c * c)

    exact = solve_ivp(rates, (0.0, t), [angle, 0.0], rtol=1e-11, atol=1e-11).y[:, -1]
    errors = []
    for h in (4e-3, 2e-3, 1e-3):
        result = ns.simulate(on_floor(angle), t_end=t, h=h)
        turned = rotation_of(result.rotation[-1, 0]).apply([1.0, 0.0, 0.0])
        assert result.position[-1, 0, 2] == pytest.approx(R + L * turned[2], abs=1e-9)
        errors.append(np.abs([np.arcsin(turned[2]) - exact[0], result.angular_velocity[-1, 0, 1] + exact[1]]))
    ratios = np.array(errors[:-1]) / np.array(errors[1:])
    assert ratios.min() > 1.8
    assert np.max(errors[-1]) < 1e-2


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_two_crossed_capsules_strike_each_other(e):
    """P = (1 + e) v/(2/m + l_A^2/I + l_B^2/I)."""
    v, arm_a, arm_b = 1.5, -0.2, 0.3
    model = ns.Model()
    quarter = np.sqrt(0.5), 0, 0, np.sqrt(0.5)
    rods = [
        add_rod(model, (-arm_a, 0, 2 * R), velocity=(0, 0, -v)),
        add_rod(model, (0, -arm_b, 0), rotation=quarter),
    ]
    model.add(CapsuleCapsule(among=rods, e_n=e))
    result = ns.simulate(model, t_end=H, h=H)
    P = (1.0 + e) * v / (2.0 / M + (arm_a**2 + arm_b**2) / I)
    assert result.velocity[1, :, 2] == pytest.approx([P / M - v, -P / M], abs=1e-7)
    assert result.angular_velocity[1, 0] == pytest.approx([0, -arm_a * P / I, 0], abs=1e-7)
    assert result.angular_velocity[1, 1] == pytest.approx([-arm_b * P / I, 0, 0], abs=1e-7)
    assert result.contacts.features.tolist() == [[0, AXIS, 0, AXIS]]


@pytest.mark.parametrize("e", [0.0, 1.0])
def test_a_ball_strikes_the_side_of_a_capsule(e):
    v, arm, m = 1.5, 0.3, 0.7
    model = ns.Model()
    rod = add_rod(model, (0, 0, 0))
    ball = model.add_sphere(radius=0.2, mass=m, position=(arm, 0, R + 0.2), velocity=(0, 0, -v))
    model.add(CapsuleSphere(rod, ball, e_n=e))
    result = ns.simulate(model, t_end=H, h=H)
    P = (1.0 + e) * v / (1.0 / M + 1.0 / m + arm**2 / I)
    assert result.velocity[1, :, 2] == pytest.approx([-P / M, P / m - v], abs=1e-7)
    assert result.angular_velocity[1, 0] == pytest.approx([0, arm * P / I, 0], abs=1e-7)


def stack(shift, turn=None):
    """A rod on two rods on a floor, shifted; all rotated by `turn`."""
    turn = turn or Rotation.identity()
    model = ns.Model(gravity=turn.apply([0, 0, -G]))
    floor = model.add_plane(normal=turn.apply([0, 0, 1]))
    rods = []
    for x, y, z in ((0, -R, R), (0, R, R), (shift, 0, R + np.sqrt(3.0) * R)):
        q = np.roll(turn.as_quat(), 1)
        rods.append(add_rod(model, turn.apply([x, y, z]), rotation=q, velocity=turn.apply([0.3, 0, 0])))
    model.add(CapsulePlane(rods, floor, mu=0.6))
    model.add(CapsuleCapsule(among=rods, mu=0.6))
    return model


@pytest.mark.parametrize("shift", [0.0, 0.2])
def test_a_stack_slides_and_stays_a_stack(shift):
    """The floor carries the weight; moments share it between the ends."""
    result = ns.simulate(stack(shift), t_end=0.3, h=0.01)
    assert result.status.ok
    assert np.abs(result.velocity[-5:]).max() < 1e-12  # it has slid, and come to rest
    contacts = result.contacts
    on_floor = last(contacts, "plane") >= 0
    z = last(contacts, "wrench")[on_floor, 2]
    x = np.where(last(contacts, "feature")[on_floor] == 0, -L, L)
    assert z.sum() == pytest.approx(3 * M * G, rel=1e-9)
    arm = result.position[-1, last(contacts, "body_a")[on_floor], 0] + x - result.position[-1, :, 0].mean()
    assert arm @ z == pytest.approx(0.0, abs=1e-6 * M * G)


def test_a_turned_stack_moves_as_the_stack_does():
    turn = Rotation.from_rotvec([0.7, -1.1, 0.4])
    expected = ns.simulate(stack(0.2), t_end=0.1, h=0.01)
    result = ns.simulate(stack(0.2, turn), t_end=0.1, h=0.01)
    for name in ("position", "velocity", "angular_velocity"):
        turned = turn.apply(getattr(expected, name).reshape(-1, 3)).reshape(-1, 3, 3)
        assert getattr(result, name) == pytest.approx(turned, abs=1e-9), name


def test_the_last_roll_of_a_stack_is_solved_in_any_frame():
    """Rods of a stack roll together in the end, at up to 1e-6 m/s.

    Rounding decides which of the coincident ends touch, so that the axes come to differ by 4e-5.
    No contact resists three parallel rods that roll together: v_y = -w_x R of the lower ones, w_x R of the
    upper one, an eigenvalue 0 of W. These rods slide a little: an eigenvalue 1e-10 (docs/theory.md, 6).
    """
    rng = np.random.default_rng(0)
    rolled = 0.0
    for turn in Rotation.from_rotvec(rng.normal(size=(20, 3)) * 10.0 ** rng.uniform(-12.0, 0.0, (20, 1))):
        result = ns.simulate(stack(0.0, turn), t_end=0.3, h=0.01, tol=1e-10)
        stats = result.stats
        assert result.status.ok
        assert "residual" not in result.status.message
        assert stats.velocity_residual.max() <= 1e-10
        assert stats.velocity_iterations.max() < 220
        v, w = (turn.inv().apply(rates) for rates in (result.velocity[-1], result.angular_velocity[-1]))
        rolling = np.outer([-1.0, -1.0, 1.0], v[0, 1:2] / R)
        assert np.abs(v[0, 1]) < 1e-5
        assert np.abs(v - [0.0, v[0, 1], 0.0]).max() < 1e-9
        assert np.abs(w - rolling * [1.0, 0.0, 0.0]).max() < 1e-8
        rolled = max(rolled, abs(v[0, 1]))
    assert rolled > 1e-10


@pytest.mark.parametrize("load", [False, True], ids=["compiled", "from Python"])
@pytest.mark.parametrize("ends", [1, -1], ids=["same ends", "opposite ends"])
@pytest.mark.parametrize("v", [0.3, -0.3])
def test_axes_that_turn_parallel_hold_nothing(v, ends, load):
    """A rod rotates and slides on another one: their crossing point ends."""
    model = ns.Model(gravity=(0, 0, -G))
    heavy = model.add_body(mass=1e6, inertia=1e6, position=(0, 0, R))
    half, spin = 0.025, -4.0
    turn = np.cos(half), 0, 0, np.sin(half)
    rod = add_rod(model, (0, 0, 3 * R), rotation=turn, velocity=(v, 0, 0), angular_velocity=(0, 0, spin))
    below = model.add_primitive([(-ends * L, 0, 0), (ends * L, 0, 0)], radius=R, carrier=heavy)
    model.add(CapsulePlane([rod, below], model.add_plane(normal=(0, 0, 1))))
    model.add(CapsuleCapsule([rod, below]))
    if load:
        model.add_load(lambda t, state: np.zeros((2, 3)))
    result = ns.simulate(model, t_end=0.02, h=1e-3)
    assert result.status.ok
    assert np.isfinite(result.contacts.gap).all()
    assert 0 < (result.contacts.features[:, [1, 3]] == AXIS).all(axis=1).sum() < 20
    assert result.velocity[-1, 1, 0] == pytest.approx(v, abs=1e-4)
    assert result.angular_velocity[-1, 1, 2] == pytest.approx(spin, abs=5e-3)


def heap(count, seed=0, loads=False):
    """Rods and balls that fall into a box."""
    rng = np.random.default_rng(seed)
    model = ns.Model(gravity=(0, 0, -G))
    planes = [model.add_plane(normal=(0, 0, 1))]
    planes += [model.add_plane(normal=n, offset=-0.9) for n in ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0))]
    rods, balls = [], []
    for k in range(count):
        position = (*rng.uniform(-0.3, 0.3, 2), 0.3 + 0.25 * k)
        if k % 3 == 2:
            balls.append(model.add_sphere(radius=0.1, mass=M, position=position))
        else:
            angle = rng.uniform(0.0, np.pi)
            turn = np.cos(0.5 * angle), 0, 0, np.sin(0.5 * angle)
            rods.append(add_rod(model, position, rotation=turn))
    law = {"mu": 0.4, "e_n": 0.2}
    model.add(CapsulePlane(rods, planes, **law))
    model.add(CapsuleCapsule(among=rods, **law))
    model.add(CapsuleSphere(rods, balls, **law))
    model.add(SpherePlane(balls, planes, **law))
    model.add(SphereSphere(among=balls, **law))
    if loads:
        model.add_load(lambda t, state: np.zeros((count, 3)))
    return model


def deepest(result):
    """Largest overlap, over the length of the contact, of all pairs in all recorded states."""
    system = System(result.model)
    depth = 0.0
    for record in range(len(result.t)):
        motion = system.motion(result.state(record))
        pairs = system.candidates(motion.x, np.inf)
        system.measure(motion, pairs)
        depth = max(depth, float((-pairs.gap / pairs.length).max()))
    return depth


@pytest.mark.parametrize("loads", [False, True], ids=["compiled", "from Python"])
def test_a_heap_has_no_overlap(loads):
    result = ns.simulate(heap(9, loads=loads), t_end=0.6, h=2e-3, record_every=10)
    assert result.status.ok
    assert deepest(result) < 1e-9
    assert result.stats.contacts.max() > 5


def test_long_bodies_that_turn_fast_are_seen(monkeypatch):
    """Their centres hardly move: pairs are listed by the reach of rotations."""
    monkeypatch.setattr(step_candidates, "reach_of", lambda *given: 1e-3)
    model = ns.Model()
    spin = 4.0
    rod = add_rod(model, (0, 0, 0), angular_velocity=(0, 0, spin))
    ball = model.add_sphere(radius=0.05, mass=0.1, position=(0, 0.55, 0))
    model.add(CapsuleSphere(rod, ball, e_n=1.0))
    result = ns.simulate(model, t_end=0.5, h=1e-3)
    assert deepest(result) < 1e-9
    assert np.linalg.norm(result.velocity[-1, ball]) > 0.5 * spin * L
    energy = result.energy("kinetic")
    assert energy[-1] == pytest.approx(energy[0], rel=1e-9)


@pytest.mark.parametrize("shape", ["ball", "rod"])
def test_a_rod_that_turns_past_another_body_is_told(shape):
    """0.1 rad a step: its end moves by 8 radii, and no state is one of contact."""
    model = ns.Model()
    made = {"mass": 0.01, "position": (0, 0.8, 0)}
    bodies = [
        model.add_body(mass=1.0, inertia=(1e-3, 0.3, 0.3), position=(0, 0, 0), angular_velocity=(0, 0, 100))
    ]
    rod = model.add_primitive([(-1, 0, 0), (1, 0, 0)], radius=0.005, carrier=bodies[0])
    if shape == "ball":
        model.add(CapsuleSphere(rod, model.add_sphere(radius=0.005, **made)))
    else:
        other = model.add_body(inertia=1e-6, **made)
        ends = [(0, 0, -0.1), (0, 0, 0.1)]
        model.add(CapsuleCapsule([rod, model.add_primitive(ends, radius=0.005, carrier=other)]))
    result = ns.simulate(model, t_end=0.03, h=1e-3)
    assert not len(result.contacts.record)
    assert "impacts may be missed" in result.status.message


def test_a_rod_that_rolls_past_another_one_is_not_too_fast():
    """Its surface rotates by more than its radius, about the axis: across the normal."""
    model = ns.Model()
    rods = [add_rod(model, (0, 0, z), angular_velocity=(w, 0, 0)) for z, w in ((0, 2e3), (2.5 * R, 0))]
    model.add(CapsuleCapsule(rods))
    assert not ns.simulate(model, t_end=0.01, h=1e-3).stats.fast.any()
