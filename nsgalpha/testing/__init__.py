"""Checks of what users write: `check_law` of compliant laws, `check_geometry` of contact geometries,
`check_force_element` of force elements, `check_catalogue` of what a package offers to case files.
"""

from nsgalpha.testing.catalogue_check import check_catalogue
from nsgalpha.testing.force_element_check import check_force_element
from nsgalpha.testing.geometry_check import check_geometry
from nsgalpha.testing.law_check import check_law

__all__ = ["check_catalogue", "check_force_element", "check_geometry", "check_law"]
