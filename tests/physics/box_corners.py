"""Corners of boxes on planes: all eight as contacts, or those that a geometry selects."""

import numpy as np

import nsgalpha as ns
from elements.geometry.scene_access import numbers
from nsgalpha.geometry.geometry_signature import geometry_kernel, put_key
from nsgalpha.geometry.rotations import turned
from nsgalpha.jit.decorators import inlined, kernel
from nsgalpha.model.contact_element import ContactLaw
from nsgalpha.model.contact_keys import contact_key

HALF = 0.1, 0.15, 0.2  # [m] of the boxes
MASS, G = 2.0, 9.81
MARGIN = 0.01  # [m] corners lower than this above the plane are selected
SLOTS = 5

key_of = inlined(contact_key)


@kernel
def corner(scene, a, k):
    """Place of corner `k` off the centre of a box, and its height over the plane z = 0."""
    hx, hy, hz = scene.options[0], scene.options[1], scene.options[2]
    p = turned(scene.q[a], (hx if k & 1 else -hx, hy if k & 2 else -hy, hz if k & 4 else -hz))
    return p, scene.x[a, 2] + p[2]


def measure_corners(first, last, candidates, section, scene):
    """Corners of boxes on the plane z = 0."""
    for c in range(first, last):
        if candidates.feature[c] < 0:
            continue
        a, b = candidates.a[c], candidates.b[c]
        _, k, _, _ = numbers(candidates, c)
        p, height = corner(scene, a, k)
        candidates.gap[c], candidates.length[c] = height, scene.options[0]
        for i in range(3):
            candidates.normal[c, i] = 1.0 if i == 2 else 0.0
            candidates.lever[c, 0, i] = p[i]
            candidates.lever[c, 1, i] = scene.x[a, i] + p[i] - scene.x[b, i]
        candidates.lever[c, 1, 2] -= height


def select_lowest(c, candidates, scene, keys):
    """Corners below a margin, from the last one on."""
    for j in range(8):
        k = 7 - j
        _, height = corner(scene, candidates.a[c], k)
        if height < scene.options[3]:
            put_key(keys, key_of(0, k, 0, 0))


every = geometry_kernel(measure_corners, options=(*HALF, 0.0), features=tuple((k, 0) for k in range(8)))
selected = geometry_kernel(measure_corners, options=(*HALF, MARGIN), select=select_lowest, slots=SLOTS)


class BoxPlane:
    """Corners of `boxes` on a plane."""

    def __init__(self, boxes, plane, geometry, **law):
        self.law, self.boxes, self.plane, self.geometry = ContactLaw(**law), list(boxes), plane, geometry

    def handles(self):
        return [*self.boxes, self.plane]

    def shared_pair(self, other):
        return None

    def candidates(self, x, radius, planes, reach):
        a = np.array([box.index for box in self.boxes], np.int64)
        plane = np.full_like(a, self.plane.index)
        return a, planes.body[plane], plane


def boxes(geometry, count=1, seed=0, height=0.3, **law):
    """Boxes that fall on a plane, turning."""
    model, rng = ns.Model(gravity=(0, 0, -G)), np.random.default_rng(seed)
    h = np.square(HALF)
    inertia = MASS / 3.0 * (h.sum() - h)
    for k in range(count):
        model.add_body(
            mass=MASS,
            inertia=inertia,
            position=(k, 0, height + 0.02 * k),
            rotation=rng.normal(size=4),
            velocity=(1.0, 0.5, 0),
            angular_velocity=3.0 * rng.normal(size=3),
        )
    model.add(BoxPlane(model.bodies, model.add_plane(normal=(0, 0, 1)), geometry, **law))
    return model
