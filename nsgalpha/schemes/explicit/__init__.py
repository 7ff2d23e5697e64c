"""Explicit integration of compliant contact: velocity Verlet over blocks of contacts.

verlet.py  ->  block.py  ->  laws        stepper.py takes the steps; docs/design/compliant.md
"""
