"""A break of four balls with an offset cue ball, and its outputs. SI units.

Balls, cloth and cushions are those of the billiard break; the rack of three touches. The cue ball
starts 20 to 30 cm from the apex, `offset` from the axis of the rack, and strikes along the axis.
"""

import math
from typing import Any

import numpy as np

import nsgalpha as ns
from verification.balls import GRAVITY, MU_CLOTH, RADIUS, add_ball, billiard_model, triangle
from verification.billiard_break.model import INERTIA, LENGTH, MASS, ROLLING_RADIUS, add_table
from verification.run import simulate

SPEED = 8.0  # [m/s]
APEX = LENGTH / 4.0  # [m]
H, H_BREAK = 1e-3, 1e-5  # [s] step, and step while the rack is struck
ASIDE = 2e-3  # [m] standard deviation of the offset
BALLS = {"radius": RADIUS, "mass": MASS, "inertia": INERTIA}


def rack() -> list[tuple[float, float]]:
    """Centres (3, 2) of the rack [m], the apex first."""
    return [(APEX + x, y) for x, y in triangle(2, RADIUS)]


def model_of(distance: float, offset: float) -> ns.Model:
    """The table; distance [m] along the axis from cue ball to apex."""
    model = billiard_model()
    add_ball(model, (APEX - distance, offset), **BALLS, velocity=(SPEED, 0.0, 0.0), name="cue")
    for place in rack():
        add_ball(model, place, **BALLS)
    add_table(model, ROLLING_RADIUS)
    return model


def path_to_impact(offset: float, distance: float) -> float:
    """Length [m] that the cue ball rolls or slides until it touches the apex ball."""
    return distance - math.sqrt(4.0 * RADIUS**2 - offset**2)


def time_of_impact(path: float) -> float:
    """Time [s] at which a ball that slides from SPEED on has gone `path` [m]."""
    deceleration = MU_CLOTH * GRAVITY
    return (SPEED - math.sqrt(SPEED**2 - 2.0 * deceleration * path)) / deceleration


def break_shot(distance: float, offset: float, t_end: float = 3.0) -> dict[str, Any]:
    """One break of `t_end` [s]: steps of H, but of H_BREAK while the rack is struck.

    Returns velocities (4, 2) [m/s] after the impacts of the rack and positions (4, 2) [m] at the end. Also
    returns the largest growth of the energy between two records over the first energy, the penetration in
    radii, and the status.
    """
    model = model_of(distance, offset)
    impact = time_of_impact(path_to_impact(offset, distance))
    before = simulate(model, t_end=H * math.floor(impact / H - 1.0), h=H)
    struck = simulate(model, t_end=impact + 2.0 * H_BREAK, h=H_BREAK, record_every=50, state=before.state())
    after = ns.simulate(model, t_end=t_end, h=H, record_every=10, state=struck.state())
    energy = np.concatenate([run.energy() for run in (before, struck, after)])
    return {
        "velocity": struck.velocity[-1, :, :2],
        "position": after.position[-1, :, :2],
        "growth": np.diff(energy).max() / energy[0],
        "penetration": max(run.stats.penetration.max() for run in (before, struck, after)),
        "status": after.status,
    }
