"""Chains of rods here and in other codes: time a step, and error.

    NSGALPHA_PEERS=/path/to/python python -m verification.benchmarks.mechanisms

n rods of 1 m and 1 kg on hinges, let go from the horizontal (2: the double pendulum), against an integration
in n angles to 1e-12; processor times. A code that is not installed is left out, and the output says so: see
verification/benchmarks/peers.
"""
