"""What tests of long cases compute: a part in the main suite (MAIN), more in tests marked `long` (LONG).

Values of attributes, by case or example and by their names within it. A function takes the value of the case.
A case that is in MAIN alone is computed as a whole by a long test.
"""

from functools import partial
from importlib import import_module
from itertools import islice


def every(step):
    """Every so many of the items of a sequence."""
    return lambda items: items[::step]


def first(count):
    """The first entries of a dict."""
    return lambda entries: dict(islice(entries.items(), count))


MAIN = {
    "compliant_exudyn": {"COLLISIONS": slice(3, None, 8), "cradle_rows": lambda rows: list},
    "deformable_cells": {"PARTS": ("laplace",)},
    "examples.chute": {"T_START": 1.0, "T_END": 1.5},
    "examples.domino_tiles": {"run": lambda run: partial(run, tiles=9)},
    "examples.drum": {"T_END": 0.6},
    "falling_chain": {"BALLS": 60},
    "impact_phases": {"PART": first(5), "SHOWN": every(3)},
    "many_bodies": {"PILE": 12},
    "mechanisms": {
        "adams.MODELS": slice(None, None, 3),
        "arrivals.PHASES": 2,
        "energy.STEPS": 20_000,
        "smooth.MECHANISMS": every(2),
    },
    "periodic_cells": {"SEEDS": (0,)},
    "persistent_contact": {"LONG": 2000, "figure.LONG": 2000},
    "red_cell": {"FORCES": (50.0,)},
    "stiffness_limit": {"RESOLUTIONS": every(2)},
    "sweep": {"BREAKS": 24},
}
LONG = {
    "compliant_exudyn": {"COLLISIONS": slice(3, None, 4)},
    "deformable_cells": {"PARTS": ("laplace", "compression")},
    "falling_chain": {"BALLS": 150},
    "periodic_cells": {"SEEDS": (0, 1)},
}


def patched(patch, case, values):
    """Set the values in the modules of a case."""
    for name, value in values.items():
        module, _, attribute = f"verification.{case}.{name}".rpartition(".")
        found = getattr(import_module(module), attribute)
        patch.setattr(f"{module}.{attribute}", value(found) if callable(value) else value)
