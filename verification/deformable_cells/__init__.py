"""Deformable cells at rest against closed forms.

Cells of 1280 triangles each, with a constant tension gamma, a volume that hardly changes and nothing else,
move without inertia until they rest. Then they are pieces of balls, or of other surfaces of constant mean
curvature, and the pressure is Laplace's. The force of plates follows from balances at equator and plates.
Adhering cells meet planes and one another at the angles of the works of adhesion and the tensions. A tongue
in a pipette takes the pressure of a ball that touches the lip, largest when it is half a ball. A contractile
ring holds up to 0.8107 gamma R_0.

Lengths are over the radius R_0 of the ball with the same volume. Tolerances allow for the mesh, whose edges
are 0.15 R_0, for the overlap in contact, and for the reach of adhesion, 0.02 to 0.025 R_0.
"""

from collections.abc import Callable
from functools import partial

from nsgalpha.show.figure_style import Figure
from verification.deformable_cells import figure, parts
from verification.outcome import Outcome, merge

FINENESS = 3  # of the icospheres
PARTS = "laplace", "compression", "spreading", "doublets", "clusters", "aspiration", "cleavage"


def run() -> Outcome:
    """All of it."""
    outcomes = []
    for name in PARTS:
        rows, found = getattr(parts, name)(FINENESS)
        figures: dict[str, Callable[[], Figure]] = {}
        if name in figure.DRAWN:
            caption, draw = figure.DRAWN[name]
            figures[caption] = partial(draw, found)
        outcomes.append(Outcome(rows=rows, figures=figures))
    return merge(outcomes)
