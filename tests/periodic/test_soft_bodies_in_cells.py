"""Compliant contact of solids, capsules and balls by nearest images."""

import itertools

import numpy as np
import pytest

import elements as e
import nsgalpha as ns
from elements.geometry import measure_sphere_sphere
from tests.periodic.cell_bodies import CELL, L, add_shape, cluster, images_of, shear
from tests.periodic.test_bodies_in_cells import PERIODS, SHIFTS, run, same_motion

LAWS = {
    "normal": e.SpringDashpot(stiffness=2e4, damping=5.0),
    "tangential": e.CundallStrack(stiffness=1e4, mu=0.3, damping=2.0),
}
STIFF, DEPTH, WEIGHT = 1e5, 2e-4, 10.0  # [N/m], [m], [m/s^2]
VERLET, IMPLICIT = ns.VelocityVerlet(), ns.SemiImplicit(implicitness=0.5)
SCHEMES = pytest.mark.parametrize(
    ("scheme", "h"),
    [(None, 4e-4), (VERLET, 2e-4), (IMPLICIT, 2e-4)],
    ids=["generalized alpha", "Verlet", "implicit"],
)


def solids(cell=CELL, **options):
    model = cluster(cell, shapes=("box", "hull", "cylinder", "sphere", "capsule"), law=None, **options)
    model.add(e.CompliantSolids(among=model.bodies, **LAWS))
    return model


def capsules(cell=CELL, **options):
    model = cluster(cell, shapes=("capsule", "sphere"), law=None, seed=7, **options)
    rods, balls = [*model.primitives], [*model.spheres]
    model.add(e.CompliantCapsules(among=rods, **LAWS))
    model.add(e.CompliantCapsuleSphere(rods, balls, **LAWS))
    model.add(e.CompliantSurfaces(measure_sphere_sphere, balls, **LAWS))
    return model


@SCHEMES
@pytest.mark.parametrize("scene", [solids, capsules])
def test_contacts_across_faces_and_of_other_images_are_those_within(scene, scheme, h):
    free = run(scene(None), 0.3, h, scheme=scheme)
    assert np.linalg.norm(free.velocity[-1] - free.velocity[0], axis=1).min() > 0.2
    for shift in (SHIFTS[1], SHIFTS[3], SHIFTS[4]):
        same_motion(run(scene(shift=shift), 0.3, h, scheme=scheme), free, shift)
    same_motion(run(scene(periods=PERIODS), 0.3, h, scheme=scheme), free, L * PERIODS)


def test_a_run_continues_from_a_file_to_the_bit(tmp_path):
    path, shift = tmp_path / "half.h5", SHIFTS[3]
    whole = run(solids(shift=shift), 0.3, 4e-4)
    half = run(solids(shift=shift), 0.15, 4e-4, recording=ns.Recording(file=path))
    assert len(half.compliant_contacts(-1).gap) > 3
    rest = ns.simulate(ns.load(path).model, t_end=0.3, h=4e-4, state=ns.load(path).state())
    assert np.array_equal(rest.position[-1], whole.position[-1])


@pytest.mark.parametrize("scheme", [None, VERLET], ids=["generalized alpha", "Verlet"])
@pytest.mark.parametrize("axis", [0, 2])
def test_a_row_around_the_cell_is_pressed_by_its_overlaps(axis, scheme):
    """Six boxes, each DEPTH within the next: six forces k d, which the cell carries."""
    period = np.full(3, 1.2)
    period[axis] = 6 * (0.2 - DEPTH)
    model = ns.Model(periodic=tuple(period))
    for k in range(6):
        place = np.array([0.03, 0.5, -7.01]) + (0.2 - DEPTH) * (k + 6 * (k % 3)) * np.eye(3)[axis]
        model.add_box((0.2,) * 3, mass=1.0, position=place)
    model.add(e.CompliantSolids(among=model.bodies, normal=e.SpringDashpot(stiffness=STIFF, damping=10.0)))
    result = run(model, 0.02, 2e-4, scheme=scheme)
    assert abs(result.position - result.position[0]).max() < 1e-12
    last = result.compliant_contacts(-1)
    pair = np.minimum(last.body_a, last.body_b) * 6 + np.maximum(last.body_a, last.body_b)
    force = [np.linalg.norm(last.force[pair == each].sum(axis=0)) for each in np.unique(pair)]
    assert len(force) == 6
    assert np.array(force) == pytest.approx(STIFF * DEPTH, rel=1e-9)
    exact = np.zeros((3, 3))
    exact[axis, axis] = -STIFF * DEPTH / 1.2**2
    assert abs(ns.mean_stress(result).total[-1] - exact).max() < 1e-9 * abs(exact).max()


def test_layers_of_boxes_on_a_plane_carry_their_weight():
    """Each upper box stands on four, across faces too; sigma_zz is a mean."""
    size = np.array([0.2, 0.2, 0.1])
    model = ns.Model(gravity=(0, 0, -WEIGHT), periodic=(1.2, 1.2, None))
    normal = e.SpringDashpot(stiffness=STIFF, damping=200.0)
    for k, i, j in itertools.product(range(2), range(6), range(6)):
        place = size * [i + 0.5 * k, j + 0.5 * k, k + 0.5] + [0.07, -5.13, -1e-4 * (k + 1)]
        model.add_box(0.98 * size + [0, 0, 0.002], mass=1.0, position=place)
    law = {"normal": normal, "tangential": e.CundallStrack(stiffness=STIFF, mu=0.4, damping=50.0)}
    model.add(e.CompliantSolids(among=model.bodies, **law))
    model.add(e.CompliantSolidPlane([*model.bodies[:36]], model.add_plane(normal=(0, 0, 1)), **law))
    result = run(model, 0.4, 4e-4, record_every=100)
    moved = result.position[-1] - result.position[0]
    assert abs(moved[:, :2]).max() < 1e-9
    assert np.ptp(moved[36:, 2]) < 1e-9
    low = -0.5 * 20.0 / STIFF  # [m] height of the contact points on the plane
    stress = ns.mean_stress(result, volume=1.2**2 * 0.2).total[-1]
    exact = -WEIGHT * (result.position[-1, :, 2] - low).sum() / (1.2**2 * 0.2)
    assert stress[2, 2] == pytest.approx(exact, rel=1e-6)


@pytest.mark.parametrize(("scheme", "h"), [(None, 4e-4), (VERLET, 2e-4)], ids=["implicit", "Verlet"])
@pytest.mark.parametrize("scene", [solids, capsules])
def test_images_that_move_are_bodies_in_the_frame_of_the_image(scene, scheme, h):
    free, way = run(scene(None), 0.3, h, scheme=scheme), np.array([0.4, L / 2, 7.1])
    for shift, periods in ((way, 0.0 * PERIODS), (way, PERIODS), (-way, PERIODS)):
        sheared = run(scene(motion=shear(), shift=shift, periods=periods), 0.3, h, scheme=scheme)
        error = 1e-8 if scheme is None else 1e-6  # friction feels lists of candidates in explicit steps
        assert same_motion(sheared, free, images_of(periods, free.t) + shift, error)


def balls(as_surfaces, motion):
    """Balls of a dense cell that moves, by one of two elements."""
    rng = np.random.default_rng(2)
    model = ns.Model(periodic=(0.64,) * 3, cell_motion=motion)
    for place in np.ndindex(3, 3, 3):
        x = 0.64 / 3 * (np.array(place) + 0.5) + rng.uniform(-0.01, 0.01, 3)
        model.add_sphere(radius=0.1, mass=1.0, position=x, velocity=rng.normal(0, 0.5, 3))
    if as_surfaces:
        model.add(e.CompliantSurfaces(measure_sphere_sphere, model.spheres, **LAWS))
    else:
        model.add(e.CompliantSphereSphere(among=model.spheres, **LAWS))
    return model


@pytest.mark.parametrize(
    ("kind", "scheme"),
    [("shear", None), ("shear", VERLET), ("strains", None), ("strains", VERLET), ("stress", VERLET)],
)
def test_primitives_in_a_cell_that_moves_are_spheres_with_their_stress(kind, scheme):
    motions = {
        "shear": ns.CellMotion(flow="x", gradient="y", shear_rate=2.0, affine=True),
        "strains": ns.CellMotion(strain_rate=(-0.1, -0.2, 0.05)),
        "stress": ns.CellMotion(stress=(-200.0, -300.0, -100.0), viscosity=500.0, max_rate=1.0),
    }
    one, two = (
        run(balls(each, motions[kind]), 0.1, 2e-4, scheme=scheme, record_every=20) for each in (False, True)
    )
    assert np.asarray(one.stats.contacts).max() > 8
    error = 1e-10 if scheme is None else 1e-7  # explicit steps begin contacts of both in different ways
    assert abs(one.position - two.position).max() < error
    assert abs(one.velocity - two.velocity).max() < 100 * error
    stress, other = (ns.mean_stress(each).total[:] for each in (one, two))
    assert abs(stress).max() > 10.0
    assert abs(stress - other).max() < 1e4 * error * abs(stress).max()


def test_momentum_is_kept_in_a_sheared_cell():
    result = run(solids(motion=shear(), shift=SHIFTS[3]), 0.3, 2e-4, scheme=VERLET)
    momentum = result.velocity[:].sum(axis=1)
    assert abs(np.diff(result.velocity[:], axis=0)).max() > 1e-3
    assert abs(momentum - momentum[0]).max() < 1e-11


def dish(cell, shift=(0, 0, 0)):
    """A dish of triangles with solids in it."""
    middle = np.array(shift) + L / 2
    model = ns.Model(gravity=(0, 0, -WEIGHT), periodic=cell)
    x, y = np.meshgrid(*(np.linspace(-0.35, 0.35, 5),) * 2, indexing="ij")
    ground = model.add_body(fixed=True, position=middle - np.array([0, 0, 0.2]))
    corners, faces = ns.height_field(0.8 * (x * x + y * y), 0.7 / 4)
    model.add_mesh(corners - np.array([0.35, 0.35, 0]), faces, carrier=ground)
    for k, shape in enumerate(("box", "hull", "cylinder", "cone")):
        place = middle + 0.2 * np.array([np.cos(0.5 * np.pi * k), np.sin(0.5 * np.pi * k), 1])
        add_shape(model, shape, position=place, rotation=(0.8, 0.36, 0.48, 0))
    model.add(e.CompliantContact(among=model.bodies, **LAWS))
    return model


def test_solids_meet_images_of_meshes():
    free = run(dish(None), 0.3, 2e-4, scheme=VERLET)
    assert np.linalg.norm(free.velocity[-1, 1:] - [0, 0, -0.3 * WEIGHT], axis=1).min() > 0.2
    for shift in (SHIFTS[3], SHIFTS[4]):
        same_motion(run(dish(CELL, shift), 0.3, 2e-4, scheme=VERLET), free, shift)
