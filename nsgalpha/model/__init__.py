"""The model of the user, and interfaces of elements, laws, joints, drives and loads.

model.py; contact_element.py has the interfaces of elements; state.py has positions and velocities.
`nsgalpha.parts` and `nsgalpha.regions` are modules of this folder.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(__name__, submodules=["parts", "regions"])
