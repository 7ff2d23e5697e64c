"""A run from its first state to its result, under any scheme.

../api/simulation.py -> step_loop.py -> run_progress.py -> a stepper (stepper_interface.py) and recorder.py ->
result.py
"""
