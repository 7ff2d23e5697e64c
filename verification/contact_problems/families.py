"""Families of contact problems as simulations meet them: stacks, walls, towers, piles, packings.

A family is a function (rng, contacts) -> Scene with about so many contacts. Positions are made up, not
simulated: only the contact graph and the levers matter to the solver. All but the smallest are hyperstatic.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from scipy.spatial import cKDTree
from scipy.spatial.transform import Rotation

from verification.contact_problems.scene import FIXED, Array, Scene

UP = np.array([0.0, 0.0, 1.0])


def patch(
    scene: Scene, upper: int, lower: int, corner: tuple[Array, Array], height: float, points: int
) -> None:
    """4 corners, or 8 points, of the rectangle between the corners (2,) of a horizontal face."""
    low, high = corner
    steps = [0.0, 1.0] if points == 4 else [0.0, 0.5, 1.0]
    for x, y in product(steps, steps):
        if (x, y) != (0.5, 0.5):
            scene.contact(upper, lower, np.r_[low + np.array([x, y]) * (high - low), height], UP)


def box_stacks(rng: np.random.Generator, contacts: int) -> Scene:
    """Stacks of boxes, shifted at random, 4 or 8 contacts a face; some lean on their neighbour."""
    scene = Scene()
    points = int(rng.choice([4, 8]))
    levels = int(rng.integers(1, 11))
    stacks = max(1, round(contacts / (points * levels)))
    tops: list[int] = []
    for k in range(stacks):
        below, centre, half = FIXED, np.array([2.2 * k, 0.0]), np.full(2, 5.0)
        height, old = 0.0, centre
        for _ in range(levels):
            new_half = rng.uniform(0.6, 1.0, 2)
            new = centre + rng.uniform(-0.3, 0.3, 2)
            box = scene.box(np.r_[new, height + 0.5], np.r_[new_half, 0.5])
            corner = np.maximum(old - half, new - new_half), np.minimum(old + half, new + new_half)
            patch(scene, box, below, corner, height, points)
            below, half, old, height = box, new_half, new, height + 1.0
        if tops and rng.uniform() < 0.3:
            scene.contact(below, tops[-1], np.array([2.2 * k - 1.1, 0.0, height - 0.5]), np.array([1, 0, 0]))
        tops.append(below)
    return scene


def brick_wall(rng: np.random.Generator, contacts: int) -> Scene:
    """A wall of bricks, each on two below, that also touch their neighbours."""
    scene = Scene()
    courses = max(1, int(rng.integers(2, 9)))
    across = max(1, round(contacts / (12 * courses)))
    half = np.array([1.0, 0.5, 0.3])
    joints = bool(rng.uniform() < 0.5)
    below: list[tuple[int, float]] = []
    for level in range(courses):
        bricks: list[tuple[int, float]] = []
        for k in range(across + 1 - level % 2):
            x = 2.0 * k + (level % 2)
            brick = scene.box(np.array([x, 0.0, 0.6 * level + 0.3]), half)
            for other, place in below if level else [(FIXED, x)]:
                low, high = max(x, place) - 1.0, min(x, place) + 1.0
                if high > low:
                    corner = np.array([low, -0.5]), np.array([high, 0.5])
                    patch(scene, brick, other, corner, 0.6 * level, 4)
            if bricks and joints:
                for y, z in product((-0.5, 0.5), (0.0, 0.6)):
                    point = np.array([x - 1.0, y, 0.6 * level + z])
                    scene.contact(brick, bricks[-1][0], point, np.array([1, 0, 0]))
            bricks.append((brick, x))
        below = bricks
    return scene


def plank_tower(rng: np.random.Generator, contacts: int) -> Scene:
    """Three planks a level, crosswise on those below: nine crossings of four contacts."""
    scene = Scene()
    below: list[tuple[int, float]] = []
    for level in range(max(1, round((contacts - 12) / 36) + 1)):
        planks = []
        for k in range(3):
            y = 1.2 * (k - 1) + rng.uniform(-0.1, 0.1)
            along = level % 2
            place, half = np.array([0.0, 0.0, 0.4 * level + 0.2]), np.array([2.0, 0.4, 0.2])
            place[1 - along] = y
            plank = scene.box(place, half[[along, 1 - along, 2]])
            for other, x in below or [(FIXED, 0.0)]:
                low, high = np.array([x - 0.4, y - 0.4]), np.array([x + 0.4, y + 0.4])
                if not below:
                    low[0], high[0] = -2.0, 2.0
                order = [0, 1] if along == 0 else [1, 0]
                patch(scene, plank, other, (low[order], high[order]), 0.4 * level, 4)
            planks.append((plank, y))
        below = planks
    return scene


def _centres(rng: np.random.Generator, bodies: int) -> Array:
    """Random places of bodies of diameter 1: a lattice, shaken; sorted by height."""
    side = max(1, round(bodies ** (1 / 3)))
    cells = [(x, y, z) for z in range(bodies) for x, y in product(range(side), range(side))][:bodies]
    places = np.array(cells, float) * 0.97 + rng.uniform(-0.14, 0.14, (len(cells), 3))
    places[:, 2] += 0.5 - places[:, 2].min()
    return places


def rock_pile(rng: np.random.Generator, contacts: int) -> Scene:
    """Irregular bodies, one to three contacts a pair, normals that miss the centres."""
    scene = Scene()
    places = _centres(rng, max(4, contacts // 4))
    for place in places:
        mass = 10.0 ** rng.uniform(-0.5, 0.5)
        scene.body(place, mass, mass * rng.uniform(0.06, 0.12, 3), Rotation.random(None, rng))
    pairs = [(i, j) for i, j in cKDTree(places).query_pairs(1.1)]
    pairs += [(int(i), FIXED) for i in np.flatnonzero(places[:, 2] < 0.8)]
    for a, b in pairs:
        line = UP if b == FIXED else places[a] - places[b]
        normal = line + (0.0 if b == FIXED else 0.25) * rng.normal(size=3)
        for _ in range(rng.integers(1, 4)):
            middle = places[a] - 0.5 * line / np.linalg.norm(line)
            offset = rng.normal(size=3) * 0.15
            offset -= normal * (offset @ normal) / (normal @ normal)
            scene.contact(a, b, middle + offset, normal + 0.02 * rng.normal(size=3))
    return scene


def sphere_packing(rng: np.random.Generator, contacts: int) -> Scene:
    """Spheres in a box with a floor and four walls."""
    scene = Scene()
    places = _centres(rng, max(2, contacts // 4))
    for place in places:
        mass = rng.uniform(0.5, 2.0)
        scene.body(place, mass, np.full(3, 0.1 * mass))
    for i, j in cKDTree(places).query_pairs(1.05):
        scene.contact(i, j, 0.5 * (places[i] + places[j]), places[i] - places[j])
    low, high = places.min(axis=0), places.max(axis=0)
    for i, place in enumerate(places):
        for axis, sign in ((0, 1), (0, -1), (1, 1), (1, -1), (2, 1)):
            if sign * (place[axis] - (low if sign > 0 else high)[axis]) < 0.2:
                normal = sign * np.eye(3)[axis]
                scene.contact(i, FIXED, place - 0.5 * normal, normal)
    return scene


def _closest(p: Array, d: Array, q: Array, e: Array) -> tuple[Array, Array]:
    """Closest points of the segments p + s d and q + t e, |s|, |t| <= 1, by turns."""
    s = t = 0.0
    for _ in range(20):
        s = float(np.clip((q + t * e - p) @ d / (d @ d), -1.0, 1.0))
        t = float(np.clip((p + s * d - q) @ e / (e @ e), -1.0, 1.0))
    return p + s * d, q + t * e


def capsules(rng: np.random.Generator, contacts: int) -> Scene:
    """Capsules thrown in a heap: contacts along their segments, both ends on the floor."""
    scene = Scene()
    count = max(2, contacts // 4)
    radius, half = 0.25, 0.5
    side = (0.55 * count) ** (1 / 3)
    places = rng.uniform(0.0, side, (count, 3)) + np.array([0, 0, radius])
    axes = Rotation.random(count, rng).apply(half * UP)
    axes[:, 2] *= 0.3
    axes *= half / np.linalg.norm(axes, axis=1)[:, None]
    for place, axis in zip(places, axes, strict=True):
        turned, _ = Rotation.align_vectors(axis[None], UP[None] * half)
        scene.body(place, 1.0, np.array([0.14, 0.14, 0.03]), turned)
    for i, j in cKDTree(places).query_pairs(2 * (half + radius)):
        a, b = _closest(places[i], axes[i], places[j], axes[j])
        if 0.15 < np.linalg.norm(a - b) < 2.1 * radius:
            scene.contact(i, j, 0.5 * (a + b), a - b)
    for i in range(count):
        for end in (places[i] + axes[i], places[i] - axes[i]):
            if end[2] < 1.5 * radius:
                scene.contact(i, FIXED, end - radius * UP, UP)
    return scene


def one_body(rng: np.random.Generator, contacts: int) -> Scene:
    """One irregular body in a trough, with up to 40 contacts."""
    scene = Scene()
    scene.body(np.zeros(3), 1.0, rng.uniform(0.06, 0.12, 3))
    planes = rng.normal(size=(3, 3)) * 0.6 + UP
    for k in range(min(40, contacts)):
        normal = planes[k % 3] / np.linalg.norm(planes[k % 3]) + 0.05 * rng.normal(size=3)
        scene.contact(0, FIXED, -0.5 * normal + 0.2 * rng.normal(size=3), normal)
    return scene


def heavy_on_light(rng: np.random.Generator, contacts: int) -> Scene:
    """A stack whose boxes grow heavier upwards, up to ten thousand times."""
    scene = Scene()
    below, levels = FIXED, int(np.clip(contacts // 4, 2, 20))
    ratio = 10.0 ** rng.uniform(0.0, 4.0)
    for level in range(levels):
        density = ratio ** (level / (levels - 1))
        box = scene.box(np.array([0.0, 0.0, level + 0.5]), np.full(3, 0.5), density)
        low = rng.uniform(-0.5, -0.3, 2)
        patch(scene, box, below, (low, rng.uniform(0.3, 0.5, 2)), float(level), 4)
        below = box
    return scene


_STACKS = box_stacks, brick_wall, plank_tower
_HEAPS = rock_pile, capsules, sphere_packing
FAMILIES = {
    family.__name__.replace("_", " "): family for family in (*_STACKS, *_HEAPS, one_body, heavy_on_light)
}
