"""Springs and dashpots of given pairs."""

from elements.laws.springs.dashpot import LinearDashpot
from elements.laws.springs.elastic import LinearSpring
from elements.laws.springs.maxwell import MaxwellSpring

__all__ = ["LinearDashpot", "LinearSpring", "MaxwellSpring"]
