"""Overhanging bricks, an arch, an octagon on another one, a box in a grip.

Bricks of the length L overhang the one below by L/2, L/4, L/6, ... at most, counted from the top one. A
semicircular arch of equal mean radius R stands if it is thicker than .1075 R (M. Milankovitch, Z. Math. Phys.
55 (1907) 1; J. Heyman, Int. J. Solids Struct. 5 (1969) 363 has .106, by a slightly different model).
"""

import math
from itertools import pairwise

import numpy as np

import nsgalpha as ns
from elements import Contact, Prismatic
from nsgalpha.arrays import Floats
from verification.outcome import Row, bound_row
from verification.run import simulate

G = 9.81
UP = (0.0, 0.0, 1.0)
BRICK = (0.2, 0.1, 0.06)
BRICKS = 6
OVERHANGS = (0.999, 1.001)
THICKNESS = 0.1075  # least thickness of a semicircular arch over its mean radius
PARTS = (0.03, -0.03)  # by which arches are thicker
VOUSSOIRS = 40
YAW = 0.1  # [rad] of the upper octagon
SIDES = 8


def fallen(model: ns.Model, t_end: float, h: float, far: float) -> float:
    """Largest way since the first step, in `far`: 0 for a millionth, 1 for more.

    The first step of an arch, whose forces are not known yet, moves its stones by g h^2.
    """
    result = simulate(model, t_end=t_end, h=h)
    moved = float(np.linalg.norm(result.position[-1] - result.position[1], axis=1).max()) / far
    return 1.0 if moved > 1.0 else 0.0 if moved < 1e-6 else moved


def overhanging() -> list[Row]:
    """Bricks on a fixed one."""
    rows = []
    L, _, height = BRICK
    for part in OVERHANGS:
        model = ns.Model(gravity=(0.0, 0.0, -G))
        x = np.cumsum([0.0, *(part * L / (2.0 * k) for k in range(BRICKS, 0, -1))])
        bricks = [
            model.add_box(BRICK, density=2000.0, position=(each, 0.0, k * height), fixed=k == 0)
            for k, each in enumerate(x)
        ]
        model.add(Contact(among=bricks, mu=0.6))
        state = fallen(model, 2.0, 5e-3, 0.01)
        label = f"{BRICKS} bricks, {part:g} of the overhang"
        rows.append(Row(f"{label}: fallen", "-", float(part > 1.0), state, 1e-9, "L/2k"))
    return rows


def wedge(inner: float, outer: float, angles: tuple[float, float], depth: float) -> ns.parts.Part:
    """A voussoir between two angles, around y, in the frame of the arch."""
    corners = [
        (r * math.cos(a), y, r * math.sin(a)) for y in (0.0, depth) for a in angles for r in (inner, outer)
    ]
    faces = [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1)]
    faces += [(2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3)]
    return ns.parts.solid((corners, faces))


def arch(thickness: float) -> ns.Model:
    """A semicircular arch of the mean radius 1 m between two fixed springers."""
    model = ns.Model(gravity=(0.0, 0.0, -G))
    inner, outer = 1.0 - 0.5 * thickness, 1.0 + 0.5 * thickness
    step = math.pi / VOUSSOIRS
    stones = []
    for k in range(-1, VOUSSOIRS + 1):
        fixed = k in (-1, VOUSSOIRS)
        part = wedge(inner, outer, (k * step, (k + 1) * step), 0.3)
        stones.append(model.add_compound([part], density=2000.0, origin=(0.0, 0.0, 0.0), fixed=fixed))
    for pair in pairwise(stones):
        model.add(Contact(among=pair, mu=1.0))
    return model


def arches() -> list[Row]:
    """An arch of a little more than the least thickness, and of a little less."""
    rows = []
    for part in PARTS:
        thickness = THICKNESS * (1.0 + part)
        state = fallen(arch(thickness), 1.5, 2e-3, 0.01)
        label = f"arch, thickness {thickness:.4f} of its radius"
        rows.append(Row(f"{label}: fallen", "-", float(part < 0), state, 1e-9, "Milankovitch (1907)"))
    return rows


def octagon(turn: float, height: float) -> tuple[Floats, list[tuple[int, ...]]]:
    """Points of an octagonal prism with the inner radius 1 dm, for a hull."""
    angles = turn + (np.arange(SIDES) + 0.5) * 2.0 * math.pi / SIDES
    r = 0.1 / math.cos(math.pi / SIDES)
    ring = r * np.column_stack([np.cos(angles), np.sin(angles)])
    points = [np.column_stack([ring, np.full(SIDES, s * 0.5 * height)]) for s in (-1, 1)]
    return np.concatenate(points), [(0, 1, 2)]


def octagons() -> list[Row]:
    """A prism, turned by YAW on an equal one, tips about the common polygon."""
    rows = []
    height = 0.4
    for direction in (0.05, 0.3):  # [rad] of the slope
        sides = 2.0 * math.pi / SIDES * np.arange(SIDES)
        reach = min(0.1 / c for turn in (0.0, YAW) for c in np.cos(direction - turn - sides) if c > 1e-9)
        critical = math.degrees(math.atan(reach / (0.5 * height)))
        for sign in (-1, 1):
            angle = math.radians(critical + sign * 0.05)
            tilt = math.sin(angle) * math.cos(direction), math.sin(angle) * math.sin(direction)
            model = ns.Model(gravity=G * np.array([*tilt, -math.cos(angle)]))
            base = model.add_solid(octagon(0.0, 0.1), hull=True, position=(0.0, 0.0, -0.05), fixed=True)
            top = model.add_solid(
                octagon(YAW, height), hull=True, density=700.0, position=(0, 0, 0.5 * height)
            )
            model.add(Contact(among=[base, top], mu=2.0))
            state = fallen(model, 1.5, 5e-3, 0.01)
            label = f"octagon on an octagon, slope of {math.degrees(angle):.3f} deg to {direction:g} rad"
            rows.append(Row(f"{label}: fallen", "-", float(sign > 0), state, 1e-9, "common polygon"))
    return rows


def grip() -> list[Row]:
    """A box between two fingers that press twenty times as much as its weight needs."""
    mu, m = 0.5, 0.2
    force = 20.0 * m * G / (2.0 * mu)
    model = ns.Model(gravity=(0.0, 0.0, -G))
    box = model.add_box((0.05, 0.05, 0.1), mass=m, position=(0.0, 0.0, 0.0))
    for side in (-1, 1):
        finger = model.add_box(
            (0.02, 0.03, 0.04),
            mass=0.1,
            position=(side * 0.035, 0.0, 0.0),
            gravity=(-side * force / 0.1, 0, 0),
        )
        model.add(Prismatic(None, finger, point=finger.position, axis=(1.0, 0.0, 0.0)))
        model.add(Contact(among=[finger, box], mu=mu))
    result = simulate(model, t_end=10.0, h=5e-3)
    speed = np.abs(result.position[-1, box] - result.position[0, box]).max() / 10.0
    return [bound_row("box in a grip: creep", "m/s", speed, 1e-9, "none")]


def run_all() -> list[Row]:
    """All of them."""
    return [*overhanging(), *arches(), *octagons(), *grip()]
