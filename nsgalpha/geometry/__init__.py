"""Geometry: broad and narrow phase, the identity of contacts, rotations and vectors; no law and no scheme."""
