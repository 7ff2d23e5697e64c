from dataclasses import replace

import numpy as np
import pytest
from shown_runs import rack, shapes, slide

import nsgalpha as ns
from nsgalpha.show.row_reader import picked, rows_at
from nsgalpha.show.scene import scene_of
from verification.billiard_break.model import LENGTH, WIDTH


def corners(scene, result, face, record=0):
    return scene.points(*scene.pose(result, record))[scene.faces[face]]


def test_a_table_ends_at_its_cushions():
    result = rack()
    scene = scene_of(result)
    cloth = corners(scene, result, 0)
    assert np.allclose(cloth.max(axis=0), (LENGTH / 2, WIDTH / 2, 0), atol=1e-12)
    assert np.allclose(cloth.min(axis=0), (-LENGTH / 2, -WIDTH / 2, 0), atol=1e-12)
    for face in range(1, 5):  # cushions stand on the cloth
        assert corners(scene, result, face)[:, 2].min() == pytest.approx(0.0, abs=1e-12)


def test_faces_lie_on_their_planes_with_their_normals():
    result = slide()
    face = corners(scene_of(result), result, 0)
    assert np.allclose(face[:, 2], 0.0)
    normal = np.cross(face[1] - face[0], face[2] - face[1])
    assert normal[2] > 0.0
    assert np.allclose(normal[:2], 0.0)


def test_faces_move_with_what_carries_them():
    result = shapes()
    scene = scene_of(result)
    moving, carried = (np.flatnonzero(scene.is_plane)).tolist()
    for record in (0, 50, 100):
        t = result.t[record]
        assert np.allclose(corners(scene, result, moving, record)[:, 0], t - 0.9)
        s, x, y, z = result.rotation[record, 0]
        normal = np.array([2 * (x * z + s * y), 2 * (y * z - s * x), 1 - 2 * (x * x + y * y)])
        face = corners(scene, result, carried, record)
        assert np.allclose((face - result.position[record, 0]) @ normal, -0.3)


def test_rods_and_balls_of_primitives_move_with_their_bodies():
    result = shapes()
    scene = scene_of(result)
    points = scene.points(*scene.pose(result, 100))
    capsule = points[scene.rods[0]]
    assert np.allclose(capsule.mean(axis=0), result.position[100, 0])
    assert np.linalg.norm(capsule[1] - capsule[0]) == pytest.approx(0.4)
    assert sorted(scene.rod_radius.tolist()) == [0.02, 0.03, 0.03, 0.03, 0.03, 0.05, 0.06]
    triangle = next(
        f for f, p in zip(scene.faces, scene.is_plane, strict=True) if scene.owner[f[0]] == 2 and not p
    )
    assert np.allclose(points[triangle], result.position[100, 2:5])


def test_a_plate_is_as_thick_as_twice_its_radius():
    scene = scene_of(shapes())
    sides = [scene.place[face][:, 2] for face in scene.faces if scene.owner[face[0]] == 1]
    assert np.allclose(sorted(side[0] for side in sides), [-0.03, 0.03])


def test_the_ball_around_another_is_hollow():
    result = shapes()
    names = [body.name for body in result.model.bodies]
    assert np.flatnonzero(scene_of(result).hollow).tolist() == [names.index("shell")]


def test_the_scene_holds_all_that_moves():
    result = rack()
    scene = scene_of(result)
    assert (result.position.min(axis=(0, 1)) >= scene.low).all()
    assert (result.position.max(axis=(0, 1)) <= scene.high).all()


def test_a_floor_that_nothing_bounds_reaches_beyond_the_scene_and_a_table_does_not():
    result, table = slide(), rack()
    near, wide = scene_of(result), scene_of(result, spread=1.5)
    size = (near.view_high - near.view_low).max()
    assert wide.spread == pytest.approx(1.5 * size)
    assert np.allclose(
        np.ptp(corners(wide, result, 0), axis=0) - np.ptp(corners(near, result, 0), axis=0),
        (3 * size, 3 * size, 0),
    )
    assert np.array_equal(wide.view_high, near.view_high)
    assert np.allclose(np.ptp(corners(scene_of(table, spread=1.5), table, 0), axis=0), (LENGTH, WIDTH, 0))


def test_the_view_is_that_of_the_bodies_on_an_open_floor():
    model = ns.Model(gravity=(0, 0, -9.81))
    model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0.1), velocity=(100.0, 0, 0))
    model.add_plane(normal=(0, 0, 1))
    scene = scene_of(ns.simulate(model, t_end=1.0, h=0.1))
    assert (scene.view_high - scene.view_low)[1] < 0.5  # 2 r and margins, though the floor is wider
    assert np.ptp(scene.place[scene.faces[0]], axis=0)[1] > 3.9


def test_planes_that_bodies_carry_are_as_large_as_bodies_and_bound_nothing():
    model = ns.Model(gravity=(0, 0, -9.81))
    model.add_plane(normal=(0, 0, 1), name="floor")
    model.add_sphere(radius=0.05, mass=1.0, position=(2.0, 0, 0.05))
    jaw = model.add_body(mass=1.0, inertia=(1, 1, 1), position=(0, 0, 1.0))
    model.add_plane(normal=(1, 0, 0), offset=0.01, body=jaw)
    result = ns.simulate(model, t_end=0.02, h=0.01)
    scene = scene_of(result)
    floor, face = (np.ptp(corners(scene, result, k), axis=0) for k in (0, 1))
    assert np.allclose(face, (0.0, 0.22, 0.22))
    assert floor[0] > 2.0


def test_walls_that_others_bound_are_whole_and_end_above_the_bodies():
    model = ns.Model(gravity=(0, 0, -9.81))
    for normal in ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0)):
        model.add_plane(normal=normal, offset=-1.0)
    model.add_plane(normal=(0, 0, 1))
    for x in (-0.5, 0.5):
        model.add_sphere(radius=0.1, mass=1.0, position=(x, 0, 0.1))
    result = ns.simulate(model, t_end=0.1, h=0.05)  # no ball comes near them
    scene = scene_of(result)
    for k, extent in enumerate([(0, 2), (0, 2), (2, 0), (2, 0)]):
        wall = np.ptp(corners(scene, result, k), axis=0)
        assert np.allclose(wall[:2], extent)
        assert 0.2 < wall[2] < 0.6


def test_masses_without_a_shape_are_dots():
    model = ns.Model()
    for x in (0.0, 1.0):
        model.add_point(position=(x, 0, 0), mass=1.0)
    scene = scene_of(ns.simulate(model, t_end=0.1, h=0.05))
    assert scene.owner[scene.rods].tolist() == [[0, 0], [1, 1]]
    assert np.allclose(scene.rod_radius, 0.012 * 1.08)


def test_a_body_far_from_all_others_is_not_framed():
    model = ns.Model()
    for x in (0.0, 1.0, 2.0, 1e4):
        model.add_sphere(radius=0.1, mass=1.0, position=(x, 0, 0))
    scene = scene_of(ns.simulate(model, t_end=0.1, h=0.05))
    assert np.ptp([scene.view_low[0], scene.view_high[0]]) < 3.0
    assert scene.high[0] > 1e4


def test_other_planes_do_not_cut_away_a_whole_face():
    model = ns.Model()
    model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 1.0))
    for offset in (0.0, 0.5):
        model.add_plane(normal=(0, 0, 1), offset=offset)
    result = ns.simulate(model, t_end=0.1, h=0.05)
    scene = scene_of(result)
    assert [corners(scene, result, k)[0, 2] for k in (0, 1)] == [0.0, 0.5]


def test_a_model_without_anything_is_refused():
    result = slide()
    empty = replace(result, model=ns.Model(), position=result.position[:, :0])
    with pytest.raises(ValueError, match="something to see"):
        scene_of(empty)


class Slices:
    """An array in a file that allows slices and counts read rows."""

    def __init__(self, values):
        self.values, self.rows, self.reads = values, 0, 0
        self.shape, self.dtype = values.shape, values.dtype

    def __getitem__(self, key):
        assert isinstance(key, slice)
        self.reads += 1
        self.rows += len(range(*key.indices(len(self.values))))
        return self.values[key]


@pytest.mark.parametrize("step", [1, 7, 400])
def test_rows_are_read_in_few_slices(step):
    values = np.arange(3000.0 * 300).reshape(3000, 300)
    rows = np.arange(5, 3000, step)
    stored = Slices(values)
    assert np.array_equal(rows_at(stored, rows), values[rows])
    far = step * 300 * 8 > 1 << 19
    assert stored.reads == (len(rows) if far else 1)
    assert stored.rows == (len(rows) if far else rows[-1] - rows[0] + 1)


def test_picked_states_have_their_contacts():
    result = slide()
    part = picked(result, [0, 50, 400, 500])
    for k, record in enumerate([0, 50, 400, 500]):
        assert part.t[k] == result.t[record]
        assert np.array_equal(part.rotation[k], result.rotation[record])
        mine = slice(part.contacts.start[k], part.contacts.start[k + 1])
        whole = slice(result.contacts.start[record], result.contacts.start[record + 1])
        for name in ("body_a", "gap", "wrench", "status"):
            assert np.array_equal(getattr(part.contacts, name)[mine], getattr(result.contacts, name)[whole])
        assert (np.asarray(part.contacts.record)[mine] == k).all()


@pytest.mark.parametrize(("velocity", "far"), [((1.0, 0.0, 0.0), 0.0), ((0.0, 0.0, 1.0), 2.0)])
def test_a_belt_is_drawn_where_it_is_and_a_lift_where_it_comes(velocity, far):
    model = ns.Model()
    model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 5.0))
    model.add_plane(normal=(0, 0, 1), motion=ns.ConstantVelocity(velocity=velocity))
    result = ns.simulate(model, t_end=2.0, h=0.1)
    scene = scene_of(result)
    (plane,) = np.flatnonzero(scene.is_plane).tolist()
    first, last = (corners(scene, result, plane, record) for record in (0, len(result.t) - 1))
    np.testing.assert_allclose(last - first, np.broadcast_to((0.0, 0.0, far), first.shape), atol=1e-12)
