"""Figure 4 of the paper: throw angle against R w / v."""

from collections.abc import Sequence

import numpy as np

from nsgalpha.show.figure_style import COLOURS, Figure, label, new_figure
from verification.balls import RADIUS
from verification.outcome import Row
from verification.throw_angle import reference
from verification.throw_angle.model import SPEED


def draw(rows: Sequence[Row]) -> Figure:
    """Lines: closed form for each mu; markers: simulated. `rows` in the order of the case."""
    figure, axes = new_figure(1, 2, size=(8.4, 3.9), sharey=True)
    ratios = np.linspace(0.0, 1.4, 281)
    count = len(reference.SHOTS)
    for axis, e_n, part in zip(axes, (1.0, 0.93), (rows[:count], rows[count:]), strict=True):
        for (spin, mu), row, colour in zip(reference.SHOTS, part, COLOURS, strict=False):
            spins = ratios * SPEED / RADIUS
            axis.plot(ratios, [reference.throw_angle(w, mu, e_n) for w in spins], color=colour, linewidth=1.0)
            axis.plot(
                RADIUS * abs(spin) / SPEED, row.ours, "o", color=colour, markersize=6, label=f"mu = {mu:g}"
            )
        label(
            axis, "spin ratio R |ω| / v [-]", "throw angle [deg]" if axis is axes[0] else "", f"e_n = {e_n:g}"
        )
        axis.set_ylim(0.0, 6.2)
    axes[1].legend(
        title="markers: simulated, lines: closed form", loc="lower right", fontsize=8, title_fontsize=8
    )
    return figure
