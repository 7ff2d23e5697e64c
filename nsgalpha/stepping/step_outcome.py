"""The outcomes of a step, in the order of the subproblems (see stepping/status.py)."""

SOLVED, SMOOTH, POSITION, VELOCITY, NOT_FINITE, OUT_OF_REACH, NO_ROOM, PRESCRIBED = range(8)
