"""Schemes, a stepper each (run/stepper.py): a step from motion, forces and contacts."""
