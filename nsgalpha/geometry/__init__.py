"""Geometry: broad and narrow phase, identity of contacts, rotations and vectors."""
