"""The live view: the page of a running simulation, with hold, step and stop.

A watcher visits the run some thirty times a second, or every step while it is held, and sends the poses of
all bodies. Between two visits the run is compiled as it is without. The server ends with the run.
"""

from __future__ import annotations

import logging
import threading
import webbrowser
from collections import deque
from pathlib import Path
from tempfile import mkstemp
from time import perf_counter
from typing import Any

import numpy as np

from nsgalpha.checks import instance, named, refuse, text
from nsgalpha.model.inlets_outlets import PRESENT
from nsgalpha.model.model import Model
from nsgalpha.model.state import State
from nsgalpha.run.result import Result
from nsgalpha.run.watchers import Moment
from nsgalpha.show.colours import STATUSES
from nsgalpha.show.contact_appearance import colour_numbers, owners_of, shown_lines
from nsgalpha.show.contact_forces import body_status, joined, lines_of, lines_of_compliant
from nsgalpha.show.contact_lines import Lines, Pose
from nsgalpha.show.html_player import Embedded, filled, page_of
from nsgalpha.show.loopback_server import Loopback
from nsgalpha.show.page_data import FULL, packed, still_data, thickest
from nsgalpha.show.scene import SPREAD, Scene, scene_at
from nsgalpha.show.user_choices import has_compliant
from nsgalpha.stepping.interrupts import serve
from nsgalpha.stepping.step_times import StepTimes

PACE = 1.0 / 30.0  # seconds between two frames
RATE = 8e6  # bytes per second to a page, at most
PATIENCE = 15.0  # seconds that a run waits for its page
TICK = 0.05  # seconds between two looks at the user's requests
BY = "the page of the live view"
COMMANDS = ("hold", "go", "step", "stop", "forces", "no forces")
LOG = logging.getLogger("nsgalpha")


def model_scene(model: Model, state: State) -> Scene:
    """The scene of a model in a `state`."""
    return scene_at(model, np.array([state.t]), state.position[None], state.rotation[None], spread=SPREAD)


def frame_of(scene: Scene, state: State, lines: Lines) -> dict[str, Any]:
    """A frame for the page, see source/stream.js."""
    x, q = scene.pose_of(state.t, state.position, state.rotation)
    status = body_status(lines, len(scene.radius))
    lines = shown_lines(lines, scene.model)
    force = lines.force
    strength = np.linalg.norm(force, axis=1)
    pushing = strength[strength > 0.0]
    absent = {} if state.presence is None else {"absent": packed(state.presence != PRESENT, "u1")}
    return absent | {
        "t": state.t,
        "x": packed(x - scene.shift, "f4"),
        "q": packed(q, "f4"),
        "v": packed(state.velocity, "f4"),
        "spin": packed(np.linalg.norm(state.angular_velocity, axis=1), "f4"),
        "status": packed(status, "u1"),
        "ends": packed(np.concatenate([lines.start - scene.origin, lines.end - scene.origin], axis=1), "f4"),
        "points": packed(lines.point - scene.origin, "f4"),
        "force": packed(force, "f4"),
        "contact_status": packed(lines.status, "u1"),
        "contact_colour": packed(colour_numbers(lines, scene.model), "i4"),
        "full_force": float(np.quantile(pushing, FULL)) if len(pushing) else 0.0,
    }


def streamed_data(scene: Scene, frame: dict[str, Any]) -> dict[str, Any]:
    """The data of a page that begins with one `frame`."""
    size = scene.view_high - scene.view_low
    return still_data(scene) | {
        "frame": frame,
        "statuses": list(range(len(STATUSES))),
        "thickest": thickest(scene.radius, size),
        "contact_start": True,  # it has contacts
    }


class LiveView:
    """A watcher that shows the run; see nsgalpha/api/view_option.py."""

    def __init__(self, model: Model, state: State) -> None:
        self.scene = model_scene(model, state)
        self._lock = threading.Lock()
        self._wishes: deque[str] = deque()
        self._held = self._stopped = False
        self._forces = False
        self._soft = has_compliant(model)
        self._owners = owners_of(model)
        self._stride, self._next = 1, 0
        self._seen, self._cost = perf_counter(), 0.0
        self._level = 0  # for which it was asked last
        self._frame = frame_of(self.scene, state, lines_of_none())
        self.ended = ""  # the status of the run
        self.server = Loopback(self._page, self._wish, self._last)

    def due(self, step: int, times: StepTimes) -> int:
        """The next visit, after as many steps as take the time of a frame."""
        self._level = step
        return max(step, self._next)

    def see(self, now: Moment) -> str:
        """Send a frame, wait while the run is held; the page's reason to end."""
        began = perf_counter()
        frame = frame_of(self.scene, now.state, self._lines(now))
        with self._lock:
            self._frame = frame
        self.server.send({"frame": frame})
        self._cost = sum(len(each["base64"]) for each in frame.values() if isinstance(each, dict))
        reason = self._served()
        wanted = max(PACE, self._cost / RATE)
        spent = max(began - self._seen, 1e-6)
        self._stride = 1 if self._held else max(1, min(2 * self._stride, int(self._stride * wanted / spent)))
        self._seen = perf_counter()
        self._next = self._level + self._stride
        return reason

    def _lines(self, now: Moment) -> Lines:
        lines = lines_of(now.contacts, now.model, pose_of(now.state), self._owners)
        if self._soft and self._forces:
            lines = joined(lines, lines_of_compliant(now.compliant_contacts(), now.state.t))
        return lines

    def _served(self) -> str:
        """Obey the requests of the page; while the run is held, wait."""
        told = self._held
        while True:
            with self._lock:
                wish = self._wishes.popleft() if self._wishes else ""
            if wish == "stop" or self._stopped:
                self._stopped = True  # a run does not ask at its start whether it is to end
                return BY
            if wish in ("forces", "no forces"):
                self._forces = wish == "forces"
            if wish in ("hold", "step", "go"):
                self._held = wish != "go"
            if self._held != told:
                told = self._held
                self.server.send({"held": told})
            if wish == "step" or not (self._held or wish):
                return ""
            if not wish:
                serve()
                threading.Event().wait(TICK)

    def finish(self, result: Result) -> None:
        """Take the last state and the status of the run to the pages."""
        state = result.state()
        lines = lines_of(result.contacts.at(-1), result.model, pose_of(state), self._owners)
        frame = frame_of(self.scene, state, lines)
        with self._lock:
            self._frame, self.ended = frame, str(result.status)

    def end(self, status: str) -> None:
        """Tell the pages how the run ended, and end the server."""
        self.server.send({"frame": self._frame, "end": status})
        self.server.close()

    def _page(self) -> str:
        with self._lock:
            frame = self._frame
        data = streamed_data(self.scene, frame) | {"live": {"token": self.server.token}}
        return filled(data, "a run, live", connects=True)

    def _wish(self, word: str) -> None:
        if word in COMMANDS:
            with self._lock:
                self._wishes.append(word)

    def _last(self) -> dict[str, Any]:
        with self._lock:
            return {"frame": self._frame, "held": self._held}

    def wait(self) -> None:
        """Until a page is there, or PATIENCE is over."""
        end = perf_counter() + PATIENCE
        while not self.server.joined.wait(TICK) and perf_counter() < end:
            serve()


def lines_of_none() -> Lines:
    """No contacts."""
    none, vectors = np.zeros(0, np.int64), np.zeros((0, 3))
    return Lines(vectors, vectors, none, none, none, np.zeros(0), vectors, vectors, none, vectors, none)


def pose_of(state: State) -> Pose:
    """Time and pose of the bodies in a `state`."""
    return state.t, state.position, state.rotation


def opened(address: str) -> None:
    """Open the browser; False without one, or for one in the terminal."""
    try:
        browser = webbrowser.get()
        shown = type(browser) is not webbrowser.GenericBrowser and browser.open(address)
    except webbrowser.Error:
        shown = False
    if not shown:
        LOG.warning("no browser was found; the page is %s", address)


class OpenedPage(Embedded):
    """An opened page; as the last expression of a notebook cell it is shown there."""

    def __init__(self, page: str, path: Path) -> None:
        super().__init__(page, 480)
        self.path = path  # of the file

    def __repr__(self) -> str:
        return f"<viewer at {self.path}>"


@named
def view(thing: Model | Result, *, title: str = "") -> OpenedPage:
    """Open the page of a result or model in the browser; no process remains.

    The page is a file in the folder for temporary files, `path` of the returned value, which may be deleted
    once it is open. It has the content of `nsgalpha.show.viewer`; for its arguments, call that. A run that is
    to be followed is `simulate(..., view=True)`.

    Raises ValueError if `thing` is neither or there is nothing to see.
    """
    title = text("title", title)
    if isinstance(thing, Model):
        if not thing.bodies and not thing.primitives:
            raise refuse("thing", "a model without bodies", "one with something to see", "add a body")
        state = thing.initial_state()
        scene = model_scene(thing, state)
        data = streamed_data(scene, frame_of(scene, state, lines_of_none())) | {"contact_start": None}
        page = filled(data, title or f"model of {len(thing.bodies)} bodies")
    else:
        remedy = "such as Model() makes, simulate and load return"
        result = instance("thing", thing, Result, "a Model or a Result", remedy)
        page = page_of(result, rate=None, contacts=None, values=None, label="value", title=title)
    number, name = mkstemp(".html", "nsgalpha-")
    with open(number, "w", encoding="utf-8") as file:
        file.write(page)
    opened(Path(name).as_uri())
    return OpenedPage(page, Path(name))
