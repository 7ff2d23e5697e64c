"""The models of periodic cells."""

import itertools

import numpy as np

import nsgalpha as ns
from elements import SpherePlane, SphereSphere

RADIUS, MASS, GRAVITY = 0.1, 2.0, 10.0  # [m], [kg], [m/s^2]
BEADS, GAP = 5, 0.1  # number, [m] between them
LAYERS, ACROSS = 5, 4
PACKING_VOLUME = (2 * RADIUS) ** 3 * LAYERS * ACROSS**2  # [m^3]
SLOPE, MU, PERIOD = 30.0, 0.1, 0.9  # [deg], below 2/7 tan of it: they slip; [m]
SPHERES, FRACTION, E_N = 1000, 0.1, 0.9  # of the gas, whose spheres have the diameter 1 and the mass 1
T_START, T_END, H = 4.0, 16.0, 0.005  # about four and sixteen impacts of each sphere
SIDE = (SPHERES * np.pi / 6.0 / FRACTION) ** (1.0 / 3.0)


def ring() -> ns.Model:
    """Beads on a ring of which one moves."""
    pitch = 2 * RADIUS + GAP
    model = ns.Model(periodic=(BEADS * pitch, None, None))
    for k in range(BEADS):
        v = 1.0 if k == 0 else 0.0
        model.add_sphere(radius=RADIUS, mass=1.0, position=(pitch * k, 0, 0), velocity=(v, 0, 0))
    model.add(SphereSphere(among=model.spheres, e_n=1.0))
    return model


def packing() -> ns.Model:
    """A simple cubic packing on a floor."""
    side = 2 * RADIUS * ACROSS
    model = ns.Model(gravity=(0, 0, -GRAVITY), periodic=(side, side, None))
    for k, i, j in itertools.product(range(LAYERS), range(ACROSS), range(ACROSS)):
        place = 2 * RADIUS * np.array([i, j, k + 0.5])
        model.add_sphere(radius=RADIUS, mass=MASS, position=place)
    model.add(SphereSphere(among=model.spheres, mu=0.3))
    model.add(SpherePlane(model.spheres, model.add_plane(normal=(0, 0, 1)), mu=0.3))
    return model


def layer() -> ns.Model:
    """Spheres on an incline, side by side across it."""
    s, c = np.sin(np.radians(SLOPE)), np.cos(np.radians(SLOPE))
    model = ns.Model(gravity=(GRAVITY * s, 0, -GRAVITY * c), periodic=(PERIOD, PERIOD, None))
    for i, j in itertools.product(range(3), repeat=2):
        model.add_sphere(radius=RADIUS, mass=MASS, position=(0.3 * i, 0.3 * j, RADIUS))
    model.add(SphereSphere(among=model.spheres))
    model.add(SpherePlane(model.spheres, model.add_plane(normal=(0, 0, 1)), mu=MU))
    return model


def gas(seed: int, e_n: float) -> ns.Model:
    """Smooth spheres at random places around those of a lattice, with Maxwell's velocities."""
    rng = np.random.default_rng(seed)
    n = round(SPHERES ** (1.0 / 3.0))
    pitch = SIDE / n
    sites = np.array(list(itertools.product(range(n), repeat=3)))
    x = pitch * sites + rng.uniform(-0.49, 0.49, (SPHERES, 3)) * (pitch - 1.0)
    v = rng.normal(size=(SPHERES, 3))
    model = ns.Model(periodic=(SIDE, SIDE, SIDE))
    for place, velocity in zip(x, v - v.mean(axis=0), strict=True):
        model.add_sphere(radius=0.5, mass=1.0, position=place, velocity=velocity)
    model.add(SphereSphere(among=model.spheres, e_n=e_n))
    return model
