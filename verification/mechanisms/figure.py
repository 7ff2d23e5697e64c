"""Errors of the mechanisms over the step; the motion of those that strike."""

from collections.abc import Sequence

import numpy as np

import nsgalpha as ns
from nsgalpha.show.figure_style import COLOURS, Figure, label, new_figure
from verification.mechanisms import reference
from verification.mechanisms.smooth import Measured
from verification.mechanisms.stops import RESTITUTION

UNITS = {"position": "m, rad", "velocity": "m/s, rad/s", "reaction": "N"}


def draw_orders(measured: Sequence[Measured]) -> Figure:
    """Errors of positions, velocities, reactions; open marks are differences between steps."""
    figure, axes = new_figure(1, 3, size=(11.0, 4.2))
    for axis, (name, unit) in zip(axes, UNITS.items(), strict=True):
        for each, colour in zip(measured, COLOURS, strict=False):
            errors, known = each.errors[name], name in each.known
            h = each.steps[: len(errors)]
            fill = colour if known else "white"
            axis.loglog(
                h, errors, "-o", color=colour, mfc=fill, markersize=5, linewidth=1.0, label=each.title
            )
        ends = np.array((1e-4, 1e-3))
        low = axis.get_ylim()[0]
        axis.loglog(ends, 2.0 * low * (ends / ends[0]) ** 2, color="0.6", linewidth=0.9, linestyle="--")
        axis.annotate(
            "$h^2$",
            (ends[1], 2.0 * low * 100),
            fontsize=9,
            color="0.4",
            xytext=(3, -4),
            textcoords="offset points",
        )
        label(axis, "step [s]", f"error [{unit}]", f"{name}, {each_of(name)}")
    figure.legend(
        *axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3, fontsize=8, frameon=False
    )
    return figure


def each_of(name: str) -> str:
    """The meaning of the marks."""
    return "open: change to the half step" if name == "reaction" else "largest at the end or sampled times"


def draw_impacts(swung: ns.Result, struck: ns.Result) -> Figure:
    """Rate of the pendulum and rates of the double pendulum; dots: the exact impacts, before and after."""
    figure, (left, right) = new_figure(1, 2, size=(9.6, 3.9))
    left.plot(swung.t, -swung.angular_velocity[:, 0, 1], color=COLOURS[0], linewidth=1.0)
    for each in reference.case("pendulum_on_stop")["impacts"]:
        speed = np.array((-each["speed_before"], RESTITUTION * each["speed_before"]))
        left.plot([each["t"]] * 2, speed, "o", color=COLOURS[1], markersize=4)
    label(left, "t [s]", "rate [rad/s]", "pendulum on a stop; dots: exact")
    for body, (colour, rod) in enumerate(zip(COLOURS[::2], ("first rod", "second rod"), strict=False)):
        right.plot(struck.t, -struck.angular_velocity[:, body, 1], color=colour, linewidth=1.0, label=rod)
        for each in reference.case("double_pendulum_on_plane")["impacts"][:2]:
            right.plot(
                [each["t"]] * 2,
                [each["before"][body], each["after"][body]],
                "o",
                color=COLOURS[1],
                markersize=4,
            )
    label(right, "t [s]", "rate [rad/s]", "double pendulum on a plane; dots: exact", "upper right")
    return figure
