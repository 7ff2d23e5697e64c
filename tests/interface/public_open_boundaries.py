"""Outlets, feeders, their regions and servo walls with valid arguments, for test_hostile_arguments.py."""

import elements as e
import nsgalpha as ns


def open_boundaries(folder):
    """All of them."""
    model = ns.Model()
    ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0.1))
    model.add(e.SpherePlane(ball, model.add_plane(normal=(0, 0, 1))))
    result = ns.simulate(model, t_end=0.01, h=0.01)
    plain = {"model": ns.Model(), "normal": (0, 0, 1), "mass": 1.0}
    region = ns.regions.Ball(centre=(0, 0, 0), radius=1.0)
    return {
        "regions.Ball": (ns.regions.Ball, {"centre": (0, 0, 0), "radius": 1.0}),
        "regions.Box": (ns.regions.Box, {"low": (0, 0, 0), "high": (1, 1, 1)}),
        "regions.Cylinder": (ns.regions.Cylinder, {"ends": [(0, 0, 0), (0, 0, 1)], "radius": 1.0}),
        "regions.HalfSpace": (ns.regions.HalfSpace, {"normal": (0, 0, 1)}),
        "Outlet": (ns.Outlet, {"region": region}),
        "Feeder": (ns.Feeder, {"bodies": [ball]}),
        "feed_spheres": (
            ns.feed_spheres,
            {"model": ns.Model(), "region": region, "radius": 0.1, "density": 1.0, "number": 3},
        ),
        "add_servo_wall": (e.add_servo_wall, plain | {"force": 1.0}),
        "add_servo_wall of a pressure": (e.add_servo_wall, plain | {"pressure": 1.0, "area": 1.0}),
        "plane_force": (ns.plane_force, {"result": result, "plane": "plane 0"}),
    }
