"""Checks of what users write: `check_law` of compliant laws, `check_geometry` of contact geometries,
`check_form` of forms, `check_catalogue` of what a package offers to case files.
"""

from nsgalpha.testing.catalogue_check import check_catalogue
from nsgalpha.testing.form import check_form
from nsgalpha.testing.geometry import check_geometry
from nsgalpha.testing.law import check_law

__all__ = ["check_catalogue", "check_form", "check_geometry", "check_law"]
