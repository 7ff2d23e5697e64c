"""The catalogue of this package for case files (entry point of the group `nsgalpha.elements`)."""

import elements
from nsgalpha.case.plugin_catalogue import Catalogue
from nsgalpha.model.registration import kinds_of

CATALOGUE = Catalogue(**kinds_of([getattr(elements, name) for name in elements.__all__]))
