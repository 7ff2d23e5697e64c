"""Motion without inertia: the velocities follow from the forces by resistances.

run.py  ->  equations.py  ->  compliant/contacts.py, linalg
"""
