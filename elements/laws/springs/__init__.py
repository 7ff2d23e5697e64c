"""Springs and dashpots of given pairs."""
