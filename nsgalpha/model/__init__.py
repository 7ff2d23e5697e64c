"""The model of the user, its elements, and the system of arrays for the kernels.

model.py -> system.py; contact_element.py has the interfaces of elements; state.py has positions and
velocities.
"""
