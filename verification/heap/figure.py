"""Heights, energies and contacts of heaps over time."""

from nsgalpha.arrays import Floats
from nsgalpha.show.figure_style import COLOURS, Figure, label, new_figure

LABELS = "height of the centre of mass [m]", "kinetic energy [J]", "contacts"


def draw(t: Floats, ours: Floats, theirs: Floats) -> Figure:
    """Means of heaps (S, T, 3) at the times `t` (T,), and the scatter of one heap."""
    figure, axes = new_figure(1, 3, size=(11.0, 3.4))
    for k, (axis, name) in enumerate(zip(axes, LABELS, strict=True)):
        for heaps, colour, who in zip((ours, theirs), COLOURS, ("nsgalpha", "LAMMPS"), strict=False):
            mean, scatter = heaps[..., k].mean(axis=0), heaps[..., k].std(axis=0)
            axis.errorbar(t, mean, scatter, color=colour, linewidth=1.2, capsize=3.0, label=who)
        if k == 1:
            axis.set_yscale("log")
        label(axis, "t [s]", name, "mean and scatter of the heaps")
    axes[0].legend(fontsize=8, frameon=False)
    return figure
