"""Shells and membranes: forces on edges, triangles and whole surfaces."""

from elements.shells.area_volume_elasticity import GlobalArea, LocalArea, Volume
from elements.shells.chain_springs import ChainSprings
from elements.shells.edge_bending import Bending, ShellBending
from elements.shells.edge_springs import MaxwellShell, ShellSprings, ShellViscosity
from elements.shells.icosphere import icosphere
from elements.shells.mean_curvature_bending import JuelicherBending
from elements.shells.membranes import (
    FungMembrane,
    LimMembrane,
    LinearMembrane,
    NeoHookeanMembrane,
    SkalakMembrane,
)

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
