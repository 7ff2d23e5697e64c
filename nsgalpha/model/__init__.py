"""The model as a user states it, and the interfaces of elements, laws, joints, drives and loads.

model.py; contact_element.py is what elements are made of; state.py, where the bodies are.
"""
