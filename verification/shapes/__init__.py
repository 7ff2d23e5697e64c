"""Bodies of other shapes than balls: slopes, falls, stacks, ledges.

Hard contact of boxes, cylinders, hulls, compounds and floors of triangles, stated by `Contact`. Boxes slide
on slopes, are braked, tip, and turn with a table (slopes.py). Cylinders roll, spin and tip (cylinders.py).
Boxes fall flat, on edges and corners, and rock (falls.py). Bricks overhang, an arch and an octagon on another
one are about to fall, two fingers hold a box (stacks.py). Cans and cones tip on cans, and a pyramid
of cylinders presses on walls (revolved.py). Boxes, hulls and round bodies slide, roll, tip and tumble on
height fields (terrain.py). Balls meet in a row and roll over triangles, a box slides over a ledge, rods jam
(rolling.py). Coins, a capsule and an uneven ball roll and slide (rims.py). Gaps of 100 000 random pairs of
every two kinds are proved by supports of the shapes (random_pairs.py).

Tolerances: closed forms of constant forces 1e-12, speeds 1e-12, energy 1e-10, angles .05 degrees, lengths of
overhangs .1 %, the thickness of the arch 3 %, orders .15. Bodies that roll have orders to .1, and errors
below four times ours.
"""

from verification.outcome import Outcome
from verification.shapes import (
    cylinders,
    falls,
    random_pairs,
    revolved,
    rims,
    rolling,
    slopes,
    stacks,
    terrain,
)


def run() -> Outcome:
    """All scenes."""
    scenes = slopes, cylinders, falls, stacks, revolved, terrain, rolling, rims, random_pairs
    return Outcome(rows=[row for scene in scenes for row in scene.run_all()])
