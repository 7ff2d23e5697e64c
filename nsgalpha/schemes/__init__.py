"""Schemes, a stepper each (schemes/stepper_interface.py): a step from motion, forces and contacts."""
