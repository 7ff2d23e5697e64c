"""Joints: bilateral constraints, which hold in the smooth motion and in both corrections.

They are no contacts: whatever pushes, they answer. A scheme sees them as a part of the inertia.

    rows.py        violations and rows of all joints at a pose
    pattern.py     order of elimination and blocks of S = G M^-1 G^T
    factor.py      factorise, solve
    redundancy.py  rows that depend on others
    response.py    how jointed bodies answer impulses
"""
