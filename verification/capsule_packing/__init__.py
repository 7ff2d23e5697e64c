"""A box of capsules in equilibrium.

Rigid capsules fall into a box of polygons, come to rest, and are put into equilibrium by Newton's method.
Without friction the floor then carries them, opposite walls press alike, and the weight of all that is above
crosses every height. The only motions without resistance are their spins.
"""

from functools import partial

import numpy as np
from scipy.spatial.transform import Rotation

import nsgalpha as ns
from nsgalpha.arrays import Floats
from verification.capsule_packing.figure import draw
from verification.capsule_packing.model import COUNT, GRAVITY, MASS, build
from verification.outcome import Outcome, Row, bound_row
from verification.run import effort, simulate

LEVELS = 400
FALL = 2.0  # [s] until the capsules have nearly come to rest


def run() -> Outcome:
    """Let the capsules fall, find the equilibrium, sum forces; h = 4e-4 s."""
    model = build()
    falling = simulate(model, t_end=FALL, h=4e-4, scheme=ns.VelocityVerlet(), record_every=250)
    rest = ns.equilibrium(model, falling.state(-1))
    contacts = ns.compliant_contacts(model, rest.state)
    load = contacts.resultant()[:, :3] - [0.0, 0.0, MASS * GRAVITY]
    of_walls = np.where((contacts.body_a < 0)[:, None], -contacts.force, contacts.force)
    walls = of_walls[(contacts.body_a < 0) | (contacts.body_b < 0)].sum(axis=0) / (COUNT * MASS * GRAVITY)
    heights, above, across = _transmitted(rest.state.position[:, 2], contacts)

    def balance(quantity: str, unit: str, error: Floats | float, bound: float = 1e-9) -> Row:
        return bound_row(quantity, unit, float(np.abs(error).max()), bound, "balance of forces")

    rows = [
        balance("force left on a capsule", "m g", load / (MASS * GRAVITY), 1e-7),
        balance("force of the floor over the weight, less 1", "-", walls[2] - 1.0),
        balance("sum of the forces of the walls", "weight", walls[:2]),
        balance("force across a height, less the weight above", "weight", across - above),
        _count("directions without stiffness", COUNT, rest.free, "spins about the axes"),
        _count("unstable directions", 0, rest.unstable, "at rest"),
    ]
    axes = Rotation.from_quat(rest.state.rotation, scalar_first=True).apply([1.0, 0.0, 0.0])
    picture = partial(draw, axes, rest.state, heights, above, across)
    return Outcome(
        rows=rows,
        figures={"A box of capsules": picture},
        efforts=[effort("falling", falling)],
        notes=f"Equilibrium after {rest.iterations} iterations: {rest.status.message}.",
    )


def _count(quantity: str, expected: int, ours: int | None, provenance: str) -> Row:
    """A number of directions, not a number where there is no equilibrium."""
    found = np.nan if ours is None else ours
    return Row(quantity, "-", expected, found, 0.5, provenance)


def _transmitted(z: Floats, contacts: ns.CompliantContacts) -> tuple[Floats, Floats, Floats]:
    """Over the weight, by height: that of the centres above, and the force from below."""
    heights = np.linspace(-0.001, z.max() + 0.01, LEVELS)
    level = np.append(z, -np.inf)  # walls, number -1, count as below
    a, b = level[contacts.body_a], level[contacts.body_b]
    force = contacts.force[:, 2] / (COUNT * MASS * GRAVITY)
    across = [float(force @ ((a > h).astype(float) - (b > h))) for h in heights]
    above = [float((z > h).mean()) for h in heights]
    return heights, np.array(above), np.array(across)
