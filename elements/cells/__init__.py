"""Deformable cells: contact of their surfaces, line tension, and a helper that puts them together."""

from elements.cells.cell import Cell, Growth, add_cell
from elements.cells.contact import Pipette, SurfaceContact
from elements.cells.line_tension import LineTension, ring_of

__all__ = ["Cell", "Growth", "LineTension", "Pipette", "SurfaceContact", "add_cell", "ring_of"]
