"""The nonsmooth generalized-alpha scheme: smooth motion, position correction, velocity correction.

alpha_stepper.py -> compiled_loop.py -> position_correction.py, velocity_correction.py  compiled
                 -> python_step.py   -> compliant_motion.py, corrections.py           what it leaves to Python

Steps that end at impacts: located_stepper.py, and flying_contacts.py for the compiled loop.
Loads: forced_motion.py, compiled_loads.py. Rows, islands and impacts: nsgalpha/contact/.

All of them work on step_data.py. The corrections of python_step.py are made of the pieces of the compiled
ones.
"""
