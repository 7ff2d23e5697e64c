"""Cells for the tests."""

import numpy as np

import nsgalpha as ns
from elements import add_cell, icosphere

LAW = {"stiffness": 50.0, "work": 1.0, "reach": 0.15}


def cells(*places, subdivisions=1, **given):
    """A model and cells of the radius 1 at `places`."""
    model = ns.Model()
    stated = {"tension": 1.0, "volume_stiffness": 100.0} | given
    return model, [add_cell(model, icosphere(subdivisions), position=place, **stated) for place in places]


def shaken(model, by=0.01, seed=0):
    """Positions near those stated."""
    x = model.initial_state().position
    return x + by * np.random.default_rng(seed).normal(size=x.shape)
