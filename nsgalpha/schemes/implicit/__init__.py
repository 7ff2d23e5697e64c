"""Contacts that are forces, by a sparse system in every step, or by Newton's method for their balance.

stepper.py         ->  equations.py  ->  compliant/contacts.py, linalg      Overdamped, SemiImplicit
equilibrium.py     ->  newton.py     ->  equations.py                       states in which forces balance
"""
