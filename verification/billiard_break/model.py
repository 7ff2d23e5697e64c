"""Four balls on a table with cushions: the break of the paper's section 5.3."""

import numpy as np

import nsgalpha as ns
from elements import SpherePlane, SphereSphere
from verification.balls import (
    E_BALLS,
    GRAVITY,
    MU_BALLS,
    MU_CLOTH,
    RADIUS,
    add_ball,
    add_cloth,
    billiard_model,
)

LENGTH, WIDTH = 2.54, 1.27  # [m] table, centred at the origin
SPEED = 10.792  # [m/s]; the paper's text says 10.729 once
START = (-LENGTH / 4.0, 0.0)  # [m] cue ball
APEX = (LENGTH / 4.0, 0.0)  # [m] first ball of the rack
MASS = 1.666 / GRAVITY  # [kg] from the weight
INERTIA = 5.5e-5  # [kg m^2]
E_CUSHIONS = 0.85
ROLLING_RADIUS = 0.005  # [m] second case
NAMES = ("cue", "apex", "left", "right")
BEHIND = np.sqrt(3.0) * RADIUS  # [m] from the apex to the second row


def build(rolling_radius: float = 0.0) -> ns.Model:
    """The break with or without rolling friction of the cloth, the cue ball first; rolling_radius [m]."""
    model = billiard_model()
    x, y = APEX
    places = (START, APEX, (x + BEHIND, y + RADIUS), (x + BEHIND, y - RADIUS))
    for name, place in zip(NAMES, places, strict=True):
        speed = SPEED if name == "cue" else 0.0
        add_ball(model, place, mass=MASS, inertia=INERTIA, velocity=(speed, 0.0, 0.0), name=name)
    add_table(model, rolling_radius)
    return model


def add_table(model: ns.Model, rolling_radius: float) -> None:
    """Cloth and cushions, and the contacts of all balls with these and each other; rolling_radius [m]."""
    cushions = [
        model.add_plane(normal=normal, offset=-half, name=f"cushion {side}")
        for side, normal, half in (
            ("east", (-1.0, 0.0, 0.0), LENGTH / 2.0),
            ("west", (1.0, 0.0, 0.0), LENGTH / 2.0),
            ("north", (0.0, -1.0, 0.0), WIDTH / 2.0),
            ("south", (0.0, 1.0, 0.0), WIDTH / 2.0),
        )
    ]
    model.add(SphereSphere(among=model.spheres, mu=MU_BALLS, e_n=E_BALLS))
    model.add(SpherePlane(model.spheres, add_cloth(model), mu=MU_CLOTH, rolling_radius=rolling_radius))
    model.add(SpherePlane(model.spheres, cushions, e_n=E_CUSHIONS))
