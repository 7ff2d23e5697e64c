"""Still pictures and films of a result, painted off-screen."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import numpy as np

from nsgalpha.checks import choice, count, instance, integer, named, number_in, positive, refuse, truth
from nsgalpha.checks import path as checked_path
from nsgalpha.jit.processors import processors
from nsgalpha.model.handles import couple
from nsgalpha.run.result import Result
from nsgalpha.show.camera import Camera, fitting
from nsgalpha.show.painter import Picture
from nsgalpha.show.picture_view import view_of
from nsgalpha.show.scene import Scene, scene_of
from nsgalpha.show.user_choices import nearest, record_at, result_of
from nsgalpha.user_files import replacing

COLOURINGS = ("body", "speed", "status")
MOST = 1_000_000  # pictures of a film
MOST_THREADS = 8  # by default: reading, and writing the film, are not shared
LARGEST = 16_384  # pixels of a side
PAGES = (".svg", ".pdf")


@named
def look(
    result: Result | Scene,
    *,
    azimuth: float = -65.0,
    elevation: float = 30.0,
    angle: float = 30.0,
    zoom: float = 1.0,
    aspect: float = 4.0 / 3.0,
) -> Camera:
    """A camera on the bodies of a run, or part of long paths, for `still` and `film`.

    azimuth [deg] about the vertical from the x axis and elevation [deg] above the horizon: where it stands;
    angle [deg] of its view; zoom > 1 goes nearer; aspect: width of the picture over its height.

    Raises ValueError if a number is out of its range, or there is nothing to see.
    """
    scene = result if isinstance(result, Scene) else scene_of(result_of(result))
    number_in("azimuth", azimuth, -np.inf, np.inf, open_low=True, open_high=True)
    number_in("elevation", elevation, -90.0, 90.0)
    number_in("angle", angle, 0.0, 170.0, open_low=True, remedy="30 degrees are usual")
    box = scene.view_low, scene.view_high
    camera = fitting(*box, scene.up, azimuth, elevation, angle, positive("aspect", aspect))
    target = np.asarray(camera.target)
    eye = target + (np.asarray(camera.eye) - target) / positive("zoom", zoom)
    return Camera(eye, target, camera.up, angle)


@named
def still(
    result: Result,
    path: str | Path | None = None,
    *,
    t: float | None = None,
    camera: Camera | None = None,
    colour: str = "body",
    size: tuple[int, int] = (960, 720),
    contact_shapes: bool = False,
) -> Picture:
    """Picture (height, width, 3), red, green, blue, 0 to 255, of the recorded state nearest to `t` [s].

    t: None for the last state. path: of an image file to write as well: .png or another type of Pillow, or
    .svg and .pdf, which hold the same pixels. camera: by default that of `look`. colour: "body"; "speed",
    from 0 to the largest of the state; or "status" of the contacts. Every second octant of a ball is bright,
    which shows how it turns. The nodes of a surface have one colour.
    size: (width, height). contact_shapes: draw the shapes for contact of bodies that have visual ones.

    Raises ValueError for times that are not recorded, other colours and sizes, or nothing to see; OSError
    where the file cannot be written: an existing one then stays as it was.
    """
    size = _checked(colour, size, camera)
    truth("contact_shapes", contact_shapes)
    file = None if path is None else _image("path", path)
    scene = scene_of(result_of(result))
    record = record_at(result, t)
    camera = camera or look(scene, aspect=size[0] / size[1])
    seen: dict[str, Any] = {"colour": colour, "size": size, "contact_shapes": contact_shapes}
    picture = view_of(result, scene, [record], camera, **seen).picture(record)
    if file is not None:
        with replacing(file) as draft:
            _write_still(draft, picture)
    return picture


def _write_still(path: Path, picture: Picture) -> None:
    """The pixels as a file: an image, or a page of their size without loss."""
    if path.suffix.lower() not in PAGES:
        from PIL import Image

        Image.fromarray(picture).save(path)
        return
    from matplotlib.figure import Figure

    height, width = picture.shape[:2]
    page = Figure(figsize=(width / 72.0, height / 72.0), dpi=72)
    page.add_axes((0.0, 0.0, 1.0, 1.0), frameon=False, xticks=[], yticks=[]).imshow(
        picture, interpolation="none", aspect="auto"
    )
    page.savefig(path)


@named
def film(
    result: Result,
    path: str | Path,
    *,
    speed: float = 1.0,
    fps: int = 30,
    camera: Camera | None = None,
    colour: str = "body",
    size: tuple[int, int] = (960, 720),
    contact_shapes: bool = False,
    threads: int | None = None,
) -> Path:
    """Write the run to `path` as a film, ".mp4" or ".gif", and return the path.

    speed: of the film over that of the run, below 1 for slow motion; fps: pictures per second, each of the
    nearest recorded state. threads: that paint pictures at the same time, by default one for each processor
    that may be used, up to 8. They make no difference to the pictures. Other arguments are those of `still`;
    "speed" is coloured up to the largest that is shown. MP4 needs the package imageio-ffmpeg, which
    `pip install nsgalpha[film]` brings.

    Raises ValueError as `still` does and for another ending, ImportError without imageio-ffmpeg, OSError
    where the file cannot be written.
    """
    path, size = checked_path("path", path), _checked(colour, size, camera)
    truth("contact_shapes", contact_shapes)
    threads = min(processors(), MOST_THREADS) if threads is None else count("threads", threads)
    if path.suffix not in (".mp4", ".gif"):
        raise refuse("path", str(path), "a name that ends with .mp4 or .gif")
    speed, fps = positive("speed", speed), integer("fps", fps, 1, 1000)
    times = np.asarray(result_of(result).t)
    pictures_shown = np.floor((times[-1] - times[0]) / speed * fps * (1.0 + 1e-12)) + 1
    if pictures_shown > MOST:
        raise refuse("speed", speed, f"such that the film has at most {MOST} pictures", "make it faster")
    shown = int(pictures_shown)
    records = nearest(times, times[0] + np.arange(shown) * speed / fps)
    scene = scene_of(result)
    camera = camera or look(scene, aspect=size[0] / size[1])
    seen: dict[str, Any] = {"colour": colour, "size": size, "contact_shapes": contact_shapes}
    view = view_of(result, scene, records, camera, **seen)
    write = _write_mp4 if path.suffix == ".mp4" else _write_gif
    with replacing(path) as draft, closing(view.pictures(records, min(threads, shown))) as pictures:
        write(draft, pictures, size, fps)
    return path


def _write_mp4(path: Path, pictures: Iterator[Picture], size: tuple[int, int], fps: int) -> None:
    try:
        import imageio_ffmpeg
    except ImportError as error:
        message = "films in MP4 need imageio-ffmpeg: pip install nsgalpha[film], or write a .gif"
        raise ImportError(message) from error
    width, height = size
    given = f"-f rawvideo -pix_fmt rgb24 -video_size {width}x{height} -framerate {fps} -i -"
    wanted = "-c:v libx264 -pix_fmt yuv420p -crf 20 -movflags +faststart -f mp4"  # understood by every player
    # a name alone may be taken for an option or the address of a server
    command = [
        imageio_ffmpeg.get_ffmpeg_exe(),
        *f"-y -loglevel error {given} {wanted}".split(),
        f"file:{path}",
    ]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as ffmpeg:
        assert ffmpeg.stdin is not None
        with suppress(BrokenPipeError):  # it has ended, and says why
            for picture in pictures:
                ffmpeg.stdin.write(picture.tobytes())
        _, said = ffmpeg.communicate()
    if ffmpeg.returncode:
        raise OSError(f"ffmpeg could not write the film: {said.decode(errors='replace').strip()}")


def _write_gif(path: Path, pictures: Iterator[Picture], size: tuple[int, int], fps: int) -> None:
    from PIL import Image

    # an octree keeps the colours of things that are small in the picture, dithers would flicker
    octree, none = Image.Quantize.FASTOCTREE, Image.Dither.NONE
    images = (Image.fromarray(picture).quantize(256, octree, dither=none) for picture in pictures)
    duration = 10 * max(2, round(100 / fps))
    with path.open("wb") as stream:  # which Pillow would leave open when it is interrupted
        next(images).save(stream, "GIF", save_all=True, append_images=images, duration=duration, loop=0)


def _image(name: str, path: str | Path) -> Path:
    """`path` if it ends as the name of an image does, or a ValueError."""
    from PIL import Image

    file = checked_path(name, path)
    if file.suffix.lower() not in (*Image.registered_extensions(), *PAGES):
        raise refuse(name, str(path), "a name that ends with .png, .svg, .pdf, .jpg or as another image does")
    return file


def _checked(colour: str, size: tuple[int, int], camera: Camera | None) -> tuple[int, int]:
    choice("colour", colour, COLOURINGS)
    instance("camera", camera, Camera | None, "a Camera, such as look(result)")
    width, height = (integer("size", value, 1, LARGEST) for value in couple("size", size, "(width, height)"))
    if width % 2 or height % 2:
        raise refuse("size", size, "even numbers of pixels")
    return width, height
