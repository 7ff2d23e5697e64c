"""A ball on an inclined plane: rolls, rolls against resistance, or slides.

Rolling, with the resisting torque rho N (rho the rolling radius, N = m g cos):

    7/5 m dv/dt = m g sin - rho/R m g cos,    dv/dt = 5/7 g (sin - rho/R cos).

The friction this takes is within mu N if tan <= 7/2 mu - 5/2 rho/R. Otherwise the ball slides:
dv/dt = g (sin - mu cos), R dw/dt = 5/2 (mu - rho/R) g cos. With tan <= rho/R it does not move at all.
"""

import math
from dataclasses import dataclass

import numpy as np

import nsgalpha as ns
from elements import SpherePlane
from verification.balls import GRAVITY, MASS, RADIUS
from verification.outcome import Outcome, Row
from verification.run import effort, simulate

T_END = 1.0  # [s]
TOLERANCE = 1e-9  # constant forces are integrated exactly
PROVENANCE = "closed form (analytic/incline.py)"


@dataclass(frozen=True, slots=True)
class Slope:
    """Inclination [deg] and friction of one run."""

    label: str
    angle: float
    mu: float
    rolling_radius: float = 0.0


SLOPES = (
    Slope("rolls", 20.0, 0.3),
    Slope("rolls against resistance", 20.0, 0.3, 0.005),
    Slope("slides", 30.0, 0.1),
    Slope("held by resistance", 5.0, 0.3, 0.005),
)


def accelerations(slope: Slope) -> tuple[float, float]:
    """dv/dt and R dw/dt [m/s^2] down the slope."""
    s, c = math.sin(math.radians(slope.angle)), math.cos(math.radians(slope.angle))
    rho = slope.rolling_radius / RADIUS
    if s <= rho * c:
        return 0.0, 0.0
    if s <= (3.5 * slope.mu - 2.5 * rho) * c:
        rolling = 5.0 / 7.0 * GRAVITY * (s - rho * c)
        return rolling, rolling
    return GRAVITY * (s - slope.mu * c), 2.5 * (slope.mu - rho) * GRAVITY * c


def build(slope: Slope) -> ns.Model:
    """A ball at rest on the plane z = 0; gravity is inclined towards x."""
    angle = math.radians(slope.angle)
    model = ns.Model(gravity=GRAVITY * np.array([math.sin(angle), 0.0, -math.cos(angle)]))
    ball = model.add_sphere(radius=RADIUS, mass=MASS, position=(0.0, 0.0, RADIUS))
    plane = model.add_plane(normal=(0.0, 0.0, 1.0))
    model.add(SpherePlane(ball, plane, mu=slope.mu, rolling_radius=slope.rolling_radius))
    return model


def rows_of(slope: Slope, result: ns.Result) -> list[Row]:
    """Distance, speed and surface speed after one second."""
    dv, dw = accelerations(slope)
    distance, v = result.position[-1, 0, 0], result.velocity[-1, 0, 0]
    surface = RADIUS * result.angular_velocity[-1, 0, 1]
    run = f"incline {slope.angle:g} deg, {slope.label}"
    return [
        Row(f"{run}, {name}", unit, reference, ours, TOLERANCE, PROVENANCE)
        for name, unit, reference, ours in (
            ("distance", "m", 0.5 * dv * T_END**2, distance),
            ("v", "m/s", dv * T_END, v),
            ("R w", "m/s", dw * T_END, surface),
        )
    ]


def run() -> Outcome:
    """All slopes, h = 1e-3 s."""
    results = [simulate(build(slope), t_end=T_END, h=1e-3) for slope in SLOPES]
    return Outcome(
        rows=[row for slope, result in zip(SLOPES, results, strict=True) for row in rows_of(slope, result)],
        efforts=[effort("inclines", *results)],
    )
