"""Bodies of all shapes meet nearest images, in fixed and in sheared cells."""

import itertools

import numpy as np
import pytest

import elements as e
import nsgalpha as ns
from tests.periodic.cell_bodies import CELL, RATE, L, add_shape, cluster, images_of, shear
from tests.periodic.test_images import OTHER_SCHEMES

SHIFTS = [(L / 3,) * 3, (L / 2, 0, 0), (0, L / 2, L / 2), (L / 2,) * 3, (5.5 * L, -3.5 * L, 2.5 * L)]
PERIODS = np.random.default_rng(1).integers(-3, 4, (12, 3)).astype(float)
WEIGHT = 10.0  # [m/s^2]
ROUGH = {"mu": 0.2, "e_n": 0.6}
DEPTH, STIFF = 1e-3, 1e4  # [m], [N/m] of soft balls


def run(model, t_end=0.5, h=1e-3, **options):
    result = ns.simulate(model, t_end=t_end, h=h, **options)
    assert result.status, result.status
    return result


def same_motion(result, reference, way, error=1e-9):
    """True if bodies `way` (3,) or (n, N, 3) away move and turn alike."""
    assert abs(result.position - way - reference.position).max() < error
    assert abs(result.angular_velocity - reference.angular_velocity).max() < 100 * error
    return np.array_equal(result.stats.contacts, reference.stats.contacts)


def busy(result):
    """True if there are many impacts and contacts that slide."""
    status = np.asarray(result.contacts.status)
    return (np.asarray(result.stats.contacts) > 0).sum() > 20 and (status == "slip").sum() > 10


def test_contacts_across_faces_edges_and_corners_are_those_within():
    free = run(cluster(None))
    assert busy(free)
    for shift in SHIFTS:
        assert same_motion(run(cluster(shift=shift)), free, shift)


def test_a_body_is_any_of_its_images():
    free = run(cluster(None))
    assert same_motion(run(cluster(periods=PERIODS)), free, L * PERIODS)


def test_images_that_move_are_bodies_in_the_frame_of_the_image():
    free = run(cluster(None))
    shift = np.array([0.4, L / 2, 7.1])
    sheared = run(cluster(motion=shear(), shift=shift, periods=PERIODS))
    assert same_motion(sheared, free, images_of(PERIODS, free.t) + shift)


@OTHER_SCHEMES
def test_so_they_are_under_other_schemes_of_set_valued_contact(options):
    shapes, shift = ("box", "hull", "cylinder", "sphere", "capsule"), SHIFTS[3]
    error = 1e-8 if "accuracy" in options else 1e-9  # of steps whose length follows errors
    free = run(cluster(None, shapes=shapes), 0.3, **options)
    assert (np.asarray(free.stats.contacts) > 0).sum() > 10
    assert same_motion(run(cluster(shapes=shapes, shift=shift), 0.3, **options), free, shift, error)
    sheared = run(cluster(motion=shear(), shapes=shapes, periods=PERIODS), 0.3, **options)
    if "accuracy" in options:  # the steps are shorter, as images are faster
        away = sheared.position[-1] - free.position[-1] - images_of(PERIODS, free.t)[-1]
        assert abs(away).max() < 1e-5
    else:
        assert same_motion(sheared, free, images_of(PERIODS, free.t), error)


def tied(shift, cell):
    """The cluster with jointed boxes, a spring, and balls with compliant contact."""
    model = cluster(cell, shift=shift, shapes=("box", "hull", "cylinder"), law=None)
    middle, up = L / 2 + np.array(shift), np.array([0, 0, 1.0])
    soft = [model.add_sphere(radius=0.05, mass=0.1, position=middle + z * up) for z in (0.7, 0.79)]
    law = e.SpringDashpot(stiffness=1e3)
    model.add(e.CompliantSphereSphere(among=soft, normal=law))
    model.add(e.Spring([(soft[0], model.bodies[5])], stiffness=50.0, length=0.3))
    chain = [add_shape(model, "box", position=middle - z * up, velocity=2.0 * up) for z in (0.45, 0.6)]
    model.add(e.Spherical(*chain, point=middle - 0.53 * up))
    model.add(e.Contact(among=[*model.bodies[:12], *chain], mu=0.3, e_n=0.5))
    model.add(e.SphereSolid(soft, [*model.bodies[:12]], mu=0.2))
    return model


def test_joints_springs_and_soft_balls_stand_by():
    free = run(tied((0, 0, 0), None))
    assert busy(free)
    for shift in (SHIFTS[3], SHIFTS[4]):
        assert same_motion(run(tied(shift, CELL)), free, shift)


def dish(cell, shift):
    """A dish of triangles with bodies in it."""
    shapes, middle = ("box", "sphere", "capsule", "cylinder", "round box"), np.array(shift) + L / 2
    model = ns.Model(gravity=(0, 0, -WEIGHT), periodic=cell)
    x, y = np.meshgrid(*(np.linspace(-0.35, 0.35, 5),) * 2, indexing="ij")
    ground = model.add_body(fixed=True, position=middle - np.array([0, 0, 0.2]))
    corners, faces = ns.height_field(0.8 * (x * x + y * y), 0.7 / 4)
    model.add_mesh(corners - np.array([0.35, 0.35, 0]), faces, carrier=ground)
    for k, shape in enumerate(shapes):
        angle = 2 * np.pi * k / len(shapes)
        place = middle + 0.2 * np.array([np.cos(angle), np.sin(angle), 1])
        add_shape(model, shape, position=place, rotation=(0.8, 0.36, 0.48, 0))
    model.add(e.Contact(among=model.bodies, mu=0.3))
    return model


def test_bodies_meet_images_of_meshes():
    free = run(dish(None, (0, 0, 0)), 0.35)
    assert busy(free)
    for shift in (SHIFTS[3], SHIFTS[4]):
        assert same_motion(run(dish(CELL, shift), 0.35), free, shift)


GAS = 1.2  # [m] periods


def gas(motion=None, periods=None, law=None):
    """Hulls, boxes and capsules that turn and fly through a cell."""
    rng = np.random.default_rng(2)
    model = ns.Model(periodic=(GAS,) * 3, cell_motion=motion)
    periods = np.zeros((27, 3)) if periods is None else periods
    for k, (place, n) in enumerate(zip(np.ndindex(3, 3, 3), periods, strict=True)):
        x = 0.4 * np.array(place) + n * GAS + rng.uniform(0, 0.1, 3)
        v, w, q = rng.normal(0, 2, 3), rng.normal(0, 3, 3), rng.normal(size=4)
        v[0] += RATE * x[1] * (motion is not None)
        at = {"velocity": v, "angular_velocity": w, "rotation": q / np.linalg.norm(q)}
        add_shape(model, ("hull", "box", "capsule")[k % 3], position=x, **at)
    model.add(e.Contact(among=model.bodies, **(law or ROUGH)))
    return model


def test_a_gas_of_smooth_hulls_keeps_momentum_and_energy():
    result = run(gas(law={"e_n": 1.0}), 0.5, 5e-4, impacts="located")
    assert (np.asarray(result.stats.contacts) > 0).sum() > 30
    assert abs(result.position[-1] - result.position[0]).max() > GAS
    p = result.velocity.sum(axis=1)
    assert abs(p - p[0]).max() < 1e-11
    energy = result.energy("kinetic")
    assert abs(energy / energy[0] - 1.0).max() < 5e-6  # of second order


@pytest.mark.parametrize("motion", [None, shear()], ids=["fixed", "sheared"])
def test_a_gas_continues_from_a_file_to_the_bit(motion, tmp_path):
    whole, again = (run(gas(motion), 0.2) for _ in range(2))
    assert np.array_equal(whole.position, again.position)
    path = tmp_path / "half.h5"
    half = run(gas(motion), 0.1, recording=ns.Recording(file=path))
    assert np.asarray(half.stats.contacts).sum() > 3
    rest = ns.simulate(ns.load(path).model, t_end=0.2, h=1e-3, state=ns.load(path).state())
    assert np.array_equal(rest.position[-1], whole.position[-1])
    assert np.array_equal(rest.angular_velocity[-1], whole.angular_velocity[-1])


def test_lists_of_pairs_last_in_a_sheared_cell():
    """They are the same for bodies stated as other images, which the cell has moved."""
    periods = np.random.default_rng(4).integers(-3, 4, (27, 3)).astype(float)
    one, two = (run(gas(shear(), n), 0.4) for n in (None, periods))
    assert (np.asarray(one.stats.contacts) > 0).sum() > 20
    assert same_motion(two, one, images_of(periods, one.t, GAS), 1e-8)


def layer(shift, count=6, height=2):
    """Boxes that fill a cell along x and y, each upper one on four."""
    size = np.array([0.2, 0.2, 0.1])
    model = ns.Model(gravity=(0, 0, -WEIGHT), periodic=(count * 0.2, count * 0.2, None))
    for k, i, j in itertools.product(range(height), range(count), range(count)):
        place = size * [i + 0.5 * k, j + 0.5 * k, k + 0.5]
        model.add_box(size, mass=1.0, position=place + shift)
    model.add(e.Contact(among=[*model.bodies, model.add_plane(normal=(0, 0, 1))], mu=0.4))
    return model


@pytest.mark.parametrize("shift", [(0, 0, 0), (0.07, -5.13, 0)])
def test_a_layer_of_boxes_carries_its_weight_and_stays(shift):
    result = run(layer(shift), 0.1, 2e-3)
    assert abs(result.position[-1] - result.position[0]).max() < 1e-9
    last = result.contacts.at(-1)
    on_floor = np.asarray(last.plane) >= 0
    assert last.wrench[on_floor, 2].sum() == pytest.approx(72 * WEIGHT, rel=1e-8)
    between = np.zeros(72)
    np.add.at(between, np.asarray(last.body_b)[~on_floor], last.wrench[~on_floor, 2])
    np.add.at(between, np.asarray(last.body_a)[~on_floor], -last.wrench[~on_floor, 2])
    assert abs(between[36:] + WEIGHT).max() < 1e-7  # each on four, across faces as well


def row(axis, motion=None):
    """Four boxes in a row around a cell, which two soft balls close."""
    period = np.full(3, 1.2)
    period[axis] = 4 * 0.2 + 2 * 0.2 - DEPTH
    model = ns.Model(periodic=tuple(period), cell_motion=motion)
    shift, along = np.array([0.03, 0.5, -7.01]), np.eye(3)[axis]
    boxes = [model.add_box((0.2,) * 3, mass=1.0, position=shift + 0.2 * k * along) for k in range(4)]
    ends = [model.add_sphere(radius=0.1, mass=1.0, position=shift + 0.2 * k * along) for k in (4, -1)]
    model.add(e.SolidSolid(among=boxes, mu=0.3))
    model.add(e.SphereSolid(ends, boxes, mu=0.3))
    law = e.SpringDashpot(stiffness=STIFF, damping=50.0)
    model.add(e.CompliantSphereSphere(among=ends, normal=law))
    return model


@pytest.mark.parametrize("axis", [0, 2])
def test_a_row_around_the_cell_carries_the_force_of_its_images(axis):
    """The balls overlap across the face: k d in every contact, k d over the section the stress."""
    result = run(row(axis), 0.1)
    last = result.contacts.at(-1)
    pair = np.minimum(last.body_a, last.body_b) * 6 + np.maximum(last.body_a, last.body_b)
    force = [np.linalg.norm(last.wrench[pair == each, :3].sum(axis=0)) for each in np.unique(pair)]
    assert len(force) == 5
    assert np.array(force) == pytest.approx(STIFF * DEPTH, rel=1e-6)
    exact = np.zeros((3, 3))
    exact[axis, axis] = -STIFF * DEPTH / 1.2**2
    assert abs(ns.mean_stress(result).total[-1] - exact).max() < 1e-6 * abs(exact).max()
    assert abs(result.position[-1] - result.position[0]).max() < 1e-9


def test_a_row_in_a_cell_that_shortens_has_the_force_of_its_strain():
    """The period is linear in time: no image accelerates, and the balls yield."""
    rate = 0.02 / (1.2 - DEPTH)
    strain = (lambda t: (np.log(1 - rate * t), -rate / (1 - rate * t)), None, None)
    result = run(row(0, ns.CellMotion(strain=strain)), 0.1)
    stress = ns.mean_stress(result).contact[-1, 0, 0] * 1.2**2
    assert stress == pytest.approx(-STIFF * (DEPTH + 0.02 * 0.1) - 50.0 * 0.02, rel=1e-2)


def test_bodies_too_large_for_the_cell_are_named():
    model = ns.Model(periodic=(1.0, None, None))
    model.add_box((0.2, 0.2, 0.2), mass=1.0, position=(0, 0, 1), name="crate")
    model.add_box((9.0, 9.0, 0.2), fixed=True, position=(0, 0, 0), name="floor")
    model.add(e.Contact(among=model.bodies))
    words = r"periodic\[0\] = 1.0: must be at least 19.6\d* m, three times the distance .*SolidSolid acts"
    words += (
        r" \(from their centres reach 'crate' 0.17\d* m and 'floor' 6.36\d* m\); take smaller bodies, a plane"
    )
    with pytest.raises(ValueError, match=words):
        ns.simulate(model, t_end=0.1, h=0.01)
