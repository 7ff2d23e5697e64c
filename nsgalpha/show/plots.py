"""Figures of a result over time, and paths seen from one side. They are returned and never shown.

Only the columns that are drawn are read, which matters where a result lies in a file.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nsgalpha.arrays import MARKERS, Floats
from nsgalpha.checks import named, refuse, truth
from nsgalpha.run.result import Result
from nsgalpha.show.colours import STATUS_COLOURS, STATUSES, body_colours
from nsgalpha.show.contact_forces import status_numbers
from nsgalpha.show.figure_style import COLOURS, Figure, label, new_figure, shown_name
from nsgalpha.show.periodic_images import shown_path
from nsgalpha.show.row_reader import picked
from nsgalpha.show.user_choices import AXES, Chosen, axes_of, chosen_bodies, has_compliant, result_of
from nsgalpha.shown_text import floor_of, number_in_words

CROWD = 30  # bodies above which paths hide one another
SINGLE = 12  # bodies that are drawn one by one if none are chosen
SHORT = 0.2  # part of the other axis below which one has a single label
BLOCK = 2_000_000  # numbers that are read at once
BARS = 40  # contacts that fit a figure


@named
def speeds(result: Result, bodies: Chosen | None = None, *, spin: bool = False) -> Figure:
    """Speeds [m/s] over time of `bodies`: handles, numbers or names, one or several.

    spin: of the rotation [rad/s] instead. Without `bodies` those of all, or of more than a dozen the
    largest, the root of the mean square and the smallest.

    Raises ValueError for bodies that the model does not have.
    """
    run = result_of(result)
    values = run.angular_velocity if truth("spin", spin) else run.velocity
    figure, axis = new_figure()
    if bodies is None and len(result.model.bodies) > SINGLE:
        for (name, speed), colour in zip(_spread(values).items(), COLOURS, strict=False):
            axis.plot(result.t, speed, color=colour, linewidth=1.2, label=name)
    else:
        colours = body_colours(len(result.model.bodies))
        for body in chosen_bodies(result, result.model.bodies if bodies is None else bodies):
            speed = np.linalg.norm(values[:, body.index], axis=-1)
            axis.plot(result.t, speed, color=colours[body.index], linewidth=1.2, label=shown_name(body.name))
    label(axis, "t [s]", "angular speed [rad/s]" if spin else "speed [m/s]", legend="best")
    return figure


def _spread(values: Any) -> dict[str, Floats]:
    """Largest, root mean square and smallest length of the vectors (n, N, 3) of each state."""
    n, count = values.shape[:2]
    rows = max(1, BLOCK // (3 * count))
    table = np.empty((3, n))
    for first in range(0, n, rows):
        square = (np.asarray(values[first : first + rows]) ** 2).sum(axis=-1)
        table[:, first : first + rows] = np.sqrt([square.max(1), square.mean(1), square.min(1)])
    return dict(zip(("largest", "root mean square", "smallest"), table, strict=True))


@named
def energies(result: Result) -> Figure:
    """Kinetic, potential, elastic (where contacts are compliant) and total energy [J] over time."""
    compliant = has_compliant(result_of(result).model)
    kinds = ["kinetic", "potential", *(["elastic"] if compliant else [])]
    n, rows = len(result.t), max(1, BLOCK // (13 * max(len(result.model.bodies), 1)))
    blocks = (picked(result, range(k, min(k + rows, n))) for k in range(0, n, rows))
    table = [[block.energy(kind) for kind in kinds] for block in blocks]
    parts = dict(zip(kinds, np.concatenate(table, axis=1), strict=True))
    figure, axis = new_figure()
    for (kind, energy), colour in zip(parts.items(), COLOURS[1:], strict=False):
        axis.plot(result.t, energy, color=colour, linewidth=1.0, label=kind)
    axis.plot(result.t, sum(parts.values()), color=COLOURS[0], linewidth=1.6, label="total")
    label(axis, "t [s]", "energy [J]", legend="best")
    return figure


@named
def statuses(result: Result) -> Figure:
    """Numbers of closed set-valued contacts that stick, slip or carry nothing, over the recorded states."""
    contacts = result_of(result).contacts
    numbers, record = status_numbers(contacts.status[:]), np.asarray(contacts.record)
    names = [name for name in ("stick", "slip", "idle") if (numbers == STATUSES.index(name)).any()]
    counts = [np.bincount(record[numbers == STATUSES.index(name)], minlength=len(result.t)) for name in names]
    figure, axis = new_figure()
    if counts:
        colours = [STATUS_COLOURS[STATUSES.index(name)] for name in names]
        axis.stackplot(result.t, *counts, labels=names, colors=colours, step="post")
        beside = {"loc": "lower right", "bbox_to_anchor": (1.0, 1.0), "ncols": 3}
        axis.legend(**beside, fontsize=8, frameon=False)
    axis.set_ylim(bottom=0.0)
    label(axis, "t [s]", "closed contacts [-]")
    return figure


@named
def contact_bars(result: Result, bodies: Chosen | None = None) -> Figure:
    """Closed times of each set-valued contact and its status, as coloured bars.

    Of all contacts or those of `bodies`, the 40 that are closed most often; a bar is as long as the time
    to the next recorded state.

    Raises ValueError for bodies that the model does not have.
    """
    contacts = result_of(result).contacts
    sides = np.stack([np.asarray(c) for c in (contacts.body_a, contacts.body_b, contacts.plane)], axis=1)
    record, numbers = np.asarray(contacts.record), status_numbers(contacts.status[:])
    shown = np.flatnonzero(sides[:, 2] > MARKERS)
    sides, record, numbers = sides[shown], record[shown], numbers[shown]
    if bodies is not None:
        chosen = [body.index for body in chosen_bodies(result, bodies)]
        keep = np.isin(sides[:, :2], chosen).any(axis=1)
        sides, record, numbers = sides[keep], record[keep], numbers[keep]
    pairs, which, often = np.unique(sides, axis=0, return_inverse=True, return_counts=True)
    shown = np.sort(np.argsort(-often, kind="stable")[:BARS])
    times = np.asarray(result.t)
    length = np.append(np.diff(times), 0.0)
    figure, axis = new_figure(size=(6.4, max(2.0, 0.8 + 0.19 * len(shown))))
    for line, pair in enumerate(shown):
        for number in range(1, len(STATUSES)):
            at = record[(which.ravel() == pair) & (numbers == number)]
            spans = list(zip(times[at], length[at], strict=True))
            axis.broken_barh(spans, (line - 0.4, 0.8), color=STATUS_COLOURS[number], linewidth=0)
    bodies, planes, of_pairs = result.model.bodies, result.model.planes, (pairs[pair] for pair in shown)
    ends = [(bodies[a], bodies[b] if b >= 0 else planes[plane]) for a, b, plane in of_pairs]
    names = [f"{shown_name(one.name)}, {shown_name(other.name)}" for one, other in ends]
    axis.set_yticks(range(len(shown)), names, fontsize=7)
    axis.set_xlim(times[0], times[-1])
    for name in ("stick", "slip", "idle"):
        axis.plot([], [], color=STATUS_COLOURS[STATUSES.index(name)], linewidth=5, label=name)
    label(axis, "t [s]", "")
    axis.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=3, fontsize=8, frameon=False)
    return figure


@named
def iterations(result: Result) -> Figure:
    """The effort of each step: Newton iterations, impacts of the longest sequence, residuals, contacts.

    Raises ValueError if the run has taken no steps.
    """
    stats = result_of(result).stats
    steps = len(stats.contacts)
    if steps == 0:
        raise refuse("result", "a result without statistics", "one of a run that has taken steps")
    t = np.linspace(result.t[0], result.t[-1], steps + 1)[1:]
    figure, axes = new_figure(4, 1, size=(6.4, 7.6), sharex=True)
    for name, colour in zip(("smooth", "position", "velocity"), COLOURS, strict=False):
        values = np.asarray(getattr(stats, f"{name}_iterations"))
        axes[0].plot(t, values, color=colour, linewidth=0.8, label=name)
    axes[1].plot(t, np.asarray(stats.sub_impacts), color=COLOURS[2], linewidth=0.8)
    for name, colour in zip(("position", "velocity"), COLOURS[1:], strict=False):
        residual = np.asarray(getattr(stats, f"{name}_residual"))
        if (residual > 0.0).any():
            axes[2].semilogy(t, np.where(residual > 0.0, residual, np.nan), ".", color=colour, markersize=2.5)
            axes[2].plot([], [], "o", color=colour, markersize=4, label=name)
    axes[3].plot(t, np.asarray(stats.contacts), color=COLOURS[4], linewidth=0.8)
    for each in axes[[0, 1, 3]]:
        each.set_ylim(0.0, max(1.0, each.get_ylim()[1]))
    label(axes[0], "", "iterations [-]", legend="best")
    label(axes[1], "", "impacts [-]")
    label(axes[2], "", "residual [-]", legend="best" if axes[2].lines else None)
    label(axes[3], "t [s]", "contacts [-]")
    return figure


@named
def paths(result: Result, bodies: Chosen | None = None, *, plane: str = "xy") -> Figure:
    """Paths of `bodies` (None: all) along the third axis; circles at start (filled) and end.

    Of more than 30 bodies, unless they are chosen, the circles alone: grey at the start, filled at the end.
    plane: the two axes of the picture, "xy" from above, "xz" from the side. Fixed planes that are seen from
    their edge are drawn as lines.

    Raises ValueError for bodies that the model does not have, or another `plane`.
    """
    i, j = axes_of(plane)
    figure, axis = new_figure(size=(6.4, 5.2))
    colours = body_colours(len(result_of(result).model.bodies))
    circle = _circle()
    crowd = bodies is None and len(result.model.bodies) > CROWD
    for body in chosen_bodies(result, result.model.bodies if bodies is None else bodies):
        path = shown_path(result.model, body, result.position[:, body.index], result.t)[:, [i, j]]
        colour = colours[body.index]
        start, end = (at[:, None] + body.radius * circle for at in path[[0, -1]])
        if crowd:
            axis.plot(*start, color="0.75", linewidth=0.6, zorder=1)
            axis.fill(*end, color=colour, alpha=0.8, linewidth=0, zorder=2)
        else:
            axis.plot(*path.T, color=colour, linewidth=0.9)
            axis.fill(*start, color=colour, alpha=0.45, linewidth=0)
            axis.plot(*end, color=colour, linewidth=1.2)
    draw_edges(axis, result, i, j)
    finish_view(axis, i, j, "grey: start, filled: end" if crowd else "filled: start, open: end")
    return figure


def _circle() -> Floats:
    angle = np.linspace(0.0, 2.0 * np.pi, 49)
    return np.stack([np.cos(angle), np.sin(angle)])


def draw_edges(axis: Any, result: Result, i: int, j: int) -> None:
    """Upright fixed planes on the plane of the axes `i` and `j`, as lines."""
    axis.autoscale_view()
    limits = [axis.get_xlim(), axis.get_ylim()]
    for plane in result.model.planes:
        normal = plane.normal[[i, j]]
        if plane.body is not None or plane.motion is not None or np.linalg.norm(normal) < 1.0 - 1e-9:
            continue
        foot = plane.offset * normal
        along = np.array([-normal[1], normal[0]])
        axis.axline(foot, foot + along, color="0.25", linewidth=1.2, zorder=0)
        for k in np.flatnonzero(np.abs(normal) > 1.0 - 1e-9):
            low, high = limits[k]
            margin = 0.02 * (high - low)
            limits[k] = min(low, foot[k] - margin), max(high, foot[k] + margin)
    axis.set_xlim(limits[0])
    axis.set_ylim(limits[1])


def finish_view(axis: Any, i: int, j: int, title: str) -> None:
    """Equal scales and the names of the axes `i`, `j`."""
    axis.set_aspect("equal")
    axis.grid(False)
    across, up = axis.get_xlim(), axis.get_ylim()
    for which, (low, high), other in ((axis.xaxis, across, up), (axis.yaxis, up, across)):
        workspace = (high - low) / np.ptp(other)  # labels of a short axis would overlap
        if workspace < SHORT:
            middle = 0.5 * (low + high)
            which.set_ticks([middle], [number_in_words(middle, floor_of(np.array([*across, *up])))])
        elif which is axis.xaxis:
            axis.locator_params("x", nbins=max(2, min(8, int(6.0 * workspace))))
    label(axis, f"{AXES[i]} [m]", f"{AXES[j]} [m]", title)
