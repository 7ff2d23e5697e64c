"""Checks of what users write: `check_law` of compliant laws, `check_geometry` of contact geometries,
`check_form` of forms, `check_catalogue` of what a package offers to case files.
"""

from nsgalpha.testing.catalogue_check import check_catalogue
from nsgalpha.testing.force_element_check import check_form
from nsgalpha.testing.geometry_check import check_geometry
from nsgalpha.testing.law_check import check_law

__all__ = ["check_catalogue", "check_form", "check_geometry", "check_law"]
