"""Joints: the rows of bilateral constraints, and how jointed bodies answer.

Joints are no contacts: whatever pushes, they answer. A scheme sees them as a part of the inertia.
"""
