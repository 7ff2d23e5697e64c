"""Figures of mechanisms that strike: slider-crank with clearance, cradle on rods, woodpecker toy."""

from collections.abc import Mapping, Sequence

import numpy as np

import nsgalpha as ns
from nsgalpha.show.figure_style import COLOURS, Figure, label, new_figure
from verification.mechanisms import reference
from verification.mechanisms.clearance import CASE, Impacts
from verification.mechanisms.cradles import angles, exact
from verification.mechanisms.woodpecker import motion

THIN = {"linewidth": 1.0}


def draw_clearance(found: Impacts, parts: Sequence[ns.Result]) -> Figure:
    """Gaps of the upper corners until the accumulation; impulses over the time to it; dots: the reference."""
    p, given = (reference.case(CASE)[name] for name in ("params", "impacts"))
    figure, (left, right) = new_figure(1, 2, size=(9.6, 3.9))
    t = np.concatenate([part.t for part in parts])
    turn = 2.0 * np.concatenate([np.arctan2(r.rotation[:, 2, 3], r.rotation[:, 2, 0]) for r in parts])
    y = np.concatenate([part.position[:, 2, 1] for part in parts])
    times, impulses = (np.array([each[name] for each in given]) for name in ("t", "impulse_n"))
    zeno = times[-1] + (times[-1] - times[-2]) ** 2 / (2.0 * times[-2] - times[-1] - times[-3])
    for corner, side in ((1, -1.0), (2, 1.0)):
        gap = 0.5 * p["guide_distance"] - (y + side * p["a"] * np.sin(turn) + p["b"] * np.cos(turn))
        colour = COLOURS[corner - 1]
        left.plot(1e3 * t, 1e3 * gap, color=colour, label=f"corner {corner}", **THIN)
        theirs = np.array([each["corner"] == corner for each in given])
        ours = np.flatnonzero(found.corner[: len(given)] == corner)
        left.plot(1e3 * times[theirs], 0.0 * times[theirs], "o", color=colour, markersize=4)
        ahead = 1e6 * (zeno - found.t[ours])
        right.semilogx(
            ahead,
            1e3 * found.impulse[ours],
            "s",
            color=colour,
            mfc="white",
            markersize=7,
        )
        right.semilogx(1e6 * (zeno - times[theirs]), 1e3 * impulses[theirs], "o", color=colour, markersize=3)
    right.invert_xaxis()
    label(left, "t [ms]", "gap of a corner [mm]", "gaps; dots: impacts of the reference", "upper right")
    label(
        right,
        "time to the accumulation [µs]",
        "impulse [mN s]",
        "impulses; squares: simulated, dots: reference",
    )
    return figure


def draw_cradle(run: ns.Result) -> Figure:
    """Angles of all balls, grey: exact; and their errors."""
    figure, (left, right) = new_figure(1, 2, size=(9.6, 3.6))
    ours, theirs = np.degrees(angles(run)), np.degrees(exact(2, run.t))
    left.plot(run.t, theirs, color="0.8", linewidth=3.0)
    for k, error in enumerate((ours - theirs).T):
        left.plot(run.t, ours[:, k], color=COLOURS[k], **THIN)
        right.plot(run.t, error, color=COLOURS[k], label=f"ball {k + 1}", **THIN)
    label(left, "t [s]", "angle [deg]", "two balls raised; grey: exact")
    label(right, "t [s]", "error of the angle [deg]", f"errors, h = {run.t[1]:g} s", "lower left")
    return figure


def draw_woodpecker(runs: Mapping[str, ns.Result]) -> Figure:
    """Height and angles over time, and the limit cycle of the bird; dots: first impacts of the reference."""
    figure, axes = new_figure(2, 3, size=(10.6, 6.0), squeeze=False)
    for row, (kind, run) in zip(axes, runs.items(), strict=True):
        q, rates, _ = motion(run)
        first = reference.case("woodpecker")["toy"][kind]["first"]
        shown = run.t < 0.4
        row[0].plot(run.t, 1e3 * q[:, 0], color=COLOURS[0], **THIN)
        label(row[0], "t [s]", "height [mm]", f"{kind} kinematics: height of the sleeve")
        for k, name in ((1, "sleeve"), (2, "bird")):
            row[1].plot(run.t[shown], q[shown, k], color=COLOURS[k - 1], label=name, **THIN)
        for contact, t, *_ in first:
            row[1].axvline(t, color=COLOURS[2 + contact], linewidth=0.7, linestyle="--")
        label(row[1], "t [s]", "angle [rad]", "dashed: first impacts of the reference", "lower right")
        late = run.t > 0.4
        row[2].plot(q[late, 2], rates[late, 2], color=COLOURS[1], linewidth=0.8)
        label(row[2], "angle of the bird [rad]", "rate [rad/s]", "limit cycle of the bird")
    return figure
