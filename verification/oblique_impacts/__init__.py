"""Oblique impacts of a sphere on a plate, Chung and Ooi test 4.

A 5 mm aluminium oxide sphere strikes a rigid plate at 3.9 m/s without spin, at angles from the normal.
Numbers and parameters: Chung and Ooi, *Benchmark tests for verifying discrete element modelling codes at
particle impact level*, Granular Matter 13 (2011) 643. The experiments are those of Kharaz, Gorham and Salman,
Powder Technology 120 (2001) 281.
"""

from functools import partial

import numpy as np

import nsgalpha as ns
from elements import SpherePlane
from verification.oblique_impacts import reference
from verification.oblique_impacts.figure import draw
from verification.outcome import Outcome, Row
from verification.run import effort, simulate

DENSITY = 4000.0  # [kg/m^3] of the oxide; no result depends on it
GAP = 1e-4  # [m] before the impact
PRINTED = 0.02  # [rad/s] the published numbers have two decimals


def build(angle: float) -> ns.Model:
    """A sphere on its way to the plate y = 0; angle [deg] of its path to the normal."""
    model = ns.Model()
    slope = np.radians(angle)
    ball = model.add_sphere(
        radius=reference.RADIUS,
        mass=DENSITY * 4.0 / 3.0 * np.pi * reference.RADIUS**3,
        position=(0.0, reference.RADIUS + GAP, 0.0),
        velocity=reference.SPEED * np.array([np.sin(slope), -np.cos(slope), 0.0]),
        name="sphere",
    )
    plate = model.add_plane(normal=(0.0, 1.0, 0.0), name="plate")
    model.add(SpherePlane(ball, plate, mu=reference.MU, e_n=reference.E_N))
    return model


def run() -> Outcome:
    """Spin after the impact at the published angles, beside the measured one; h = 1e-5 s."""
    angles = sorted({*reference.PUBLISHED, *reference.MEASURED, *np.arange(5.0, 90.0, 5.0)})
    results = {angle: simulate(build(angle), t_end=1e-3, h=1e-5) for angle in angles}
    spin = {angle: float(result.angular_velocity[-1, 0, 2]) for angle, result in results.items()}
    name, source = "spin after the impact at", "Chung and Ooi (2011), test 4"
    rows = [
        Row(f"{name} {angle:g} deg", "rad/s", expected, spin[angle], PRINTED, source)
        for angle, expected in reference.PUBLISHED.items()
    ]
    source = "Kharaz et al. (2001), as digitised in the verification suite of MFiX, DEM05"
    for angle, expected in reference.MEASURED.items():
        tolerance = 0.1 * abs(expected) if angle > reference.SLIDING_FROM else None
        rows.append(
            Row(f"{name} {angle:.1f} deg, measured", "rad/s", expected, spin[angle], tolerance, source)
        )
    return Outcome(
        rows=rows,
        figures={"Spin after an oblique impact: experiment, closed form, simulated": partial(draw, spin)},
        efforts=[effort("all angles", *results.values())],
        notes=(
            "Below 32.5 deg the rigid contact sticks; the experiment shows the elastic recovery of the "
            "contact in the tangential direction there, which e_t = 0 leaves out: these rows are not judged."
        ),
    )
