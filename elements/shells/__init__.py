"""Shells and membranes: forces on the edges and triangles of a surface, and on it as a whole."""

from elements.shells.bending import Bending, ShellBending
from elements.shells.chains import ChainSprings
from elements.shells.edges import MaxwellShell, ShellSprings, ShellViscosity
from elements.shells.icosphere import icosphere
from elements.shells.juelicher import JuelicherBending
from elements.shells.membranes import (
    FungMembrane,
    LimMembrane,
    LinearMembrane,
    NeoHookeanMembrane,
    SkalakMembrane,
)
from elements.shells.sizes_of import GlobalArea, LocalArea, Volume

__all__ = [
    "Bending",
    "ChainSprings",
    "FungMembrane",
    "GlobalArea",
    "JuelicherBending",
    "LimMembrane",
    "LinearMembrane",
    "LocalArea",
    "MaxwellShell",
    "NeoHookeanMembrane",
    "ShellBending",
    "ShellSprings",
    "ShellViscosity",
    "SkalakMembrane",
    "Volume",
    "icosphere",
]
