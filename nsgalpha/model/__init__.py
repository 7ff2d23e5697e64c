"""The model of the user, its elements, and the system of arrays for the kernels.

model.py -> system.py; contact_element.py is what elements are made of; state.py, where the bodies are.
"""
