"""A red blood cell that is stretched.

A biconcave cell of 642 nodes, whose edges are worm-like chains, is pulled at 15 nodes of either side, as
optical tweezers do. In the equilibria axial and transverse diameter, thickness, energy, area and volume are
those of the same energies minimised by another program. The diameters follow the curve to which HemoCell
compares its cells. They are well within the scatter of the experiments, 1 um axially and 0.6 um across.
"""

from functools import partial

import numpy as np

import nsgalpha as ns
from nsgalpha.arrays import Floats
from verification.outcome import Outcome, Row
from verification.red_cell.figure import draw
from verification.red_cell.model import REFERENCE, red_cell
from verification.run import RunFailedError

FORCES = (50.0, 100.0)  # [pN]
CLOSE = 1e-9  # relative, both programs solve to about that
SCATTER = {"axial": 1.0, "transverse": 0.6}  # [um] of experiments
CURVES = {name: np.array(REFERENCE[name]) for name in SCATTER}


def run() -> Outcome:
    """Stretch the cell step by step, each equilibrium from the one before."""
    model, pull = red_cell()
    state, rows, found = model.initial_state(), [], {0.0: np.ptp(model.initial_state().position, axis=0)}
    rest = ns.surface_outputs(model, state, model.surfaces[0]).energy
    for force in FORCES:
        pull.force = force
        equilibrium = ns.equilibrium(model, state)
        if not equilibrium:
            raise RunFailedError(f"at {force:g} pN: {equilibrium.status.message}")
        state = equilibrium.state
        found[force] = np.ptp(state.position, axis=0)
        rows += [*_against_minimum(model, state, force, rest), *_against_curve(found[force], force)]
    picture = partial(draw, CURVES, found)
    return Outcome(rows=rows, figures={"Diameters of a red cell that is stretched": picture})


def _against_minimum(model: ns.Model, state: ns.State, force: float, rest: float) -> list[Row]:
    """Numbers of the same energies, minimised by another program."""
    known = next(row for row in REFERENCE["stretching"] if row["force_pN"] == force)
    at = ns.surface_outputs(model, state, model.surfaces[0])
    size = np.ptp(state.position, axis=0)
    ours = {
        "axial_um": size[0],
        "transverse_um": size[1],
        "thickness_um": size[2],
        "stored_pN_um": at.energy - rest,
        "area_um2": at.area.sum(),
        "volume_um3": at.volume[0],
    }
    rows = []
    for name, value in ours.items():
        what, _, unit = name.partition("_")
        unit = unit.replace("_", " ").replace("um2", "um^2").replace("um3", "um^3")
        source = "the same energy minimised by another program"
        rows.append(Row(f"{what} at {force:g} pN", unit, known[name], value, CLOSE * known[name], source))
    return rows


def _against_curve(size: Floats, force: float) -> list[Row]:
    """The published curve."""
    return [
        Row(
            f"{name} diameter at {force:g} pN, published",
            "um",
            float(np.interp(force, *CURVES[name].T)),
            value,
            SCATTER[name],
            "curve of HemoCell's validation; tolerance: scatter of the experiments",
        )
        for name, value in zip(SCATTER, size[:2], strict=True)
    ]
