"""The parts of a step that all schemes share, compiled: candidates, rows, islands, motion, memory, records.

broadphase.py -> pose.py: measure -> islands.py -> kinematics.py: rows; warm_start.py remembers their forces
"""
