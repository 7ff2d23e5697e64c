"""Set-valued contact of spheres, capsules, cylinders, cones and rounded solids with meshes."""

import numpy as np
import pytest
from posed_pairs import least_point
from scipy.spatial.transform import Rotation

from elements import CapsuleMesh, SolidMesh, SphereMesh
from tests.solids.mesh_pair import MeshPair
from tests.solids.mesh_scenes import CORNERS, FACES

UP = (0, 0, 5)
R, L = 0.15, 0.5  # radius and length


def sphere(model, rng):
    return model.add_sphere(radius=R, mass=1.0, position=UP)


def ball(model, rng):
    """Off the centre of its body."""
    body = model.add_body(mass=1.0, inertia=np.eye(3), position=UP)
    return model.add_primitive([(0.1, -0.05, 0.02)], radius=R, carrier=body)


def capsule(model, rng):
    model.add_capsule(R, L, mass=1.0, position=UP)
    return model.primitives[-1]


def can(model, rng):
    return model.add_cylinder(R, L, mass=1.0, position=UP)


def cone(model, rng):
    return model.add_cone(R, L, mass=1.0, position=UP)


def rounded_box(model, rng):
    body = model.add_body(mass=1.0, inertia=np.eye(3), position=UP)
    return model.add_mesh(CORNERS * (0.15, 0.1, 0.08), FACES, carrier=body, radius=0.05)


ELEMENTS = {
    sphere: SphereMesh,
    ball: CapsuleMesh,
    capsule: CapsuleMesh,
    can: SolidMesh,
    cone: SolidMesh,
    rounded_box: SolidMesh,
}


def lowest_of(add, pair):
    """The lowest point of the core of a body along a vector, in its frame; the radius around the core."""
    if add in (can, cone):
        rim = pair.own[np.abs(np.linalg.norm(pair.own[:, :2], axis=1) - R) < 1e-9]
        ends = np.unique(rim[:, 2].round(12))
        tip = pair.own[np.linalg.norm(pair.own[:, :2], axis=1) < 1e-9]

        def lowest(n):
            across = np.array((n[0], n[1], 0.0))
            size = np.linalg.norm(across)
            around = -R * across / size if size > 0.0 else across
            points = np.vstack([*(around + (0, 0, z) for z in ends), *tip])
            return points[(points @ n).argmin()]

        return lowest, 0.0
    points = np.zeros((1, 3)) if add is sphere else pair.own
    return lambda n: points[(points @ n).argmin()], 0.05 if add is rounded_box else R


@pytest.mark.parametrize("add", ELEMENTS)
def test_rates_of_all_gaps_are_those_of_differences(add):
    rng, found = np.random.default_rng(1), set()
    for bumps in (0.05, 0.3):
        pair = MeshPair(add, ELEMENTS[add], bumps)
        for _ in range(200):
            found |= pair.check_rates(rng)
    assert found == {"vertex", "edge", "face"}


@pytest.mark.parametrize("bumps", [0.05, 0.3])
@pytest.mark.parametrize("add", ELEMENTS)
def test_the_least_gap_changes_its_sign_where_triangles_are_cut(add, bumps):
    """The body is let down until its core is less than the radius from a triangle."""

    def cuts(pair, x, turn):
        lowest, radius = lowest_of(add, pair)
        size = np.linalg.norm(pair.own, axis=1).max(initial=0.0) + radius
        T = pair.mesh.vertices[pair.mesh.triangles]
        near = ((T.max(axis=1) >= x - size) & (T.min(axis=1) <= x + size)).all(axis=1)
        for triangle in T[near]:

            def least(n, corners=triangle):
                return x + turn.apply(lowest(turn.inv().apply(n))) - corners[(corners @ n).argmax()]

            if np.linalg.norm(least_point(least, 1.0)) <= radius:
                return True
        return False

    pair, rng = MeshPair(add, ELEMENTS[add], bumps), np.random.default_rng(2)
    for _ in range(6):
        pair.check_landing(rng, cuts)
