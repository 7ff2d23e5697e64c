"""The model of the user, and interfaces of elements, laws, joints, drives and loads.

model.py; contact_element.py has the interfaces of elements; state.py has positions and velocities.
"""
