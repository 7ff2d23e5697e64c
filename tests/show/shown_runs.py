"""Runs that the tests of pictures look at, each made once."""

from functools import cache

import numpy as np

import nsgalpha as ns
from elements import CompliantSphereSphere, SpherePlane, SphereSphere, SpringDashpot
from verification.balls import E_BALLS, MU_BALLS, MU_CLOTH, RADIUS, add_ball, add_cloth, billiard_model
from verification.billiard_break.model import LENGTH, WIDTH

CUSHIONS = {"east": (-1, 0, 0), "west": (1, 0, 0), "north": (0, -1, 0), "south": (0, 1, 0)}


@cache
def rack(t_end=3.0):
    """A break of 15 balls."""
    model = billiard_model()
    add_ball(model, (-LENGTH / 4.0, 0.003), velocity=(8.0, 0.0, 0.0), name="cue")
    for row in range(5):
        for k in range(row + 1):
            x, y = np.sqrt(3.0) * row, 2.0 * k - row
            add_ball(model, (LENGTH / 4.0 + 1.0001 * RADIUS * x, 1.0001 * RADIUS * y))
    cloth = add_cloth(model)
    cushions = [
        model.add_plane(normal=normal, offset=-0.5 * abs(np.dot(normal, (LENGTH, WIDTH, 0))), name=name)
        for name, normal in CUSHIONS.items()
    ]
    model.add(SphereSphere(among=model.spheres, mu=MU_BALLS, e_n=E_BALLS))
    model.add(SpherePlane(model.spheres, cloth, mu=MU_CLOTH))
    model.add(SpherePlane(model.spheres, cushions, e_n=0.85))
    return ns.simulate(model, t_end=t_end, h=1e-3)


@cache
def slide():
    """A ball slides, then rolls towards a second one, within walls."""
    model = ns.Model(gravity=(0, 0, -9.81))
    model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0.1), velocity=(2.0, 0, 0), name="first")
    model.add_sphere(radius=0.1, mass=1.0, position=(1.0, 0.05, 0.1), name="second")
    floor = model.add_plane(normal=(0, 0, 1), name="floor")
    model.add(SpherePlane(model.spheres, floor, mu=0.2))
    model.add(SphereSphere(among=model.spheres, mu=0.1, e_n=0.5))
    return ns.simulate(model, t_end=1.0, h=2e-3)


@cache
def soft():
    """Two soft balls that press each other, without gravity."""
    model = ns.Model()
    for x, v in ((-0.099, 0.1), (0.099, -0.1)):
        model.add_sphere(radius=0.1, mass=1.0, position=(x, 0, 0), velocity=(v, 0, 0))
    model.add(CompliantSphereSphere(among=model.spheres, normal=SpringDashpot(stiffness=1e4)))
    return ns.simulate(model, t_end=0.02, h=1e-4, record_every=10)


@cache
def shapes():
    """A capsule, a plate, a mesh, a triangle of points, a shell, a plane."""
    model = ns.Model(gravity=(0, 0, -9.81))
    inertia = (0.01, 0.02, 0.02)
    rod = model.add_body(
        mass=1, inertia=inertia, position=(0, 0, 0.3), velocity=(0.5, 0, 1.5), angular_velocity=(0, 4, 1)
    )
    model.add_primitive([(-0.2, 0, 0), (0.2, 0, 0)], radius=0.05, carrier=rod)
    plate = model.add_body(
        mass=1, inertia=inertia, position=(0, 0.5, 0.3), velocity=(0.5, 0, 1.5), angular_velocity=(3, 0, 1)
    )
    square = [(-0.1, -0.1, 0), (0.1, -0.1, 0), (0.1, 0.1, 0), (-0.1, 0.1, 0)]
    model.add_primitive(square, radius=0.03, carrier=plate)
    model.add_primitive([(0, 0, 0.2)], radius=0.06, carrier=plate)
    model.add_mesh([(-1, -1, 0), (1, -1, 0.1), (1, 1, 0), (-1, 1, 0.1)], [[0, 1, 2], [0, 2, 3]])
    places = ((-0.5, -0.5, 0.2), (-0.2, -0.5, 0.3), (-0.3, -0.2, 0.25))
    points = [model.add_point(position=x, mass=0.1, velocity=(0, 0, 1)) for x in places]
    model.add_primitive(points)
    model.add_primitive(points[:2], radius=0.02)
    model.add_sphere(radius=0.3, mass=1, position=(0.7, -0.5, 0.5), velocity=(0, 0, 1), name="shell")
    model.add_sphere(radius=0.1, mass=1, position=(0.7, -0.6, 0.4), velocity=(0, 0, 1), name="inner")
    model.add_plane(normal=(1, 0, 0), offset=-0.9, motion=advancing, name="moving")
    model.add_plane(normal=(0, 0, 1), offset=-0.3, body=rod, name="carried")
    return ns.simulate(model, t_end=0.4, h=1e-3, record_every=4)


def advancing(t):
    """Motion of the moving plane."""
    return (t, 0.0, 0.0), (1.0, 0.0, 0.0)
