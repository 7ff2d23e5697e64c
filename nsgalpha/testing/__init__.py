"""Checks of user code: laws, geometries, force elements and catalogues."""

from nsgalpha.testing.catalogue_check import check_catalogue
from nsgalpha.testing.force_element_check import check_force_element
from nsgalpha.testing.geometry_check import check_geometry
from nsgalpha.testing.law_check import check_law

__all__ = ["check_catalogue", "check_force_element", "check_geometry", "check_law"]
