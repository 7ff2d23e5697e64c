"""`check_geometry` accepts right geometries, of users too, and refuses wrong ones, each for its reason."""

import numpy as np
import pytest
from primitive_scenes import on_arrays

from elements.geometry import measure_sphere_sphere
from nsgalpha.system.primitive_measures import Measured
from nsgalpha.testing import check_geometry

C = 20
spheres = on_arrays(measure_sphere_sphere)


def scenes():
    rng = np.random.default_rng(0)
    a = rng.uniform([-1.0, -1.0, -0.5], [1.0, 1.0, -0.1], (C, 1, 3))
    b = rng.uniform([-1.0, -1.0, 0.1], [1.0, 1.0, 0.5], (C, 1, 3))
    return a, rng.uniform(0.5, 1.0, C), b, rng.uniform(0.5, 1.0, C)


WAYS = {"ways": 4.0 * np.random.default_rng(1).normal(size=(C, 3)) * [1.0, 1.0, 0.0]}


def of_a_user(corners_a, radius_a, corners_b, radius_b):
    """Two spheres in numpy."""
    d = corners_a[:, 0] - corners_b[:, 0]
    distance = np.linalg.norm(d, axis=1)
    n, one, zero = d / distance[:, None], np.ones(len(d)), np.zeros(len(d))
    overlap = radius_a + radius_b - distance
    point = corners_a[:, 0] - (radius_a - 0.5 * overlap)[:, None] * n
    each = one[:, None]
    effective = radius_a * radius_b / (radius_a + radius_b)
    return Measured(overlap, n, point, each, each, effective, zero, zero, one, zero > 0.0)


def test_a_function_of_numpy_is_a_geometry():
    check_geometry(of_a_user, *scenes(), exchange=True, **WAYS)


def changed(**by):
    """Spheres with some of the record replaced by functions of it and of the arguments."""

    def geometry(*arguments):
        here = spheres(*arguments)
        return here._replace(**{name: function(here, *arguments) for name, function in by.items()})

    return geometry


def ahead(here, a, ra, b, rb):
    """Contact points that are moved along x, in any scene."""
    return here.point - [0.1, 0.0, 0.0]


WRONG = {
    "record: normal has values": changed(normal=lambda here, *_: np.nan * here.normal),
    "record: a normal has the length": changed(normal=lambda here, *_: 2.0 * here.normal),
    "record: weight_a does not sum": changed(weight_a=lambda here, *_: 0.5 * here.weight_a),
    "record: a fraction": changed(fraction=lambda here, *_: here.fraction + (here.overlap < 0.1)),
    "vertices: point 0 of A": changed(overlap=lambda here, *_: 1.01 * here.overlap),
    "vertices: point 0 of B": changed(overlap=lambda here, a, ra, b, rb: here.overlap + 0.01 * b[:, 0, 0]),
    "rigid: A turned": changed(point=ahead),
    "motion: fraction": changed(
        fraction=lambda here, a, *_: np.where(here.overlap > 0.3, 1.0, 0.5 + 0.4 * np.sin(a[:, 0, 0]))
    ),
    "motion: a contact is rejected": changed(
        rejected=lambda here, a, *_: (here.overlap < 0.2) & (a[:, 0, 0] > 0)
    ),
    "units: contact_radius": changed(contact_radius=lambda here, *_: 0.0 * here.overlap + 0.1),
    "exchange: effective_radius": changed(effective_radius=lambda here, a, ra, *_: ra),
    "exchange: point": changed(point=lambda here, a, *_: a[:, 0]),
    "continuity: in scene": changed(rejected=lambda here, a, ra, b, rb: here.overlap > 0.3 * (ra + rb)),
}


@pytest.mark.parametrize("reason", WRONG)
def test_wrong_geometries_are_refused(reason):
    with pytest.raises(AssertionError, match=reason):
        check_geometry(WRONG[reason], *scenes(), exchange=True, **WAYS)


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"radius_a": np.ones(3)}, "radius_a"),
        ({"corners_b": np.zeros((C, 3))}, "corners_b"),
        ({"radius_b": np.full(C, -9.0)}, "smooth"),
        ({"radius_b": np.full(C, 1e-3), "radius_a": np.full(C, 1e-3)}, "smooth"),
    ],
)
def test_scenes_that_say_nothing_are_refused(change, match):
    names = ("corners_a", "radius_a", "corners_b", "radius_b")
    arguments = dict(zip(names, scenes(), strict=True)) | change
    with pytest.raises(ValueError, match=rf"^{match} = "):
        check_geometry(spheres, **arguments, **WAYS)


def test_ways_without_a_contact_are_refused():
    a, ra, b, rb = scenes()
    with pytest.raises(ValueError, match=r"^ways = "):
        check_geometry(
            spheres, a, 0.01 * ra, b, 0.01 * rb, smooth=lambda here: here.overlap < 0.0, ways=np.zeros((C, 3))
        )
