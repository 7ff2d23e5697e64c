"""Pressure over the way of the lid; solid fractions of packings over time."""

import numpy as np

import nsgalpha as ns
from nsgalpha.show.figure_style import COLOURS, Figure, label, new_figure
from verification.oedometer import model, reference


def draw(lattice: ns.Result, packings: dict[float, ns.Result]) -> Figure:
    """The lattice beside its closed form, and the packings."""
    figure, (left, right) = new_figure(1, 2, size=(9.6, 4.2))
    area = (model.ACROSS * model.D) ** 2
    pressure = np.linspace(1.0, model.PRESSURES[-1], 100)
    known = [1e6 * reference.lattice(float(p)).displacement for p in pressure]
    left.plot(
        1e6 * lattice.coordinate("lid").value,
        1e-3 * ns.plane_force(lattice, "lid")[:, 2] / area,
        color=COLOURS[0],
        label="lid",
    )
    left.plot(known, 1e-3 * pressure, color=COLOURS[1], linestyle=":", label="closed form")
    label(left, "way of the lid [µm]", "pressure [kPa]", "a face-centred cubic lattice", legend="upper left")
    ground = model.GRAINS * np.pi / 6.0 * model.D**3 / (model.SIDE * model.D) ** 2
    for k, (mu, result) in enumerate(packings.items()):
        lid = np.asarray(result.position[:, model.GRAINS, 2])
        right.plot(result.t, ground / lid, color=COLOURS[k], label=f"friction {mu:g}")
        right.axhline(model.PUBLISHED[mu][0], color=COLOURS[k], linestyle=":")
    words = "solid fraction, walls included"
    legend = "lower right" if packings else None
    label(right, "t [s]", words, "random packings (dotted: published, no walls)", legend=legend)
    return figure
