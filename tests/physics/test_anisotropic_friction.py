"""Friction within an ellipse about an axis of a plane, against equations and closed forms."""

import numpy as np
import pytest
from scenes import G
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import elements as e
import nsgalpha as ns
from nsgalpha.case.case_file import parse_case

ALONG, ACROSS, M = 0.3, 0.1, 2.0
LAW = {"mu": ALONG, "mu_across": ACROSS, "axis": (1.0, 0.0, 0.0)}
SCHEMES = {"generalized-alpha": None, "Moreau-Jean": ns.MoreauJean()}
START, T = (1.5, 0.8, 0.0), 0.2
both = pytest.mark.parametrize("scheme", SCHEMES.values(), ids=SCHEMES)


def block(velocity=START, turn=None, law=LAW, push=(0.0, 0.0), carried=None):
    """A block on a level floor in axes rotated by `turn`.

    push [m/s^2] along x and y is added to the weight. carried: rotation of a fixed body with the floor.
    """
    turn = turn or Rotation.identity()
    up = turn.apply((0.0, 0.0, 1.0))
    model = ns.Model(gravity=turn.apply((*push, -G)))
    x, y, z, w = turn.as_quat()
    body = model.add_box(
        (0.2, 0.2, 0.1), mass=M, position=0.05 * up, rotation=(w, x, y, z), velocity=turn.apply(velocity)
    )
    if carried is None:
        floor = model.add_plane(normal=up)
    else:
        a, b, c, d = carried.as_quat()
        ground = model.add_body(fixed=True, position=(0, 0, 0), rotation=(d, a, b, c))
        floor = model.add_plane(normal=carried.inv().apply(up), body=ground)
    model.add(e.SolidPlane(body, floor, **law))
    return model


def solved(model, t_end=T, h=5e-3, **how):
    result = ns.simulate(model, t_end=t_end, h=h, **how)
    assert result.status, result.status
    return result


def friction(v, along=ALONG, across=ACROSS):
    """The force over the normal force: the point of the ellipse of the largest dissipation."""
    d = np.array([along**2 * v[0], across**2 * v[1]])
    return -d / np.hypot(along * v[0], across * v[1])


def sliding(t=T):
    found = solve_ivp(
        lambda _, v: G * friction(v), (0, t), START[:2], method="DOP853", rtol=1e-12, atol=1e-12
    )
    return found.y[:, -1]


@pytest.mark.parametrize(("scheme", "order"), [(None, 4.0), (ns.MoreauJean(), 2.0)], ids=SCHEMES)
def test_a_block_slides_along_a_curve(scheme, order):
    """Of second order in h by the generalized-alpha scheme, else of first order."""
    steps = (1e-2, 5e-3, 2.5e-3)
    found = [solved(block(), h=h, scheme=scheme).velocity[-1, 0, :2] for h in steps]
    errors = np.array([np.linalg.norm(each - sliding()) for each in found])
    assert errors[:-1] / errors[1:] == pytest.approx([order, order], rel=0.05)
    assert errors[-1] < (2e-7 if scheme is None else 3e-4)


@both
@pytest.mark.parametrize("angle", [0.0, 0.5, 1.2, 0.5 * np.pi])
def test_a_push_breaks_it_loose_at_the_ellipse(angle, scheme):
    """Just below it the block rests, and the friction is the push. Just above it slides along the normal."""
    c, s = np.cos(angle), np.sin(angle)
    limit = G / np.hypot(c / ALONG, s / ACROSS)
    rests = solved(block((0, 0, 0), push=(0.99 * limit * c, 0.99 * limit * s)), scheme=scheme)
    assert np.abs(rests.velocity[-1]).max() < 1e-10
    last = rests.contacts.at(-1)
    assert last.wrench[:, :2].sum(axis=0) == pytest.approx(
        [-0.99 * M * limit * c, -0.99 * M * limit * s], rel=1e-6, abs=1e-9
    )
    slides = solved(block((0, 0, 0), push=(1.01 * limit * c, 1.01 * limit * s)), h=1e-3, scheme=scheme)
    v = slides.velocity[-1, 0, :2]
    normal = np.array([c / ALONG**2, s / ACROSS**2])  # of the ellipse, where the friction is
    assert v @ normal > 0.0
    assert abs(v[0] * normal[1] - v[1] * normal[0]) < 0.05 * np.linalg.norm(v) * np.linalg.norm(normal)


def test_reported_forces_are_on_the_ellipse():
    result = solved(block())
    last = result.contacts.at(-1)
    force = last.wrench[:, :3].sum(axis=0)
    assert np.hypot(force[0] / ALONG, force[1] / ACROSS) == pytest.approx(force[2], rel=1e-9)
    assert force[2] == pytest.approx(M * G, rel=1e-9)
    assert (last.status == "slip").all()
    sizes = np.hypot(last.multipliers[:, 1], last.multipliers[:, 2])
    assert sizes == pytest.approx(np.linalg.norm(last.wrench[:, :2], axis=1) * 5e-3, rel=1e-9)
    assert np.linalg.norm(last.impulse[:, :2], axis=1) == pytest.approx(sizes, rel=1e-9)


def test_a_rotated_scene_and_a_carried_floor_move_alike():
    turn, carried = Rotation.from_rotvec((0.5, -0.9, 0.3)), Rotation.from_rotvec((-0.2, 0.4, 0.8))
    one = solved(block())
    axis = turn.apply(LAW["axis"])
    two = solved(block(turn=turn, law=LAW | {"axis": axis}))
    assert np.abs(two.velocity[:, 0] - turn.apply(one.velocity[:, 0])).max() < 1e-9
    three = solved(block(turn=turn, law=LAW | {"axis": carried.inv().apply(axis)}, carried=carried))
    assert np.abs(three.velocity[:, 0] - two.velocity[:, 0]).max() < 1e-9


def test_an_axis_turns_with_its_floor():
    """A ball that does not roll, on a turntable; of first order in h."""
    rate = 3.0

    def accelerated(t, y):
        turn = np.array([[np.cos(rate * t), -np.sin(rate * t)], [np.sin(rate * t), np.cos(rate * t)]])
        sliding_velocity = y[2:] - rate * np.array([-y[1], y[0]])
        return [*y[2:], *(G * turn @ friction(turn.T @ sliding_velocity))]

    exact = solve_ivp(accelerated, (0, T), [0.3, 0, *START[:2]], method="DOP853", rtol=1e-11, atol=1e-11).y[
        :, -1
    ]
    errors = []
    for h in (5e-3, 2.5e-3):
        model = ns.Model(gravity=(0, 0, -G))
        ball = model.add_sphere(radius=0.1, mass=M, inertia=1e9, position=(0.3, 0, 0.1), velocity=START)
        table = model.add_plane(normal=(0, 0, 1), motion=ns.Rotation(axis=(0, 0, 1), rate=rate))
        model.add(e.SpherePlane(ball, table, **LAW))
        errors.append(np.linalg.norm(solved(model, h=h).velocity[-1, ball, :2] - exact[2:]))
    assert errors[0] / errors[1] == pytest.approx(2.0, abs=0.2)
    assert errors[1] < 4e-3


def test_an_axis_that_is_exchanged_exchanges_the_coefficients():
    one = solved(block())
    two = solved(block(law={"mu": ACROSS, "mu_across": ALONG, "axis": (0.0, 1.0, 0.0)}))
    assert np.abs(one.velocity - two.velocity).max() < 1e-10
    plain = solved(block(law={"mu": ALONG}))
    equal = solved(block(law={"mu": ALONG, "mu_across": ALONG, "axis": (0.6, 0.8, 0.0)}))
    assert np.abs(plain.velocity - equal.velocity).max() < 1e-10


def test_a_static_coefficient_scales_the_ellipse():
    law = LAW | {"mu_static": 0.5, "stribeck_velocity": 0.5}

    def rate(_, v):
        factor = 1.0 + (0.5 / ALONG - 1.0) * np.exp(-((np.hypot(*v) / 0.5) ** 2))
        return factor * G * friction(v)

    exact = solve_ivp(rate, (0, T), START[:2], method="DOP853", rtol=1e-12, atol=1e-12).y[:, -1]
    errors = [np.linalg.norm(solved(block(law=law), h=h).velocity[-1, 0, :2] - exact) for h in (5e-3, 2.5e-3)]
    assert errors[0] / errors[1] == pytest.approx(2.0, abs=0.1)
    limit = 0.5 * ACROSS / ALONG * G
    rests = solved(block((0, 0, 0), law=law, push=(0.0, 0.99 * limit)))
    assert np.abs(rests.velocity[-1]).max() < 1e-10


@both
def test_a_continued_run_is_the_same(scheme, tmp_path):
    whole = solved(block(), h=1e-2, scheme=scheme)
    solved(block(), t_end=0.1, h=1e-2, scheme=scheme).save(tmp_path / "half.h5")
    read = ns.load(tmp_path / "half.h5")
    assert read.model.elements[0].law.axis == (1.0, 0.0, 0.0)
    rest = solved(read.model, t_end=T, h=1e-2, scheme=scheme, state=read.state(-1))
    assert np.array_equal(whole.velocity[-1], rest.velocity[-1])


def test_the_work_of_friction_is_the_energy_lost():
    budget = solved(block()).budget()
    assert budget.friction[-1] == pytest.approx(budget.total[-1] - budget.total[0], rel=1e-4)
    located = ns.simulate(block(), t_end=T, accuracy=1e-6)
    assert located.status, located.status
    assert located.velocity[-1, 0, :2] == pytest.approx(sliding(), abs=1e-4)
    found = solved(block(), scheme=ns.GeneralizedAlpha(formulation="augmented Lagrangian"))
    assert found.velocity[-1, 0] == pytest.approx(solved(block()).velocity[-1, 0], abs=1e-8)


def test_case_files_state_it():
    text = """
    title = "a block on wood"
    gravity = [0, 0, -9.81]
    planes = [{name = "wood", normal = [0, 0, 1]}]
    run = {t_end = 0.2, h = 5e-3}

    [[bodies]]
    type = "box"
    name = "block"
    size = [0.2, 0.2, 0.1]
    mass = 2
    position = [0, 0, 0.05]
    velocity = [1.5, 0.8, 0]

    [[elements]]
    type = "SolidPlane"
    solids = "block"
    planes = "wood"
    mu = 0.3
    mu_across = 0.1
    axis = [1, 0, 0]
    mu_static = 0.5
    stribeck_velocity = 0.5
    """
    law = LAW | {"mu_static": 0.5, "stribeck_velocity": 0.5}
    assert np.array_equal(solved(parse_case(text).model).velocity, solved(block(law=law)).velocity)


def test_spheres_have_it():
    """A ball that does not roll: its moment of inertia is large."""
    model = ns.Model(gravity=(0, 0, -G))
    ball = model.add_sphere(radius=0.1, mass=M, inertia=1e9, position=(0, 0, 0.1), velocity=START)
    model.add(e.SpherePlane(ball, model.add_plane(normal=(0, 0, 1)), **LAW))
    assert solved(model, h=2.5e-3).velocity[-1, ball, :2] == pytest.approx(sliding(), abs=1e-6)


def test_bad_axes_are_refused():
    for law, match in (
        ({"mu": 0.3, "mu_across": 0.1}, "axis = None: must be given"),
        ({"mu": 0.3, "axis": (1, 0, 0)}, "mu_across = None: must be given"),
        ({"mu": 0.3, "mu_across": 0.0, "axis": (1, 0, 0)}, "mu_across = 0.0: must be"),
        ({"mu_across": 0.1, "axis": (1, 0, 0)}, "mu = 0.0: must be positive beside mu_across"),
        ({"mu": 0.3, "mu_across": 0.1, "axis": (0, 0, 0)}, "axis"),
    ):
        with pytest.raises(ValueError, match=match):
            ns.ContactLaw(**law)
    with pytest.raises(ValueError, match=r"axis = .*: must be across the normal of 'plane 0'"):
        block(law=LAW | {"axis": (0.0, 0.0, 2.0)})
    model = ns.Model()
    balls = [model.add_sphere(radius=0.1, mass=1.0, position=(x, 0, 0)) for x in (0, 1)]
    with pytest.raises(ValueError, match=r"axis = .*: must be left out in contacts among one set"):
        model.add(e.SphereSphere(balls, **LAW))
    assert not model.elements
