r"""Hard and soft balls in one column

Columns of six balls stand on the floor, all of one size and weight, some hard and some soft. Contacts of hard
balls are set-valued: they pass on any load, and have no stiffness. Where a soft ball takes part the contact
is compliant, and its force is Hertz's, of the overlap: $F = \frac43 E^* \sqrt{R}\, d^{3/2}$. Both kinds are
solved together in each step.

Set down from where they just touch, the columns sag and swing until the viscosity of the soft balls has
brought them to rest. Then each contact, of either kind, carries the weight of the balls above it. Heights
come out to the square of the step where hard balls touch each other.

To look at: where the soft balls are makes the difference. Low in a column they are pressed most. Where every
other ball is soft, all contacts are, and the column sags like one of soft balls.
"""

import numpy as np

import nsgalpha as ns
from elements import CompliantSpherePlane, CompliantSphereSphere, Hertz, SpherePlane, SphereSphere
from nsgalpha.show import Camera
from nsgalpha.show.figure_style import COLOURS, Figure, label, new_figure
from verification.example import main, paint
from verification.outcome import Row
from verification.run import simulate

COLUMNS = ("hhhhhh", "sshhhh", "shshsh", "hhhhss", "ssssss")  # from the floor upwards
RADIUS, MASS, GRAVITY = 0.02, 0.035, 9.81  # [m], [kg], [m/s^2]
MODULUS, DAMPING = 1e5, 2e-2  # [Pa], [s]
H, T_END = 2e-3, 1.0  # [s]


def build(columns: tuple[str, ...] = COLUMNS) -> ns.Model:
    """Balls that touch, and a floor."""
    model = ns.Model(gravity=(0.0, 0.0, -GRAVITY))
    floor = model.add_plane(normal=(0.0, 0.0, 1.0))
    pairs: dict[str, list[tuple[ns.Body, ns.Body]]] = {"hard": [], "soft": []}
    feet: dict[str, list[ns.Body]] = {"hard": [], "soft": []}
    for k, column in enumerate(columns):
        below: ns.Body | None = None
        for i, kind in enumerate(column):
            at = (3.0 * RADIUS * k, 0.0, (2 * i + 1) * RADIUS)
            ball = model.add_sphere(radius=RADIUS, mass=MASS, position=at)
            if below is None:
                feet["hard" if kind == "h" else "soft"].append(ball)
            else:
                pairs["hard" if column[i - 1 : i + 1] == "hh" else "soft"].append((ball, below))
            below = ball
    law = Hertz(modulus=MODULUS, damping=DAMPING)
    model.add(SphereSphere(pairs=pairs["hard"]))
    model.add(SpherePlane(feet["hard"], floor))
    model.add(CompliantSphereSphere(pairs=pairs["soft"], normal=law))
    model.add(CompliantSpherePlane(feet["soft"], floor, normal=law))
    return model


def run(columns: tuple[str, ...] = COLUMNS) -> ns.Result:
    """Until all is at rest."""
    return simulate(build(columns), t_end=T_END, h=H)


def overlap(force: float, radius: float) -> float:
    """Hertz's [m] of a force [N] and an effective radius [m]."""
    return float((0.75 * force / (MODULUS * np.sqrt(radius))) ** (2.0 / 3.0))


def height(column: str) -> float:
    """Of the centre of the uppermost ball [m] at rest."""
    weight, n = MASS * GRAVITY, len(column)
    sunk = overlap(n * weight, RADIUS) if column[0] == "s" else 0.0
    for i in range(1, n):
        if "s" in column[i - 1 : i + 1]:
            sunk += overlap((n - i) * weight, 0.5 * RADIUS)
    return (2 * n - 1) * RADIUS - sunk


def check(result: ns.Result, columns: tuple[str, ...] = COLUMNS) -> list[Row]:
    """Heights, and the forces of all contacts of both kinds against the weight above them."""
    weight, rows, top = MASS * GRAVITY, [], -1
    above = np.concatenate([np.arange(len(column), 0, -1) for column in columns])
    for column in columns:
        top += len(column)
        z, tolerance = result.position[-1, top, 2], 4.0 * GRAVITY * H**2
        rows.append(Row(f"{column}: uppermost ball", "m", height(column), z, tolerance))
    hard, soft = result.contacts.at(-1), result.compliant_contacts(-1)
    for title, body, force in (
        ("hard", hard.body_a, hard.wrench[:, 2]),
        ("soft", soft.body_a, soft.force[:, 2]),
    ):
        off = np.abs(force / weight - above[body]).max()
        rows.append(Row(f"{len(body)} {title} contacts: off from the weight above", "m g", 0.0, off, 1e-3))
    return rows


def figure(result: ns.Result) -> Figure:
    """The columns at rest, and the heights of the uppermost balls."""
    drawn, (left, right) = new_figure(1, 2, size=(9.6, 4.2))
    paint(left, result, Camera((0.12, -0.75, 0.22), (0.12, 0.0, 0.11)), size=(800, 720))
    top = -1
    for k, column in enumerate(COLUMNS):
        top += len(column)
        right.plot(result.t, 1e3 * result.position[:, top, 2], color=COLOURS[k], label=column)
        right.axhline(1e3 * height(column), color=COLOURS[k], linestyle=":", linewidth=0.8)
    right.set_ylim(205.0, 228.0)
    label(right, "t [s]", "uppermost ball [mm]", "dotted: at rest, by Hertz", legend="upper right")
    return drawn


if __name__ == "__main__":
    main(__file__)
