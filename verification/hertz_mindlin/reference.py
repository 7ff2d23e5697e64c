"""Oblique impact of two spheres in a plane: differential equations of Hertz and Mindlin.

d is the overlap, n points from B to A, t is a quarter turn from it. u is the rate along t of A's
surface against B's, with arms r - d/2.

    F = max(0, k d^(3/2) - c d^(1/4) d_n),    c = beta sqrt(5 k m),    k = 4/3 E* sqrt(R)
    dT/dt = -q u                              d grows, |T| < mu F,     q = 8 G* sqrt(R d)
    dT/dt = -q u + T d'/(2 d)                 d falls, |T| < mu F
    T = -+ mu F                               while it slips

d_n is the rate of the gap. The force T of the spring is a variable of the equations, and F' in slip follows
from the accelerations. DOP853 integrates them until the overlap vanishes.
"""

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

from elements import contact_modulus, contact_shear_modulus
from nsgalpha.arrays import Floats

YOUNG, POISSON, DENSITY = 7e10, 0.3, 2500.0  # [Pa], [-], [kg/m^3]
SLIPS = 1e-6  # distance from the cap over it, at which a contact slips


@dataclass(frozen=True)
class Impact:
    """Two spheres that touch along x, A at x > 0; velocities [m/s] in the plane, spins [rad/s] about z."""

    name: str
    radius: tuple[float, float]
    velocity: tuple[tuple[float, float], tuple[float, float]]
    spin: tuple[float, float]
    mu: float
    beta: float  # damping ratio of the normal dashpot

    @cached_property
    def mass(self) -> Floats:
        """Masses (2,) [kg]."""
        return DENSITY * 4.0 / 3.0 * np.pi * np.array(self.radius) ** 3

    @property
    def effective(self) -> tuple[float, float]:
        """Radius [m] and mass [kg]."""
        r, m = np.array(self.radius), self.mass
        return float(r.prod() / r.sum()), float(m.prod() / m.sum())

    @property
    def stiffness(self) -> float:
        """Hertz's k [N/m^(3/2)]."""
        return 4.0 / 3.0 * contact_modulus(YOUNG, POISSON, YOUNG, POISSON) * self.effective[0] ** 0.5

    @property
    def approach(self) -> float:
        """Speed [m/s] along the normal."""
        return self.velocity[1][0] - self.velocity[0][0]

    @property
    def duration(self) -> float:
        """Time [s] of an elastic impact."""
        return float(
            2.94 * (15.0 / 8.0 * self.effective[1] / (1.5 * self.stiffness)) ** 0.4 / self.approach**0.2
        )

    @property
    def start(self) -> Floats:
        """State (11,): centres, velocities of A and B, both spins, T."""
        a, b = self.radius
        return np.array([a, 0.0, -b, 0.0, *self.velocity[0], *self.velocity[1], *self.spin, 0.0])


def rates(impact: Impact, y: Floats) -> Floats:
    """Derivative (11,) of the state by time."""
    R, m = impact.effective
    k, q = impact.stiffness, 8.0 * contact_shear_modulus(YOUNG, POISSON, YOUNG, POISSON) * R**0.5
    x, v, w, T = y[:2] - y[2:4], y[4:6] - y[6:8], y[8:10], y[10]
    r, mass = np.array(impact.radius), impact.mass
    distance = np.hypot(*x)
    n = x / distance
    t = np.array([-n[1], n[0]])
    d = max(r.sum() - distance, 0.0)
    arms, gap_rate = r - 0.5 * d, float(n @ v)
    u = t @ v - arms @ w
    c = impact.beta * np.sqrt(5.0 * k * m)
    F = k * d**1.5 - c * d**0.25 * gap_rate
    pushes = F > 0.0
    F = max(F, 0.0)
    stick = -q * d**0.5 * u
    if gap_rate > 0.0 and d > 0.0:
        stick -= 0.5 * T * gap_rate / d

    def motion(T: float) -> tuple[Floats, Floats]:
        force = F * n + T * t
        return np.concatenate((force / mass[0], -force / mass[1])), -arms * T / (0.4 * mass * r * r)

    change = stick
    if d > 0.0 and abs(T) >= (1.0 - SLIPS) * impact.mu * F:
        T = np.sign(T) * impact.mu * F
        acceleration, _ = motion(T)
        second = n @ (acceleration[:2] - acceleration[2:]) + (t @ v) ** 2 / distance
        slope = -(1.5 * k * d**0.5 - 0.25 * c * d**-0.75 * gap_rate) * gap_rate - c * d**0.25 * second
        cap = np.sign(T) * impact.mu * slope if pushes else 0.0
        if np.sign(T) * (stick - cap) > 0.0:
            change = cap
    acceleration, turning = motion(T)
    return np.array([*y[4:8], *acceleration, *turning, change])


def solve(impact: Impact) -> tuple[Floats, Floats]:
    """Velocities (2, 2) and spins (2,) after the impact."""

    def apart(_: float, y: Floats) -> float:
        return float(np.hypot(*(y[:2] - y[2:4])) - sum(impact.radius))

    setattr(apart, "terminal", True)  # noqa: B010, an attribute that solve_ivp reads
    setattr(apart, "direction", 1.0)  # noqa: B010
    end = 20.0 * impact.duration
    small = 1e-12 * impact.approach
    scale = np.array([*[small * impact.duration] * 4, *[small] * 4, *small / np.array(impact.radius), 0.0])
    scale[10] = 1e-12 * impact.mass[0] * impact.approach / impact.duration
    how = {"method": "DOP853", "rtol": 1e-9, "atol": scale, "max_step": impact.duration / 100.0}
    found = solve_ivp(lambda _, y: rates(impact, y), (0.0, end), impact.start, events=apart, **how)
    if not found.t_events[0].size:
        raise RuntimeError(f"{impact.name}: the spheres do not separate")
    y = found.y[:, -1]
    return y[4:8].reshape(2, 2), y[8:10]


def known() -> dict[str, Any]:
    """The values of record.py by impact: `ode` and those of LAMMPS by spring, (2, 3) each."""
    found: dict[str, Any] = json.loads(Path(__file__).with_name("reference.json").read_text(encoding="utf-8"))
    return found
