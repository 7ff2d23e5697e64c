"""Rows of contacts and markers: directions, sets and effects of multipliers on velocities."""
