"""Joints: bilateral constraints, which hold in the smooth motion and in both corrections.

They are no contacts: they answer any load. A scheme sees them as a part of the inertia.

    joint_rows.py        violations and rows of all joints at a pose
    joint_pattern.py     order of elimination and blocks of S = G M^-1 G^T
    joint_factor.py      factorise, solve
    joint_redundancy.py  rows that depend on others
    jointed_response.py    how jointed bodies answer impulses
"""
