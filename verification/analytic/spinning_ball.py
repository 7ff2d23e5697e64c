"""A ball spins on the spot and is stopped by drilling friction.

The torque is rho_d m g (rho_d the drilling radius): 2/5 m R^2 dw/dt = -rho_d m g, so the ball stops after
t = 2 R^2 w0 / (5 rho_d g), having turned by w0 t / 2.
"""

import nsgalpha as ns
from elements import SpherePlane
from verification.analytic.rolling_ball import zero_of
from verification.balls import GRAVITY, RADIUS, add_ball, add_cloth, billiard_model
from verification.outcome import Outcome, Row, bound_row
from verification.run import effort, simulate

SPIN = 50.0  # [rad/s]
DRILLING_RADIUS = 1e-3  # [m]
H = 1e-3  # [s]
PROVENANCE = "closed form (analytic/spinning_ball.py)"


def stopping_time(spin: float, drilling_radius: float) -> float:
    """Time [s] to rest."""
    return 2.0 * RADIUS**2 * spin / (5.0 * drilling_radius * GRAVITY)


def build() -> ns.Model:
    """One ball, spinning about the vertical."""
    model = billiard_model()
    add_ball(model, (0.0, 0.0), angular_velocity=(0.0, 0.0, SPIN))
    model.add(SpherePlane(model.spheres, add_cloth(model), mu=0.2, drilling_radius=DRILLING_RADIUS))
    return model


def run() -> Outcome:
    """Step 1e-3 s; the spin falls linearly, which the scheme follows exactly."""
    result = simulate(build(), t_end=2.0, h=H)
    spin = result.angular_velocity[:, 0, 2]
    expected, ours = stopping_time(SPIN, DRILLING_RADIUS), zero_of(result.t, spin)
    rows = [
        Row("drilling friction: time of rest", "s", expected, ours, 1e-9, PROVENANCE),
        bound_row("drilling friction: spin left at 2 s", "rad/s", abs(spin[-1]), 1e-9, PROVENANCE),
    ]
    return Outcome(rows=rows, efforts=[effort("spinning ball", result)])
