"""Meshes of spheres, and models of them in contact."""

import json
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

import nsgalpha as ns
from elements import icosphere

DATA = Path(__file__).parent / "data"
BALL = {"mass": 1.0, "inertia": (0.4, 0.4, 0.4), "position": (0.0, 0.0, 0.0)}
SQUARE = np.array([(-9.0, -9.0, 0.0), (9.0, -9.0, 0.0), (9.0, 9.0, 0.0), (-9.0, 9.0, 0.0)])


def numbers(name):
    """Reference numbers, see data/README.md."""
    return json.loads((DATA / name).read_text())


S1, S2 = numbers("s1_rounded_triangles.json"), numbers("s2_maugis_tractions.json")


def turned(vertices, turn):
    """`vertices` turned by (axis, angle)."""
    axis, angle = turn
    axis = np.array(axis, float)
    return Rotation.from_rotvec(angle * axis / np.linalg.norm(axis)).apply(vertices)


def ball(model, level, *, radius=1.0, turn=((0, 0, 1), 0.0), shape=(1.0, 1.0, 1.0), **body):
    """A meshed sphere, or spheroid, as a rigid body; returns the body and its triangles."""
    vertices, faces = icosphere(level)
    body = model.add_body(**(BALL | body))
    return body, model.add_mesh(radius * turned(vertices, turn) * np.array(shape), faces, carrier=body)


def resultants(model):
    """Forces and torques (N, 6) of the contacts of the model as stated."""
    return ns.compliant_contacts(model, model.initial_state()).resultant()
