"""A run as one HTML file that plays in a browser, without server or network.

The page carries the bundle web/viewer.js (three.js and web/source, see web/README.md) and the run, see
nsgalpha/show/page_data.py. Its content security policy allows that one script, and nothing from elsewhere.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from nsgalpha.arrays import Floats
from nsgalpha.checks import floats, integer, named, positive, refuse, text, truth
from nsgalpha.checks import path as checked_path
from nsgalpha.run.result import Result
from nsgalpha.show.contact_appearance import owners_of
from nsgalpha.show.contact_forces import contact_lines, set_valued_lines
from nsgalpha.show.html_pages import policy
from nsgalpha.show.page_data import run_data
from nsgalpha.show.row_reader import picked
from nsgalpha.show.scene import SPREAD, scene_of
from nsgalpha.show.user_choices import has_compliant, nearest, result_of
from nsgalpha.shown_text import as_html
from nsgalpha.user_files import write_text

RATE = 60.0  # frames per second of the run, but
FEWEST, MOST = 240, 1800  # frames of a run, as far as so many states are recorded
CHEAP = 100_000  # set-valued contacts of all frames that are kept unasked

Values = ArrayLike | Callable[[Result, int], ArrayLike]


@named
def viewer(
    result: Result,
    path: str | Path,
    *,
    rate: float | None = None,
    contacts: bool | None = None,
    values: Values | None = None,
    label: str = "value",
    title: str = "",
) -> Path:
    """Write the run to the HTML file `path` and return it: open it in a browser.

    It plays, pauses, scrubs, loops, rotates and zooms. It shows names and values under the pointer, and
    selects and follows bodies. It draws trails, velocities and contact forces, hides groups, cuts the picture
    open, and saves pictures and films. `?` lists the keys. An address that ends with `#t=1.5`,
    `&colour=speed` (status, value), `&contacts=rods` (arrows), `&velocity=1`, `&trails=all` opens at that
    time and stands still.

    rate: frames per second of the run, each the nearest recorded state; by default 60, or as many as make 240
    to 1800 of them. Between frames the browser interpolates. contacts: keep the contacts of every frame. They
    are arrows along their forces, or rods between the centres with a thickness in proportion to the force.
    Compliant ones are evaluated for it, and without that bodies that only touch by them count as free. By
    default set-valued ones are kept as far as they are at most 100 000. values: a number for each body, to be
    coloured by: (N,), or (n, N) for all recorded states. A function `values(result, index)` of a recorded
    state returns (N,); nan is grey. Surfaces and meshes whose corners are bodies are shaded between those.
    label: name and unit of the values. title: of the page.

    Raises ValueError for a rate that is not positive, values of another shape, or nothing to see; OSError
    where the file cannot be written.
    """
    path = checked_path("path", path)
    write_text(path, page_of(result, rate=rate, contacts=contacts, values=values, label=label, title=title))
    return path


class Embedded:
    """The page of a run as a cell of a notebook shows it."""

    def __init__(self, page: str, height: int) -> None:
        self.page, self.height = page, height

    def _repr_html_(self) -> str:
        style = f"width: 100%; height: {self.height}px; border: 1px solid #ccc"
        frame = f'title="viewer" sandbox="allow-scripts allow-downloads" style="{style}"'
        return f'<iframe {frame} srcdoc="{html.escape(self.page)}"></iframe>'

    def __repr__(self) -> str:
        return f"<viewer, {len(self.page) / 1e6:.1f} MB, for a notebook>"


@named
def embedded(
    result: Result,
    *,
    height: int = 480,
    rate: float | None = None,
    contacts: bool | None = None,
    values: Values | None = None,
    label: str = "value",
    title: str = "",
) -> Embedded:
    """The page of `viewer` as the last expression of a Jupyter cell.

    It stands in a separate frame that may run its script and save files, and nothing else. height: of the
    frame [pixels], 100 to 4000. Other arguments and errors are those of `viewer`.

    >>> model = ns.Model(gravity=(0, 0, -10))
    >>> ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 1))
    >>> ns.show.embedded(ns.simulate(model, t_end=0.1, h=0.01))
    <viewer, 0.6 MB, for a notebook>
    """
    height = integer("height", height, 100, 4000)
    return Embedded(
        page_of(result, rate=rate, contacts=contacts, values=values, label=label, title=title), height
    )


def page_of(
    result: Result,
    *,
    rate: float | None,
    contacts: bool | None,
    values: Values | None,
    label: str,
    title: str,
) -> str:
    """The text of the page, see `viewer`."""
    title, label = text("title", title), text("label", label)
    records = _records(np.asarray(result_of(result).t), rate)
    part = picked(result, records)
    numbers = None if values is None else _values(result, records, values)
    if contacts is None:
        contacts, asked = int(part.contacts.start[-1]) <= CHEAP, False
    else:
        contacts = asked = truth("contacts", contacts)
    find = contact_lines if asked and has_compliant(result.model) else set_valued_lines
    owners = owners_of(result.model) if contacts else None
    lines = [find(part, frame, owners) for frame in range(len(part.t))]
    kept = contacts and (asked or any(len(each.gap) for each in lines))
    data = run_data(part, scene_of(result, spread=SPREAD), lines, kept, numbers, label)
    name = title or f"run of {len(result.model.bodies)} bodies to t = {float(result.t[-1]):g} s"
    return filled(data, name)


def filled(data: dict[str, Any], title: str, *, connects: bool = False) -> str:
    """The page with its `data`; one that `connects` may ask the server that it comes from."""
    (script, style), page = assets(), _asset("page.html")
    # '<' would end the element in which the data stand
    stated = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
    parts = {"STYLE": style, "DATA": stated, "SCRIPT": script}
    allowed = policy(scripts=[script], styles=[style], connects=connects)
    parts |= {"POLICY": allowed, "TITLE": as_html(title)}
    return re.sub("@@([A-Z]+)@@", lambda token: parts[token[1]], page)


def assets() -> tuple[str, str]:
    """Script and style of the page."""
    return _asset("viewer.js"), _asset("style.css")


def _asset(name: str) -> str:
    return (files("nsgalpha.show") / "web" / name).read_text(encoding="utf-8")


def _records(times: np.ndarray, rate: float | None) -> list[int]:
    """Numbers of the recorded states that become frames, including first and last."""
    length = times[-1] - times[0]
    if rate is None:
        frames = int(np.clip(length * RATE, FEWEST, MOST))
    else:
        frames = int(np.ceil(length * positive("rate", rate) * (1.0 - 1e-9)))
    wanted = np.linspace(times[0], times[-1], max(min(frames, len(times) - 1), 0) + 1)
    return sorted(set(nearest(times, wanted)))


def _values(result: Result, records: list[int], values: Values) -> Floats:
    """Values (frames, N) of the bodies in the recorded states `records`, or a ValueError."""
    n, many = len(result.model.bodies), len(result.t)
    if callable(values):
        rows = [floats(f"values of state {k}", values(result, k), f"of the shape ({n},)") for k in records]
        for k, row in zip(records, rows, strict=True):
            if row.shape != (n,):
                allowed = f"of the shape ({n},), one for each body"
                raise refuse(f"values of state {k}", f"array {row.shape}", allowed)
        return np.array(rows)
    array = floats("values", values, f"of the shape ({n},) or ({many}, {n})")
    if array.shape == (n,):
        return np.tile(array, (len(records), 1))
    if array.shape != (many, n):
        remedy = "one for each body, or one for each body in each recorded state"
        raise refuse("values", f"array {array.shape}", f"of the shape ({n},) or ({many}, {n})", remedy)
    return array[records]
