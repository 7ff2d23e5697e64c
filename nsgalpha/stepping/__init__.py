"""The parts of a step that all schemes share, compiled: candidates, rows, islands, motion, memory, records.

broad_phase.py -> poses.py: measure -> islands.py -> contact_kinematics.py: rows; warm_start.py remembers
their forces
"""
