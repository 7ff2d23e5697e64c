"""Compiled parts of a step for all schemes: candidates, rows, islands, motion, records.

broad_phase.py -> poses.py: measure -> islands.py -> contact_kinematics.py: rows; warm_start.py keeps their
forces
"""
