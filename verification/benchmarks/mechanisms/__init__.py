"""Chains of rods here and in other codes: time a step, and error.

    python -m verification.benchmarks.mechanisms --python /path/to/python

n rods of 1 m and 1 kg on hinges, let go from the horizontal (2: the double pendulum), against an integration
in n angles to 1e-12; processor times. Other codes run in the given interpreter, in processes with one thread.
A code that is not installed there is left out, and the output says so. Exudyn, MuJoCo are on PyPI:

    python -m venv peers && peers/bin/pip install exudyn mujoco
"""
