"""The chain in its angles, and here.

phi_i is the angle of rod i to the horizontal, i = 1 to n from the hinge; mass m, length l, gravity g:

    sum_j M_ij (cos(phi_i - phi_j) phi_j'' + sin(phi_i - phi_j) phi_j'^2) = -g m l (n - i + 1/2) cos phi_i
    M_ij = m l^2 (n - max(i, j) + (1/2 or, for i = j, 1/4 + J/(m l^2)))

by Lagrange's equations.
"""

from __future__ import annotations

from functools import cache
from time import process_time

import numpy as np
from scipy.integrate import solve_ivp

import nsgalpha as ns
from elements import Revolute
from nsgalpha.arrays import Floats

G = 9.81  # [m/s^2]
TOLERANCE = 1e-12
SLENDER = (1e-3, 1 / 12, 1 / 12)  # [kg m^2]


def build(links: int) -> ns.Model:
    """Rods along x on hinges about z; gravity along -y."""
    model, last = ns.Model(gravity=(0, -G, 0)), None
    for k in range(links):
        rod = model.add_body(mass=1.0, inertia=SLENDER, position=(k + 0.5, 0, 0))
        model.add(Revolute(last, rod, point=(k, 0, 0), axis=(0, 0, 1)))
        last = rod
    return model


@cache
def centres(links: int, t: float) -> Floats:
    """Exact centres of the rods (links, 2) [m] at the time `t` [s]."""
    number = np.arange(links)
    weight = links - 0.5 - number
    M = np.minimum.outer(weight, weight) + (SLENDER[2] - 0.25) * np.eye(links)
    np.fill_diagonal(M, weight - 0.25 + SLENDER[2])

    def rate(_: float, y: Floats) -> Floats:
        turn, w = y[:links], y[links:]
        apart = turn[:, None] - turn
        load = -G * weight * np.cos(turn) - (M * np.sin(apart)) @ w**2
        return np.concatenate([w, np.linalg.solve(M * np.cos(apart), load)])

    found = solve_ivp(rate, (0.0, t), np.zeros(2 * links), "DOP853", rtol=TOLERANCE, atol=TOLERANCE)
    steps = np.stack([np.cos(found.y[:links, -1]), np.sin(found.y[:links, -1])], axis=1)
    return np.asarray(np.cumsum(steps, axis=0) - 0.5 * steps)


def measure(links: int, h: float, t: float, repeats: int) -> tuple[float, Floats]:
    """Least processor time [s] of several runs, and the final centres (links, 2)."""
    model, steps = build(links), round(t / h)
    ns.simulate(model, t_end=2.0 * h, h=h)  # compiles, or reads kernels
    times = []
    for _ in range(repeats):
        start = process_time()
        run = ns.simulate(model, t_end=t, h=h, record_every=steps)
        times.append(process_time() - start)
    return min(times), np.asarray(run.position[-1, :, :2])
