"""A run from its first state to its result, under any scheme.

simulation.py -> drive.py -> run.py -> a stepper (stepper.py) and recorder.py -> result.py
"""
