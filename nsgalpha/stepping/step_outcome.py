"""The outcomes of a step, in the order of the subproblems (see stepping/status.py).

Threads that differ agree on the largest: a motion that is not finite is also out of reach. UNLISTED: contacts
of primitives lack candidates or workspace. LOCATE: contacts that fly meet in the step. FULL: more features of
a pair may touch than it has slots. LARGE_LEFT: positions are corrected, velocities of large islands are left.
"""

SOLVED, SMOOTH, POSITION, VELOCITY, OUT_OF_REACH, NOT_FINITE, NO_ROOM = range(7)
PRESCRIBED, UNLISTED, LOCATE, INACCURATE, FULL, LARGE_LEFT = range(7, 13)
