"""Laws of compliant contact, by the document they come from."""

from elements.laws.exudyn import ExudynNormal, RegularisedCoulomb
from elements.laws.exudyn_impact import ExudynImpact
from elements.laws.exudyn_plastic import ExudynPlastic

__all__ = ["ExudynImpact", "ExudynNormal", "ExudynPlastic", "RegularisedCoulomb"]
