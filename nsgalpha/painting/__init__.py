"""Compiled rays of pictures: their first hits and colours.

The names are in __init__.pyi, and each is imported at its first use: who draws nothing needs no compiler.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
