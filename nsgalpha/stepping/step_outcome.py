"""The outcomes of a step, in the order of the subproblems (see stepping/status.py).

Threads that differ agree on the largest: a motion that is not finite is also out of reach. UNLISTED: contacts
of primitives lack candidates or workspace.
"""

SOLVED, SMOOTH, POSITION, VELOCITY, OUT_OF_REACH, NOT_FINITE, NO_ROOM, PRESCRIBED, UNLISTED, INACCURATE = (
    range(10)
)
