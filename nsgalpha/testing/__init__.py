"""Checks of what users write: `check_law` of compliant laws, `check_geometry` of contact geometries."""

from nsgalpha.testing.geometry import check_geometry
from nsgalpha.testing.law import check_law

__all__ = ["check_geometry", "check_law"]
