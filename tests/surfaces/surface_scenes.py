"""Scenes of moving primitives in contact, rigid and with points as corners."""

import numpy as np

import elements as e
import nsgalpha as ns

SPRING = e.SpringDashpot(stiffness=1e4, damping=2.0)
FRICTION = e.CundallStrack(stiffness=5e3, mu=0.4, damping=1.0)
ROD = {"mass": 0.3, "inertia": (2e-4, 3e-4, 1e-4)}


def rods(model):
    """A rigid capsule over another, a segment of two points over both, and a ball."""
    low = model.add_body(position=(0, 0, 0), velocity=(0, 0, 0.5), angular_velocity=(1, 2, 0.5), **ROD)
    high = model.add_body(position=(0.01, 0.005, 0.0198), rotation=(1, 0, 0.1, 0.3), **ROD)
    ends = [
        model.add_point(mass=0.1, position=(x, 0.01 * x, 0.0395), velocity=(0, x, -0.4))
        for x in (-0.03, 0.05)
    ]
    ball = model.add_sphere(radius=0.012, mass=0.05, position=(-0.03, 0.005, 0.0612), velocity=(0, 0, -1))
    axis = [(-0.04, 0, 0), (0.04, 0, 0)]
    shapes = [model.add_primitive(axis, radius=0.01, carrier=body) for body in (low, high)]
    return [*shapes, model.add_primitive(ends, radius=0.01)], ball


def tripod(model, corners):
    """A triangle of three points with mass under a falling ball, over a rigid one."""
    triangle = [(0, 0, 0), (0.1, 0.01, 0.004), (0.02, 0.09, -0.003)]
    points = [model.add_point(mass=0.05, position=x, velocity=(0, 0, 0.1)) for x in triangle]
    ball = model.add_sphere(
        radius=0.03,
        mass=0.05,
        position=(0.035, 0.03, 0.0295),
        velocity=(0.3, 0, -1),
        angular_velocity=(3, 1, 2),
    )
    return model.add_primitive(points), ball


def scene_of_rods(torque):
    model = ns.Model()
    shapes, ball = rods(model)
    model.add(e.CompliantCapsules(among=shapes, torque=torque, normal=SPRING, tangential=FRICTION))
    model.add(e.CompliantCapsuleSphere(shapes, ball, torque=torque, normal=SPRING, tangential=FRICTION))
    return model


def scene_of_triangle(torque):
    model = ns.Model()
    shape, ball = tripod(model, 3)
    model.add(e.CompliantPolygonSphere(shape, ball, torque=torque, normal=SPRING, tangential=FRICTION))
    return model


def scene_of_box(torque):
    """A rigid polygon, rotated against two below it, and a capsule on it."""
    model = ns.Model()
    square = np.array([(-0.05, -0.05, 0), (0.05, -0.05, 0), (0.05, 0.05, 0), (-0.05, 0.05, 0)])
    plate = model.add_body(
        position=(0, 0, 0.0995), rotation=(1, 0.01, -0.02, 0.2), velocity=(0, 0, -1), **ROD
    )
    below = model.add_body(position=(0.08, 0, 0.0993), rotation=(1, 0.01, 0, 0), **ROD)
    rod = model.add_body(
        position=(0, 0, 0.111), rotation=(1, 0, 0.002, 0.3), angular_velocity=(3, 2, 1), **ROD
    )
    down = model.add_primitive(square[::-1], carrier=plate)
    up = model.add_primitive(square, carrier=plate)
    others = [model.add_primitive(square, carrier=below), model.add_primitive(square + np.array([0, 0, 0.1]))]
    capsule = model.add_primitive([(-0.03, 0, 0), (0.03, 0, 0)], radius=0.012, carrier=rod)
    model.add(e.CompliantPolygons(between=([down], others), normal=e.LinearPressure(stiffness=1e9)))
    model.add(e.CompliantPolygonCapsule(up, capsule, torque=torque, normal=SPRING, tangential=FRICTION))
    return model


SCENES = {"rods": scene_of_rods, "triangle": scene_of_triangle, "box": scene_of_box}
