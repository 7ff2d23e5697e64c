"""Spheres stated at once are those stated one by one, and errors name the row."""

import numpy as np
import pytest

import nsgalpha as ns

PLACES = [(0, 0, 0), (1, 0, 0), (0, 2, 0)]
FIELDS = "name", "radius", "mass", "inertia", "position", "velocity", "angular_velocity", "rotation", "turns"


@pytest.mark.parametrize("rows", [False, True])
def test_they_are_those_that_are_stated_one_by_one(rows):
    rng = np.random.default_rng(2)
    sizes = {"radius": (), "mass": (), "velocity": (3,), "angular_velocity": (3,), "rotation": (4,)}
    given = {name: rng.uniform(0.1, 2.0, (3, *size) if rows else size) for name, size in sizes.items()}
    one, many = ns.Model(), ns.Model()
    for model in (one, many):
        model.add_sphere(radius=1, mass=1, position=(9, 9, 9), name="sphere 2")  # a name that is in use
    for k, place in enumerate(PLACES):
        one.add_sphere(position=place, **{name: v[k] if rows else v for name, v in given.items()})
    made = many.add_spheres(position=PLACES, **given)
    assert many.bodies[1:] == made
    assert [int(body) for body in made] == [1, 2, 3]
    for a, b in zip(one.bodies, many.bodies, strict=True):
        assert all(np.array_equal(getattr(a, name), getattr(b, name)) for name in FIELDS)
        assert b.model is many


def test_values_are_copies():
    place, velocity = np.zeros((2, 3)), np.ones(3)
    model = ns.Model()
    model.add_spheres(position=place, radius=0.1, mass=1.0, velocity=velocity)
    place[:], velocity[:] = 7.0, 7.0
    model.bodies[0].velocity[:] = 3.0
    assert model.bodies[1].position.tolist() == [0.0, 0.0, 0.0]
    assert model.bodies[1].velocity.tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"position": (0, 0, 0)}, r"position = \(0, 0, 0\): must be N rows of three finite numbers"),
        ({"position": np.zeros((3, 2))}, "position = .*: must be N rows"),
        ({"radius": (1, 2)}, r"radius = \(1, 2\): must be a positive number, or 3 of them"),
        ({"radius": (1, 0, 1)}, r"radius\[1\] = 0.0: must be positive and finite"),
        ({"mass": (1, 1, -2)}, r"mass\[2\] = -2.0: must be positive and finite"),
        ({"mass": 1e-300, "radius": 1e-90}, r"mass\[0\] = 1e-300: must be such that the inertia"),
        ({"velocity": np.zeros((2, 3))}, "velocity = .*: must be 3 finite numbers, or 3 rows of them"),
        ({"angular_velocity": (np.inf, 0, 0)}, "angular_velocity = .*: must be 3 finite numbers"),
        ({"rotation": [(1, 0, 0, 0), (0, 0, 0, 0), (1, 0, 0, 0)]}, r"rotation\[1\] = .*: must be different"),
    ],
)
def test_wrong_rows_are_named_and_nothing_is_added(wrong, words):
    model = ns.Model()
    with pytest.raises(ValueError, match=words):
        model.add_spheres(**{"position": PLACES, "radius": 0.1, "mass": 1.0} | wrong)
    assert model.bodies == []
    assert model.add_sphere(position=PLACES[0], radius=0.1, mass=1.0).name == "sphere 0"
