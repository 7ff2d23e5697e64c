"""Scenes that several tests use, and quantities of a state computed apart from the library."""

import itertools

import numpy as np
from scipy.spatial.transform import Rotation

import nsgalpha as ns
from elements import SpherePlane, SphereSphere

G = 9.81


def rotation_of(quaternion):
    """scipy Rotation of a scalar-first quaternion (4,)."""
    return Rotation.from_quat(np.roll(quaternion, -1))


def random_inertia(rng, size):
    """Inertia tensor (3, 3) of some body, of about `size`: principal values of a cloud of points."""
    points = rng.normal(size=(5, 3))
    second = points.T @ points
    tensor = np.trace(second) * np.eye(3) - second
    return size * tensor / np.trace(tensor)


def lattice_cluster(rng, count, radius):
    """Centres (count, 3) of a connected heap of touching spheres on a face-centred cubic lattice."""
    steps = [np.array(s) for s in itertools.product((-1, 0, 1), repeat=3) if sum(abs(i) for i in s) == 2]
    sites = [np.zeros(3, int)]
    while len(sites) < count:
        site = sites[rng.integers(len(sites))] + steps[rng.integers(len(steps))]
        if not any((site == other).all() for other in sites):
            sites.append(site)
    return np.array(sites) * radius * np.sqrt(2.0)


def spin_momentum(body, quaternion, w):
    """Spin angular momentum (3,) of `body` at the rotation `quaternion` with the inertial rate `w`."""
    rotation = rotation_of(quaternion)
    return rotation.apply(body.inertia @ rotation.inv().apply(w))


def pile(seed=0, count=8, mu=0.3, e_n=0.4, **law):
    """Different balls, some spinning, fall on each other into a five-sided box."""
    rng = np.random.default_rng(seed)
    model = ns.Model(gravity=(0.3, -0.2, -G))
    for k in range(count):
        r = rng.uniform(0.02, 0.04)
        model.add_sphere(
            radius=r,
            mass=2000.0 * r**3,
            position=(0.03 * (-1) ** k, 0.03 * (-1) ** (k // 2), 0.05 + 0.09 * k),
            velocity=rng.uniform(-0.5, 0.5, 3),
            angular_velocity=rng.uniform(-20.0, 20.0, 3),
            inertia=None if k % 2 else random_inertia(rng, 2000.0 * r**5),
        )
    planes = [model.add_plane(normal=(0, 0, 1))]
    for normal in ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0)):
        planes.append(model.add_plane(normal=normal, offset=-0.1))
    model.add(SphereSphere(among=model.spheres, mu=mu, e_n=e_n, **law))
    model.add(SpherePlane(model.spheres, planes, mu=mu, e_n=e_n, **law))
    return model


def ball_on_table(velocity=(0, 0, 0), spin=(0, 0, 0), radius=0.03, mass=0.17, gravity=(0, 0, -G), **law):
    """A ball that rests on a horizontal plane; returns (model, ball)."""
    model = ns.Model(gravity=gravity)
    ball = model.add_sphere(
        radius=radius, mass=mass, position=(0, 0, radius), velocity=velocity, angular_velocity=spin
    )
    model.add(SpherePlane(ball, model.add_plane(normal=(0, 0, 1)), **law))
    return model, ball


def relative_velocity(result, c):
    """Velocity (3,) of A against B at the contact point of the recorded contact `c`, and w_A - w_B."""
    contacts, model = result.contacts, result.model
    i, a, b = contacts.record[c], contacts.body_a[c], contacts.body_b[c]
    n = contacts.normal[c]
    w = result.angular_velocity[i, a]
    u = result.velocity[i, a] - model.bodies[a].radius * np.cross(w, n)
    spin = w.copy()
    if b >= 0:
        w = result.angular_velocity[i, b]
        u -= result.velocity[i, b] + model.bodies[b].radius * np.cross(w, n)
        spin -= w
    return u, spin
