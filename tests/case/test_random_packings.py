"""Size distributions against their own statistics, and random packings without overlap."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist

import nsgalpha as ns
from elements import SpherePlane
from nsgalpha.case import CaseError, Limits, parse_case

LAYOUTS = ns.layouts
BOX = {"low": (-1.0, 0.0, 2.0), "high": (0.0, 0.8, 3.5)}
SIEVES = {"openings": [0.01, 0.02, 0.05, 0.08, 0.1], "passing": [0.0, 0.3, 0.3, 0.8, 1.0]}
SIZES = [
    lambda seed: LAYOUTS.uniform_sizes(count=50, least=0.03, largest=0.06, seed=seed),
    lambda seed: LAYOUTS.lognormal_sizes(count=50, median=0.04, deviation=0.3, seed=seed),
    lambda seed: LAYOUTS.sieved_sizes(count=50, **SIEVES, seed=seed),
]


@pytest.mark.parametrize("draw", SIZES)
def test_a_seed_is_one_draw(draw):
    assert (draw(3) == draw(3)).all()
    assert (draw(3) != draw(4)).any()


def test_uniform_radii_are_even():
    r = LAYOUTS.uniform_sizes(count=20_000, least=0.03, largest=0.06)
    assert r.min() >= 0.03
    assert r.max() <= 0.06
    for part in (0.25, 0.5, 0.75):
        assert np.quantile(r, part) == pytest.approx(0.03 + 0.03 * part, abs=5e-4)


def test_lognormal_radii_have_their_median_and_deviation():
    r = LAYOUTS.lognormal_sizes(count=20_000, median=0.04, deviation=0.3)
    assert np.log(r).mean() == pytest.approx(np.log(0.04), abs=0.01)
    assert np.log(r).std() == pytest.approx(0.3, rel=0.02)
    assert (LAYOUTS.lognormal_sizes(count=3, median=0.04, deviation=0.0) == 0.04).all()


def test_a_cut_lognormal_distribution_keeps_its_shape_within():
    ends = {"least": 0.03, "largest": 0.05}
    cut = LAYOUTS.lognormal_sizes(count=20_000, median=0.04, deviation=0.3, **ends)
    whole = LAYOUTS.lognormal_sizes(count=60_000, median=0.04, deviation=0.3, seed=1)
    inside = whole[(whole >= 0.03) & (whole <= 0.05)]
    assert cut.min() >= 0.03
    assert cut.max() <= 0.05
    parts = np.linspace(0.1, 0.9, 9)
    assert abs(np.quantile(cut, parts) - np.quantile(inside, parts)).max() < 4e-4


def test_sieved_radii_pass_the_sieves_by_mass():
    """Half of an interval's mass lies below the geometric mean of its ends."""
    r = LAYOUTS.sieved_sizes(count=400_000, **SIEVES)
    d, mass = 2.0 * r, r**3 / (r**3).sum()
    found = [mass[d <= opening * (1 + 1e-12)].sum() for opening in SIEVES["openings"]]
    assert abs(np.array(found) - SIEVES["passing"]).max() < 0.03  # few are large: they carry 7/10 of the mass
    assert not ((d > 0.02 * (1 + 1e-12)) & (d < 0.05 * (1 - 1e-12))).any()
    first = mass[d <= np.sqrt(0.01 * 0.02)].sum() / found[1]
    assert first == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize("draw", SIZES)
def test_a_random_packing_has_its_fraction_and_no_overlap(draw):
    r = np.concatenate([draw(seed) for seed in range(20)])
    wanted = min(0.2, 0.9 * (4 / 3 * np.pi * r**3).sum() / 1.2)
    given = {"radius": r, **BOX, "solid_fraction": wanted}
    rows = LAYOUTS.random_packing(**given, seed=5)
    x, own = rows[:, :3], rows[:, 3]
    assert (own == r[: len(own)]).all()
    one, two = np.triu_indices(len(own), 1)
    assert (pdist(x) >= own[one] + own[two]).all()
    assert (x - own[:, None] >= BOX["low"]).all()
    assert (x + own[:, None] <= BOX["high"]).all()
    fraction = (4 / 3 * np.pi * own**3).sum() / 1.2
    assert abs(fraction - wanted) <= 4 / 3 * np.pi * own.max() ** 3 / 1.2
    assert (rows == LAYOUTS.random_packing(**given, seed=5)).all()
    assert not (rows == LAYOUTS.random_packing(**given, seed=6)).all()


def test_rows_become_bodies():
    rows = LAYOUTS.random_packing(radius=np.full(12, 0.1), **BOX)
    model = ns.Model()
    balls = model.add_spheres(position=rows[:, :3], radius=rows[:, 3], mass=1.0)
    assert [ball.radius for ball in balls] == [0.1] * 12
    assert (np.array([ball.position for ball in balls]) == rows[:, :3]).all()


@pytest.mark.parametrize(
    ("layout", "wrong", "message"),
    [
        ("uniform_sizes", {"count": 0, "least": 1.0, "largest": 2.0}, "count = 0"),
        ("uniform_sizes", {"count": 1, "least": 2.0, "largest": 1.0}, r"largest = 1\.0"),
        ("lognormal_sizes", {"count": 1, "median": 0.0, "deviation": 1.0}, r"median = 0\.0"),
        ("lognormal_sizes", {"count": 1, "median": 1.0, "deviation": -1.0}, r"deviation = -1\.0"),
        ("lognormal_sizes", {"count": 1, "median": 1.0, "deviation": 1.0, "least": 2.0}, r"least = 2\.0"),
        ("lognormal_sizes", {"count": 1, "median": 1.0, "deviation": 1.0, "largest": 0.5}, r"largest = 0\.5"),
        ("sieved_sizes", {"count": 1, "openings": [0.0, 1.0], "passing": [0, 1]}, "openings"),
        ("sieved_sizes", {"count": 1, "openings": [2.0, 1.0], "passing": [0, 1]}, "openings"),
        ("sieved_sizes", {"count": 1, "openings": [1.0, 2.0], "passing": [0.1, 1]}, "passing"),
        ("sieved_sizes", {"count": 1, "openings": [1.0, 2.0], "passing": [0, 0.5, 1]}, "passing"),
        ("random_packing", {"radius": [0.1], "low": (0, 0, 0), "high": (0, 1, 1)}, "high"),
        ("random_packing", {"radius": [0.6], "low": (0, 0, 0), "high": (1, 1, 1)}, r"radius = 0\.6"),
        ("random_packing", {"radius": [], "low": (0, 0, 0), "high": (1, 1, 1)}, "one radius"),
        (
            "random_packing",
            {"radius": [0.3] * 9, "low": (0, 0, 0), "high": (1, 1, 1)},
            "'9 spheres': must be 1",
        ),
        (
            "random_packing",
            {"radius": [0.1], "low": (0, 0, 0), "high": (1, 1, 1), "solid_fraction": 0.2},
            "solid_fraction",
        ),
    ],
)
def test_what_cannot_be_drawn_or_placed_is_refused(layout, wrong, message):
    with pytest.raises(ValueError, match=message):
        getattr(LAYOUTS, layout)(**wrong)


PEANUT = [[-0.5, 0, 0, 1], [0.5, 0, 0, 1]]
PACKING = """
[[bodies]]
type = "random_packing"
name = "grains"
sizes = {type = "lognormal", count = 50, median = 0.04, deviation = 0.3, seed = 3}
low = [-1, 0, 2]
high = [0, 0.8, 3.5]
solid_fraction = 0.01
seed = 4
density = 2500

[run]
t_end = 1
"""
CLUMPS = f"""
[[bodies]]
type = "grid"
name = "nuts"
count = [2, 2, 1]
spacing = 0.05
spheres = {PEANUT}
scale = 0.005
density = 2500
scatter = {{seed = 1, rotation = true}}

[[bodies]]
type = "clump"
spheres = {PEANUT}
mass = 3
position = [9, 0, 0]

[run]
t_end = 1
"""


def test_a_case_file_has_packings():
    radius = LAYOUTS.lognormal_sizes(count=50, median=0.04, deviation=0.3, seed=3)
    rows = LAYOUTS.random_packing(radius=radius, **BOX, solid_fraction=0.01, seed=4)
    case = parse_case(PACKING, "it.toml")
    assert 1 < len(rows) < 50
    assert [body.name for body in case.model.bodies] == [f"grains {k}" for k in range(len(rows))]
    assert (np.array([(*body.position, body.radius) for body in case.model.bodies]) == rows).all()
    mass = 2500 * 4 / 3 * np.pi * rows[:, 3] ** 3
    assert [body.mass for body in case.model.bodies] == pytest.approx(mass)


def test_a_case_file_has_clumps():
    bodies = parse_case(CLUMPS, "it.toml").model.bodies
    clump = ns.Model().add_clump(PEANUT, scale=0.005, density=2500, position=(0, 0, 0))
    assert [body.mass for body in bodies] == [*[clump.mass] * 4, 3]
    assert len({tuple(body.rotation) for body in bodies}) == 5
    assert np.array(bodies[0].inertia) == pytest.approx(np.array(clump.inertia))


@pytest.mark.parametrize(
    ("text", "old", "new", "message"),
    [
        (PACKING, "lognormal", "normal", r"line 5, bodies\[0\].sizes.type: 'normal' is unknown"),
        (PACKING, "sizes = ", "radius = 0.1\nsizes = ", "radius, sizes: give one of them"),
        (PACKING, "median", "mean", r"sizes.mean: .*median"),
        (PACKING, "count = 50", "count = 200_000", "200000 bodies in the whole case: must be at most 100000"),
        (PACKING, 'sizes = {type = "lognormal"', 'names = {type = "lognormal"', "names"),
        (CLUMPS, str(PEANUT), '"file.txt"', "finite numbers"),
        (CLUMPS, "[-0.5, 0, 0, 1]", "[-0.5, 0, 1]", "rows"),
    ],
)
def test_a_case_file_with_wrong_packings_or_clumps_is_refused(text, old, new, message):
    assert old in text
    with pytest.raises(CaseError, match=message):
        parse_case(text.replace(old, new), "it.toml")


def test_spheres_of_clumps_count_as_shapes():
    with pytest.raises(CaseError, match="10 planes and primitives in the whole case: must be at most 7"):
        parse_case(CLUMPS, "it.toml", limits=Limits(shapes=7))


FEED = """
[[feeds]]
name = "rain"
group = "grains"
region = {type = "Box", low = [-0.03, -0.03, 0.1], high = [0.03, 0.03, 0.2]}
sizes = {type = "sieved", count = 500, openings = [0.01, 0.02], passing = [0, 1], seed = 1}
density = 2500
mass = 0.5
rate = 200
velocity = [0, 0, -1]

[[planes]]
name = "floor"
normal = [0, 0, 1]

[[elements]]
type = "SpherePlane"
spheres = "rain"
planes = "floor"

[run]
t_end = 0.05
h = 1e-3
"""


def test_a_case_file_feeds_as_python_does():
    case = parse_case(FEED, "it.toml")
    model = ns.Model()
    radius = LAYOUTS.sieved_sizes(count=500, openings=[0.01, 0.02], passing=[0, 1], seed=1)
    spout = ns.regions.Box(low=(-0.03, -0.03, 0.1), high=(0.03, 0.03, 0.2))
    given = {"radius": radius, "density": 2500, "mass": 0.5, "rate": 200, "velocity": (0, 0, -1)}
    feeder = ns.feed_spheres(model, spout, **given, name="rain")
    model.add(SpherePlane(feeder.bodies, model.add_plane(normal=(0, 0, 1), name="floor")))
    ours, theirs = case.run(), ns.simulate(model, t_end=0.05, h=1e-3)
    assert 100 < len(case.model.bodies) < 200
    assert ours.present.sum(axis=1).max() == 10
    assert (ours.position == theirs.position).all()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("count = 500", "count = 100_001", r"feeds\[0\].*: 100001 bodies in the whole case"),
        ("passing = [0, 1]", "passing = [0.1, 1]", r"line 6, feeds\[0\].sizes.passing: \[0.1, 1\]"),
        ("mass = 0.5", "mass = 0.5\nnumber = 3", r"feeds\[0\].number: number, mass: give one of them"),
        ("rate = 200", "radius = 0.1", r"feeds\[0\].radius: radius, sizes: give one of them"),
        ("mass = 0.5", "mass = -1", r"feeds\[0\].mass: -1"),
        ("density = 2500", "", r"feeds\[0\].density: missing"),
        ('name = "rain"', 'name = "floor"', r"'floor'"),
    ],
)
def test_a_wrong_feed_is_told_by_its_key(old, new, message):
    assert old in FEED
    with pytest.raises(CaseError, match=message):
        parse_case(FEED.replace(old, new), "it.toml")


def test_balls_by_mass_are_counted_before_they_are_made():
    balls = "\n".join("radius = 1e-3" if "sizes" in line else line for line in FEED.splitlines())
    with pytest.raises(CaseError, match=r"feeds\[0\]: 47746 bodies in the whole case: must be at most 40000"):
        parse_case(balls, "it.toml", limits=Limits(bodies=40_000))
