"""Bullet by pybullet: impulses of sequential sweeps, fifty a step, as it is by default."""

import math
from time import process_time

import pybullet as bullet


def balls(scene):
    """Spheres between planes."""
    shapes = {r: _shape(bullet.GEOM_SPHERE, radius=r) for r in set(scene["radius"])}
    return _run(scene, [shapes[r] for r in scene["radius"]], scene["law"])


def boxes(scene):
    """Equal boxes on a plane."""
    half = scene["half"] if isinstance(scene["half"], list) else [scene["half"]] * 3
    return _run(scene, [_shape(bullet.GEOM_BOX, halfExtents=half)] * len(scene["mass"]), scene)


def _shape(kind, **size):
    if not bullet.isConnected():
        bullet.connect(bullet.DIRECT)
    return bullet.createCollisionShape(kind, **size)


def _run(scene, shapes, law):
    """Bodies of these `shapes`; friction and restitution of a pair are products of both."""
    begun = process_time()
    surface = {"lateralFriction": math.sqrt(law["mu"]), "restitution": math.sqrt(law.get("e", 0.0))}
    bullet.setGravity(0.0, 0.0, -scene["gravity"])
    bullet.setTimeStep(scene["h"])
    for normal, offset in scene["planes"]:
        shape = _shape(bullet.GEOM_PLANE, planeNormal=normal)
        place = [offset * component for component in normal]
        bullet.changeDynamics(bullet.createMultiBody(0.0, shape, basePosition=place), -1, **surface)
    bodies = []
    for shape, mass, place in zip(shapes, scene["mass"], scene["position"], strict=True):
        body = bullet.createMultiBody(mass, shape, basePosition=place, useMaximalCoordinates=True)
        bullet.changeDynamics(body, -1, linearDamping=0.0, angularDamping=0.0, **surface)
        bodies.append(body)
    found = {"version": str(bullet.getAPIVersion()), "start": process_time() - begun}
    seconds, place, turn, velocity, before = [], [], [], [], 0.0
    for t in scene["times"]:
        begun = process_time()
        for _ in range(round((t - before) / scene["h"])):
            bullet.stepSimulation()
        seconds.append(process_time() - begun)
        before = t
        poses = [bullet.getBasePositionAndOrientation(body) for body in bodies]
        place.append([pose[0] for pose in poses])
        turn.append([(pose[1][3], *pose[1][:3]) for pose in poses])
        velocity.append([bullet.getBaseVelocity(body)[0] for body in bodies])
    return {**found, "seconds": seconds, "position": place, "rotation": turn, "velocity": velocity}
