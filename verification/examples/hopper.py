r"""A hopper runs out

Grains leave a hopper at a rate that does not depend on the height of the pile. Unlike water they rest on each
other and on the walls, and near the slot arches form and break all the time. Beverloo's law for a slot of
width $B$ and length $L$,

$$W = C\, \varrho_b \sqrt{g}\, L\, (B - k d)^{3/2},$$

with $C$ about 1 and $k \approx 1.4$ for grains of diameter $d$, says that they fall freely from an arch
over the slot. The two walls are planes that end at the slot; this geometry is part of the example.

To look at: which grains are fast (yellow), those in and above the slot; and the number discharged, a
straight line while the level sinks.
"""

import math

import numpy as np

import nsgalpha as ns
from elements import (
    Compliant,
    CompliantSpherePlane,
    CompliantSphereSphere,
    RegularisedCoulomb,
    SpherePlane,
    SpringDashpot,
)
from nsgalpha.geometry.geometry_signature import geometry_kernel
from nsgalpha.show.figure_style import COLOURS, Axes, Figure, label, new_figure
from verification.example import main, paint_grains
from verification.outcome import Row
from verification.run import simulate

RADIUS, DENSITY, GRAVITY = 0.003, 2500.0, 9.81  # [m], [kg/m^3], [m/s^2]
MASS = 4.0 / 3.0 * math.pi * RADIUS**3 * DENSITY
LENGTH = 5  # of the slot, over the diameter
SLOTS, BULK = (3.0, 4.0), 0.6  # widths over the diameter; part of space that the grains fill
STIFFNESS, DAMPING_RATIO, MU = 1e3, 0.2, 0.5  # [N/m]
H, T_END = 5e-5, 0.4  # [s]


@geometry_kernel
def measure_wall(first, last, candidates, section, scene):
    """Spheres and planes that do not move, of which only the part at z > 0 is there."""
    planes, radius, x = scene.planes, scene.shapes.radius, scene.x
    normals, offsets = planes.normal, planes.offset
    gap, normal, lever = candidates.gap, candidates.normal, candidates.lever
    for c in range(first, last):
        i, p = candidates.a[c], candidates.plane[c]
        height = normals[p, 0] * x[i, 0] + normals[p, 2] * x[i, 2] - offsets[p]
        for k in range(3):
            normal[c, k] = normals[p, k]
        if x[i, 2] < height * normals[p, 2]:  # the edge is nearest
            d0, d2 = x[i, 0] - offsets[p] / normals[p, 0], x[i, 2]
            height = math.sqrt(d0 * d0 + d2 * d2)
            normal[c, 0], normal[c, 2] = d0 / height, d2 / height
        gap[c] = height - radius[i]
        for k in range(3):
            lever[c, 0, k] = -radius[i] * normal[c, k]
            lever[c, 1, k] = x[i, k] - height * normal[c, k]


class SphereWall(SpherePlane):
    """Pairs of spheres and such planes."""

    geometry = measure_wall


def build(slot: float = SLOTS[1], grains: int = 450, seed: int = 0) -> ns.Model:
    """Grains on a loose lattice between two walls of 45 degrees; `slot` over the diameter."""
    model, rng = ns.Model(gravity=(0.0, 0.0, -GRAVITY)), np.random.default_rng(seed)
    half, d, layer = 0.5 * slot * 2.0 * RADIUS, 2.0 * RADIUS, 0
    while len(model.bodies) < grains:
        z = (layer + 0.6) * d
        reach = half + z - 1.5 * RADIUS
        for x in np.arange(-reach, reach, 1.05 * d):
            for y in (np.arange(LENGTH) + 0.5) * d:
                at = np.array([x, y, z]) + 0.02 * d * rng.uniform(-1.0, 1.0, 3) * (1.0, 0.0, 1.0)
                model.add_sphere(radius=RADIUS, mass=MASS, position=at)
        layer += 1
    walls = [model.add_plane(normal=(s, 0, 1), offset=-half) for s in (1, -1)]
    sides = [
        model.add_plane(normal=(0, 1, 0), offset=-0.01 * d),
        model.add_plane(normal=(0, -1, 0), offset=-(LENGTH + 0.01) * d),
    ]
    law = SpringDashpot(stiffness=STIFFNESS, damping=2.0 * DAMPING_RATIO * math.sqrt(STIFFNESS * MASS))
    friction = RegularisedCoulomb(mu=MU, velocity_zone=0.05)
    model.add(CompliantSphereSphere(among=model.spheres, normal=law, tangential=friction))
    model.add(Compliant(SphereWall(model.spheres, walls), normal=law, tangential=friction))
    model.add(CompliantSpherePlane(model.spheres, sides, normal=law))
    return model


def run(grains: int = 450) -> list[ns.Result]:
    """One run for each width of the slot."""
    models, scheme = [build(slot, grains) for slot in SLOTS], ns.VelocityVerlet()
    return [simulate(model, t_end=T_END, h=H, scheme=scheme, record_every=100) for model in models]


def discharged(result: ns.Result) -> np.ndarray:
    """Number (n,) of the grains below the slot."""
    return np.sum(np.asarray(result.position[..., 2]) < 0.0, axis=1)


def rate(result: ns.Result, start: float, end: float) -> float:
    """Grains per second between two times [s], by least squares."""
    during = (result.t >= start) & (result.t <= end)
    return float(np.polyfit(result.t[during], discharged(result)[during], 1)[0])


def beverloo(slot: float) -> float:
    """Grains per second with C = 1 and k = 1.4."""
    d = 2.0 * RADIUS
    mass = BULK * DENSITY * math.sqrt(GRAVITY) * LENGTH * d * ((slot - 1.4) * d) ** 1.5
    return mass / MASS


def check(results: list[ns.Result]) -> list[Row]:
    """The empirical law is met within a fifth; so are early and late rate."""
    rows = []
    for result, slot in zip(results, SLOTS, strict=True):
        mean = rate(result, 0.1, T_END)
        early, late = rate(result, 0.1, 0.55 * T_END), rate(result, 0.55 * T_END, T_END)
        law = beverloo(slot)
        rows.append(Row(f"slot of {slot:g} d: grains", "1/s", law, mean, 0.2 * law, "Beverloo's law"))
        rows.append(Row(f"slot of {slot:g} d: late over early rate", "-", 1.0, late / early, 0.2))
    return rows


def figure(results: list[ns.Result]) -> Figure:
    """The hopper with the wide slot from the side, and the discharge of both."""
    drawn, (left, right) = new_figure(1, 2, size=(9.6, 4.2))
    side_view(left, results[-1], int(0.5 * len(results[-1].t)))
    for k, (result, slot) in enumerate(zip(results, SLOTS, strict=True)):
        right.plot(result.t, discharged(result), color=COLOURS[k], label=f"slot of {slot:g} d")
        law = beverloo(slot) * result.t
        right.plot(result.t, law, color=COLOURS[k], linestyle=":", label="Beverloo, C = 1")
    label(right, "t [s]", "grains discharged", legend="upper left")
    return drawn


def side_view(axis: Axes, result: ns.Result, record: int) -> None:
    """Grains, coloured by speed, and walls [mm]."""
    x = 1e3 * np.asarray(result.position[record])
    speed = np.linalg.norm(result.velocity[record], axis=1)
    paint_grains(axis, x, np.minimum(speed, 0.6), 1e3 * RADIUS, (-75.0, 75.0), (-45.0, 75.0))
    half = 0.5e3 * SLOTS[-1] * 2.0 * RADIUS
    for side in (-1.0, 1.0):
        axis.plot([side * half, side * (half + 75.0)], [0.0, 75.0], color="0.3", linewidth=2.0)
    label(axis, "x [mm]", "z [mm]", f"t = {result.t[record]:.2f} s")


if __name__ == "__main__":
    main(__file__)
