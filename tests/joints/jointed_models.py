"""Models with joints that several tests run."""

import numpy as np

import nsgalpha as ns
from elements import Cylindrical, Distance, Marker, Prismatic, Revolute, SpherePlane, Spherical
from nsgalpha.case.forms import Shaking

H = 2e-3


def pendulum():
    """A rod that swings about y through the origin, from the x axis on."""
    model = ns.Model(gravity=(0, 0, -9.81))
    rod = model.add_body(mass=1.0, inertia=(1e-3, 1 / 12, 1 / 12), position=(0.5, 0, 0), name="rod")
    pin = model.add(Revolute(None, rod, point=(0, 0, 0), axis=(0, 1, 0), name="pin"))
    return model, rod, pin


def hammer():
    """A rod with a ball at its end that strikes the ground again and again, and a ball on a rod beside it."""
    model = ns.Model(gravity=(0, 0, -9.81))
    rod = model.add_body(mass=1.0, inertia=(1e-3, 1 / 12, 1 / 12), position=(0.5, 0, 0.5), name="rod")
    head = model.add_sphere(radius=0.1, mass=0.5, position=(1, 0, 0.5), name="head")
    bob = model.add_sphere(radius=0.1, mass=0.5, position=(3, 0, 0.5), name="bob")
    floor = model.add_plane(normal=(0, 0, 1), offset=-0.05)
    model.add(Revolute(None, rod, point=(0, 0, 0.5), axis=(0, 1, 0), name="pin"))
    model.add(Spherical(rod, head, point=(1, 0, 0.5)))
    model.add(Distance(Marker(None, (3, 0, 1)), Marker(bob), length=0.5, name="thread"))
    model.add(SpherePlane([head, bob], floor, mu=0.3, e_n=0.6))
    return model


def shaken():
    """A slider on a frame that swings along its rail, and a nut on a bolt."""
    model = ns.Model(gravity=(0, 0, -9.81))
    block = model.add_body(mass=2.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, 0.2), name="block")
    nut = model.add_body(
        mass=1.0, inertia=(0.1, 0.2, 0.3), position=(1, 0, 0), angular_velocity=(0, 0, 40), velocity=(0, 0, 1)
    )
    shaking = Shaking(amplitude=(0.1, 0, 0), frequency=2.0)
    frame = model.add_plane(normal=(0, 0, 1), motion=shaking, name="frame")
    model.add(Prismatic(frame, block, point=(0, 0, 0), axis=(1, 0, 0), name="rail"))
    model.add(Cylindrical(None, nut, point=(1, 0, 0), axis=(0, 0, 1), name="bolt"))
    state = model.initial_state()
    speed = 2 * np.pi * 2.0 * 0.1
    state.velocity[block] = speed, 0.0, 0.0
    return model, state
