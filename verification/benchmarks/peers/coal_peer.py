"""Coal, the successor of hpp-fcl: distances of convex shapes by Gilbert, Johnson, Keerthi (GJK)."""

from importlib.metadata import version
from time import process_time

import coal
import numpy as np

TOLERANCE, ITERATIONS = 1e-12, 1000


def _hull(points, faces):
    vertices, triangles = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
    for point in points:
        vertices.append(np.array(point))
    for face in faces:
        triangles.append(coal.Triangle(*face))
    return coal.Convex(vertices, triangles)


MAKERS = {
    "ball": coal.Sphere,
    "capsule": coal.Capsule,
    "box": coal.Box,
    "hull": _hull,
    "cylinder": coal.Cylinder,
    "cone": coal.Cone,
}


def distances(scene):
    """Distances of two shapes at poses (rotation matrix, place), negative where they overlap."""
    one, two = (MAKERS[kind](*size) for kind, size in scene["shapes"])
    request = coal.DistanceRequest(True)
    request.gjk_tolerance, request.gjk_max_iterations = TOLERANCE, ITERATIONS
    poses = [
        [coal.Transform3s(np.array(turn), np.array(place)) for turn, place in side] for side in scene["poses"]
    ]
    begun = process_time()
    found = [
        coal.distance(one, a, two, b, request, coal.DistanceResult()) for a, b in zip(*poses, strict=True)
    ]
    return {"version": version("coal"), "seconds": process_time() - begun, "distance": found}
