"""Rows of contacts and markers: directions, sets and what a multiplier does to velocities."""
