"""Restitution of solids on a face, an edge, a corner, at all speeds and masses."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import elements as e
import nsgalpha as ns
from nsgalpha.forces import evaluate
from nsgalpha.testing import check_law

SIZE, MASS, SPEED = 0.1, 0.7, 1.0
TURNS = {
    "face": Rotation.identity(),
    "edge": Rotation.from_euler("x", 45.0, degrees=True),
    "corner": Rotation.align_vectors([[0.0, 0.0, -1.0]], [[1.0, 1.0, 1.0]])[0],
}
LAWS = {
    "spring": lambda e_n: e.SpringDashpot(stiffness=1e5, restitution=e_n),
    "layer": lambda e_n: e.LinearPressure(stiffness=1e8, restitution=e_n),
}


def quaternion(turn):
    return np.roll(turn.as_quat(), 1)


def rebound(law, turn, h=2e-5, speed=SPEED, mass=MASS, scene=None, scheme=None):
    """Speed of a cube after over before an impact, in a `scene` that is turned."""
    scene, scheme = scene or Rotation.identity(), scheme or ns.VelocityVerlet()
    corners = 0.5 * SIZE * np.array(np.meshgrid(*[(-1, 1)] * 3)).reshape(3, -1).T
    low = turn.apply(corners)[:, 2].min()
    model = ns.Model()
    cube = model.add_box(
        (SIZE, SIZE, SIZE),
        mass=mass,
        position=scene.apply((0.0, 0.0, 1e-6 - low)),
        rotation=quaternion(scene * turn),
        velocity=scene.apply((0.0, 0.0, -speed)),
    )
    normal = scene.apply((0.0, 0.0, 1.0))
    model.add(e.CompliantSolidPlane(cube, model.add_plane(normal=normal), normal=law))
    result = ns.simulate(model, t_end=0.12, h=h, scheme=scheme)
    assert result.status, result.status
    assert np.abs(result.angular_velocity).max() < 1e-10
    return float(result.velocity[-1, cube] @ normal) / speed


@pytest.mark.parametrize("turn", TURNS.values(), ids=TURNS)
@pytest.mark.parametrize("kind", LAWS)
@pytest.mark.parametrize("e_n", [0.3, 0.9])
def test_a_cube_restores_the_stated_part_of_its_velocity(kind, turn, e_n):
    """The error at least halves with h."""
    errors = np.array([abs(rebound(LAWS[kind](e_n), turn, h) - e_n) for h in (4e-5, 2e-5, 1e-5)])
    assert (errors[1:] < 0.52 * errors[:-1]).all()
    assert errors[-1] < 1.5e-3


def test_it_does_not_depend_on_speed_mass_and_axes():
    for kind, speed, mass in (("spring", 0.1, 0.7), ("spring", 1.0, 7.0), ("layer", 0.2, 3.0)):
        for turn in TURNS.values():
            assert rebound(LAWS[kind](0.6), turn, speed=speed, mass=mass) == pytest.approx(0.6, abs=3e-3)
    scene = Rotation.from_rotvec((0.4, -0.7, 0.2))
    for kind, turn in (("spring", TURNS["corner"]), ("layer", TURNS["edge"])):
        assert rebound(LAWS[kind](0.6), turn, scene=scene) == pytest.approx(
            rebound(LAWS[kind](0.6), turn), abs=1e-9
        )


def test_both_schemes_restore_it():
    for kind in LAWS:
        found = rebound(LAWS[kind](0.5), TURNS["corner"], scheme=ns.GeneralizedAlpha())
        assert found == pytest.approx(0.5, abs=2e-3)


def test_two_bodies_have_the_mass_of_both():
    """Face to face, 1 kg on 3 kg in flight."""
    model = ns.Model()
    low = model.add_box((0.1, 0.1, 0.1), mass=3.0, position=(0, 0, 0))
    high = model.add_box((0.1, 0.1, 0.1), mass=1.0, position=(0, 0, 0.1 + 1e-6), velocity=(0, 0, -1))
    model.add(e.CompliantSolids([low, high], normal=e.SpringDashpot(stiffness=1e5, restitution=0.4)))
    result = ns.simulate(model, t_end=0.03, h=1e-5, scheme=ns.VelocityVerlet())
    v = result.velocity[-1, :, 2]
    assert v[1] - v[0] == pytest.approx(0.4, abs=1e-3)
    assert 3.0 * v[0] + v[1] == pytest.approx(-1.0, abs=1e-12)


@pytest.mark.parametrize("law", ["spring", "layer"])
def test_a_ball_restores_it_too(law):
    model = ns.Model()
    ball = model.add_sphere(radius=0.05, mass=0.5, position=(0, 0, 0.05 + 1e-7), velocity=(0, 0, -1))
    model.add(e.CompliantSpherePlane(ball, model.add_plane(normal=(0, 0, 1)), normal=LAWS[law](0.7)))
    result = ns.simulate(model, t_end=0.05, h=2e-6, scheme=ns.VelocityVerlet())
    assert result.velocity[-1, ball, 2] == pytest.approx(0.7, abs=5e-4)


def test_the_damping_is_that_of_the_damping_ratio():
    """Of faces c = 2 beta sqrt(k m); with tension e = exp(-pi beta/sqrt(1 - beta^2))."""
    law = e.SpringDashpot(stiffness=4e4, restitution=0.5, tension=True)
    beta = np.log(2.0) / np.hypot(np.log(2.0), np.pi)
    seen = evaluate(law, overlap=1e-3, rate=[[0.25]], mass=2.0)
    assert seen.force[0, 0] == pytest.approx(40.0 - 2.0 * beta * np.sqrt(4e4 * 2.0) * 0.25, rel=1e-12)


@pytest.mark.parametrize("kind", LAWS)
def test_tangents_are_those_of_differences(kind):
    check_law(normal=LAWS[kind](0.4), overlap=1e-3, speed=0.1)


@pytest.mark.parametrize("kind", [e.SpringDashpot, e.LinearPressure])
def test_bad_numbers_are_refused(kind):
    for bad in (0.0, 1.2, float("nan")):
        with pytest.raises(ValueError, match="restitution"):
            kind(stiffness=1.0, restitution=bad)
    with pytest.raises(ValueError, match="left out with damping"):
        kind(stiffness=1.0, damping=1.0, restitution=0.5)
