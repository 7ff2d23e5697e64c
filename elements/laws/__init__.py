"""Laws of compliant contact, by the document they come from."""

from elements.laws.exudyn import ExudynNormal, RegularisedCoulomb

__all__ = ["ExudynNormal", "RegularisedCoulomb"]
