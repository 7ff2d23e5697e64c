"""Static and kinetic friction, mu + (mu_s - mu) exp(-(v/v_s)^2), against closed forms and equations."""

import numpy as np
import pytest
from scenes import G
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import elements as e
import nsgalpha as ns
from nsgalpha.case.named_loads import SpringToPoint

MU, STATIC, V_S, M = 0.2, 0.5, 0.5, 2.0
LAW = {"mu": MU, "mu_static": STATIC, "stribeck_velocity": V_S}
SCHEMES = {"generalized-alpha": None, "Moreau-Jean": ns.MoreauJean()}
START = np.array((1.5, 0.8))
T = 0.2
both = pytest.mark.parametrize("scheme", SCHEMES.values(), ids=SCHEMES)


def coefficient(speed, static=STATIC, mu=MU, v_s=V_S):
    return mu + (static - mu) * np.exp(-((speed / v_s) ** 2))


def block(velocity=(0.0, 0.0, 0.0), slope=0.0, turn=None, law=LAW, **more):
    """A block on a plane that is inclined by `slope` [rad] along x, in axes rotated by `turn`."""
    turn = turn or Rotation.identity()
    model = ns.Model(gravity=turn.apply((G * np.sin(slope), 0.0, -G * np.cos(slope))), **more)
    x, y, z, w = turn.as_quat()
    body = model.add_box(
        (0.2, 0.2, 0.1),
        mass=M,
        position=turn.apply((0.0, 0.0, 0.05)),
        rotation=(w, x, y, z),
        velocity=turn.apply(velocity),
    )
    model.add(e.SolidPlane(body, model.add_plane(normal=turn.apply((0.0, 0.0, 1.0))), **law))
    return model


def solved(model, t_end=T, h=5e-3, **how):
    result = ns.simulate(model, t_end=t_end, h=h, **how)
    assert result.status, result.status
    return result


def sliding(t, start=START, static=STATIC):
    """Velocities (2, n) of a block that slides on a level plane."""

    def rate(_, v):
        return -G * coefficient(np.hypot(*v), static) * v / np.hypot(*v)

    return solve_ivp(rate, (0.0, t), start, method="DOP853", rtol=1e-12, atol=1e-12).y[:, -1]


@both
def test_a_sliding_block_has_the_coefficient_of_its_speed(scheme):
    """Of first order in h."""
    steps = (1e-2, 5e-3, 2.5e-3)
    found = [solved(block((*START, 0.0)), h=h, scheme=scheme).velocity[-1, 0, :2] for h in steps]
    errors = np.array([np.linalg.norm(each - sliding(T)) for each in found])
    assert errors[-1] < 5e-6
    assert errors[:-1] / errors[1:] == pytest.approx([2.0, 2.0], abs=0.1)


@both
def test_a_block_breaks_loose_at_the_static_angle(scheme):
    """Below atan(mu_s) it rests, above it runs away."""
    rests = solved(block(slope=np.arctan(STATIC) - 1e-3), 1.0, 1e-2, scheme=scheme)
    assert np.abs(rests.velocity[-1, 0]).max() < 1e-12
    sticks = solved(block(slope=np.arctan(1.5 * MU)), 0.1, 1e-2, scheme=scheme)
    assert set(sticks.contacts.status[4:]) == {"stick"}
    slope = np.arctan(STATIC) + 1e-2
    runs = solved(block(slope=slope), 1.0, 2.5e-3, scheme=scheme)
    reference = solve_ivp(
        lambda _, v: G * (np.sin(slope) - coefficient(v) * np.cos(slope)),
        (0.0, 1.0),
        [0.0],
        method="DOP853",
        rtol=1e-12,
        atol=1e-12,
    ).y[0, -1]
    assert reference > 0.1
    assert runs.velocity[-1, 0, 0] == pytest.approx(reference, rel=1e-2)
    assert set(runs.contacts.status[4:]) == {"slip"}


def test_breaking_loose_is_of_first_order():
    slope, errors = np.arctan(STATIC) + 0.1, []

    def rate(_, v):
        return G * (np.sin(slope) - coefficient(v) * np.cos(slope))

    exact = solve_ivp(rate, (0.0, 0.5), [0.0], method="DOP853", rtol=1e-12, atol=1e-12).y[0, -1]
    for h in (1e-2, 5e-3, 2.5e-3):
        errors.append(abs(solved(block(slope=slope), 0.5, h).velocity[-1, 0, 0] - exact))
    assert np.divide(errors[:-1], errors[1:]) == pytest.approx([2.0, 2.0], abs=0.15)


BELT, STIFFNESS = 0.1, 200.0


def stick_slip(t_end):
    """Period and turning points of a block on a belt with a spring, by events."""
    N, t, x, times, turns = M * G, 0.0, 0.0, [], []

    def slides(_, y):
        return [y[1], (-STIFFNESS * y[0] + N * coefficient(BELT - y[1], v_s=0.2)) / M]

    def sticks(_, y):
        return y[1] - BELT

    def turns_back(_, y):
        return y[1]

    sticks.terminal, sticks.direction = True, 1.0
    while t < t_end:
        loose = STATIC * N / STIFFNESS
        t += (loose - x) / BELT
        times.append(t)
        way = solve_ivp(
            slides,
            (t, t + 5.0),
            [loose, BELT * (1.0 - 1e-9)],
            events=(sticks, turns_back),
            method="DOP853",
            rtol=1e-11,
            atol=1e-12,
        )
        t, x = way.t[-1], way.y[0, -1]
        turns.append(way.y_events[1][:, 0])
    return np.diff(times)[-1], max(turns[-1]), min(turns[-1])


def test_an_oscillator_on_a_belt_sticks_and_slips():
    """Period and turning points of the cycle, of first order in h."""
    exact, errors = np.array(stick_slip(4.0)), []
    for h in (2e-3, 1e-3, 5e-4):
        model = ns.Model(gravity=(0, 0, -G))
        body = model.add_box((0.2, 0.2, 0.1), mass=M, position=(0, 0, 0.05), velocity=(BELT, 0, 0))
        belt = model.add_plane(normal=(0, 0, 1), motion=ns.ConstantVelocity(velocity=(BELT, 0, 0)))
        model.add(e.SolidPlane(body, belt, mu=MU, mu_static=STATIC, stribeck_velocity=0.2))
        model.add_load(SpringToPoint(body, point=(0, 0, 0.05), stiffness=STIFFNESS))
        result = solved(model, 4.0, h)
        x, v, t = result.position[:, body, 0], result.velocity[:, body, 0], result.t
        loose = t[np.flatnonzero((v[1:] < 0.99 * BELT) & (v[:-1] >= 0.99 * BELT))]
        errors.append(
            np.abs(np.array([np.diff(loose)[1:].mean(), x[t > 2].max(), x[t > 2].min()]) / exact - 1)
        )
    assert errors[-1].max() < 1e-3
    assert (errors[2] < 0.7 * errors[0] + 1e-4).all()


@both
@pytest.mark.parametrize("e_n", [0.0, 0.6])
def test_an_impact_has_the_coefficient_of_the_speed_of_arrival(e_n, scheme):
    """A sphere that slides throughout: the tangential impulse is mu(v) (1 + e) m v_n."""
    model = ns.Model()
    ball = model.add_sphere(
        radius=0.1,
        mass=1.0,
        position=(0, 0, 0.15),
        velocity=(2.0, 0, -0.5),
        angular_velocity=(0, 10.0, 0),
    )
    floor = model.add_plane(normal=(0, 0, 1))
    model.add(e.SpherePlane(ball, floor, e_n=e_n, **LAW))
    result = solved(model, 0.2, 1e-2, scheme=scheme)
    slip = 2.0 - 0.1 * 10.0
    lost = coefficient(slip) * (1.0 + e_n) * 0.5
    assert lost < 2.0 / 7.0 * slip  # from which on it would roll
    first = np.argmax(result.velocity[:, ball, 2] > -0.4)
    assert 2.0 - result.velocity[first, ball, 0] == pytest.approx(lost, rel=1e-9)


def test_a_rotated_scene_moves_alike():
    turn = Rotation.from_rotvec((0.5, -0.9, 0.3))
    one, two = (solved(block((*START, 0.0), slope=0.3, turn=each), h=1e-2) for each in (None, turn))
    assert np.abs(two.velocity[:, 0] - turn.apply(one.velocity[:, 0])).max() < 1e-9
    assert list(one.contacts.status) == list(two.contacts.status)


@both
def test_a_continued_run_is_the_same(scheme, tmp_path):
    model = block((*START, 0.0))
    whole = solved(model, h=1e-2, scheme=scheme)
    half = solved(model, t_end=0.1, h=1e-2, scheme=scheme)
    half.save(tmp_path / "half.h5")
    read = ns.load(tmp_path / "half.h5")
    rest = solved(read.model, t_end=T, h=1e-2, scheme=scheme, state=read.state(-1))
    assert np.array_equal(whole.position[-1], rest.position[-1])
    assert np.array_equal(whole.velocity[-1], rest.velocity[-1])


def test_other_ways_of_a_step_agree():
    """From Python, with a load of Python, by located impacts, by the augmented Lagrangian."""
    start = (*START, 0.0)
    expected = solved(block(start)).velocity[-1, 0]
    model = block(start)
    state = model.initial_state()
    for _ in range(40):
        state = ns.step(model, state, 5e-3)
    assert state.velocity[0] == pytest.approx(expected, abs=1e-9)
    loaded = block(start)
    loaded.add_load(lambda t, state: np.zeros((1, 3)))
    assert solved(loaded).velocity[-1, 0] == pytest.approx(expected, abs=1e-9)
    found = solved(block(start), scheme=ns.GeneralizedAlpha(formulation="augmented Lagrangian"))
    assert found.velocity[-1, 0] == pytest.approx(expected, abs=1e-8)
    located = ns.simulate(block(start), t_end=T, accuracy=1e-5)
    assert located.status, located.status
    assert located.velocity[-1, 0, :2] == pytest.approx(sliding(T), abs=1e-3)


def test_large_islands_have_it_too():
    """Twenty crates ride on a plate, more than 200 rows: all slide as one body."""
    model = ns.Model(gravity=(0, 0, -G))
    plate = model.add_box((2.0, 1.6, 0.1), mass=20.0, position=(0, 0, 0.05), velocity=(1.5, 0, 0))
    crates = [
        model.add_box((0.2, 0.2, 0.2), mass=1.0, position=(x, y, 0.2), velocity=(1.5, 0, 0))
        for x in (-0.8, -0.4, 0.0, 0.4, 0.8)
        for y in (-0.6, -0.2, 0.2, 0.6)
    ]
    model.add(e.SolidPlane(plate, model.add_plane(normal=(0, 0, 1)), **LAW))
    model.add(e.SolidSolid(between=(crates, [plate]), mu=0.6, mu_static=0.8, stribeck_velocity=0.1))
    result = solved(model, 0.1, 2.5e-3)
    v = result.velocity[-1, :, 0]
    assert np.ptp(v) < 1e-7
    assert v[0] == pytest.approx(sliding(0.1, (1.5, 0.0))[0], abs=1e-5)


def test_it_takes_no_energy_from_nowhere():
    budget = solved(block((*START, 0.0)), h=5e-3).budget()
    assert budget.friction[-1] == pytest.approx(budget.total[-1] - budget.total[0], rel=1e-9)
    assert np.abs(budget.residual).max() < 1e-10


def test_equal_coefficients_are_those_of_coulomb():
    plain = solved(block((*START, 0.0), law={"mu": MU}))
    both_ = solved(block((*START, 0.0), law={"mu": MU, "mu_static": MU, "stribeck_velocity": 1.0}))
    assert np.array_equal(plain.position, both_.position)


@pytest.mark.parametrize(
    ("law", "match"),
    [
        ({"mu": 0.2, "mu_static": 0.5}, "stribeck_velocity = None: must be given"),
        ({"mu": 0.2, "stribeck_velocity": 0.5}, "mu_static = None: must be given"),
        ({"mu": 0.6, "mu_static": 0.5, "stribeck_velocity": 1.0}, "mu_static = 0.5: must be"),
        ({"mu_static": 0.5, "stribeck_velocity": 1.0}, "mu = 0.0: must be positive beside mu_static"),
        ({"mu": 0.2, "mu_static": 0.5, "stribeck_velocity": 0.0}, "stribeck_velocity = 0.0: must be"),
    ],
)
def test_bad_numbers_are_refused(law, match):
    with pytest.raises(ValueError, match=match):
        ns.ContactLaw(**law)


def test_located_impacts_have_the_coefficient_of_the_speed_at_the_impact():
    """A ball falls and spins freely; its speed at the impact is known."""
    model = ns.Model(gravity=(3.0, 0, -G))
    ball = model.add_sphere(
        radius=0.1, mass=1.0, position=(0, 0, 0.2), velocity=(1.5, 0, 0), angular_velocity=(0, -5.0, 0)
    )
    model.add(
        e.SpherePlane(ball, model.add_plane(normal=(0, 0, 1)), e_n=0.5, **LAW | {"stribeck_velocity": 2.0})
    )
    fall = np.sqrt(2.0 * 0.1 / G)
    result = solved(model, fall + 0.02, 2e-2, impacts="located")
    slip = 1.5 + 3.0 * fall + 0.1 * 5.0
    lost = coefficient(slip, v_s=2.0) * 1.5 * G * fall
    assert lost < 2.0 / 7.0 * slip
    free = 1.5 + 3.0 * result.t[-1]
    assert free - result.velocity[-1, ball, 0] == pytest.approx(lost, rel=1e-6)
