"""Many bodies: a rack of fifteen, long columns, a pile at rest.

The break of the rack on its axis is a sequence of impacts that must keep the mirror symmetry. The reference
is the frictionless sequential solution for h -> 0. In a column every step has to be solved to 1e-8, and its
weight to stand on the floor. A pile has to come to rest, and to stay there. Larger piles and drums are timed
by `python -m verification.benchmarks.scaling`.
"""

import numpy as np

import nsgalpha as ns
from nsgalpha.arrays import Flags, Floats
from verification.outcome import Effort, Outcome, Row, bound_row
from verification.run import effort, simulate
from verification.scenes import GRAVITY, RADIUS, at_rest, ball_mass, column, pile, rack

RACK_H = 1e-6  # [s]
ROLLING = 0.02  # radius of rolling friction, over that of the spheres
SETTLING = 6.0  # [s] at most, for a pile without it
PILE = 27  # spheres
RESTING = 1e-10  # [m g R] energy of a body in a pile at rest
RACK = "sequential impacts, frictionless, e = 0.93, h -> 0"


def run() -> Outcome:
    """The rack and the columns."""
    rows, spent = _rack()
    efforts = [spent]
    for count in (10, 100, 1000):
        more, spent = _column(count)
        rows += more
        efforts.append(spent)
    for measured in (_pile, _pile_against_rolling):
        more, spent = measured(PILE)
        rows += more
        efforts.append(spent)
    return Outcome(rows=rows, efforts=efforts)


def _rack() -> tuple[list[Row], Effort]:
    result = simulate(rack(h=RACK_H), t_end=3 * RACK_H, h=RACK_H)
    v = result.velocity[-1]
    speeds = (
        ("cue ball, v_x", v[0, 0], -0.145909),
        ("apex ball, v_x", v[1, 0], -0.018115),
        ("back corner, v_x", v[11, 0], 0.428268),
        ("back corner, v_y", v[11, 1], -0.247261),
        ("other back corner, v_y", v[15, 1], 0.247261),
    )
    rows = [
        Row(f"rack of 15, {name}", "m/s", reference, ours, 1e-5, RACK) for name, ours, reference in speeds
    ]
    rows.append(Row("rack of 15, impacts", "-", 6, int(result.stats.sub_impacts.max()), 0.5, RACK))
    asymmetry, first = 0.0, 1
    for i in range(5):
        row = v[first : first + i + 1]
        asymmetry = max(asymmetry, np.abs(row - row[::-1] * (1.0, -1.0, 1.0)).max())
        first += i + 1
    rows.append(bound_row("rack of 15, mirror asymmetry", "m/s", asymmetry, 1e-10, "symmetry"))
    return rows, effort("rack of 15", result)


def _column(count: int) -> tuple[list[Row], Effort]:
    h = 1e-3
    result = simulate(column(count), t_end=0.1, h=h, tol=1e-8)
    stats = result.stats
    residual = max(stats.position_residual.max(), stats.velocity_residual.max())
    marked = float(np.count_nonzero(stats.relaxed) + np.count_nonzero(stats.divided))
    weight = count * ball_mass(RADIUS) * GRAVITY
    last = result.contacts.record == len(result.t) - 1
    floor = result.contacts.impulse[last & (result.contacts.plane >= 0), 2].sum() / h
    speed = np.abs(result.velocity[-1]).max()
    name = f"column of {count}"
    return [
        bound_row(f"{name}, largest residual of a step", "-", residual, 1e-8, "tolerance asked for"),
        bound_row(f"{name}, penetration", "R", stats.penetration.max(), 1e-8, "rigid bodies"),
        bound_row(f"{name}, steps relaxed or divided", "-", marked, 0.5, "all are solved"),
        bound_row(f"{name}, speed at the end", "m/s", speed, 1e-8, "at rest"),
        Row(f"{name}, force on the floor over the weight", "-", 1.0, floor / weight, 1e-6, "equilibrium"),
    ], effort(name, result)


def _pile(count: int) -> tuple[list[Row], Effort]:
    """Falling and settling, for at most SETTLING [s], and a second more from there.

    Without rolling friction nothing stops a sphere that rolls on the floor, and spheres that roll between
    others stop late. That depends on the trajectory of the fall, which is chaotic, and so on the last digits
    of the machine. It is no unrest of the pile. Spheres whose point on the floor is at rest are left out;
    they are then stopped, and once more where they do not stay.
    """
    h = 1e-3
    model = pile(count)
    settling = simulate(model, t_end=1.0, h=h, tol=1e-8)
    while (alone := _unrest(settling)) > RESTING and settling.t[-1] < SETTLING - 0.5:
        start = settling.state(-1)
        settling = simulate(model, t_end=start.t + 1.0, h=h, tol=1e-8, state=start)
    stopped = simulate(model, t_end=0.2, h=h, tol=1e-8, state=at_rest(settling.state(-1)))
    result = simulate(model, t_end=1.0, h=h, tol=1e-8, state=at_rest(stopped.state(-1)))
    name = f"pile of {count}"
    return [
        bound_row(f"{name}, energy of a body, rolling aside", "m g R", alone, RESTING, "at rest"),
        *_resting(name, [settling, stopped], result),
    ], effort(name, result)


def _pile_against_rolling(count: int) -> tuple[list[Row], Effort]:
    """With rolling friction a pile rests by itself, and a second longer."""
    h = 1e-3
    model = pile(count, ROLLING * RADIUS)
    settling = simulate(model, t_end=1.5, h=h, tol=1e-8)
    result = simulate(model, t_end=2.5, h=h, tol=1e-8, state=settling.state(-1))
    name = f"pile of {count} with rolling friction"
    alone = float(_energy(settling)[-1].mean())
    return [
        bound_row(f"{name}, energy of a body after 1.5 s", "m g R", alone, 1e-10, "at rest"),
        *_resting(name, [settling], result),
    ], effort(name, result)


def _resting(name: str, before: list[ns.Result], result: ns.Result) -> list[Row]:
    """A pile stays where it is, in `result`."""
    radius = np.array([body.radius for body in result.model.bodies])
    drift = (np.linalg.norm(result.position[-1] - result.position[0], axis=1) / radius).max()
    depth = max(run.stats.penetration.max() for run in [*before, result])
    residual = result.stats.velocity_residual.max()
    energy = _energy(result).max()
    return [
        bound_row(f"{name} at rest, largest energy in 1 s", "m g R", energy, 1e-10, "at rest"),
        bound_row(f"{name} at rest, drift in 1 s", "R", drift, 1e-8, "no drift"),
        bound_row(f"{name}, penetration", "R", depth, 1e-8, "rigid bodies"),
        bound_row(f"{name} at rest, residual", "-", residual, 1e-8, "tolerance asked for"),
    ]


def _unrest(run: ns.Result) -> float:
    """Energy of a body [m g R] at the end, without those that roll on the floor."""
    return float((_energy(run)[-1] * ~_rolling(run)).mean())


def _energy(run: ns.Result) -> Floats:
    """Kinetic energy of translation over m g R (states, bodies)."""
    radius = np.array([body.radius for body in run.model.bodies])
    return 0.5 * (run.velocity**2).sum(axis=2) / (GRAVITY * radius)


def _rolling(run: ns.Result) -> Flags:
    """Flags (bodies,) of bodies that roll on the floor at the end, to 1e-8 m/s."""
    radius = np.array([body.radius for body in run.model.bodies])
    arm = radius[:, None] * (0.0, 0.0, -1.0)
    slip = np.linalg.norm(run.velocity[-1] + np.cross(run.angular_velocity[-1], arm), axis=1)
    return (np.abs(run.position[-1, :, 2] / radius - 1.0) < 1e-8) & (slip < 1e-8)
