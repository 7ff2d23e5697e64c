"""Computations of tests of long cases: a part in the main suite (MAIN), more in `long` tests (LONG).

Values of attributes, by case and by their names within it. A function takes the value of the case.
A case that is in MAIN alone is computed as a whole by a long test.
"""

from dataclasses import replace
from importlib import import_module

import numpy as np

from verification.impact_phases import SHOWN


def every(step):
    """Every so many of the items of a sequence."""
    return lambda items: items[::step]


MAIN = {
    "angle_of_repose": {"model.SLOPES": np.array([24.0, 17.0]), "model.TIME": 30.0},
    "augmented_lagrangian": {
        "EXAMPLES": lambda examples: [replace(each, models=each.models[1::2]) for each in examples],
        "SCENES": range(20, 30),
        "PENALTIES": (),
        "EACH": 1,
    },
    "compliant_exudyn": {"COLLISIONS": slice(1, None, 8), "cradle_rows": lambda rows: list},
    "deformable_cells": {"PARTS": ("laplace",), "FINENESS": 2},
    # one small box: the ratio in its zone scatters by 0.04
    "direct_shear": {
        "SEEDS": (1,),
        "DENSE": False,
        "model.GRAINS": 330,
        "model.BOX": (10.0, 4.0),
        "model.LOWER": 3.5,
        "model.WAY": 4.0,
        "model.STRAIN": 1.2,
        "TOLERANCE": 0.1,
    },
    "falling_chain": {"BALLS": 80},
    "heap": {"SEEDS": (0,), "TIMES": 1},
    "hertz_mindlin": {"IMPACTS": lambda impacts: impacts[2:3]},
    "hopper_flow": {"model.HOLES": (7.0,), "model.T_END": (16.0,)},
    "impact_phases": {"PHASES": 1, "PART": lambda part: {name: part[name] for name in SHOWN}},
    "located_impacts": {"SHOTS": 40},
    "many_bodies": {"PILE": 12},
    "mechanisms": {
        "adams.MODELS": slice(None, None, 8),
        "arrivals.PHASES": 1,
        "energy.STEPS": 50_000,
        "woodpecker.studies": lambda studies: list,
        "smooth.MECHANISMS": every(3),
    },
    "oedometer": {"model.PUBLISHED": lambda published: {}},
    "periodic_cells": {"SEEDS": (1,), "shear.END": 5.0, "shear.PART": 0.12},
    "persistent_contact": {"LONG": 1000, "PHASES": 1, "figure.LONG": 1000},
    "red_cell": {"FORCES": (50.0,)},
    "shapes": {
        "random_pairs.PAIRS": 1000,
        "random_pairs.TOGETHER": 250,
        "falls.POSES": lambda poses: {"an edge": poses["an edge"]},
        "rims.PHASES": 1,
        "stacks.PARTS": (0.03,),
    },
    # over six seeds the limit is 0.019 low and has a standard deviation of 0.008
    "simple_shear": {
        "model.INERTIAL": ((3e-2, 2.0), (3e-2, 1.5), (1e-2, 1.5), (3e-3, 0.6)),
        "TOLERANCE": 0.06,
    },
    "stiffness_limit": {"RESOLUTIONS": every(3)},
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
