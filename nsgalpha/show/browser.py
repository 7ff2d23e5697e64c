"""A run as one HTML file that plays in a browser: no server, no network, no other file.

The page carries the bundle web/viewer.js (three.js and web/source, see web/README.md) and the run as base64:
positions as 16-bit parts of the box in which all bodies stay, quaternions as 16-bit integers, speeds as parts
of the largest in 8 bits. Its content security policy allows that one script, and nothing from elsewhere.
"""

from __future__ import annotations

import base64
import json
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from nsgalpha.arrays import Floats, Ints
from nsgalpha.checks import path as checked_path
from nsgalpha.checks import positive, text, truth
from nsgalpha.files import write_text
from nsgalpha.run.result import Result
from nsgalpha.show.choices import has_compliant, nearest, result_of
from nsgalpha.show.colours import SCALE, STATUS_COLOURS, STATUSES, body_colours, table
from nsgalpha.show.pages import as_html, policy
from nsgalpha.show.pictures import BARE, FLOOR, WALL, look_at_scene
from nsgalpha.show.reading import picked
from nsgalpha.show.scene import Scene, scene_of
from nsgalpha.show.touching import Lines, body_status, contact_lines, set_valued_lines

RATE = 60.0  # frames per second of the run, but
FEWEST, MOST = 240, 1800  # frames of a run, as far as so many states are recorded
FULL = 0.99  # part of the contacts below the force with the full thickness: impacts are beyond it
WIDE, SIGNED, NARROW = 65535, 32767, 255  # largest numbers of 16 and 8 bits


def viewer(
    result: Result, path: str | Path, *, rate: float | None = None, contacts: bool = False, title: str = ""
) -> Path:
    """Write the run to the HTML file `path` and return it: open it in a browser, from wherever it lies.

    It plays, pauses, scrubs, turns and zooms with the mouse, and colours by body, speed or contact status. An
    address that ends with `#t=1.5`, `&colour=speed` or `&contacts=1` opens at that time and stands still.

    rate: frames per second of the run, each the nearest recorded state; by default 60, or as many as make
    240 to 1800 of them. Between frames the browser interpolates. contacts: keep the contacts of every frame,
    to be shown as rods with a thickness in proportion to the normal force; compliant ones are evaluated for
    it, and without that bodies that only touch by them count as free. title: of the page.

    Raises ValueError for a rate that is not positive, or nothing to see; OSError where the file cannot be
    written.
    """
    path, title, contacts = checked_path("path", path), text("title", title), truth("contacts", contacts)
    records = _records(np.asarray(result_of(result).t), rate)
    data = _data(picked(result, records), scene_of(result), contacts)
    (script, style), page = assets(), _asset("page.html")
    # '<' would end the element in which the data stand
    stated = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
    name = title or f"run of {len(result.model.bodies)} bodies to t = {float(result.t[-1]):g} s"
    parts = {"STYLE": style, "DATA": stated, "SCRIPT": script}
    parts |= {"POLICY": policy(scripts=[script], styles=[style]), "TITLE": as_html(name)}
    page = re.sub("@@([A-Z]+)@@", lambda token: parts[token[1]], page)
    write_text(path, page)
    return path


def assets() -> tuple[str, str]:
    """Script and style of the page."""
    return _asset("viewer.js"), _asset("style.css")


def _asset(name: str) -> str:
    return (files("nsgalpha.show") / "web" / name).read_text(encoding="utf-8")


def _records(times: np.ndarray, rate: float | None) -> list[int]:
    """Numbers of the recorded states that become frames; the first and the last are among them."""
    length = times[-1] - times[0]
    if rate is None:
        frames = int(np.clip(length * RATE, FEWEST, MOST))
    else:
        frames = int(np.ceil(length * positive("rate", rate) * (1.0 - 1e-9)))
    wanted = np.linspace(times[0], times[-1], max(min(frames, len(times) - 1), 0) + 1)
    return sorted(set(nearest(times, wanted)))


def _packed(values: Any, kind: str) -> dict[str, str]:
    """An array for the page; kind: "f4", "u2", ... of numpy."""
    array = np.ascontiguousarray(values, np.dtype(f"<{kind}"))
    return {"type": kind, "base64": base64.b64encode(array.tobytes()).decode()}


def _data(result: Result, scene: Scene, contacts: bool) -> dict[str, Any]:
    """All that the page knows, with every state of `result` as a frame; numbers as in Scene."""
    n, frames = len(scene.radius), range(len(result.t))
    poses = [scene.pose(result, frame) for frame in frames]
    x, q = (np.array(part) for part in zip(*poses, strict=True))
    low = x.min(axis=(0, 1))
    size = x.max(axis=(0, 1)) - low
    speed = np.linalg.norm(result.velocity, axis=-1)
    fastest = float(speed.max(initial=0.0))
    find = contact_lines if contacts and has_compliant(result.model) else set_valued_lines
    lines = [find(result, frame) for frame in frames]
    status = np.array([body_status(each, n) for each in lines])
    camera = look_at_scene(scene)
    towards = np.asarray(camera.eye) - np.asarray(camera.target)
    data = {
        "times": _packed(result.t, "f4"),
        "positions": _packed(np.rint((x - low) / np.where(size > 0.0, size, 1.0) * WIDE), "u2"),
        "rotations": _packed(np.rint(q * SIGNED), "i2"),
        "low": low.tolist(),
        "size": size.tolist(),
        "speed": _packed(np.rint(speed / (fastest or 1.0) * NARROW), "u1"),
        "fastest": fastest,
        "status": _packed(status, "u1"),
        "statuses": np.unique(status).tolist(),
        "status_names": STATUSES,
        "status_colours": table(STATUS_COLOURS).round(4).tolist(),
        "scale": table(SCALE).round(4).tolist(),
        "body_colours": _packed(np.rint(body_colours(n) * NARROW), "u1"),
        "bare_colour": BARE,
        "floor_colour": FLOOR,
        "wall_colour": WALL,
        "radius": _packed(scene.radius, "f4"),
        "hollow": _packed(scene.hollow, "u1"),
        "owner": _packed(scene.owner, "i4"),
        "place": _packed(scene.place, "f4"),
        "rods": _packed(scene.rods, "i4"),
        "rod_radius": _packed(scene.rod_radius, "f4"),
        "faces": scene.faces,
        "face_kind": np.select([scene.is_floor, scene.is_plane], ["floor", "wall"], "face").tolist(),
        "cell": scene.cell,
        "scene_low": scene.low.tolist(),
        "scene_high": scene.high.tolist(),
        "up": scene.up.tolist(),
        "towards": (towards / np.linalg.norm(towards)).tolist(),
    }
    return data | (_contacts(lines, scene.radius, low, size) if contacts else {})


def _contacts(lines: list[Lines], radius: Floats, low: Floats, size: Floats) -> dict[str, Any]:
    """The contacts of all frames, those of frame i from `contact_start[i]` on."""
    counts: Ints = np.array([len(each.gap) for each in lines])
    ends = np.concatenate([np.concatenate([each.start, each.end], axis=1) for each in lines])
    parts = (ends - np.tile(low, 2)) / np.tile(np.where(size > 0.0, size, 1.0), 2)
    force = np.abs(np.concatenate([each.pressure for each in lines]))
    pushing, with_surface = force[force > 0.0], radius[radius > 0.0]
    largest = float(np.quantile(pushing, FULL)) if len(pushing) else 1.0
    return {
        "contact_start": _packed(np.concatenate([[0], np.cumsum(counts)]), "i4"),
        "contact_ends": _packed(np.rint(np.clip(parts, 0.0, 1.0) * WIDE), "u2"),
        "contact_force": _packed(np.rint(np.minimum(force / largest, 1.0) * NARROW), "u1"),
        "contact_status": _packed(np.concatenate([each.status for each in lines]), "u1"),
        "thickest": 0.35 * float(with_surface.min()) if len(with_surface) else 0.01 * float(size.max()),
    }
