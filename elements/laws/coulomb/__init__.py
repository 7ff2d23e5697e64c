"""Coulomb friction with a static regime of springs and dashpots."""

from elements.laws.coulomb.cundall_strack import CundallStrack
from elements.laws.coulomb.haff_werner import HaffWerner
from elements.laws.coulomb.torsion import TorsionalCoulomb

__all__ = ["CundallStrack", "HaffWerner", "TorsionalCoulomb"]
