r"""Throw: a map over cut angle and side spin

Friction between two balls throws the struck one off the line of centres. With the velocity $v$ of the cue
ball, the cut angle $\varphi$ and side spin $\omega_z$ the balls slip on each other by $u = v \sin\varphi +
R\omega_z$ while they meet with $v \cos\varphi$. The impulse of friction ends the slip, $m u / 7$, unless
Coulomb's limit is less:

$$\tan\theta = \frac{P_t}{P_n} = \pm\min\left(\mu,\ \frac{2 |u|}{7 (1 + e)\, v \cos\varphi}\right).$$

A parameter study: `ns.sweep` runs one impact at every point of a grid, in as many processes as wanted, and
returns a table.

To look at: the two plateaus where the balls slip all the time ($\tan\theta = \mu$), and the slope
between. Along it there is the right spin for every cut so that the ball is not thrown at all.
"""

from functools import partial

import numpy as np

import nsgalpha as ns
from elements import SphereSphere
from nsgalpha import show
from nsgalpha.show.figure_style import Figure, label
from nsgalpha.sweeps.sweep_table import Table
from verification.balls import E_BALLS, MASS, RADIUS
from verification.example import main
from verification.outcome import Row
from verification.run import simulate

SPEED, MU = 1.0, 0.06  # [m/s]
H = 1e-9  # [s] no time to turn the line of centres
CUTS = np.linspace(0.0, 60.0, 13)  # [deg]
SPINS = np.linspace(-1.25, 0.75, 17)  # R w_z / v


def throw(cut: float, spin: float, mu: float = MU) -> dict[str, float]:
    """Angle [deg] between the struck ball and the line of centres, the x axis, after one impact."""
    model, angle = ns.Model(), np.radians(cut)
    moving = (SPEED * np.cos(angle), SPEED * np.sin(angle), 0.0), (0.0, 0.0, spin * SPEED / RADIUS)
    for x, (v, w) in ((0.0, moving), (2.0 * RADIUS, (np.zeros(3), np.zeros(3)))):
        model.add_sphere(radius=RADIUS, mass=MASS, position=(x, 0, 0), velocity=v, angular_velocity=w)
    model.add(SphereSphere(among=model.spheres, mu=mu, e_n=E_BALLS))
    vx, vy, _ = simulate(model, t_end=H, h=H).velocity[-1, 1]
    return {"throw": float(np.degrees(np.arctan2(vy, vx)))}


def run(mu: float = MU, workers: int | None = 1) -> Table:
    """The table of the sweep, in one process: an impact takes under a millisecond."""
    return ns.sweep(partial(throw, mu=mu), {"cut": CUTS, "spin": SPINS}, workers=workers)


def exact(cut: np.ndarray, spin: np.ndarray, mu: float) -> np.ndarray:
    """The formula of the docstring [deg]."""
    slip = np.sin(np.radians(cut)) + spin
    sticking = 2.0 * slip / (7.0 * (1.0 + E_BALLS) * np.cos(np.radians(cut)))
    return np.degrees(np.arctan(np.clip(sticking, -mu, mu)))


def check(table: Table, mu: float = MU) -> list[Row]:
    """All points of the grid."""
    error = np.abs(table["throw"] - exact(table["cut"], table["spin"], mu))
    return [
        Row("largest error of the throw", "deg", 0.0, error.max(), 5e-6),
        Row("largest throw", "deg", np.degrees(np.arctan(mu)), table["throw"].max(), 5e-6),
    ]


def figure(table: Table) -> Figure:
    """The throw over cut and spin."""
    drawn = show.heat_map(table, "throw", x="cut", y="spin", centre=0.0, lines=[0.0])
    label(drawn.axes[0], "cut angle [deg]", "side spin R ω / v", "throw [deg] of the struck ball; line: none")
    return drawn


if __name__ == "__main__":
    main(__file__)
