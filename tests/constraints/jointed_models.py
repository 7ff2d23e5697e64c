"""Models with joints that several tests run."""

import numpy as np

import elements as e
import nsgalpha as ns
from nsgalpha.model.frame_motions import Shaking

H = 2e-3


def pendulum():
    """A rod that swings about y through the origin, from the x axis on."""
    model = ns.Model(gravity=(0, 0, -9.81))
    rod = model.add_body(mass=1.0, inertia=(1e-3, 1 / 12, 1 / 12), position=(0.5, 0, 0), name="rod")
    pin = model.add(e.Revolute(None, rod, point=(0, 0, 0), axis=(0, 1, 0), name="pin"))
    return model, rod, pin


def hammer():
    """A rod with a ball that strikes the ground repeatedly, and a second rod."""
    model = ns.Model(gravity=(0, 0, -9.81))
    rod = model.add_body(mass=1.0, inertia=(1e-3, 1 / 12, 1 / 12), position=(0.5, 0, 0.5), name="rod")
    head = model.add_sphere(radius=0.1, mass=0.5, position=(1, 0, 0.5), name="head")
    bob = model.add_sphere(radius=0.1, mass=0.5, position=(3, 0, 0.5), name="bob")
    floor = model.add_plane(normal=(0, 0, 1), offset=-0.05)
    model.add(e.Revolute(None, rod, point=(0, 0, 0.5), axis=(0, 1, 0), name="pin"))
    model.add(e.Spherical(rod, head, point=(1, 0, 0.5)))
    model.add(e.Distance(e.Marker(None, (3, 0, 1)), e.Marker(bob), length=0.5, name="thread"))
    model.add(e.SpherePlane([head, bob], floor, mu=0.3, e_n=0.6))
    return model


def chain(motion=None):
    """Nine bodies, each joined in another way, the first with a swinging frame."""
    model = ns.Model(gravity=(0, 0, -9.81))
    shaking = Shaking(amplitude=(0.1, 0, 0), frequency=2.0)
    speed = 0.4 * np.pi, 0, 0
    frame = model.add_plane(normal=(0, 0, 1), motion=motion or shaking, name="frame")
    b = [
        model.add_body(mass=1.0, inertia=(0.1, 0.2, 0.25), position=(k, 0, 0.1 * k), velocity=speed)
        for k in range(9)
    ]
    ends = [(k - 0.5, 0.1, 0.1 * k) for k in range(9)]
    model.add(e.Prismatic(frame, b[0], point=ends[0], axis=(1, 0, 0), name="rail"))
    model.add(e.Revolute(b[0], b[1], point=ends[1], axis=(0, 1, 0), name="hinge"))
    model.add(e.Cylindrical(b[1], b[2], point=ends[2], axis=(1, 0, 1), name="bolt"))
    model.add(e.Planar(b[2], b[3], point=ends[3], normal=(0, 0, 1), name="table"))
    model.add(e.Spherical(b[3], b[4], point=ends[4]))
    model.add(e.Rigid(b[4], b[5], point=ends[5]))
    model.add(e.Universal(b[5], b[6], point=ends[6], axis=(0, 1, 0), second=(0, 0, 1), name="cross"))
    ends = e.Marker(b[6], axis=(1, 0, 0), second=(0, 1, 0)), e.Marker(b[7], (0.5, 0, 0.05))
    model.add(e.Distance(*ends, name="thread"))
    model.add(e.Link(b[7], b[8], points=((7, 0, 0.7), (7.5, 0, 0.8)), axis=(0, 1, 0), name="arm"))
    return model
