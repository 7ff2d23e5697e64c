"""Implicit schemes for compliant contact: a sparse system a step, or Newton's method.

implicit_stepper.py  ->  implicit_equations.py  ->  forces/compliant_forces.py, linalg
equilibrium.py       ->  balance_newton.py  ->  implicit_equations.py
"""
