"""The catalogue of elements: everything that acts between bodies.

Public names are those that are registered where they are defined (nsgalpha/model/registration.py). Editors
and type checkers read them from __init__.pyi, which `python -m verification.catalogue` writes.
"""

from nsgalpha.model.registration import found_in

__all__ = sorted(_found := found_in(__name__, without=["elements.catalogue"]))
globals().update(_found)
