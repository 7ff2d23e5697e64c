"""Schemes, a stepper each (schemes/stepper_interface.py): a step from motion, forces and contacts.

A new scheme is a folder with its parameters and its stepper; moreau_jean/ is the smallest. It is named in
`Scheme` (scheme_settings.py), in `stepper` (api/simulation.py) and in case/builtin_catalogue.py.
"""
