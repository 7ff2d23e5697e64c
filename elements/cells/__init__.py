"""Deformable cells: contact of their surfaces, line tension, and a helper that puts them together."""

from elements.cells.cell_cluster import Cluster, Cycles, StepFunction, add_cluster
from elements.cells.cell_contact import Pipette, SurfaceContact
from elements.cells.deformable_cell import Cell, Growth, add_cell
from elements.cells.dividing_contact import DividingContact
from elements.cells.line_tension import LineTension, ring_of

__all__ = [
    "Cell",
    "Cluster",
    "Cycles",
    "DividingContact",
    "Growth",
    "LineTension",
    "Pipette",
    "StepFunction",
    "SurfaceContact",
    "add_cell",
    "add_cluster",
    "ring_of",
]
