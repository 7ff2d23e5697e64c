"""Sweeps, their tables, grids and maps with valid arguments, for the attack of test_hostile_arguments.py."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

import nsgalpha as ns
from nsgalpha import show


def add(a, b=1.0):
    """A function for sweeps."""
    return a + b


def sweeps(folder):
    """Sweeps and their tables."""

    def swept(executor):
        given = {"workers": 1} if executor is None else {"executor": executor}
        return ns.sweep(add, {"a": [1.0]}, **given)

    column = np.array([1.0])
    table = ns.sweep(add, {"a": [1.0]}, workers=1)
    square = ns.sweep(add, {"a": [1.0, 2.0], "b": [1.0, 2.0]}, workers=1)
    fields = {
        "parameters": {"a": column},
        "values": {"b": column},
        "outcome": np.array(["done"]),
        "message": np.array([""]),
        "seconds": column,
        "tries": np.array([1]),
    }
    return {
        "sweep": (ns.sweep, {"build": add, "parameters": {"a": [1]}, "workers": 1}),
        "sweep by an executor": (swept, {"executor": ThreadPoolExecutor(1)}),
        "sample_points": (ns.sample_points, {"n": 2, "seed": 1, "angle": (0.0, 1.0)}),
        "sample_points in an interval": (
            lambda angle: ns.sample_points(2, angle=angle),
            {"angle": (0.0, 1.0)},
        ),
        "Table": (ns.Table, fields),
        "Table.same": (table.same, {"other": table}),
        "Grid": (ns.Grid, {"axes": {"a": np.ones(1)}, "values": {"b": np.ones((1, 2))}}),
        "Table.grid": (lambda names: table.grid(names), {"names": "a"}),
        "Table.where": (lambda a: table.where(a=a), {"a": 1.0}),
        "heat_map": (show.heat_map, {"table": square, "value": "value", "x": "a", "y": "b", "lines": [2.5]}),
        "Table.to_csv": (table.to_csv, {"path": folder / "table.csv"}),
    }
