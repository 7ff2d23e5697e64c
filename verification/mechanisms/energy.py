"""Energy of mechanisms without friction: over 10^5 steps with rho_inf = 1, and between elastic stops.

The residual of the budget is the error of the scheme. It oscillates by order h^2 where the law takes nothing,
and a pendulum loses energy besides, at a constant rate of order h^3.
"""

import numpy as np

import nsgalpha as ns
from elements import Limit, Revolute
from nsgalpha.arrays import Floats
from verification.outcome import Row, bound_row
from verification.run import simulate

G = 9.81
STEPS, H = 100_000, 1e-3  # number, [s]
Y = (0.0, 1.0, 0.0)
LAW, KEPT = "closed form", "energy"


def chain(links: int) -> ns.Model:
    """Rods of 1 m on a hinge, let go from the horizontal."""
    model = ns.Model(gravity=(0, 0, -G))
    last = None
    for k in range(links):
        rod = model.add_body(mass=1.0, inertia=(1e-3, 1 / 12, 1 / 12), position=(0.5 + k, 0, 0))
        model.add(Revolute(last, rod, point=(k, 0, 0), axis=Y))
        last = rod
    return model


def on_stop() -> ns.Model:
    """A rod that falls on an elastic stop of its hinge."""
    model = ns.Model(gravity=(0, 0, -G))
    rod = model.add_body(mass=1.0, inertia=(1e-3, 1 / 12, 1 / 12), position=(0.5, 0, 0))
    hinge = model.add(Revolute(None, rod, point=(0, 0, 0), axis=Y))
    model.add(Limit(hinge, high=1.0, e_n=1.0))
    return model


def residual(model: ns.Model, steps: int, h: float) -> tuple[ns.Budget, Floats]:
    """Budget of a run with rho_inf = 1, and its residual over the largest kinetic energy."""
    budget = simulate(model, t_end=steps * h, h=h, scheme=ns.GeneralizedAlpha(1.0)).budget()
    return budget, budget.residual / budget.kinetic.max()


def run_all() -> list[Row]:
    """Bounds over all steps, and the work of elastic stops."""
    rows = []
    for name, links, bound in (("pendulum", 1, 2.6e-5), ("double pendulum", 2, 9e-4)):
        _, left = residual(chain(links), STEPS, H)
        largest = float(np.abs(left).max())
        rows.append(bound_row(f"energy of a {name}, 1e5 steps", "of its kinetic", largest, bound, KEPT))
    rates = []
    for h in (4.0 * H, 8.0 * H):
        _, left = residual(chain(1), STEPS // 5, h)
        rates.append(float(np.polyfit(h * np.arange(len(left)), left, 1)[0]))
    rows.append(bound_row("energy lost by a pendulum, 4 ms", "of its kinetic/s", -rates[0], 1e-6, KEPT))
    rows.append(Row("order of that", "-", 3.0, float(np.log2(rates[1] / rates[0])), 0.2, KEPT))
    budget, _ = residual(on_stop(), 10_000, H)
    taken = float(np.abs(budget.impacts).max())
    rows.append(bound_row("work of elastic stops in 10 s", "J", taken, 1e-12, LAW))
    return rows
