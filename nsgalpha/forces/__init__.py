"""Compliant (penalty) contact: forces that have a value, with tangents, in the smooth motion.

    geometry  ->  contact_frames.py  ->  law (compliant_law.py)  ->  add_wrenches, contact_tangents.py  ->
    schemes/

docs/design/compliant.md says how a pass runs. The public names are in __init__.pyi, and each is imported when
it is first used: stating a law takes no compiler.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
