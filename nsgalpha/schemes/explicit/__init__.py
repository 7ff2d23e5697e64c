"""Explicit integration of compliant contact: velocity Verlet over blocks of contacts.

velocity_verlet.py  ->  force_kernels.py  ->  laws        verlet_stepper.py takes the steps;
docs/design/compliant.md
"""
