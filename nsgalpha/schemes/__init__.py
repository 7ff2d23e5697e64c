"""Schemes, a stepper each (run/stepper_interface.py): a step from motion, forces and contacts."""
