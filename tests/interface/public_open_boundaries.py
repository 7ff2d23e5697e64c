"""Outlets, feeders and their regions with valid arguments, for test_hostile_arguments.py."""

import nsgalpha as ns


def open_boundaries(folder):
    """All of them."""
    model = ns.Model()
    ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0))
    region = ns.regions.Ball(centre=(0, 0, 0), radius=1.0)
    return {
        "regions.Ball": (ns.regions.Ball, {"centre": (0, 0, 0), "radius": 1.0}),
        "regions.Box": (ns.regions.Box, {"low": (0, 0, 0), "high": (1, 1, 1)}),
        "regions.Cylinder": (ns.regions.Cylinder, {"ends": [(0, 0, 0), (0, 0, 1)], "radius": 1.0}),
        "regions.HalfSpace": (ns.regions.HalfSpace, {"normal": (0, 0, 1)}),
        "Outlet": (ns.Outlet, {"region": region}),
        "Feeder": (ns.Feeder, {"bodies": [ball]}),
    }
