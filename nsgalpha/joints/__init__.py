"""Joints: rows that hold with equality, in the smooth motion and in both corrections.

pattern.py: order and blocks  ->  factor.py: factorise, solve  ->  redundancy.py: rows that depend on others
"""
