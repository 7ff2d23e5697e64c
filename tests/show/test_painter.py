import numpy as np
import pytest

from nsgalpha.painting.pixel_shading import BACKGROUND
from nsgalpha.show.camera import Camera, fitting
from nsgalpha.show.face_cutting import cut, plane_face, shells
from nsgalpha.show.painter import Faces, Hits, Rounds, paint

UP = np.array([0.0, 0.0, 1.0])
FRONT = Camera((0, -10, 0), (0, 0, 0), angle=30.0)
SIZE = (200, 160)
NONE = Faces([], np.empty((0, 3)), np.empty(0), np.empty(0))


def balls(*rows, hollow=(), rotation=(1, 0, 0, 0)):
    """Balls, each (x, y, z, radius, colour)."""
    a = np.array([row[:3] for row in rows], float).reshape(-1, 3)
    seen = np.isin(np.arange(len(rows)), hollow)
    colours = np.array([row[4] for row in rows], float).reshape(-1, 3)
    radius = np.array([row[3] for row in rows], float)
    return Rounds(a, a.copy(), radius, seen, colours, np.tile(np.array(rotation, float), (len(rows), 1)))


def covered(picture):
    """Pixels that are not background."""
    return np.abs(picture.astype(int) - round(255 * BACKGROUND)).max(axis=2) > 8


def test_a_ball_covers_the_cone_that_touches_it():
    distance, radius = 10.0, 1.5
    picture = paint(FRONT, SIZE, balls((0, 0, 0, radius, (1, 0, 0))), NONE, UP)
    slope = radius / np.sqrt(distance**2 - radius**2)
    scale = 0.5 * SIZE[1] / np.tan(np.radians(15.0))
    assert covered(picture).sum() == pytest.approx(np.pi * (slope * scale) ** 2, rel=0.02)
    rows, columns = np.nonzero(covered(picture))
    assert abs(rows.mean() - 79.5) < 0.2
    assert abs(columns.mean() - 99.5) < 0.2


def test_depth_is_exact_in_the_middle_of_a_ball():
    hits = Hits(FRONT, 101, 101)
    hits.add_rounds(balls((0, 0, 0, 1.5, (1, 0, 0))))
    assert hits.depth[50, 50] == pytest.approx(8.5, rel=1e-6)
    hits = Hits(FRONT, 101, 101)
    hits.add_rounds(balls((0, 0, 0, 1.5, (1, 0, 0)), hollow=[0]))
    assert hits.depth[50, 50] == pytest.approx(11.5, rel=1e-6)


def test_right_is_right_and_up_is_up():
    hits = Hits(FRONT, 100, 80)
    hits.add_rounds(balls((1, 0, 0, 0.2, (1, 0, 0)), (0, 0, 1, 0.2, (1, 0, 0))))
    right, up = (np.argwhere(hits.thing == k).mean(axis=0) for k in (0, 1))
    assert right[1] > 60
    assert abs(right[0] - 39.5) < 1
    assert up[0] < 30
    assert abs(up[1] - 49.5) < 1


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_the_nearer_ball_hides_the_farther(order):
    rows = [(0, -2, 0, 0.5, (1, 0, 0)), (0, 2, 0, 0.5, (0, 0, 1))]
    picture = paint(FRONT, SIZE, balls(*(rows[k] for k in order)), NONE, UP)
    red, _, blue = picture[80, 100].astype(int)
    assert red > blue + 50


def test_what_is_in_a_hollow_ball_is_seen():
    ball = (0, 0, 0, 0.5, (0, 0, 1))
    shell = (0, 0, 0, 2.0, (1, 0, 0))
    open_, shut = (paint(FRONT, SIZE, balls(ball, shell, hollow=h), NONE, UP) for h in ([1], []))
    assert open_[80, 100, 2] > open_[80, 100, 0]
    assert shut[80, 100, 2] <= shut[80, 100, 0]


def test_marks_turn_with_the_ball():
    half, quarter = (0, 1, 0, 0), (np.sqrt(0.5), np.sqrt(0.5), 0, 0)
    ball = (0, 0, 0, 2, (0.5, 0, 0))
    still, turned, back = (
        paint(FRONT, SIZE, balls(ball, rotation=q), NONE, UP).astype(int)
        for q in ((1, 0, 0, 0), quarter, half)
    )
    assert np.abs(still - back).max() <= 1  # octants change places by half a turn, and look the same
    assert (np.abs(still - turned).max(axis=2) > 20)[covered(still)].mean() > 0.8


def test_a_short_rod_is_a_ball_and_a_long_one_is_not():
    ball = balls((0, 0, 0, 1, (0, 1, 0)))
    hits = []
    for end in (1e-7, 2.0):
        rod = ball._replace(a=np.array([[-end, 0, 0]]), b=np.array([[end, 0, 0]]))
        hits.append(Hits(FRONT, 200, 160))
        hits[-1].add_rounds(rod)
    alone = Hits(FRONT, 200, 160)
    alone.add_rounds(ball)
    assert (alone.thing != hits[0].thing).mean() < 1e-3
    seen = (alone.thing == 0) & (hits[0].thing == 0)
    assert np.abs(alone.depth[seen] - hits[0].depth[seen]).max() < 0.05
    scale = 80 / np.tan(np.radians(15.0))
    assert (hits[1].thing == 0).sum() == pytest.approx(
        (alone.thing == 0).sum() + 8 * (scale / 10) ** 2, rel=0.03
    )


def test_a_face_covers_its_area_from_both_sides():
    square = np.array([(-1, 0, -1), (1, 0, -1), (1, 0, 1), (-1, 0, 1)], float)
    scale = 80 / np.tan(np.radians(15.0)) / 10.0
    for corners in (square, square[::-1]):
        faces = Faces([corners], np.array([[1.0, 0, 0]]), np.ones(1), np.zeros(1))
        hits = Hits(FRONT, 200, 160)
        hits.add_faces(faces, np.array([0]), 0)
        assert (hits.thing == 0).sum() == pytest.approx((2 * scale) ** 2, rel=0.02)
        assert hits.depth[80, 100] == pytest.approx(10.0, rel=1e-6)


def test_a_face_that_goes_behind_the_eye_is_cut():
    floor = np.array([(-50, -50, -1), (50, -50, -1), (50, 50, -1), (-50, 50, -1)], float)
    hits = Hits(FRONT, 200, 160)
    hits.add_faces(Faces([floor], np.ones((1, 3)), np.ones(1), np.zeros(1)), np.array([0]), 0)
    assert (hits.thing[-1] == 0).all()
    assert (hits.thing[:80] == -1).all()


def test_a_translucent_face_lets_through():
    square = np.array([(-1, -3, -1), (1, -3, -1), (1, -3, 1), (-1, -3, 1)], float)
    ball = balls((0, 0, 0, 0.3, (1, 0, 0)))
    seen = []
    for opacity in (0.0, 0.5, 1.0):
        faces = Faces([square], np.array([[0.0, 0, 1.0]]), np.array([opacity]), np.zeros(1))
        seen.append(paint(FRONT, SIZE, ball, faces, UP)[80, 100].astype(int))
    assert seen[0][0] > seen[1][0] > seen[2][0]
    assert seen[0][2] < seen[1][2]


def test_a_ball_throws_a_shadow_on_the_floor():
    floor = np.array([(-4, -4, -1), (4, -4, -1), (4, 4, -1), (-4, 4, -1)], float)
    camera = Camera((0, -10, 6), (0, 0, 0), angle=40.0)
    faces = Faces([floor], np.full((1, 3), 0.8), np.ones(1), np.zeros(1))
    alone = paint(camera, SIZE, balls((0, 0, 20, 0.5, (1, 0, 0))), faces, UP).astype(int)
    below = paint(camera, SIZE, balls((0, 0, 0, 0.5, (1, 0, 0))), faces, UP).astype(int)
    darker = (alone - below).min(axis=2) > 40
    assert 30 < darker.sum() < 2000


def box_of_faces(middle, half):
    """The six faces of a cube."""
    corners = np.array([(i, j, k) for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)])
    quads = (0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)
    return [np.array(middle) + half * corners[list(quad)] for quad in quads]


@pytest.mark.parametrize("size", [1.0, 1e-6, 1e6])
def test_a_box_throws_a_shadow_on_a_plane_and_no_plane_on_a_box(size):
    plane = np.array([(-4, -4, -1), (4, -4, -1), (4, 4, -1), (-4, 4, -1)], float)
    roof = plane * (1.0, 1.0, -3.0)
    camera = Camera((0, -10 * size, 6 * size), (0, 0, 0), angle=40.0)
    pictures = []
    for middle, more in (((0, 0, 20), []), ((0, 0, 0), []), ((0, 0, 0), [roof])):
        corners = [plane, *box_of_faces(middle, 0.5), *more]
        cell = size * np.array([100.0, *np.zeros(6), *(100.0 for _ in more)])
        corners = [size * each for each in corners]
        faces = Faces(corners, np.full((len(corners), 3), 0.8), np.ones(len(corners)), cell)
        pictures.append(paint(camera, SIZE, balls(), faces, UP).astype(int))
    alone, below, roofed = pictures
    under = np.s_[70:, :]  # without the roof
    assert 30 < ((alone - below).min(axis=2) > 40).sum() < 2000
    assert (np.abs(roofed - below)[under] <= 1).all()


def test_a_box_does_not_shade_its_own_lit_faces():
    camera = Camera((4, -10, 6), (0, 0, 0), angle=12.0)
    for turn in np.linspace(0.0, 1.5, 7):
        c, s = np.cos(turn), np.sin(turn)
        corners = [
            face @ np.array([(c, s, 0), (-s, c, 0), (0, 0, 1)]) for face in box_of_faces((0, 0, 0), 0.6)
        ]
        faces = Faces(corners, np.full((6, 3), 0.8), np.ones(6), np.zeros(6))
        hits = Hits(camera, *SIZE)
        hits.add_faces(faces, np.arange(6), 0)
        picture = paint(camera, SIZE, balls(), faces, UP, fineness=1)
        for k in range(6):
            mine = hits.thing == k
            if mine.sum() > 50:
                assert np.ptp(picture[mine].astype(int), axis=0).max() <= 12  # by perspective alone


def test_a_fitting_camera_sees_the_box_and_no_more():
    low, high = np.array([-3.0, 1.0, 0.0]), np.array([5.0, 2.0, 0.5])
    corners = np.array(np.meshgrid(*zip(low, high, strict=True))).reshape(3, -1).T
    for azimuth, elevation, aspect in ((-65, 30, 4 / 3), (10, 0, 1.0), (200, 90, 2.0)):
        camera = fitting(low, high, UP, azimuth, elevation, 30.0, aspect)
        x, y, z = camera.coordinates(corners).T
        half = np.tan(np.radians(15.0))
        widest = max(np.abs(x / z).max() / (half * aspect), np.abs(y / z).max() / half)
        assert 0.9 < widest < 1.0


@pytest.mark.parametrize(
    "arguments",
    [
        {"eye": (0, 0, 0), "target": (0, 0, 0)},
        {"eye": (0, 0, 5), "target": (0, 0, 0)},
        {"eye": (1, 0, 5), "target": (0, 0, 0), "angle": 0.0},
        {"eye": (1, 0), "target": (0, 0, 0)},
    ],
)
def test_cameras_that_see_nothing_are_refused(arguments):
    with pytest.raises(ValueError, match=r"target|up|angle|eye"):
        Camera(**arguments)


def test_a_cut_face_keeps_what_is_above_the_plane():
    square = plane_face(np.array([0.0, 0.0, 1.0]), 2.0, np.array([1.0, 1.0, 0.0]), 3.0)
    assert np.allclose(square.min(axis=0), (-2, -2, 2))
    assert np.allclose(square.max(axis=0), (4, 4, 2))
    half = cut(square, np.array([1.0, 0.0, 0.0]), 1.0)
    assert np.allclose(half.min(axis=0), (1, -2, 2))
    assert np.allclose(half.max(axis=0), (4, 4, 2))
    assert len(cut(square, np.array([1.0, 0.0, 0.0]), 5.0)) == 0
    assert np.array_equal(cut(square, np.array([1.0, 0.0, 0.0]), -2.0), square)


def test_only_balls_that_hold_another_are_shells():
    x = np.array([(0, 0, 0), (0.5, 0, 0), (3, 0, 0), (4.4, 0, 0)], float)
    assert shells(x, np.array([1.0, 0.5, 1.0, 0.5])).tolist() == [True, False, False, False]
    assert not shells(x, np.ones(4)).any()
