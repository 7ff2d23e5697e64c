"""The laws of Rockable (Richefeu and others): Default, Avalanche, StickedLinks."""

from elements.laws.rockable.bonds import Bond, StickedLinks
from elements.laws.rockable.contact import RockableAvalanche, RockableDefault
from elements.laws.rockable.restitution import clamped_restitution, energy_restitution, viscous_rate

__all__ = [
    "Bond",
    "RockableAvalanche",
    "RockableDefault",
    "StickedLinks",
    "clamped_restitution",
    "energy_restitution",
    "viscous_rate",
]
