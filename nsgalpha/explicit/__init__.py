"""Explicit integration of compliant contact: velocity Verlet over blocks of contacts.

verlet.py  ->  block.py  ->  laws        run.py drives it; docs/design/compliant.md
"""
