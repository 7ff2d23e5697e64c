r"""A house of cards

Two cards of the length $l$ and thickness $d$ lean on each other at the angle $\alpha$ from the vertical. The
moments about a foot say how they push each other, and the floor holds that by friction,

$$\frac{H}{W} = \frac12 \left(\tan\alpha - \frac dl\right).$$

With less friction they slide apart. Two such pairs carry a roof.

To look at: the house stands, two cards on a smoother floor do not.
"""

from itertools import product
from typing import Any

import numpy as np

import nsgalpha as ns
from elements import CompliantSolidPlane, CompliantSolids, CundallStrack, SpringDashpot
from nsgalpha.show import Camera
from nsgalpha.show.figure_style import Figure, new_figure
from verification.example import main, paint
from verification.outcome import Row
from verification.run import simulate

LENGTH, WIDE, THICK, MASS, ALPHA, G = 0.09, 0.06, 0.002, 0.01, np.radians(20.0), 9.81  # [m], [kg], [m/s^2]
NEEDED = 0.5 * (np.tan(ALPHA) - THICK / LENGTH)  # friction
PITCH = 2 * LENGTH * np.sin(ALPHA) + 2 * THICK  # [m] from pair to pair


def build(mu: float = 0.6, pairs: int = 2) -> ns.Model:
    """Pairs of cards, and a roof on two of them."""
    model = ns.Model(gravity=(0, 0, -G))
    s, c = np.sin(ALPHA), np.cos(ALPHA)
    x, z = 0.5 * (LENGTH * s + THICK * c), 0.5 * (LENGTH * c + THICK * s)  # of a centre
    for pair, side in product(range(pairs), (-1, 1)):
        turn = (np.cos(0.5 * ALPHA), 0, -side * np.sin(0.5 * ALPHA), 0)
        model.add_box(
            (THICK, WIDE, LENGTH), mass=MASS, position=(PITCH * pair + side * x, 0, z), rotation=turn
        )
    if pairs == 2:
        model.add_box((1.4 * PITCH, WIDE, THICK), mass=MASS, position=(0.5 * PITCH, 0, 2 * z + 0.5 * THICK))
    friction = CundallStrack(stiffness=5e3, damping=1.0, mu=mu)
    law: Any = {"normal": SpringDashpot(stiffness=1e4, damping=3.0), "tangential": friction}
    model.add(CompliantSolidPlane(model.bodies, model.add_plane(normal=(0, 0, 1)), **law))
    model.add(CompliantSolids(among=model.bodies, **law))
    return model


def run() -> list[ns.Result]:
    """The house, and two cards with more and with less friction than they need."""
    models = build(), build(1.5 * NEEDED, 1), build(0.8 * NEEDED, 1)
    return [
        simulate(model, t_end=0.5, h=1e-4, scheme=ns.VelocityVerlet(), record_every=50) for model in models
    ]


def check(results: list[ns.Result]) -> list[Row]:
    """Tiles that stand, and the friction of a foot."""
    ways = [np.abs(np.asarray(r.position)[-1] - r.position[0]).max() for r in results]
    forces = results[1].compliant_contacts().of(results[1].model.elements[0]).resultant()
    return [
        Row("house: way of the cards", "m", 0.0, ways[0], 2e-4),
        Row(
            "two cards: friction of a foot over its load",
            "-",
            NEEDED,
            forces[0, 0] / forces[0, 2],
            0.01 * NEEDED,
        ),
        Row("1.5 of the friction: way of the cards", "m", 0.0, ways[1], 2e-4),
        Row(
            "0.8 of the friction: cards lie",
            "-",
            1.0,
            float(results[2].position[-1, :, 2].max() < 2 * THICK),
            0.5,
        ),
    ]


def figure(results: list[ns.Result]) -> Figure:
    """The house, and the cards that did not stand, after 0.1 s."""
    drawn, axes = new_figure(2, 1, size=(6.4, 7.2))
    for axis, result, t in zip(axes, results[::2], (0.5, 0.15), strict=True):
        middle = float(np.mean(np.asarray(result.position)[0, :, 0]))
        paint(axis, result, Camera((middle + 0.1, -0.3, 0.14), (middle, 0, 0.04)), t=t, size=(960, 520))
    return drawn


if __name__ == "__main__":
    main(__file__)
