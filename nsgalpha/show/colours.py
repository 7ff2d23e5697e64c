"""Colours of bodies, speeds and contact statuses in figures, pictures and the viewer."""

from __future__ import annotations

import numpy as np

from nsgalpha.arrays import Floats
from nsgalpha.model.model import Model
from nsgalpha.show.figure_style import COLOURS

#: Eleven colours of matplotlib's viridis, from slow to fast.
SCALE = (
    "#440154", "#482475", "#414487", "#355f8d", "#2a788e", "#21918c",
    "#22a884", "#44bf70", "#7ad151", "#bddf26", "#fde725",
)  # fmt: skip

#: Status of a body's contacts, the last that applies; `touch` are compliant contacts.
STATUSES = ("free", "idle", "touch", "stick", "slip")
STATUS_COLOURS = ("#9aa5b1", "#d9d2c3", "#6a4c93", "#2e8b57", "#c0504d")

GOLDEN = 0.381966  # part of a turn between the hues of two bodies behind those of COLOURS


def rgb(text: str) -> tuple[float, float, float]:
    """Red, green, blue in [0, 1] of `#rrggbb`."""
    red, green, blue = (int(text[k : k + 2], 16) / 255.0 for k in (1, 3, 5))
    return red, green, blue


def table(colours: tuple[str, ...]) -> Floats:
    """Colours (n, 3) in [0, 1]."""
    return np.array([rgb(colour) for colour in colours])


def body_colours(count: int) -> Floats:
    """Colours (count, 3) of bodies in order: those of figures, then distinct hues."""
    hue = np.arange(count)[:, None] * GOLDEN
    wheel = np.clip(np.abs((hue + np.array([0.0, 2.0 / 3.0, 1.0 / 3.0])) % 1.0 * 6.0 - 3.0) - 1.0, 0.0, 1.0)
    colours = 0.25 + 0.55 * wheel
    first = table(COLOURS)[:count]
    colours[: len(first)] = first
    return colours


def own_colours(model: Model) -> Floats:
    """Colours (N, 3) of the bodies of a model; the nodes of a surface have one."""
    first = np.arange(len(model.bodies))
    for surface in model.surfaces:
        first[surface.bodies] = surface.bodies[0]
    return body_colours(len(first))[np.unique(first, return_inverse=True)[1]]


def scale_colours(value: Floats) -> Floats:
    """Colours (n, 3) of values (n,) in [0, 1] on SCALE."""
    known = table(SCALE)
    at = np.linspace(0.0, 1.0, len(known))
    return np.stack([np.interp(value, at, channel) for channel in known.T], axis=-1)
