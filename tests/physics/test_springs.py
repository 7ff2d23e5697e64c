"""Springs, Maxwell elements and dashpots between bodies and points, under all schemes."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import elements as e
import nsgalpha as ns

SCHEMES = [ns.GeneralizedAlpha(1.0), ns.VelocityVerlet()]
NAMES = ["generalized-alpha", "Verlet"]
schemes = pytest.mark.parametrize("scheme", SCHEMES, ids=NAMES)
K, M = 50.0, 2.0


def bead(model, position, velocity=(0, 0, 0), mass=M):
    return model.add_sphere(radius=0.05, mass=mass, position=position, velocity=velocity)


def run(model, t_end, h, scheme, **how):
    result = ns.simulate(model, t_end=t_end, h=h, scheme=scheme, **how)
    assert result.status, result.status
    return result


def all_schemes(model):
    return [*SCHEMES, ns.Overdamped(e.Drag(model.spheres, translational=3.0))]


@schemes
@pytest.mark.parametrize("compression", [K, 0.25 * K])
def test_period_with_two_stiffnesses(scheme, compression):
    """Half a period of each: T = pi (sqrt(m/k_s) + sqrt(m/k_c))."""
    model = ns.Model()
    ball = bead(model, (0, 1.2, 0))
    model.add(e.Spring([(ball, (0, 0, 0))], stiffness=K, compression=compression, length=1.0))
    period = math.pi * (math.sqrt(M / K) + math.sqrt(M / compression))
    result = run(model, period, period / 2000, scheme)
    assert result.position[-1, ball] == pytest.approx([0, 1.2, 0], abs=2e-6)
    lowest = 1.0 - 0.2 * math.sqrt(K / compression)
    assert result.position[:, ball, 1].min() == pytest.approx(lowest, abs=1e-5)
    assert np.abs(result.energy() - 1.0).max() < 1e-5


@schemes
def test_a_trap_without_length_is_isotropic(scheme):
    """Through the centre, where there is no direction, and from there: x = v/omega sin(omega t)."""
    model = ns.Model()
    balls = [bead(model, (0, 3.0 * k, 0), velocity=(0.3, 0.1 * k, 0.2)) for k in range(2)]
    model.add(e.Spring([(ball, ball.position) for ball in balls], stiffness=K))
    omega = math.sqrt(K / M)
    result = run(model, 2.0, 2e-3, scheme)
    for ball in balls:
        exact = ball.position + np.sin(omega * result.t)[:, None] * ball.velocity / omega
        assert np.abs(result.position[:, ball] - exact).max() < 2e-5


def maxwell_motion(t, k, eta, v):
    """Distance travelled by a mass on a Maxwell element that is hit: m x'' = -f, f' = k x' - f k/eta."""
    decay = k / eta
    root = np.sqrt(complex(0.25 * decay**2 - k / M))
    a, b = -0.5 * decay + root, -0.5 * decay - root
    f = k * v * (np.exp(a * t) - np.exp(b * t)) / (a - b)
    impulse = k * v / (a - b) * ((np.exp(a * t) - 1) / a - (np.exp(b * t) - 1) / b)
    speed = v - impulse.real / M
    return (f.real - k * 0.0) / k + (v - speed) * M / eta  # the spring, and the dashpot: int f/eta


@schemes
@pytest.mark.parametrize("eta", [4.0, 40.0])
def test_order_of_a_maxwell_element(scheme, eta):
    def error(h):
        model = ns.Model()
        ball = bead(model, (1.0, 0, 0), velocity=(0.4, 0, 0))
        model.add(e.Maxwell([((0, 0, 0), ball)], stiffness=K, dashpot=eta))
        x = run(model, 0.8, h, scheme).position[-1, ball, 0]
        return abs(x - 1.0 - maxwell_motion(0.8, K, eta, 0.4))

    errors = [error(h) for h in (0.02, 0.01, 0.005)]
    assert errors[2] < 2e-4
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.2)
    assert np.log2(errors[1] / errors[2]) == pytest.approx(2.0, abs=0.1)


@pytest.mark.parametrize(("implicitness", "order"), [(0.0, 1), (0.5, 2), (1.0, 1)])
def test_order_of_a_maxwell_element_without_inertia(implicitness, order):
    """gamma x' = -f, f' = k x' - f k/eta."""
    gamma, eta, end = 3.0, 8.0, 0.2

    def error(h):
        model = ns.Model()
        ball = bead(model, (1.3, 0, 0))
        model.add(e.Maxwell([(ball, (0, 0, 0))], stiffness=K, dashpot=eta, length=1.0))
        scheme = ns.Overdamped(e.Drag(ball, translational=gamma), implicitness=implicitness)
        x = run(model, end, h, scheme).position[-1, ball, 0]
        rate = K / gamma + K / eta
        return abs(x - 1.3 + 0.3 * K / gamma * (1.0 - math.exp(-rate * end)) / rate)

    errors = [error(h) for h in (4e-3, 2e-3, 1e-3)]
    assert errors[2] < 1e-3
    assert np.log2(errors[1] / errors[2]) == pytest.approx(order, abs=0.15)


def test_steps_much_longer_than_the_relaxation():
    """Then only the dashpot is felt, m v' = -eta v."""
    model = ns.Model()
    ball = bead(model, (1.0, 0, 0), velocity=(0.4, 0, 0))
    model.add(e.Maxwell([(ball, (0, 0, 0))], stiffness=1e7, dashpot=4.0))
    result = run(model, 1.0, 0.01, ns.GeneralizedAlpha(0.5))
    assert result.velocity[-1, ball, 0] == pytest.approx(0.4 * math.exp(-4.0 / M), rel=0.015)  # order 1 here
    model.add_load(lambda t, state: [[0.2, 0, 0]])
    for implicitness in (0.5, 1.0):
        drag = ns.Overdamped(e.Drag(ball, translational=0.1), implicitness=implicitness)
        result = run(model, 1.0, 0.01, drag)
        assert result.velocity[5:, ball, 0] == pytest.approx(0.2 / 4.1, rel=1e-5)


@schemes
def test_a_maxwell_element_that_is_pulled(scheme):
    """At a constant speed: f = eta v (1 - exp(-t k/eta)), up to rounding at any step."""
    eta, v = 30.0, 0.1
    model = ns.Model()
    wall = bead(model, (0, 0, 0), mass=1e15)
    end = model.add_plane(normal=(0, 0, 1), motion=lambda t: ((1.0 + v * t, 0, 0), (v, 0, 0)))
    model.add(e.Maxwell([(wall, end)], stiffness=K, dashpot=eta))
    result = run(model, 2.0, 0.1, scheme)
    for i, t in enumerate(result.t):
        c = result.compliant_contacts(i)
        assert c.tension[0] == pytest.approx(eta * v * (1.0 - math.exp(-t * K / eta)), rel=1e-9, abs=1e-12)
    assert (c.body_a[0], c.body_b[0], c.plane[0]) == (0, -1, -1)
    assert c.displacement[0] == pytest.approx([-1.2, 0, 0])
    assert c.velocity[0] == pytest.approx([-v, 0, 0])


@pytest.mark.parametrize("h", [0.03, 0.3])
def test_relaxation_of_held_ends(h):
    """f_0 exp(-t k/eta) under every scheme, and a spring beside it keeps its part."""
    model = ns.Model()
    a, b = bead(model, (0, 0, 0), mass=1e15), bead(model, (0, 0, 1.5), mass=1e15)
    laws = [
        e.MaxwellSpring(stiffness=K, dashpot=40.0, length=1.0),
        e.MaxwellSpring(stiffness=2 * K, dashpot=400.0, length=1.0),
        e.LinearSpring(stiffness=10.0, length=1.2),
    ]
    model.add(e.Compliant(e.PointPairs([(a, b)]), normal=laws))
    for scheme in [*SCHEMES, ns.Overdamped(e.Drag([a, b], translational=1e15))]:
        result = run(model, 0.9, h, scheme)
        # without inertia the memory of a state is that of the step before
        t = result.t - (h if isinstance(scheme, ns.Overdamped) else 0.0)
        exact = 0.5 * K * np.exp(-t * K / 40.0) + K * np.exp(-t * 2 * K / 400.0) + 3.0
        found = [result.compliant_contacts(i).tension[0] for i in range(len(t))]
        assert found[1:] == pytest.approx(exact[1:], rel=1e-11)
        assert found[0] == pytest.approx(1.5 * K + 3.0, rel=1e-12)


@schemes
@pytest.mark.sampled(2)
def test_a_spring_breaks_for_good(scheme):
    model = ns.Model()
    ball, other = bead(model, (1, 0, 0), velocity=(2.0, 0, 0)), bead(model, (1, 1, 0))
    pairs = [(ball, (0, 0, 0)), (other, (0, 1, 0))]
    model.add(e.Spring(pairs, stiffness=K, strain=[0.2, 0.3]))
    result = run(model, 0.5, 1e-4, scheme)
    left = math.sqrt(2.0**2 - K / M * 0.2**2)
    assert result.velocity[-1, ball, 0] == pytest.approx(left, rel=1e-3)  # it breaks at the end of a step
    assert result.energy("elastic")[-1] == 0.0
    kinetic = result.energy()
    assert kinetic[-1] == pytest.approx(kinetic[0] - 0.5 * K * 0.2**2, rel=1e-3)
    state = result.state()
    back = ns.State(state.t, state.position, state.rotation, -state.velocity, 0 * state.velocity)
    object.__setattr__(back, "contacts", state.contacts)
    returned = run(model, 1.3, 1e-3, scheme, state=back)
    assert returned.velocity[:, ball, 0] == pytest.approx(np.full(len(returned.t), -left), rel=1e-3)


def test_dashpots_take_their_share():
    """The relative velocity of two masses decays by c/m_eff, that along the line only."""
    c, speed = 3.0, np.array([0.2, 0.0, 0.0])
    for scheme in SCHEMES:
        model = ns.Model()
        a, b = bead(model, (0, 0, 0), velocity=speed), bead(model, (5.0, 0, 0))
        model.add(e.Dashpot([(a, b)], damping=c))
        result = run(model, 0.5, 1e-3, scheme)
        relative = result.velocity[-1, a] - result.velocity[-1, b]
        assert relative == pytest.approx(speed * math.exp(-2.0 * c / M * 0.5), rel=1e-5)
        assert result.velocity[-1].sum(axis=0) == pytest.approx(speed, rel=1e-13)
    model = ns.Model()
    a, b = bead(model, (0, 0, 0), velocity=(0, 1e-6, 0)), bead(model, (5.0, 0, 0))
    model.add(e.Dashpot([(a, b)], damping=c))
    assert run(model, 0.5, 1e-2, SCHEMES[0]).velocity[-1, a, 1] == pytest.approx(1e-6, rel=1e-9)


def hanging(count, mass=0.3):
    """A chain of `count` beads that hangs from a point."""
    model = ns.Model(gravity=(0, 0, -9.81))
    beads = [bead(model, (0, 0, -0.2 * (k + 1)), mass=mass) for k in range(count)]
    chain = e.Spring([*zip(beads, [(0, 0, 0), *beads[:-1]], strict=True)], stiffness=K, length=0.2)
    return model, model.add(chain), mass * 9.81


def test_a_chain_hangs_by_the_weight_below():
    model, chain, weight = hanging(8)
    drag = ns.Overdamped(e.Drag(model.spheres, translational=1e-3))
    result = run(model, 1e3, 1.0, drag)
    below = weight * np.arange(8, 0, -1)
    x = result.position[-1, :, 2]
    assert -np.diff(x, prepend=0.0) - 0.2 == pytest.approx(below / K, rel=1e-7)
    c = result.compliant_contacts().of(chain)
    assert c.tension == pytest.approx(below, rel=1e-7)
    # half of the springs on both sides of a bead
    assert c.line_tension() == pytest.approx(0.5 * (below + np.append(below[1:], 0.0)), rel=1e-7)


def test_a_chain_oscillates_in_its_modes():
    """omega_j = 2 sqrt(k/m) sin(j pi/(2 (n + 1))) of n beads between two points."""
    n, j, amplitude = 5, 2, 1e-6
    model = ns.Model()
    shape = np.sin(j * math.pi * np.arange(1, n + 1) / (n + 1))
    beads = [bead(model, (0.5 * k + amplitude * s, 0, 0)) for k, s in enumerate(shape, start=1)]
    ends = [(0, 0, 0), *beads, (0.5 * (n + 1), 0, 0)]
    model.add(e.Spring([*pairwise(ends)], stiffness=K, length=0.4))  # it is under tension
    omega = 2.0 * math.sqrt(K / M) * math.sin(j * math.pi / (2 * (n + 1)))
    period = 2.0 * math.pi / omega
    for scheme in SCHEMES:
        result = run(model, period, period / 1000, scheme)
        moved = result.position[-1, :, 0] - 0.5 * np.arange(1, n + 1)
        assert moved == pytest.approx(amplitude * shape, abs=1e-4 * amplitude)


@schemes
def test_a_spring_and_contact_of_the_same_pair(scheme):
    """In balance: k_n d = k (r - r_0)."""
    model = ns.Model()
    a, b = bead(model, (0, 0, 0)), bead(model, (0.1, 0, 0))
    spring = model.add(e.Spring([(b, a)], stiffness=K, length=0.05, damping=60.0))
    contact = e.CompliantSphereSphere(among=[a, b], normal=e.SpringDashpot(stiffness=1e3, damping=10.0))
    model.add(contact)
    result = run(model, 1.0, 1e-3, scheme)
    c = result.compliant_contacts()
    distance = (1e3 * 0.1 + K * 0.05) / (1e3 + K)
    assert result.position[-1, 1, 0] - result.position[-1, 0, 0] == pytest.approx(distance, rel=1e-9)
    assert c.of(spring).tension == pytest.approx(K * (distance - 0.05), rel=1e-6)
    assert c.of(contact).tension == pytest.approx(-K * (distance - 0.05), rel=1e-6)
    assert c.tension.sum() == pytest.approx(0.0, abs=1e-8)
    assert c.virial_stress() == pytest.approx(0.0, abs=1e-5)
    assert c.of(contact).contact_area() == pytest.approx(math.pi * 0.025 * (0.1 - distance), rel=1e-6)


def test_a_spring_and_hard_contact_of_the_same_pair():
    """A spring draws two balls together, which bounce elastically."""
    model = ns.Model()
    a, b = bead(model, (0, 0, 0)), bead(model, (0.14, 0, 0))
    model.add(e.Spring([(a, b)], stiffness=K, length=0.0))
    model.add(e.SphereSphere(among=[a, b], e_n=1.0))
    result = run(model, 2.0, 1e-3, ns.GeneralizedAlpha(1.0))
    gap = result.position[:, 1, 0] - result.position[:, 0, 0] - 0.1
    assert gap.min() > -1e-9
    assert len(result.contacts.record) > 3
    lost = 1.0 - result.energy() / result.energy()[0]  # of first order: each impact is within a step
    assert -1e-12 < lost.min() < lost.max() < 0.06


def test_many_springs_have_their_own_numbers():
    """More than the compiled loop takes at a time: each mass is alone."""
    rng, n = np.random.default_rng(2), 400
    k, x, r = rng.uniform(1.0, 2.0, n), rng.uniform(0.5, 1.5, n), rng.uniform(0.5, 1.5, n)
    model = ns.Model()
    beads = [bead(model, (x[i], float(i), 0)) for i in range(n)]
    pairs = [(ball, (0.0, float(i), 0.0)) for i, ball in enumerate(beads)]
    model.add(e.Spring(pairs, stiffness=k, length=r))
    exact = r + (x - r) * np.cos(np.sqrt(k / M) * 0.3)
    for scheme in SCHEMES:
        result = run(model, 0.3, 5e-3, scheme, record_every=60)
        assert result.position[-1, :, 0] == pytest.approx(exact, abs=2e-6)


def network(rotation=None, shift=(0, 0, 0), order=None):
    """A moving tetrahedron of springs, Maxwell elements and dashpots on a point."""
    rng = np.random.default_rng(7)
    x, v = rng.uniform(-1, 1, (5, 3)), rng.uniform(-1, 1, (5, 3))
    if rotation is not None:
        x, v = rotation.apply(x) + shift, rotation.apply(v)
    model, order = ns.Model(), order or [0, 1, 2, 3]
    beads = {k: bead(model, x[k], velocity=v[k], mass=1.0 + k) for k in order}
    model.add(
        e.Spring(
            [(beads[0], beads[1]), (beads[1], beads[2])],
            stiffness=[80.0, 60.0],
            length=[1.1, 1.5],
            damping=0.1,
        )
    )
    model.add(
        e.Maxwell([(beads[2], beads[3]), (beads[0], x[4])], stiffness=70.0, compression=40.0, dashpot=20.0)
    )
    model.add(e.Dashpot([(beads[1], beads[3])], damping=2.0))
    model.add(e.Spring([(beads[0], beads[2])], stiffness=30.0, strain=0.02))
    return model, beads


@schemes
@settings(max_examples=5)
@given(
    turn=st.tuples(*[st.floats(-3, 3)] * 3),
    shift=st.tuples(*[st.floats(-2, 2)] * 3),
    order=st.permutations([0, 1, 2, 3]),
)
def test_motion_does_not_depend_on_place_nor_order(scheme, turn, shift, order):
    rotation = Rotation.from_rotvec(turn)
    model, beads = network()
    moved, others = network(rotation, shift, order)
    here, there = (run(m, 0.3, 5e-3, scheme) for m in (model, moved))
    for k in range(4):
        expected = rotation.apply(here.position[-1, beads[k]]) + shift
        assert there.position[-1, others[k]] == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("kind", range(3), ids=[*NAMES, "overdamped"])
@pytest.mark.parametrize("at", [1, 17])
def test_a_run_continues_identically(kind, at):
    model, _ = network()
    scheme = all_schemes(model)[kind]
    whole = run(model, 0.4, 0.0078125, scheme)
    rest = run(model, 0.4, 0.0078125, scheme, state=whole.state(at))
    assert np.array_equal(rest.position, whole.position[at:])
    assert np.array_equal(rest.velocity, whole.velocity[at:])
    assert any((history.values[:, 0] == 1.0).any() for history in whole.histories)


@pytest.mark.parametrize("kind", range(3), ids=[*NAMES, "overdamped"])
@pytest.mark.parametrize("length", [0.0, 0.5])
def test_ends_that_meet(kind, length):
    """Without a length there is no force, with one no direction: the run ends."""
    model = ns.Model()
    a, b = bead(model, (0, 0, 0)), bead(model, (1, 0, 0))
    model.add(e.Spring([(a, b)], stiffness=K, length=length))
    state = model.initial_state()
    met = ns.State(0.0, 0 * state.position, state.rotation, state.velocity, state.angular_velocity)
    result = ns.simulate(model, t_end=0.1, h=0.01, scheme=all_schemes(model)[kind], state=met)
    if length:
        assert not result.status
        assert "springs whose ends meet" in result.status.message
    else:
        assert result.status
        assert np.abs(result.position).max() < 1e-140


def test_verlet_finds_its_step():
    model = ns.Model()
    a, b = bead(model, (0, 0, 0)), bead(model, (1, 0, 0), velocity=(0.1, 0, 0))
    model.add(e.Spring([(a, b)], stiffness=K, compression=4 * K))
    result = ns.simulate(model, t_end=0.5, scheme=ns.VelocityVerlet())
    assert "1/30 of the shortest contact time" in result.status.message
    assert result.t[1] == pytest.approx(math.pi / math.sqrt(2 * 4 * K / M) / 30, rel=1e-12)
    model = ns.Model()
    a, b = bead(model, (0, 0, 0)), bead(model, (1, 0, 0), velocity=(0.1, 0, 0))
    model.add(e.Dashpot([(a, b)], damping=1.0))
    with pytest.raises(ValueError, match="h = None: must be given"):
        ns.simulate(model, t_end=0.5, scheme=ns.VelocityVerlet())


def test_bad_pairs_are_refused():
    model = ns.Model()
    a, b = bead(model, (0, 0, 0)), bead(model, (1, 0, 0))
    floor = model.add_plane(normal=(0, 0, 1))
    cases = {
        r"pairs\[1\] = .*: must be of a body and another point": [(a, b), ((0, 0, 0), (1, 0, 0))],
        r"pairs\[0\]: 'sphere 0' is paired with itself": [(a, a)],
        r"pairs: 'sphere 1' and 'sphere 0' are given twice": [(a, b), (b, a)],
        r"pairs\[0\] = .*: must be a pair of points": [(a, b, a)],
        r"pairs\[0\] = Body.*: must be a pair of points": [a],
        r"pairs\[0\] = \(1, 2\): must be 3 finite numbers": [(a, (1, 2))],
        r"pairs\[0\] = Plane.*: must be a plane with a prescribed motion": [(a, floor)],
        r"pairs = \[\]: must be at least one pair": [],
        r"pairs\[1\]: 'sphere 0' and '\[0\. 0\. 0\.\]' are at one place": [(a, b), (a, (0, 0, 0))],
    }
    for message, pairs in cases.items():
        with pytest.raises(ValueError, match=message):
            e.Spring(pairs, stiffness=1.0, length=1.0)
    with pytest.raises(ValueError, match="are at one place"):
        e.Dashpot([(a, (0, 0, 0))], damping=1.0)
    for message, numbers in {
        r"stiffness = 'array \(3,\)': must be a number, or one for each of the 1 pairs": {
            "stiffness": [1, 2, 3]
        },
        "rupture and strain: give one of them": {"rupture": 2.0, "strain": 0.1},
        "strain = -1.0: must be positive and finite": {"strain": -1.0},
        "strain = 0.1: must be left out where a length at rest is 0": {"strain": 0.1, "length": 0.0},
        "rupture = 0.5: must be above 1": {"rupture": 0.5},
    }.items():
        with pytest.raises(ValueError, match=message):
            e.Spring([(a, b)], **{"stiffness": 1.0, **numbers})
    other = ns.Model()
    with pytest.raises(ValueError, match="belongs to another model"):
        other.add(e.Spring([(a, b)], stiffness=1.0))
