"""Decks with surfaces that run, planes in their place, and bodies on them."""

import numpy as np
from scenes import G
from scipy.spatial.transform import Rotation

import elements as e
import nsgalpha as ns

MU, M = 0.3, 2.0
RUN = np.array((1.5, 0.2, 0.0))
UPRIGHT, OBLIQUE = Rotation.identity(), Rotation.from_rotvec((0.5, -0.9, 0.3))
LYING = Rotation.from_rotvec((0.0, 0.5 * np.pi, 0.0))


def quaternion(turn):
    x, y, z, w = turn.as_quat()
    return w, x, y, z


def add_mover(model, kind, turn, height=0.0, velocity=(0, 0, 0), **more):
    """A body just above the ground, or `height` higher, in axes rotated by `turn`; and its shape."""
    tall = {"box": 0.05, "cylinder": 0.05}.get(kind, 0.1) + height
    pose = {"position": turn.apply((0, 0, tall)), "velocity": turn.apply(velocity)} | more
    if kind == "ball":
        body = model.add_sphere(radius=0.1, mass=M, rotation=quaternion(turn), **pose)
        return body, body
    if kind == "capsule":
        body = model.add_capsule(0.1, 0.4, mass=M, rotation=quaternion(turn * LYING), **pose)
        return body, model.primitives[-1]
    if kind == "box":
        body = model.add_box((0.2, 0.2, 0.1), mass=M, rotation=quaternion(turn), **pose)
    else:
        body = model.add_cylinder(0.1, 0.1, mass=M, rotation=quaternion(turn), **pose)
    return body, body


def on_plane(kind, turn=UPRIGHT, runs=True, law=None, **how):
    """On a plane that moves within itself, or is at rest, under a `law`."""
    model = ns.Model(gravity=-G * turn.apply((0, 0, 1.0)))
    _, shape = add_mover(model, kind, turn, **how)
    motion = ns.ConstantVelocity(velocity=turn.apply(RUN)) if runs else None
    plane = model.add_plane(normal=turn.apply((0, 0, 1.0)), motion=motion)
    model.add(e.Contact(between=([shape], [plane]), **(law or {"mu": MU})))
    return model


def add_deck(model, deck, turn, own):
    """A fixed body with its surface through the origin. Its frame is rotated by `own`, too."""
    where = {"rotation": quaternion(turn * own), "fixed": True}
    if deck == "box":
        size = np.abs(own.apply((6.0, 4.0, 0.2)))
        return model.add_box(size, position=turn.apply((0, 0, -0.1)), **where)
    if deck == "cylinder":
        return model.add_cylinder(3.0, 0.2, position=turn.apply((0, 0, -0.1)), **where)
    body = model.add_body(position=(0, 0, 0), **where)
    corners = own.inv().apply([(-3, -2, 0), (3, -2, 0), (3, 2, 0), (-3, 2, 0)])
    if deck == "polygon":
        model.add_primitive(corners, carrier=body)
    else:
        model.add_mesh(corners, [(0, 1, 2), (0, 2, 3)], carrier=body)
    return body


#: Element, kinds of the mover and of the deck, rotation of the frame of the deck
QUARTER = Rotation.from_rotvec((0.5 * np.pi, 0, 0))
DECKS = {
    "SolidSolid": (e.SolidSolid, "box", "box", QUARTER),
    "cylinder on a cylinder": (e.SolidSolid, "cylinder", "cylinder", UPRIGHT),
    "SphereSolid": (e.SphereSolid, "ball", "box", QUARTER),
    "CapsuleSolid": (e.CapsuleSolid, "capsule", "box", QUARTER),
    "SolidMesh": (e.SolidMesh, "box", "mesh", OBLIQUE),
    "SphereMesh": (e.SphereMesh, "ball", "mesh", OBLIQUE),
    "SpherePolygon": (e.SpherePolygon, "ball", "polygon", OBLIQUE),
    "CapsuleMesh": (e.CapsuleMesh, "capsule", "mesh", OBLIQUE),
}


def on_deck(case, turn=UPRIGHT, law=None, contact=None, run=RUN, **how):
    """On a fixed deck with a surface that runs, or under another `law` of its axes."""
    element, kind, deck, own = case
    model = ns.Model(gravity=-G * turn.apply((0, 0, 1.0)))
    _, shape = add_mover(model, kind, turn, **how)
    body = add_deck(model, deck, turn, own)
    law = {"mu": MU, "surface_velocity": run} if law is None else dict(law)
    for name in ("surface_velocity", "axis"):
        if law.get(name) is not None:
            law[name] = own.inv().apply(law[name])
    if contact is not None:
        model.add(contact(shape, body, law))
    elif element is e.SolidSolid:
        model.add(e.SolidSolid(between=([shape], [body]), **law))
    elif element is e.SpherePolygon:
        model.add(e.SpherePolygon(shape, [model.primitives[-1]], **law))
    else:
        model.add(element(shape, body, **law))
    return model


def solved(model, t_end=0.3, h=2e-3, **how):
    result = ns.simulate(model, t_end=t_end, h=h, **how)
    assert result.status, result.status
    return result


def apart(one, two, body=0):
    """Largest difference of the velocities and positions of a body in two runs."""
    parts = ("position", "velocity", "angular_velocity")
    return max(np.abs(getattr(one, part)[:, body] - getattr(two, part)[:, body]).max() for part in parts)
