import base64
import io
import re
import subprocess
import threading

import numpy as np
import pytest
from PIL import Image
from shown_runs import rack, shapes, slide, soft

import nsgalpha as ns
from elements import icosphere
from nsgalpha import show
from nsgalpha.show import picture_view
from nsgalpha.show.colours import STATUS_COLOURS, STATUSES, body_colours, rgb, scale_colours

SIZE = (240, 180)


def near(picture, colour):
    """Pixels with about the hue of `colour`, shaded or not."""
    unit = np.array(colour) - np.mean(colour)
    part = picture - picture.mean(axis=2, keepdims=True)
    length = np.linalg.norm(part, axis=2)
    return (length > 25) & (part @ unit / np.linalg.norm(unit) > 0.97 * length)


def test_balls_are_where_they_are():
    result = slide()
    camera = show.look(result)
    picture = show.still(result, t=0.5, size=SIZE, camera=camera).astype(float)
    for ball, colour in ((0, "#1f4e79"), (1, "#c0504d")):
        x, y, z = camera.coordinates(result.position[250, ball])
        scale = 0.5 * SIZE[1] / np.tan(np.radians(0.5 * camera.angle))
        rows, columns = np.nonzero(near(picture, rgb(colour)))
        assert len(rows) > 30
        assert columns.mean() == pytest.approx(SIZE[0] / 2 + scale * x / z, abs=3)
        assert rows.mean() == pytest.approx(SIZE[1] / 2 + scale * y / z, abs=3)


def test_speed_and_status_give_the_colours():
    result = slide()
    camera = show.look(result)
    slow, fast = scale_colours(np.array([0.0, 1.0]))
    picture = show.still(result, t=0.1, size=SIZE, camera=camera, colour="speed").astype(float)
    assert near(picture, fast).sum() > 20  # the first moves, the second rests
    assert near(picture, slow).sum() > 20
    picture = show.still(result, t=0.1, size=SIZE, camera=camera, colour="status").astype(float)
    for name in ("slip", "stick"):
        assert near(picture, rgb(STATUS_COLOURS[STATUSES.index(name)])).sum() > 20
    picture = show.still(soft(), t=0.0, size=SIZE, colour="status").astype(float)
    assert near(picture, rgb(STATUS_COLOURS[STATUSES.index("touch")])).sum() > 200


def test_a_still_is_written_as_it_is_returned(tmp_path):
    picture = show.still(shapes(), tmp_path / "still.png", size=SIZE)
    assert picture.shape == (180, 240, 3)
    assert picture.dtype == np.uint8
    with Image.open(tmp_path / "still.png") as image:
        assert np.array_equal(np.asarray(image), picture)


@pytest.mark.parametrize("suffix", [".svg", ".pdf"])
def test_a_still_is_a_page_of_its_size_without_loss(tmp_path, suffix):
    path = tmp_path / f"still{suffix}"
    picture = show.still(shapes(), path, size=SIZE)
    content = path.read_bytes()
    if suffix == ".svg":
        assert b'viewBox="0 0 240 180"' in content
        (data,) = re.findall(rb'base64,([^"]*)"', content)
        with Image.open(io.BytesIO(base64.b64decode(data))) as image:
            assert np.array_equal(np.asarray(image.convert("RGB")), picture)
    else:
        assert b"/MediaBox [ 0 0 240 180 ]" in content
        assert b"/DCTDecode" not in content  # which is JPEG
        assert b"/Width 240" in content


def test_zoom_goes_nearer():
    result = rack()
    near_, far = (
        np.ptp(show.still(result, size=SIZE, camera=show.look(result, zoom=z)), axis=2) > 45 for z in (2, 1)
    )
    assert near_.sum() > 2 * far.sum() > 0


def test_a_film_has_a_picture_for_every_frame(tmp_path):
    imageio_ffmpeg = pytest.importorskip("imageio_ffmpeg")
    result = slide()
    path = show.film(result, tmp_path / "run.mp4", speed=2.0, fps=20, size=SIZE)
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-i", str(path), "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
    run = subprocess.run(command, capture_output=True, check=True)
    pictures = np.frombuffer(run.stdout, np.uint8).reshape(-1, 180, 240, 3)
    assert len(pictures) == 11
    assert re.search(rb"240x180.* 20 fps", run.stderr)
    for k in (0, 5, 10):
        still = show.still(result, t=0.1 * k, size=SIZE).astype(int)
        assert np.abs(still - pictures[k]).mean() < 4.0  # of 255: the film is compressed
    assert np.abs(pictures[0].astype(int) - pictures[10]).max() > 80


@pytest.mark.parametrize("colour", ["body", "status"])
def test_films_are_the_same_on_any_number_of_threads(tmp_path, colour):
    def film(threads):
        path = tmp_path / f"{threads}.gif"
        show.film(slide(), path, fps=20, speed=0.8, size=SIZE, colour=colour, threads=threads)
        return path.read_bytes()

    alone = film(1)
    assert Image.open(io.BytesIO(alone)).n_frames > 10
    assert all(film(threads) == alone for threads in (2, 3, 64, None))


def test_an_error_in_a_thread_is_that_of_the_film(tmp_path, monkeypatch):
    painted = []

    def failing(*arguments):
        painted.append(threading.current_thread())
        if len(painted) > 4:
            raise MemoryError("no memory for a picture")
        return paint(*arguments)

    paint = picture_view.paint
    monkeypatch.setattr(picture_view, "paint", failing)
    before = threading.active_count()
    with pytest.raises(MemoryError, match="no memory for a picture"):
        show.film(slide(), tmp_path / "a.gif", fps=40, size=SIZE, threads=3)
    assert painted[0] is threading.main_thread()
    assert threading.main_thread() not in painted[1:]
    assert threading.active_count() == before
    assert list(tmp_path.iterdir()) == []


def test_threads_of_a_film_are_a_number(tmp_path):
    for threads in (0, 1.5, "2", True):
        with pytest.raises(ValueError, match=r"threads = .*: must be an integer"):
            show.film(slide(), tmp_path / "a.gif", threads=threads)


def test_a_film_without_ffmpeg_is_a_gif(tmp_path):
    result = slide()
    path = show.film(result, tmp_path / "run.gif", fps=10, size=SIZE, colour="speed")
    with Image.open(path) as film:
        assert film.n_frames == 11
        assert film.info["duration"] == 100
        film.seek(10)
        last = np.asarray(film.convert("RGB")).astype(int)
    assert np.abs(last - show.still(result, size=SIZE, colour="speed")).mean() < 12.0


def test_colours_of_small_things_survive_a_gif(tmp_path):
    result = rack()
    still = show.still(result, t=0.0, size=(320, 240))
    path = show.film(result, tmp_path / "run.gif", fps=1, size=(320, 240))
    with Image.open(path) as film:
        first = np.asarray(film.convert("RGB")).astype(int)
    off = np.abs(first - still).max(axis=2)
    coloured = np.ptp(still.astype(int), axis=2) > 60
    assert 50 < coloured.sum() < 0.1 * coloured.size
    assert off[coloured].mean() < 12.0  # of 255; a palette by area takes 30 and more
    assert off.max() < 60


def test_a_film_that_cannot_be_written_says_why(tmp_path):
    pytest.importorskip("imageio_ffmpeg")
    with pytest.raises(OSError, match="its folder does not exist"):
        show.film(slide(), tmp_path / "nowhere" / "run.mp4", size=SIZE, fps=2)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda r, p: show.still(r, t=-1.0), r"t = -1.0: must be in \[0, 1\]"),
        (lambda r, p: show.still(r, colour="red"), "colour = 'red'"),
        (lambda r, p: show.still(r, size=(101, 100)), "size"),
        (lambda r, p: show.still(r, size=(100,)), "size"),
        (lambda r, p: show.film(r, p / "run.avi"), "path"),
        (lambda r, p: show.film(r, p / "run.gif", speed=0.0), "speed"),
        (lambda r, p: show.film(r, p / "run.gif", fps=0), "fps"),
        (lambda r, p: show.look(r, elevation=91), "elevation"),
        (lambda r, p: show.look(r, zoom=0), "zoom"),
    ],
)
def test_wrong_arguments_are_named(make, words, tmp_path):
    with pytest.raises(ValueError, match=words):
        make(slide(), tmp_path)


def test_a_surface_has_one_colour_and_the_next_one_another():
    model = ns.Model()
    x, triangles = icosphere(1)
    for k in (0, 1):
        nodes = [model.add_point(mass=1.0, position=each + np.array([3.0 * k, 0, 0])) for each in x]
        model.add_surface(nodes, triangles)
        model.add_mesh(nodes, triangles)
    ball = model.add_sphere(radius=1.0, mass=1.0, position=(6, 0, 0))
    result = ns.simulate(model, t_end=0.01, h=0.01)
    picture = show.still(result, size=SIZE, camera=show.look(result, azimuth=-90)).astype(float)
    parts = [near(picture, colour) for colour in body_colours(ball.index)[:3]]
    assert all(part.sum() > 500 for part in parts)
    middles = [np.nonzero(part)[1].mean() for part in parts]
    assert middles[0] < middles[1] < middles[2]
