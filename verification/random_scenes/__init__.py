"""Random scenes of touching balls, and their invariance under restatements.

Every scene is run as it is stated, rotated, mirrored, and with its bodies in another order. It is also run
beside a raft of balls far away, with its gravity as a user's load, and interrupted in the middle. `python -m
verification.random_scenes` runs hundreds of them, tests/physics a few.
"""
