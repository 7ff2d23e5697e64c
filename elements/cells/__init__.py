"""Deformable cells: contact of their surfaces, line tension, and a helper that puts them together."""
