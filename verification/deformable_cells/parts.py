"""The parts of the case: each returns its rows, and the data of its figure."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

import nsgalpha as ns
from elements import LineTension, Pipette, SurfaceContact, add_cell, icosphere, ring_of
from nsgalpha.arrays import Floats
from verification.deformable_cells import closed
from verification.deformable_cells.models import (
    STIFF,
    VISCOSITY,
    Suction,
    angle_between,
    ball_through,
    cells,
    free_ball,
    graded,
    settle,
    size,
    stick,
)
from verification.outcome import Row, bound_row

Part = tuple[list[Row], Any]

PLATES = (0.8, 0.7, 0.6)  # half the distance of plates over R_0
WORKS = (0.2, 0.5, 1.0, 1.5)  # of adhesion over gamma
REACH = {1: 0.1, 2: 0.05, 3: 0.025}  # between cells: a sixth of an edge
TONGUES = (0.2, 0.3, 0.4, 0.5, 0.7)  # in a pipette, over R_0
HOLD = 6.0  # time for each of them
RADIUS, LIP = 0.4, 0.1  # of the pipette
RINGS = (0.19, 0.36, 0.51, 0.63, 0.73, 0.77)  # tensions that do not cleave a drop
ABOVE = 0.83  # one that does
CLOSED = 0.3  # radius of a ring that nothing holds any more


def laplace(fineness: int) -> Part:
    """A cell of constant tension: pressures over Laplace's for meshes up to `fineness`."""
    found, rows = [], []
    for k in range(1, fineness + 1):
        model, made = cells(k, (0.0, 0.0, 0.0))
        at = settle(model, made, 4000.0, h=20.0).surface(made[0].surface, -1)
        V, p = float(at.volume[0]), float(at.pressure[0])
        found.append(0.5 * p * size(V))
    rows.append(Row(f"cell of {20 * 4**fineness} triangles: pressure", "2 gamma/R", 1.0, found[-1], 0.01))
    virial = 1.5 * p * V / float(at.area.sum())
    rows.append(Row("3 p V", "2 gamma A", 1.0, virial, 1e-9, "virial theorem"))
    order = float(np.log2((found[-2] - 1.0) / (found[-1] - 1.0)))
    rows.append(Row("pressure: order in the edge", "-", 2.0, order, 0.1, "expansion in the edge"))
    return rows, found


def compression(fineness: int) -> Part:
    """Plates that approach one another: force over height."""
    rows, found = [], []
    for level in PLATES:
        model, made = cells(fineness, (0.0, 0.0, 0.0))

        plates = [
            model.add_plane(normal=(0, 0, side), offset=-1.0, motion=partial(approach, level, side))
            for side in (1.0, -1.0)
        ]
        stick(model, made, 0.0, 0.0, planes=plates, stiffness=5e3)
        result = settle(model, made, 10.0)
        at = result.surface(made[0].surface, -1)
        R, push = size(float(at.volume[0])), at.contact_force[:, 2]
        height, force = np.ptp(result.position[-1][:, 2]) / (2.0 * R), push[push > 0.0].sum() / R
        found.append((height, force))
        exact = closed.force_at(height)
        rows.append(
            Row(f"plates, height {height:.3f} of 2 R_0: force", "gamma R_0", exact, force, 0.02 * exact)
        )
    return rows, np.array(found)


def approach(level: float, side: float, t: float) -> tuple[Any, Any]:
    """Position and velocity of a plate that ends at `level`."""
    rate = 0.5 * side * (1.0 - level)
    return (0.0, 0.0, rate * min(t, 2.0)), (0.0, 0.0, rate if t < 2.0 else 0.0)


def spreading(fineness: int) -> Part:
    """Adhesion to a plane: angle, radius and height of contact."""
    rows, found = [], []
    for work in WORKS:
        model, made = cells(fineness, (0.0, 0.0, 0.0))
        plane = model.add_plane(normal=(0, 0, 1), offset=-0.98)
        stick(model, made, work, 0.02, planes=plane, stiffness=500.0)
        result = settle(model, made, 20.0)
        at = result.surface(made[0].surface, -1)
        R, (centre, radius) = size(float(at.volume[0])), free_ball(result, made[0])
        c = (centre[2] + 0.98) / radius
        angle, exact = np.degrees(np.arccos(-c)), np.degrees(np.arccos(work - 1.0))
        found.append((work, angle))
        whole = closed.cap(1.0 - work)
        spread = radius * np.sqrt(1.0 - c * c) / R
        height = np.ptp(result.position[-1][:, 2]) / R
        text = f"on a plane, w {work:g} gamma: "
        rows += [
            Row(text + "angle of contact", "deg", exact, angle, 3.0, "Young and Dupre"),
            Row(text + "radius of contact", "R_0", whole.cut, spread, 0.03 * whole.cut),
            Row(text + "height", "R_0", whole.height, height, 0.03 * whole.height),
        ]
    return rows, np.array(found)


def doublets(fineness: int) -> Part:
    """Two cells that adhere: the angle between them, and their length."""
    rows, found = [], []
    for work in WORKS:
        model, made = cells(fineness, (-1.0, 0.0, 0.0), (1.0, 0.0, 0.0))
        stick(model, made, work, REACH[fineness])
        result = settle(model, made, 20.0)
        R = size(float(result.surface(made[0].surface, -1).volume[0]))
        half = 0.5 * angle_between(*(free_ball(result, cell) for cell in made))
        exact, length = np.degrees(np.arccos(1.0 - 0.5 * work)), 2.0 * closed.cap(1.0 - 0.5 * work).height
        found.append((work, half))
        text = f"doublet, w {work:g} gamma: "
        rows += [
            Row(text + "half the angle", "deg", exact, half, 3.0, "balance of tensions"),
            Row(text + "length", "R_0", length, np.ptp(result.position[-1][:, 0]) / R, 0.02 * length),
        ]
    return rows, np.array(found)


def clusters(fineness: int) -> Part:
    """Two cells of unequal tension, and three that are put together askew."""
    rows = []
    model, made = cells(fineness, (-1.0, 0.0, 0.0), (1.0, 0.0, 0.0), tensions=(1.0, 1.4))
    stick(model, made, 1.6, REACH[fineness])
    result = settle(model, made, 20.0)
    between = angle_between(*(free_ball(result, cell) for cell in made))
    exact = float(np.degrees(np.arccos((0.8**2 - 1.0 - 1.4**2) / (2.0 * 1.4))))
    rows.append(
        Row(
            "tensions 1, 1.4, of the face 0.8: angle outside",
            "deg",
            exact,
            between,
            3.0,
            "Neumann's triangle",
        )
    )
    model, made = cells(fineness, (-1.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.3, 1.68, 0.0))
    stick(model, made, 0.5, REACH[fineness])
    result = settle(model, made, 30.0)
    balls = [free_ball(result, cell) for cell in made]
    outer = [angle_between(balls[k], balls[k - 1]) for k in range(3)]
    exact = 2.0 * float(np.degrees(np.arccos(0.75)))
    worst = max(outer, key=lambda angle: abs(angle - exact))
    rows.append(Row("triplet: angle outside, the farthest", "deg", exact, worst, 3.0, "balance of tensions"))
    inner = [inner_angle(result, made, k) for k in range(3)]
    worst = max(inner, key=lambda angle: abs(angle - 120.0))
    rows.append(Row("triplet: angle inside, the farthest", "deg", 120.0, worst, 3.0, "balance of tensions"))
    return rows, None


def inner_angle(result: ns.Result, made: Sequence[Any], k: int) -> float:
    """Angle [deg] between the faces of cell k of three, as fitted planes."""
    x = result.position[-1]
    own, normals = x[made[k].surface.bodies], []
    touching = result.surface(made[k].surface, -1).contact_area > 0.0
    middle = [x[cell.surface.bodies].mean(axis=0) for cell in made]
    away = [np.linalg.norm(own - middle[k - i], axis=1) for i in (1, 2)]
    for i in (0, 1):
        face = own[touching & (away[i] < away[1 - i])]
        normal = np.linalg.svd(face - face.mean(axis=0))[2][2]
        normals.append(normal * np.sign(normal @ (middle[k - 1 - i] - middle[k])))
    return float(180.0 - np.degrees(np.arccos(normals[0] @ normals[1])))


def aspiration(fineness: int) -> Part:
    """A tongue that a pipette sucks in, its length held in turn: the pressure."""
    model = ns.Model()
    mesh = graded(fineness, 2.5)
    stated: dict[str, Any] = {"tension": 1.0, "viscosity": VISCOSITY, "thickness": 1.0}
    cell = add_cell(model, mesh, volume_stiffness=STIFF, **stated)
    front = np.sqrt((1.0 + LIP) ** 2 - (RADIUS + LIP) ** 2) - LIP  # where the ball touches the lip
    wall = Pipette(radius=RADIUS, lip=LIP, point=(0, 0, front))
    model.add(SurfaceContact(cell.surface, pipettes=wall, stiffness=5e3))
    lengths = np.array([1.0 - front, *TONGUES])

    def course(t: float) -> float:
        k = min(int(t / HOLD), len(TONGUES) - 1)
        return float(lengths[k] + (lengths[k + 1] - lengths[k]) * min((t - HOLD * k) / 2.0, 1.0))

    suction = Suction(cell, front, course)
    model.add_load(suction)
    result = settle(model, [cell], HOLD * len(TONGUES))
    rows, found = [], []
    for k in range(len(TONGUES)):
        t = HOLD * (k + 1) - 0.5
        i = int(np.searchsorted(result.t, t - 1e-9))
        x = result.position[i]
        length, pressure = suction.length(x), suction.pressure(t, x)
        _, outer = ball_through(x[x[:, 2] < front - 0.2])
        found.append((length, pressure))
        exact = closed.suction(length, RADIUS, LIP, outer)
        rows.append(
            Row(f"pipette, length {length:.2f} R_0: pressure", "gamma/R_0", exact, pressure, 0.03 * exact)
        )
    return rows, np.array(found)


def cleavage(fineness: int) -> Part:
    """A ring around a cell: its radius over its tension, and the tension that cleaves."""
    rows, found = [], []
    for tension in (*RINGS, ABOVE):
        radius, R = ringed(fineness, tension)
        found.append((tension / R, radius))
        if tension < ABOVE:
            exact = closed.held(tension / R).radius
            text = f"ring, tension {tension / R:.3f} gamma R_0: radius"
            rows.append(Row(text, "R_0", exact, radius, 0.02 * exact))
    bracket = np.array(found)[-2:, 0]
    largest = closed.largest_ring().tension
    rows.append(Row("largest tension of a ring", "gamma R_0", largest, bracket.mean(), 0.5 * np.ptp(bracket)))
    rows.append(bound_row("ring above it: radius", "R_0", found[-1][1], 1.01 * CLOSED, "it cleaves"))
    return rows, np.array(found)


def ringed(fineness: int, tension: float) -> tuple[float, float]:
    """The radius of a ring over R_0, at rest or when it has closed, and R_0.

    Caps beyond half a ball empty into one another, and a ring at rest slides off in the end. The instability
    begins as rounding, and takes longer than the ring needs to come to rest.
    """
    model, (cell,) = cells(fineness, (0.0, 0.0, 0.0))
    axis = icosphere(1)[0][0]
    ring = ring_of(cell.surface, axis, width=1e-9)
    model.add(LineTension(cell.surface, ring, tension=lambda t: tension * min(t, 1.0)))
    nodes = cell.surface.bodies[np.unique(ring)]

    def radius(x: Floats) -> float:
        y = x[nodes] - x[nodes].mean(axis=0)
        return float(np.linalg.norm(y - np.outer(y @ axis, axis), axis=1).mean())

    closes = ns.StopWhen(lambda now: radius(now.state.position) < CLOSED)
    result = settle(model, [cell], 30.0, watch=[closes])
    R = size(float(result.surface(cell.surface, -1).volume[0]))
    return radius(result.position[-1]) / R, R
