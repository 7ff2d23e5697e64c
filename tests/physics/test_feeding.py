"""Feeders that add their own balls: numbers, masses and solid fractions."""

import numpy as np
import pytest

import nsgalpha as ns
from elements import SpherePlane, SphereSphere

BOX = ns.regions.Box(low=(0, 0, 0.2), high=(0.1, 0.1, 0.3))
BALL = 4 / 3 * np.pi * 0.01**3


def fed(**given):
    """A model, and a feeder of balls of 1 cm radius in it."""
    model = ns.Model(gravity=(0, 0, -9.81))
    return model, ns.feed_spheres(model, **({"region": BOX, "radius": 0.01, "density": 2500} | given))


@pytest.mark.parametrize(
    ("given", "count"),
    [
        ({"number": 7}, 7),
        ({"mass": 10.4 * 2500 * BALL}, 10),
        ({"solid_fraction": 0.2}, round(0.2 * 1e-3 / BALL)),
        ({"solid_fraction": 0.2, "volume": 5e-4}, round(0.2 * 5e-4 / BALL)),
        ({"region": ns.regions.Ball(centre=(0, 0, 0), radius=0.05), "solid_fraction": 0.4}, round(0.4 * 125)),
        (
            {"region": ns.regions.Cylinder(ends=[(0, 0, 0), (0, 0, 2)], radius=0.03), "solid_fraction": 0.1},
            round(0.1 * np.pi * 0.03**2 * 2 / BALL),
        ),
        ({"radius": [0.01, 0.02, 0.01, 0.03], "mass": 9.4 * 2500 * BALL}, 2),
        ({"radius": [0.01, 0.02, 0.01, 0.03], "mass": 9.6 * 2500 * BALL}, 3),
        ({"radius": [0.01, 0.02], "number": 1}, 1),
    ],
)
def test_the_nearest_number_of_balls_is_added(given, count):
    model, feeder = fed(**given)
    assert len(feeder.bodies) == len(model.bodies) == count
    assert all(abs(ball.mass - 2500 * 4 / 3 * np.pi * ball.radius**3) < 1e-15 for ball in feeder.bodies)
    radii = given.get("radius", [0.01] * count)
    assert [ball.radius for ball in feeder.bodies] == radii[:count]


def test_balls_come_at_their_rate_and_fill_a_bin():
    model, feeder = fed(number=60, rate=100.0, start=0.05, velocity=(0, 0, -1), seed=3, name="rain")
    normals = [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1)]
    offsets = [-0.01, -0.11, -0.01, -0.11, 0.0]
    walls = [model.add_plane(normal=n, offset=d) for n, d in zip(normals, offsets, strict=True)]
    model.add(SphereSphere(among=feeder.bodies, mu=0.3))
    model.add(SpherePlane(feeder.bodies, walls, mu=0.3))
    result = ns.simulate(model, t_end=1.0, h=1e-3)
    assert result.status
    assert result.present[[0, 40, 60, 200, -1]].sum(axis=1).tolist() == [0, 0, 1, 15, 60]
    assert result.events.of(feeder).t[0] == pytest.approx(0.05, abs=1.1e-3)
    assert result.position[-1, :, 2].max() < 0.12
    again = fed(number=60, rate=100.0, start=0.05, velocity=(0, 0, -1), seed=3, name="rain")[1]
    assert [ball.radius for ball in again.bodies] == [ball.radius for ball in feeder.bodies]


def test_a_fed_run_goes_through_a_file(tmp_path):
    model, feeder = fed(number=5, rate=100.0)
    model.add(SphereSphere(among=feeder.bodies))
    whole = ns.simulate(model, t_end=0.08, h=1e-3)
    ns.simulate(model, t_end=0.03, h=1e-3, recording=ns.Recording(file=tmp_path / "rain.h5"))
    rest = ns.resume(tmp_path / "rain.h5", t_end=0.08)
    assert np.array_equal(rest.state().position, whole.state().position)
    assert rest.present[-1].sum() == 5


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "number, mass, solid_fraction: give one of them"),
        ({"number": 3, "mass": 1.0}, "number, mass: give one of them"),
        ({"number": 0}, "number = 0"),
        ({"number": 20_000_000}, "number = 20000000: must be for at most 10000000 balls"),
        ({"mass": 1e-9}, "mass = 1e-09: must be at least half a ball"),
        ({"mass": -1.0}, "mass = -1.0"),
        ({"solid_fraction": 0.8}, "solid_fraction = 0.8: must be"),
        (
            {"solid_fraction": 0.2, "radius": [0.01, 0.01]},
            r"solid_fraction = 0.2: must be up to 0.00838, that of all 2",
        ),
        ({"number": 3, "radius": [0.01, 0.01]}, "radius = '2 radii': must be 3 or more"),
        ({"number": 3, "radius": 0.0}, "radius = 0.0"),
        ({"number": 3, "volume": 1.0}, "volume = 1.0: must be left out"),
        (
            {"solid_fraction": 0.2, "region": ns.regions.Box(low=(0, 0, 0), high=(1, 1, 0))},
            "volume = None: must be given for a Box",
        ),
        (
            {"number": 3, "region": ns.regions.HalfSpace(normal=(0, 0, 1))},
            "region = .*HalfSpace.*: must be regions.Ball",
        ),
        ({"number": 3, "rate": 0.0}, "rate = 0.0"),
        ({"number": 3, "name": ""}, "name = ''"),
        ({"number": 3, "density": 0}, "density = 0"),
    ],
)
def test_what_is_refused_adds_nothing(given, message):
    model = ns.Model()
    with pytest.raises(ValueError, match=message):
        ns.feed_spheres(model, **({"region": BOX, "radius": 0.01, "density": 2500} | given))
    assert not model.bodies
    assert not model.open_boundaries
