"""Two bodies in contact, anywhere, with random velocities: spheres, shell, carried plane, points."""

import numpy as np

import elements as e
import nsgalpha as ns

KINDS = ("sphere", "shell", "plane")
OVERLAP = 0.01
STIFFNESS, MASS, DAMPING = 1e5, 0.5, 5.0  # of a ball on a plane


def unit(rng):
    v = rng.normal(size=3)
    return v / np.linalg.norm(v)


def pair(kind, rng, velocity=True, inertia=(None, None), **law):
    """A sphere A (body 0) and a body B that overlap by OVERLAP, or "points".

    "fixed points" are such a pair off the centres of the bodies.
    """
    n, x = unit(rng), rng.normal(size=3)
    model = ns.Model()
    moving = lambda: rng.normal(size=3) * velocity  # noqa: E731
    first = model.add_sphere(
        radius=0.3, mass=1.3, position=x, velocity=moving(), angular_velocity=moving(), inertia=inertia[0]
    )
    distance = {"sphere": 0.5 + 0.3, "points": 0.8, "fixed points": 0.8, "shell": -(0.5 - 0.3), "plane": 0.7}[
        kind
    ]
    inwards = OVERLAP if kind != "plane" else 0.0
    second = model.add_sphere(
        radius=0.5,
        mass=2.1,
        position=x - (distance - inwards) * n + (0.2 * np.cross(n, unit(rng)) if kind == "plane" else 0.0),
        velocity=moving(),
        angular_velocity=moving(),
        inertia=inertia[1],
    )
    if kind == "sphere":
        element = e.CompliantSphereSphere(pairs=[(first, second)], **law)
    elif kind == "points":
        element = e.Compliant(e.PointPairs([(first, second)]), reach=1.0, **law)
    elif kind == "fixed points":
        ends = (first, (0.2, -0.1, 0.3)), (second, (-0.1, 0.3, 0.2))
        element = e.Compliant(e.PointPairs([ends]), reach=2.0, **law)
    elif kind == "shell":
        element = e.CompliantSphereInShell(first, second, **law)
    else:
        top = model.add_plane(normal=n, offset=0.7 - 0.3 + OVERLAP, body=second)
        element = e.CompliantSpherePlane(first, top, **law)
    model.add(element)
    return model


def damped_ball(law, h, **options):
    """A ball pressed into a plane by 1 mm, with a `law` of STIFFNESS and DAMPING.

    Returns the largest error of its height over that.
    """
    model = ns.Model()
    ball = model.add_sphere(radius=0.1, mass=MASS, position=(0, 0, 0.099))
    model.add(e.CompliantSpherePlane(ball, model.add_plane(normal=(0, 0, 1)), normal=law))
    result = ns.simulate(model, t_end=0.003, h=h, **options)
    assert result.status, result.status
    decay = DAMPING / (2 * MASS)
    omega = np.sqrt(STIFFNESS / MASS - decay**2)
    angle = omega * result.t
    exact = 0.1 - 1e-3 * np.exp(-decay * result.t) * (np.cos(angle) + decay / omega * np.sin(angle))
    assert (exact < 0.1).all()
    return np.abs(result.position[:, ball, 2] - exact).max() / 1e-3
