"""Contact of biological cells."""

from elements.laws.cells.contractile import Contractile
from elements.laws.cells.delile import Delile
from elements.laws.cells.dividing import Dividing

__all__ = ["Contractile", "Delile", "Dividing"]
