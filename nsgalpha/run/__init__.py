"""A run from its first state to its result, under any scheme.

simulation.py -> step_loop.py -> run_progress.py -> a stepper (stepper_interface.py) and recorder.py ->
result.py
"""
