"""Coulomb friction with a static regime of springs and dashpots."""
