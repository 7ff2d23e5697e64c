"""Joints: bilateral constraints, which hold in the smooth motion and in both corrections.

They are no contacts: they answer any load. A scheme sees them as a part of the inertia.
"""
