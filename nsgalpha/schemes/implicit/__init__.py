"""Contacts that are forces, by a sparse system in every step, or by Newton's method for their balance.

implicit_stepper.py  ->  implicit_equations.py  ->  forces/compliant_forces.py, linalg
equilibrium.py       ->  balance_newton.py  ->  implicit_equations.py
"""
