"""The nonsmooth generalized-alpha scheme: smooth motion, position correction, velocity correction.

    alpha_stepper.py -> compiled_loop.py -> position_correction.py, velocity_correction.py, impact_sequence.py
                     -> python_step.py   -> compliant_motion.py, corrections.py for steps outside the loop
    loads: forced_motion.py, compiled_loads.py
    corrections.py -> correction_operators.py, large_impacts.py -> large_island.py

All of them work on step_data.py. The corrections of python_step.py are made of the pieces of the compiled
ones.
"""
