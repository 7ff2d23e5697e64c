"""Motions of the catalogue: as scripts, tables to their ends, refusals."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import nsgalpha as ns
from elements import CompliantSpherePlane, SpherePlane, SpringDashpot

TIMES = np.linspace(0.0, 1.0, 41)
MOTIONS = {
    "Shaking": ns.Shaking(amplitude=(1e-3, 0, 2e-3), frequency=20.0, phase=0.3),
    "Rotation": ns.Rotation(axis=(0, 0, 1), rate=2.0, point=(0.05, 0, 0)),
    "ConstantVelocity": ns.ConstantVelocity(velocity=(1.0, 0.0, 0.1)),
    "MotionTable": ns.MotionTable(
        times=TIMES,
        position=np.column_stack([TIMES, 0 * TIMES, 0.01 * np.sin(9 * TIMES)]),
        rotation=Rotation.from_rotvec(np.outer(TIMES, (0, 0, 1.0))).as_quat()[:, [3, 0, 1, 2]],
    ),
}


def run(motion, t_end=0.1, scheme=None):
    model = ns.Model(gravity=(0, 0, -9.81))
    ball = model.add_sphere(radius=0.01, mass=0.01, position=(0.1, 0, 0.0106))
    tables = [
        model.add_plane(normal=(0, 0, 1), motion=motion),
        model.add_plane(normal=(1, 0, 0), motion=motion),
    ]
    if scheme is None:
        model.add(SpherePlane(ball, tables, mu=0.3))
    else:
        model.add(CompliantSpherePlane(ball, tables, normal=SpringDashpot(stiffness=1e4, damping=1.0)))
    return ns.simulate(model, t_end=t_end, h=1e-3, scheme=scheme or ns.GeneralizedAlpha())


@pytest.mark.parametrize("name", MOTIONS)
@pytest.mark.parametrize("scheme", [None, ns.VelocityVerlet()], ids=["set-valued", "compliant"])
def test_a_motion_of_the_catalogue_is_that_of_the_same_function(name, scheme):
    motion = MOTIONS[name]
    ours, scripts = run(motion, scheme=scheme), run(lambda t: motion(t), scheme=scheme)
    assert ours.status.ok, ours.status
    np.testing.assert_array_equal(ours.position, scripts.position)
    assert np.abs(ours.velocity).max() > 0.01


def test_a_run_ends_where_its_table_does_and_says_so():
    table = ns.MotionTable(times=(0.0, 0.05), position=[(0, 0, 0), (0, 0, 0)])
    result = run(table)
    assert not result.status.ok
    assert "from 0 s to 0.05 s" in str(result.status)
    assert result.t[-1] == pytest.approx(0.05)


def test_a_spline_through_a_swing_is_near_it_with_its_velocity():
    shaking = MOTIONS["Shaking"]
    t = np.linspace(-0.01, 0.11, 601)
    table = ns.MotionTable(times=t, position=shaking.through(t)[0][:, :3])
    between = np.linspace(0.0, 0.1, 777)
    exact, found = shaking.through(between)[0], table.through(between)[0]
    assert np.abs(found - exact)[:, :3].max() < 2e-9
    assert np.abs(found - exact)[:, 7:].max() < 1e-5


def test_a_turning_table_has_the_angular_velocity_of_its_rotations():
    half = 0.25 * np.pi * TIMES  # about an axis that is not that of any frame
    axis = np.array((1.0, 2.0, 2.0)) / 3.0
    rotation = np.column_stack([np.cos(half), np.sin(half)[:, None] * axis])
    table = ns.MotionTable(times=TIMES, position=np.zeros((41, 3)), rotation=rotation)
    rows = table.through(np.linspace(0.0, 1.0, 57))[0]
    assert np.abs(rows[:, 10:] - 0.5 * np.pi * axis).max() < 1e-12


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"times": (0, 0), "position": np.zeros((2, 3))}, "times"),
        ({"times": (0,), "position": np.zeros((1, 3))}, "times"),
        ({"times": (0, 1), "position": np.zeros((3, 3))}, "position"),
        ({"times": (0, 1), "position": np.full((2, 3), np.nan)}, "position"),
        ({"times": (0, 1), "position": np.zeros((2, 3)), "rotation": np.zeros((2, 4))}, "rotation"),
        ({"times": (0, 1), "position": np.zeros((2, 3)), "rotation": np.ones((3, 4))}, "rotation"),
    ],
)
def test_bad_tables_are_named(given, says):
    with pytest.raises(ValueError, match=says):
        ns.MotionTable(**given)


def test_equal_tables_are_equal_and_no_place_is_outside():
    one, two = (ns.MotionTable(times=(0, 1), position=np.zeros((2, 3))) for _ in range(2))
    assert one == two
    with pytest.raises(ValueError, match="make it longer"):
        one(1.5)
