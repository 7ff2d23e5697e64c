"""Balls in a row and over triangles, a box over a ledge, rods that jam.

A row of five equal balls, e = 1, the first with the speed 1: by a sequence of impacts the last one leaves
with it. By Newton's law for all at once they leave with -.6, .4, .4, .4, .4. A ball keeps its speed over the
seams of a flat floor, and in a groove, on two sides of a concave edge.
"""

import math
from typing import Any

import numpy as np

import nsgalpha as ns
from elements import Contact
from nsgalpha.arrays import Floats
from verification.outcome import Row, bound_row, component_rows
from verification.phases import fitted_order
from verification.run import simulate

G, RADIUS = 9.81, 0.05  # [m] of a ball over triangles
UP = (0.0, 0.0, 1.0)
ROWS = {"sequence": (0.0, 0.0, 0.0, 0.0, 1.0), "simultaneous": (-0.6, 0.4, 0.4, 0.4, 0.4)}
FRICTION = (1.0, 1.5, 2.0)  # of rods
PUSHED = 2.5e-4  # [s] step of these
PHASES = 6
STEPS = (4e-3, 2e-3, 1e-3, 5e-4)  # [s] of a box over a ledge
REFERENCE = 6.25e-5


def row_of_five() -> list[Row]:
    """Speeds after the impact, by both laws."""
    rows = []
    for law, expected in ROWS.items():
        model = ns.Model()
        balls = [
            model.add_sphere(radius=0.1, mass=1.0, position=(0.2 * k, 0, 0), velocity=(float(k == 0), 0, 0))
            for k in range(5)
        ]
        model.add(Contact(among=balls, e_n=1.0))
        result = simulate(model, t_end=0.02, h=1e-2, scheme=ns.GeneralizedAlpha(impact_law=law))
        names = [f"ball {k}" for k in range(1, 6)]
        found = result.velocity[-1, :, 0]
        rows += component_rows(f"row of five, {law}", names, "m/s", expected, found, 1e-12, "closed form")
    return rows


def floor(model: ns.Model, height: Floats, x: Floats, y: Floats) -> ns.Body:
    """A fixed body that carries triangles over a grid, with the `height` of its points."""
    ground = model.add_body(position=(0.0, 0.0, 0.0), fixed=True)
    vertices = [(a, b, height[i, j]) for i, a in enumerate(x) for j, b in enumerate(y)]
    many = len(y)
    corners = [i * many + j for i in range(len(x) - 1) for j in range(many - 1)]
    triangles = [t for c in corners for t in ((c, c + many, c + many + 1), (c, c + many + 1, c + 1))]
    model.add_mesh(vertices, triangles, carrier=ground)
    return ground


def over_triangles() -> list[Row]:
    """A ball over the seams of a flat floor, and along a groove."""
    rows, grid, flat = [], np.linspace(-1.0, 1.0, 9), np.zeros((9, 9))
    groove = np.abs(grid) + flat  # two sides at right angles
    for mu in (0.0, 0.5):
        for direction in (0.0, 0.3, math.pi / 4):
            found = _over(flat, mu, direction, (-0.7, -0.6, RADIUS), RADIUS)
            label = f"ball over flat triangles, mu = {mu:g}, direction {direction:.2f} rad: speed"
            rows.append(bound_row(label, "m/s", found, 1e-10, "constant"))
        place, lever = (-0.7, 0.0, math.sqrt(2.0) * RADIUS), RADIUS / math.sqrt(2.0)
        found = _over(groove, mu, 0.0, place, lever, two_sided=True)
        label = f"ball on two sides of a groove, mu = {mu:g}: speed"
        rows.append(bound_row(label, "m/s", found, 1e-10, "constant"))
        found = _over(groove, mu, 0.0, place, lever)
        # friction of a triangle that is new has no forces of the step before: 4.8e-8 at 2 ms, 1.7e-10 at 1 ms
        label = f"ball on single triangles of a groove, mu = {mu:g}: speed"
        rows.append(Row(label, "m/s", 0.0, found, None if mu else 1e-10, "constant"))
    return rows


def _over(
    height: Floats,
    mu: float,
    direction: float,
    place: tuple[float, ...],
    lever: float,
    two_sided: bool = False,
) -> float:
    """Largest change [m/s] of the velocity of a ball, which with friction rolls.

    lever [m]: from its centre to the line between its contacts.
    """
    model, grid = ns.Model(gravity=(0.0, 0.0, -G)), np.linspace(-1.0, 1.0, 9)
    ground = floor(model, height, grid, grid)
    v = np.array([math.cos(direction), math.sin(direction), 0.0])
    spin = np.cross(UP, v) / lever * (mu > 0.0)
    motion: dict[str, Any] = {"velocity": v, "angular_velocity": spin}
    ball = model.add_sphere(radius=RADIUS, mass=0.1, position=place, **motion)
    model.add(Contact(among=[ground, ball], mu=mu, two_sided=two_sided))
    return float(np.abs(simulate(model, t_end=1.0, h=2e-3).velocity[:, ball] - v).max())


def ledge_run(h: float, start: float) -> Floats:
    """Pose of a box that slides over the edge of a fixed one, and tips."""
    model = ns.Model(gravity=(0.0, 0.0, -G))
    base = model.add_box((1.0, 0.6, 0.4), position=(-0.5, 0.0, -0.2), fixed=True)
    box = model.add_box((0.3, 0.2, 0.1), mass=1.0, position=(start, 0.0, 0.05), velocity=(0.4, 0.0, 0.0))
    model.add(Contact(among=[base, box], mu=0.1))
    result = simulate(model, t_end=0.36, h=h)
    return np.concatenate([result.position[-1, box], result.rotation[-1, box]])


def over_a_ledge() -> list[Row]:
    """Its order in h, over phases of the passage in the step."""
    starts = -0.05 + 0.4 * STEPS[0] * np.arange(PHASES) / PHASES
    exact = [ledge_run(REFERENCE, x) for x in starts]
    errors = [
        float(np.mean([np.abs(ledge_run(h, x) - pose).max() for x, pose in zip(starts, exact, strict=True)]))
        for h in STEPS
    ]
    order, last = fitted_order(STEPS, errors), STEPS[-1]
    return [
        Row("box over a ledge: order of its pose", "-", 2.0, order, 0.15, "own order"),
        bound_row(f"box over a ledge: error, h = {last:g} s", "m", errors[-1], 4e-6, f"h = {REFERENCE:g} s"),
    ]


def painleve() -> list[Row]:
    """Energy gained by rods and a box that much friction stops.

    A slender rod that slides on one end has no bounded force, or two, for mu > (1 + 3 c^2)/(3 s c), s and c
    of its angle: above 4/3 (P. Painleve, C. R. Acad. Sci. 121 (1895) 112).
    """
    rows = []
    for mu in FRICTION:
        for speed in (-3.0, 3.0):
            angle = math.atan(2.0)  # of the least friction that jams
            model = ns.Model(gravity=(0.0, 0.0, -G))
            q = (math.cos(0.5 * angle), 0.0, math.sin(0.5 * angle), 0.0)
            height = 0.5 * math.sin(angle) + 0.01 * math.cos(angle)
            motion: dict[str, Any] = {"rotation": q, "velocity": (speed, 0.0, 0.0)}
            rod = model.add_box((1.0, 0.02, 0.02), mass=1.0, position=(0.0, 0.0, height), **motion)
            model.add(Contact(among=[rod, model.add_plane(normal=UP)], mu=mu))
            label = f"rod on its end, mu = {mu:g}, {speed:g} m/s"
            rows.append(_gain(label, simulate(model, t_end=1.0, h=PUSHED)))
    model = ns.Model(gravity=(6.0, 0.0, -G))
    box = model.add_box((0.1, 0.1, 0.1), mass=1.0, position=(0.0, 0.0, 0.05), velocity=(1.0, 0.0, 0.0))
    model.add(Contact(among=[box, model.add_plane(normal=UP)], mu=2.0))
    return [*rows, _gain("box pushed, mu = 2", simulate(model, t_end=1.0, h=PUSHED))]


def _gain(label: str, result: ns.Result) -> Row:
    """Largest rise of the energy in a step; it goes with h."""
    energy = result.energy()
    gain = max(float(np.diff(energy).max()), 0.0) / float(np.ptp(energy))
    return bound_row(f"{label}: energy gained in a step", "of the loss", gain, 1e-2, "none")


def run_all() -> list[Row]:
    """All of them."""
    return [*row_of_five(), *over_triangles(), *over_a_ledge(), *painleve()]
