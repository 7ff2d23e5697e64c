"""Shells and membranes: forces on edges, triangles and whole surfaces."""
