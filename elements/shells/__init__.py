"""Shells and membranes: forces on the edges and triangles of a surface, and on it as a whole."""
