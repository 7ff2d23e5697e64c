"""Clumps: mass, centre and inertia of unions of balls against closed forms, files and contact."""

import numpy as np
import pytest
from numpy.polynomial import Polynomial
from scipy.spatial.transform import Rotation

import elements as e
import nsgalpha as ns

TURN = Rotation.from_rotvec((0.4, -1.1, 0.7))
PAIRS = [
    (1.0, 1.0, 1.0),
    (1.0, 0.6, 0.9),
    (1.0, 0.3, 1.2),
    (1.0, 0.999, 1.9),
    (1.0, 0.5, 0.5001),
    (0.4, 0.3, 0.9),
]


def clump(spheres, **options):
    """A clump of the density 1, or with other `options`, with its centre in the origin."""
    return ns.Model().add_clump(spheres, position=(0, 0, 0), **(options or {"density": 1.0}))


def places(body):
    """The centres (K, 3) of its balls."""
    shapes = body.model.shapes
    return np.array([shapes.places[p.corners[0]] for p in shapes.primitives if p.carrier is body])


def two_balls(r_1, r_2, d):
    """Volume, centre along the axis and moments of inertia (along, across) of two balls."""
    cut = min(max((d * d + r_1 * r_1 - r_2 * r_2) / (2 * d), d - r_2), r_1)
    from_ = cut if d < r_1 + r_2 else d - r_2
    total, x = np.zeros(4), Polynomial([0, 1])
    for middle, r, low, high in ((0.0, r_1, -r_1, cut if d < r_1 + r_2 else r_1), (d, r_2, from_, d + r_2)):
        area = np.pi * (r * r - (x - middle) ** 2)
        for k, moment in enumerate((area, area * x, area * x * x, area * area / (4 * np.pi))):
            total[k] += moment.integ()(high) - moment.integ()(low)
    volume, first, second, across = total
    return volume, first / volume, (2 * across, second - first**2 / volume + across)


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 0, 1), (0, 0, -1), TURN.apply((0, 1, 0))])
def test_two_balls_have_the_closed_form(pair, axis):
    r_1, r_2, d = pair
    volume, centre, (along, across) = two_balls(*pair)
    place, n = np.array((0.3, -7.0, 2.0)), np.array(axis)
    body = clump([(*place, r_1), (*(place + d * n), r_2)])
    exact = across * np.eye(3) + (along - across) * np.outer(n, n)
    assert body.mass == pytest.approx(volume, rel=1e-12)
    assert abs(places(body) - [-centre * n, (d - centre) * n]).max() < 1e-12
    assert abs(body.inertia - exact).max() < 1e-12


def test_one_ball_is_a_sphere_and_those_within_it_count_for_nothing():
    body = clump([(1, 2, 3, 0.5), (1.2, 2, 3, 0.3), (1, 2, 3, 0.5)])
    assert body.mass == pytest.approx(np.pi / 6, rel=1e-13)
    assert abs(body.inertia - 0.1 * np.pi / 6 * np.eye(3)).max() < 1e-13
    assert places(body).tolist() == pytest.approx(np.zeros((1, 3)))


def test_balls_apart_are_a_compound():
    rows = np.array([(0, 0, 0, 0.1), (1, 0, 0, 0.2), (0, 1, 0.3, 0.15), (0.2, 0.3, -0.9, 0.25)])
    parts = [ns.parts.sphere(row[3], position=row[:3]) for row in rows]
    compound = ns.Model().add_compound(parts, density=1.0, position=(0, 0, 0))
    body = clump(rows)
    assert body.mass == pytest.approx(compound.mass, rel=1e-12)
    assert abs(body.inertia - compound.inertia).max() < 1e-12
    assert abs(places(body) - places(compound)).max() < 1e-12


def test_many_balls_that_overlap_agree_with_points_and_with_themselves_turned():
    """Points of a Halton-like lattice are independent of slices; a turn changes all slices."""
    rng = np.random.default_rng(3)
    rows = np.column_stack([rng.uniform(-0.5, 0.5, (8, 3)), rng.uniform(0.2, 0.4, 8)])
    body = clump(rows)
    golden = 0.8191725133961645 ** np.arange(1, 4)  # roots of x^4 = x + 1: a lattice without clusters
    points = 2.0 * (np.arange(1, 400_001)[:, None] * golden % 1.0) - 1.0
    inside = (np.linalg.norm(points[:, None] - rows[:, :3], axis=2) < rows[:, 3]).any(axis=1)
    cell, x = 8.0 / len(points), points[inside]
    assert body.mass == pytest.approx(cell * len(x), rel=1e-3)
    assert abs(rows[:, :3] - places(body) - x.mean(axis=0)).max() < 1e-3
    d = x - x.mean(axis=0)
    exact = cell * ((d**2).sum() * np.eye(3) - d.T @ d)
    assert abs(body.inertia - exact).max() < 2e-3 * exact.max()
    turned = clump(np.column_stack([TURN.apply(rows[:, :3]), rows[:, 3]]), density=1.0)
    R = TURN.as_matrix()
    assert turned.mass == pytest.approx(body.mass, rel=1e-9)
    assert abs(turned.inertia - R @ body.inertia @ R.T).max() < 1e-9 * body.inertia.max()


def test_symmetric_clumps_whose_balls_share_points_and_circles():
    """Corners of a cube have an isotropic inertia; a row is nearly a capsule."""
    corners = np.array(np.meshgrid((-1, 1), (-1, 1), (-1, 1))).reshape(3, -1).T
    cube = clump(np.column_stack([corners, np.full(8, np.sqrt(3.0))]))  # all meet in the middle
    J = cube.inertia
    assert abs(J - J[0, 0] * np.eye(3)).max() < 1e-9 * J[0, 0]
    n, r, L = 65, 0.5, 1.0
    row = clump(np.column_stack([np.zeros((n, 2)), np.linspace(0, L, n), np.full(n, r)]))
    capsule = ns.Model().add_capsule(r, L, density=1.0, position=(0, 0, 0))
    assert row.mass == pytest.approx(capsule.mass, rel=1e-3)
    step = L / (n - 1)  # a slice at z from the next centre lacks pi z^2 of the cylinder
    short = capsule.mass - row.mass
    assert short == pytest.approx(np.pi / 12 * step**3 * (n - 1), rel=1e-6)


def test_scale_mass_and_density():
    rows = [(-0.5, 0, 0, 1), (0.5, 0.2, 0, 0.7), (0, 0.4, 0.6, 0.5)]
    one, small = clump(rows), clump(rows, density=1000.0, scale=0.1)
    assert small.mass == pytest.approx(one.mass, rel=1e-12)
    assert abs(small.inertia - 0.01 * one.inertia).max() < 1e-12
    assert clump(rows, mass=2.0).mass == 2.0
    assert abs(clump(rows, mass=2.0).inertia - 2.0 / one.mass * one.inertia).max() < 1e-12


def test_a_file_of_spheres(tmp_path):
    file = tmp_path / "grain.txt"
    file.write_text("# x, y, z, radius\n-0.5 0 0 1\n\n0.5, 0.2, 0; 0.7  # the other\n")
    rows = [(-0.5, 0, 0, 1), (0.5, 0.2, 0, 0.7)]
    assert clump(file).mass == clump(rows).mass
    assert (clump(str(file)).inertia == clump(rows).inertia).all()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("0 0 0 1\n0 0 1\n", r"line 2 = '0 0 1': must be x, y, z and radius"),
        ("0 0 0 1\n\n0 0 1 -2\n", "line 3 = '0 0 1 -2': must be x, y, z and radius"),
        ("0 0 a 1", "line 1"),
        ("0 0 nan 1", "line 1"),
        ("# nothing", "a file with 1 to 100 spheres; it has 0"),
    ],
)
def test_a_wrong_file_is_refused_by_its_line(tmp_path, content, message):
    file = tmp_path / "grain.txt"
    file.write_text(content)
    with pytest.raises(ValueError, match=message):
        clump(file)


def test_wrong_spheres_are_refused(tmp_path):
    for wrong, message in (
        ([(0, 0, 0)], "rows"),
        (np.zeros((0, 4)), "1 to 100"),
        ([(0, 0, 0, 0)], "radii above 0"),
        ([(0, 0, np.nan, 1)], "spheres"),
        (None, "spheres"),
    ):
        with pytest.raises(ValueError, match=message):
            clump(wrong)
    with pytest.raises(ValueError, match=r"spheres = .*none\.txt.*a file that exists"):
        clump(tmp_path / "none.txt")
    with pytest.raises(ValueError, match="mass and density"):
        clump([(0, 0, 0, 1)], density=1.0, mass=1.0)


@pytest.mark.parametrize("soft", [False, True])
def test_a_clump_rests_on_its_balls(soft):
    """A tripod of balls with one above falls a little, and lies on the three."""
    rows = [(np.cos(a), np.sin(a), 0.0, 0.9) for a in 2 * np.pi / 3 * np.arange(3)] + [(0, 0, 0.8, 0.9)]
    model = ns.Model(gravity=(0, 0, -10.0))
    body = model.add_clump(rows, mass=3.0, scale=0.1, position=(0, 0, 0.2))
    low = places(body)[0, 2] - 0.09
    body.position[:] = 0, 0, 0.001 * (not soft) - low
    floor = model.add_plane(normal=(0, 0, 1))
    if soft:
        law = e.SpringDashpot(stiffness=1e4, damping=100.0)
        element = e.CompliantContact(among=[body, floor], normal=law)
        scheme, h = ns.VelocityVerlet(), 2e-5
    else:
        element, scheme, h = e.Contact(among=[body, floor], mu=0.4), None, 1e-3
    model.add(element)
    result = ns.simulate(model, t_end=0.3, h=h, **({"scheme": scheme} if scheme else {}))
    assert result.status, result.status
    depth = 3.0 * 10.0 / (3 * 1e4) if soft else 0.0
    assert result.position[-1, body, 2] == pytest.approx(-low - depth, abs=1e-6)
    assert abs(result.angular_velocity[-1]).max() < 1e-6
