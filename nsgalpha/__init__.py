"""nsgalpha: nonsmooth multibody dynamics by the nonsmooth generalized-alpha scheme.

    model = Model(gravity=...);  model.add_sphere(...);  model.add(element);  simulate(model, ...)

run -> schemes -> forces -> system -> stepping -> contact -> constraints -> geometry -> model (the floors of
docs/design/layout.md). A step is in schemes/generalized_alpha/compiled_loop.py; elements live in the package
`elements`. The public names are in __init__.pyi, and each is imported when it is first used.
"""

import lazy_loader

from nsgalpha.commands.package_check import warn

warn()
__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
