"""Motion under compliant contact: exact solutions, order, conservation, history, both kinds together."""

import numpy as np
import pytest
from two_bodies import DAMPING, KINDS, STIFFNESS, damped_ball, pair

import elements as e
import nsgalpha as ns
from nsgalpha.arrays import empty_motion
from nsgalpha.forces.compliant_forces import CompliantForces
from nsgalpha.stepping.poses import displace
from nsgalpha.system.system import System


@pytest.mark.parametrize("rho_inf", [0.2, 0.8, 1.0])
def test_a_damped_spring_is_of_second_order(rho_inf):
    law = e.ExudynNormal(stiffness=STIFFNESS, damping=DAMPING)
    errors = [damped_ball(law, h, rho_inf=rho_inf) for h in (2e-4, 1e-4, 5e-5)]
    assert errors[0] < 5e-3
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.2)
    assert np.log2(errors[1] / errors[2]) == pytest.approx(2.0, abs=0.1)


def heap(count=4, seed=0):
    rng = np.random.default_rng(seed)
    model = ns.Model()
    for i in np.ndindex(count, count, 2):
        model.add_sphere(
            radius=0.1,
            mass=1.0,
            position=0.192 * np.array(i) + 2e-3 * rng.normal(size=3),
            velocity=rng.normal(size=3),
            angular_velocity=5 * rng.normal(size=3),
        )
    friction = e.RegularisedCoulomb(mu=0.3, velocity_zone=0.5)
    pivot = e.RegularisedCoulomb(mu=1e-3, velocity_zone=5.0)
    model.add(
        e.CompliantSphereSphere(
            among=model.spheres,
            normal=e.ExudynNormal(stiffness=1e5, damping=20.0, exponent=1.5),
            tangential=friction,
            rolling=pivot,
            twisting=pivot,
        )
    )
    return model


def test_momentum_and_angular_momentum_are_conserved():
    result = ns.simulate(heap(), t_end=0.02, h=5e-4)
    assert result.status, result.status
    assert result.stats.contacts.max() > 20
    momentum = result.velocity.sum(axis=1)  # all masses are 1
    # the sum of wrenches about the origin vanishes, the scheme adds the torques at its own points in time
    assert np.abs(momentum - momentum[0]).max() < 1e-11
    energy = result.energy()
    assert energy[-1] < 0.999 * energy[0]


def test_newton_converges_quadratically(monkeypatch):
    from nsgalpha.schemes.generalized_alpha import compliant_motion as newton

    sizes = []
    trial = newton._trial

    def listening(now, t, h, f, multiplier):
        outcome = trial(now, t, h, f, multiplier)
        sizes.append((t, outcome[1] ** 0.5))
        return outcome

    monkeypatch.setattr(newton, "_trial", listening)
    result = ns.simulate(heap(), t_end=1e-2, h=5e-4)
    assert result.status, result.status
    orders = []
    for t in result.t[1:]:
        r = np.array([size for time, size in sizes if abs(time - t) < 1e-9])
        r = r[: int(np.argmax(r < 1e-8 * r[0])) + 1]
        orders.append(np.log(r[-1] / r[-2]) / np.log(r[-2] / r[-3]))
    assert np.median(orders) > 1.7  # in some steps a contact closes or slips in the last iterations


def spring(contact, response, k=2e4):
    """Tangential spring: the simplest law with a history."""
    xi = contact.history + contact.increment
    response.force[:] = -k * xi
    response.by_increment[:] = -k * np.eye(xi.shape[1])
    response.energy[:] = 0.5 * k * (xi**2).sum(axis=1)
    response.history[:] = xi


spring.history = 2
ELASTIC = {"normal": e.ExudynNormal(stiffness=1e5), "tangential": spring}


@pytest.mark.parametrize("inertia", [(None, None), ((0.05, 0.06, 0.08), (0.2, 0.3, 0.25))])
@pytest.mark.parametrize("kind", KINDS)
def test_springs_in_two_directions_conserve_energy_to_second_order(kind, inertia):
    lost = []
    for h in (2e-4, 1e-4, 5e-5):
        model = pair(kind, np.random.default_rng(4), inertia=inertia, **ELASTIC)
        result = ns.simulate(model, t_end=4e-3, h=h, rho_inf=1.0)
        assert result.status, result.status
        assert result.stats.contacts.min() == 1
        energy = result.energy()
        lost.append(energy[-1] / energy[0] - 1.0)
    assert np.log2(abs(lost[1] / lost[2])) > 1.7


def weights(h):
    """Soft contact on a hard table: errors of height, speed and load."""
    model = ns.Model(gravity=(0, 0, -9.81))
    k, m = 2e3, 0.5
    low = model.add_sphere(radius=0.1, mass=m, position=(0, 0, 0.1))
    high = model.add_sphere(radius=0.1, mass=m, position=(0, 0, 0.3))
    model.add(e.SpherePlane(low, model.add_plane(normal=(0, 0, 1))))
    model.add(e.CompliantSphereSphere(pairs=[(low, high)], normal=e.ExudynNormal(stiffness=k, damping=40.0)))
    result = ns.simulate(model, t_end=0.8, h=h)
    assert result.status, result.status
    assert abs(result.position[-1, low, 2] - 0.1) < 1e-10
    load = result.contacts.multipliers[-1, 0] / h
    height = result.position[-1, high, 2] - (0.3 - m * 9.81 / k)
    return abs(height), np.abs(result.velocity[-1]).max(), abs(load - 2 * m * 9.81)


@pytest.mark.parametrize("h", [4e-3, 1e-3])
def test_a_soft_contact_and_a_hard_one_carry_a_weight_exactly(h):
    height, speed, load = weights(h)
    assert height < 1e-8
    assert speed < 1e-7
    assert load < 1e-5


def oscillation(h, damping):
    """A ball swings on a stiff contact with a supported one: error over static overlap."""
    model, k, m = ns.Model(gravity=(0, 0, -9.81)), 1e5, 0.5
    static = m * 9.81 / k
    low = model.add_sphere(radius=0.1, mass=m, position=(0, 0, 0.1))
    high = model.add_sphere(radius=0.1, mass=m, position=(0, 0, 0.3 - 1.5 * static))
    model.add(e.SpherePlane(low, model.add_plane(normal=(0, 0, 1)), mu=0.3, e_n=0.5))
    model.add(
        e.CompliantSphereSphere(pairs=[(low, high)], normal=e.ExudynNormal(stiffness=k, damping=damping))
    )
    result = ns.simulate(model, t_end=0.028, h=h)
    assert result.status, result.status
    assert np.abs(result.position[:, low, 2] - 0.1).max() < 1e-15
    decay = damping / (2 * m)
    omega = np.sqrt(k / m - decay**2)
    swing = np.cos(omega * result.t) + decay / omega * np.sin(omega * result.t)
    exact = 0.3 - static - 0.5 * static * np.exp(-decay * result.t) * swing
    return np.abs(result.position[:, high, 2] - exact).max() / static


@pytest.mark.parametrize("damping", [0.0, 100.0])
def test_a_mixture_of_both_kinds_is_of_second_order(damping):
    errors = [oscillation(h, damping) for h in (4e-4, 2e-4, 1e-4)]
    assert errors[0] < 0.02
    assert np.log2(errors[1] / errors[2]) > 1.7


@pytest.mark.parametrize("stiffness", [1e5, 1e7, 1e9])
def test_a_mixture_rests_at_any_stiffness(stiffness):
    """The step is up to 7000 times the shortest period over 2 pi."""
    model, m = ns.Model(gravity=(0, 0, -9.81)), 0.5
    balls = [model.add_sphere(radius=0.1, mass=m, position=(0, 0, 0.1 + 0.2 * k)) for k in range(3)]
    model.add(e.SpherePlane(balls, model.add_plane(normal=(0, 0, 1)), mu=0.3))
    damping = 0.2 * np.sqrt(stiffness * m)
    normal = e.ExudynNormal(stiffness=stiffness, damping=damping)
    model.add(e.CompliantSphereSphere(among=balls, normal=normal))
    result = ns.simulate(model, t_end=0.5 if stiffness < 1e6 else 0.2, h=1e-3)
    assert result.status, result.status
    overlap = 0.2 - np.diff(result.position[-1, :, 2])
    weight = m * 9.81 * np.array([2.0, 1.0])
    load = result.contacts.multipliers[-1, 0] * 1e3
    assert np.abs(overlap - weight / stiffness).max() < 0.02 * 9.81 * 1e-3**2  # a part of g h^2
    assert abs(load / (3 * m * 9.81) - 1.0) < 1e-4


def hopping(*, soft):
    """A ball hops, spins and comes to rest, beside or without two soft ones."""
    model = ns.Model(gravity=(0, 0, -9.81))
    ball = model.add_sphere(
        radius=0.1, mass=0.5, position=(0, 0, 0.15), velocity=(0.5, 0, 0), angular_velocity=(0, 20, 0)
    )
    model.add(e.SpherePlane(ball, model.add_plane(normal=(0, 0, 1)), mu=0.3, e_n=0.5))
    if soft:
        others = [
            model.add_sphere(radius=0.1, mass=0.5, position=(x, 5, 5), velocity=(v, 0, 3))
            for x, v in ((0, 0.1), (0.21, 0))
        ]
        model.add(e.CompliantSphereSphere(pairs=[others], normal=e.ExudynNormal(stiffness=STIFFNESS)))
    result = ns.simulate(model, t_end=0.6, h=1e-3)
    assert result.status, result.status
    return result


def test_hard_contact_does_not_know_of_soft_contact_elsewhere():
    alone, beside = hopping(soft=False), hopping(soft=True)
    assert beside.stats.contacts.max() == 2
    assert (beside.stats.contacts[:100] < 2).all()  # and nothing touches softly at first
    assert abs(alone.velocity[-1, 0, 2]) < 1e-9
    for name in ("position", "velocity", "angular_velocity"):
        ours, expected = getattr(beside, name)[:, :1], getattr(alone, name)
        assert np.abs(ours - expected).max() < 1e-9 * np.abs(expected).max(), name


def test_a_pair_may_have_one_kind_of_contact_only():
    model = ns.Model()
    a, b = (model.add_sphere(radius=0.1, mass=1.0, position=(x, 0, 0)) for x in (0.0, 1.0))
    model.add(e.SphereSphere(pairs=[(a, b)]))
    model.add(e.CompliantSphereSphere(pairs=[(b, a)], normal=e.ExudynNormal(stiffness=1e5)))
    with pytest.raises(ValueError, match="pair of two elements"):
        ns.simulate(model, t_end=1e-3, h=1e-3)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "law",
    [
        {"normal": e.ExudynNormal(stiffness=1e6, damping=50.0)},
        {"contact": e.RockableDefault(k_n=1e6, en2=0.1, cohesion=3.0)},
        {"normal": e.ExudynPlastic(stiffness=1e6, plasticity=0.3, pull_off=2.0, damping=10.0)},
    ],
    ids=["dashpot", "cohesion", "pull-off"],
)
def test_a_force_that_jumps_may_begin_at_the_end_of_a_step(kind, law):
    """Steps of 1e-5 s bring the bodies to touch exactly."""
    model = ns.Model()
    ball = model.add_sphere(radius=0.25, mass=1.0, position=(0, 0, 0.25 + 1e-5), velocity=(0.1, 0, -1.0))
    if kind == "plane":
        model.add(e.CompliantSpherePlane(ball, model.add_plane(normal=(0, 0, 1)), **law))
    elif kind == "sphere":
        other = model.add_sphere(radius=0.5, mass=1e9, position=(0, 0, -0.5))
        model.add(e.CompliantSphereSphere(pairs=[(ball, other)], **law))
    else:
        other = model.add_sphere(radius=1.0, mass=1e9, position=(0, 0, 1.0))
        model.add(e.CompliantSphereInShell(ball, other, **law))
    ends = []
    for scheme in (ns.GeneralizedAlpha(1.0), ns.VelocityVerlet()):
        result = ns.simulate(model, t_end=0.005, h=1e-5, scheme=scheme)
        assert result.status, result.status
        ends.append(result.velocity[-1, 0])
    assert result.velocity[-1, 0, 2] > 0.1
    assert ends[0] == pytest.approx(ends[1], abs=5e-3)


@pytest.mark.parametrize("overlap", [5e-10, 0.0])
def test_a_force_that_jumps_waits_through_both_corrections(overlap):
    """A ball reaches one on a hard table at the end of a step."""
    model, h, g = ns.Model(gravity=(0, 0, -9.81)), 1e-5, 9.81
    low = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0.1))
    high = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0.3 + h - overlap), velocity=(0, 0, -1.0))
    model.add(e.SpherePlane(low, model.add_plane(normal=(0, 0, 1))))
    model.add(
        e.CompliantSphereSphere(pairs=[(low, high)], normal=e.ExudynNormal(stiffness=1e6, damping=50.0))
    )
    result = ns.simulate(model, t_end=20 * h, h=h)
    assert result.status, result.status
    energy = result.energy()
    assert (np.diff(energy) < 1e-12 * energy[0]).all()
    assert energy[-1] < energy[0] - 4e-3
    # where the table's reaction closes the contact nothing can wait, and the step is divided
    assert result.stats.divided.tolist() == [0 if overlap else 2] + 19 * [0]
    if overlap:
        closed = 0.2 - (result.position[:, high, 2] - result.position[:, low, 2])
        assert closed[1] == pytest.approx(overlap + 0.5 * g * h**2, abs=1e-12)
        assert result.velocity[1, high, 2] == pytest.approx(-1.0 - g * h, abs=1e-13)
        assert result.velocity[2, high, 2] > -1.0
        load = result.contacts.multipliers[:2, 0] / h
        assert load[0] == pytest.approx(g, rel=1e-9)
        assert load[1] > 3.0 * g


def pushed():
    """Balls with tangential springs that touch, turn and separate."""
    model = ns.Model(gravity=(0, 0, -9.81))
    rng = np.random.default_rng(2)
    for k in range(4):
        model.add_sphere(
            radius=0.1,
            mass=1.0,
            position=(0.199 * (k % 2), 0.199 * (k // 2), 0.0995),
            velocity=0.3 * rng.normal(size=3),
            angular_velocity=8 * rng.normal(size=3),
        )
    model.add(e.CompliantSphereSphere(among=model.spheres, **ELASTIC))
    model.add(e.CompliantSpherePlane(model.spheres, model.add_plane(normal=(0, 0, 1)), **ELASTIC))
    return model


@pytest.mark.parametrize("at", [3, 17])
def test_a_run_with_histories_continues_identically(at):
    model = pushed()
    whole = ns.simulate(model, t_end=0.02, h=5e-4)
    assert whole.status, whole.status
    state = whole.state(at)
    assert len(state.contacts.pair) >= 2
    rest = ns.simulate(model, t_end=0.02, h=5e-4, state=state)
    assert np.abs(rest.position[-1] - whole.position[-1]).max() < 1e-13
    assert np.abs(rest.angular_velocity[-1] - whole.angular_velocity[-1]).max() < 1e-9
    stepped = state
    for _ in range(40 - at):
        stepped = ns.step(model, stepped, 5e-4)
    assert np.abs(stepped.position - whole.position[-1]).max() < 1e-13


def test_a_history_of_another_model_is_refused():
    whole = ns.simulate(pushed(), t_end=0.002, h=5e-4)
    other = ns.Model()
    for k in range(4):
        other.add_sphere(radius=0.1, mass=1.0, position=(k, 0, 0))
    other.add(e.CompliantSphereSphere(pairs=[(other.bodies[0], other.bodies[3])], **ELASTIC))
    with pytest.raises(ValueError, match=r"state\.contacts"):
        ns.simulate(other, t_end=0.003, h=5e-4, state=whole.state(-1))


def turned_as_a_whole(kind, steps, angle=2.0):
    """Rotate a pair with a strained spring rigidly; error of the wrench over force."""
    rng = np.random.default_rng(7)
    system = System(pair(kind, rng, velocity=False, **ELASTIC))
    compliant = CompliantForces(system)
    motion, slide = system.motion(system.model.initial_state()), np.zeros((system.size, 6))
    slide[0, :3] = 1e-3 * rng.normal(size=3)
    axis = rng.normal(size=3)
    axis /= np.linalg.norm(axis)

    def rotated(vectors, by):
        c, s = np.cos(by), np.sin(by)
        return c * vectors + s * np.cross(axis, vectors) + (1 - c) * (vectors @ axis)[..., None] * axis

    def move(motion, increment):
        compliant.begin(motion)
        after = empty_motion(system.size)
        displace(motion.x, motion.q, increment, after)
        wrench = compliant.evaluate(after, increment, 1e-3)[0]
        compliant.commit()
        return after, wrench

    compliant.find(motion, np.inf)
    motion, start = move(motion, slide)
    for _ in range(steps):
        turn = rotated(motion.x, angle / steps) - motion.x
        motion, end = move(motion, np.hstack([turn, np.tile(angle / steps * axis, (system.size, 1))]))
    exact = np.hstack([rotated(start[:3], angle), rotated(start[3:], angle)])
    return np.abs(end - exact).max() / np.linalg.norm(start[:3])


@pytest.mark.parametrize("kind", KINDS)
def test_a_spring_turns_with_the_pair(kind):
    coarse, fine = turned_as_a_whole(kind, 100), turned_as_a_whole(kind, 200)
    assert fine < 1e-3
    assert fine < 0.26 * coarse  # displacements are chords: second order in the angle of a step


def test_contacts_of_the_same_two_bodies_have_the_same_number():
    seen = []

    def watch(contact, response):
        seen.append(contact.pair)
        response.force[:, 0] = 1e3 * contact.overlap
        response.by_overlap[:, 0] = 1e3

    model = ns.Model()
    balls = [model.add_sphere(radius=0.1, mass=1.0, position=(x, 0.1, 0.1)) for x in (0.0, 0.2)]
    box = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, -5))
    floor = model.add_plane(normal=(0, 0, 1), offset=5.001, body=box)
    wall = model.add_plane(normal=(0, 1, 0), offset=0.001, body=box)
    model.add(e.CompliantSpherePlane(balls, [floor, wall], normal=watch))
    assert ns.simulate(model, t_end=1e-4, h=1e-4).status
    first, second, third, fourth = seen[-1]
    assert first == second != third == fourth


@pytest.mark.parametrize("gap", [1e-5, 1e-4])
def test_contacts_wait_beside_elements_in_which_nothing_is_closed(gap):
    # a dashpot jumps at touch: balls that meet wait for the next step, the upper one is far from the plane
    model, law = ns.Model(gravity=(0, 0, -9.81)), e.SpringDashpot(stiffness=2e4, damping=4.0)
    balls = [
        model.add_sphere(radius=0.005, mass=1.3e-3, position=(0, 0, z), velocity=(0, 0, v))
        for z, v in ((0.005 + gap, -0.1), (0.015 + 2 * gap, -0.2))
    ]
    plane = model.add_plane(normal=(0, 0, 1))
    for ball in balls:
        model.add(e.CompliantSpherePlane(ball, plane, normal=law))
    model.add(e.CompliantSphereSphere(pairs=[balls], normal=law))
    result = ns.simulate(model, t_end=0.006, h=1e-4)
    assert result.status, result.status
    assert (result.stats.contacts > 0).any()
