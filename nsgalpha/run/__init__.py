"""A run from its first state to its result: simulation.py -> run.py -> recorder.py -> result.py."""
