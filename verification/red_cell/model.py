"""A red cell of chains, bending, areas and a volume, pulled apart at two ends.

Lengths are in um, forces in pN: stiffnesses of areas in pN/um, pressures in Pa.
"""

import numpy as np

import nsgalpha as ns
from elements import Bending, ChainSprings, GlobalArea, LocalArea, Volume, icosphere
from nsgalpha.arrays import Floats, Ints
from verification.recorded import recorded

REFERENCE = recorded(__file__)
DIAMETER = 7.82  # [um]
SHAPE = 0.207161, 2.002558, -1.122762  # of E. Evans and Y.-C. Fung, Microvasc. Res. 4 (1972) 335
RATIO = 1.0 / 2.2  # length at rest of a chain over its largest


def biconcave(subdivisions: int) -> tuple[Floats, Ints]:
    """Vertices (N, 3) [um] and triangles of a red cell at rest, axis z."""
    x, triangles = icosphere(subdivisions)
    square = x[:, 0] ** 2 + x[:, 1] ** 2
    x = 0.5 * DIAMETER * x
    x[:, 2] *= 0.5 * (SHAPE[0] + SHAPE[1] * square + SHAPE[2] * square**2)
    return x, triangles


class Pull:
    """Opposite forces along x, shared by the outermost nodes of both sides."""

    def __init__(self, x: Floats, loaded: int) -> None:
        order = np.argsort(x[:, 0], kind="stable")
        self.share = np.zeros_like(x)
        self.share[order[:loaded], 0], self.share[order[-loaded:], 0] = -1.0 / loaded, 1.0 / loaded
        self.force = 0.0  # [pN]

    def __call__(self, t: float, state: ns.State) -> Floats:
        """Forces (N, 3) on the nodes."""
        return self.force * self.share


def red_cell(subdivisions: int = 3) -> tuple[ns.Model, Pull]:
    """The model, and its pulling load."""
    given = REFERENCE["parameters"]
    x, triangles = biconcave(subdivisions)
    model = ns.Model()
    cell = model.add_surface([model.add_point(position=each) for each in x], triangles)
    model.add(ChainSprings(cell, shear=given["mu0_pN_per_um"], ratio=RATIO))
    model.add(Bending(cell, stiffness=given["k_b_pN_um"], cosine=True))
    model.add(LocalArea(cell, stiffness=given["k_d_pN_per_um"]))
    model.add(GlobalArea(cell, stiffness=given["k_a_pN_per_um"]))
    model.add(Volume(cell, stiffness=given["k_v_Pa"]))
    pull = Pull(x, given["loaded_vertices_each_side"])
    model.add_load(pull)
    return model, pull
