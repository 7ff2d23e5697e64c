"""Jointed bodies that strike: a pendulum on a stop, a double pendulum on a plane.

The tip is a capsule of small radius, the stop stands off by as much. An impact is resolved to its step, and
the motion after it is of first order in h. Within a step the error depends on the arrival, so that bounds go
with h.
"""

from typing import NamedTuple

import numpy as np

import nsgalpha as ns
from elements import CapsulePlane, Revolute
from nsgalpha.arrays import Floats, Ints
from verification.mechanisms import reference
from verification.mechanisms.arrivals import PHASES, Judged, judged, late, studied
from verification.mechanisms.rows import IMPULSE, reaction, violation
from verification.mechanisms.smooth import held_rows
from verification.outcome import Row, bound_row
from verification.phases import fractions
from verification.run import simulate

RADIUS = 1e-3  # [m] of the tip
STEPS = (2e-3, 1e-3, 5e-4, 2.5e-4)  # [s]
SHOWN = 1e-3  # [s] step of the runs in the figure
BOUNCES = 5  # of the pendulum
RESTITUTION = 0.8
ALONG_X = (np.sqrt(0.5), 0, np.sqrt(0.5), 0)  # the third axis of a rod
SINGLE = "closed form between impacts (reference.json)"
HINGE = "rigid impact by hand (reference.json)"
DOUBLE = "event-driven, DOP853 to 1e-13 (reference.json)"
TIMES, SPEEDS, RATES = 1.5, 0.5, 60.0  # bounds over h: [s], [rad/s], [rad/s]
PRESSED = 6.0, 15.0  # [N s] of the first impact, of the second


class Impacts(NamedTuple):
    """The impacts of a run."""

    record: Ints  # (k,) of the recorded state at the end of the step
    t: Floats  # (k,) [s]
    before: Floats  # (k, B) rates about y [rad/s]
    after: Floats  # (k, B)
    impulse: Floats  # (k,) of the contact [N s]


def _rod(model: ns.Model, x: float) -> ns.Body:
    return model.add_body(mass=1.0, inertia=(1 / 12, 1 / 12, 1e-4), position=(x, 0, 0), rotation=ALONG_X)


def pendulum(stop: float = 1.0, e_n: float = RESTITUTION) -> ns.Model:
    """A rod, at first horizontal, that meets a wall `stop` [m] along it."""
    model = ns.Model(gravity=(0, 0, -9.81))
    rod = _rod(model, 0.5)
    model.add(Revolute(rod, None, point=(0, 0, 0), axis=(0, 1, 0)))
    tip = model.add_primitive([(-0.1, 0, stop - 0.5), (0, 0, stop - 0.5)], radius=RADIUS, carrier=rod)
    wall = model.add_plane(normal=(1, 0, 0), offset=-RADIUS)
    model.add(CapsulePlane([tip], [wall], e_n=e_n))
    return model


def double_pendulum() -> ns.Model:
    """Two rods let go from the horizontal; the second one's tip meets a floor 1.5 m below."""
    model = ns.Model(gravity=(0, 0, -9.81))
    first, second = _rod(model, 0.5), _rod(model, 1.5)
    model.add(Revolute(first, None, point=(0, 0, 0), axis=(0, 1, 0)))
    model.add(Revolute(first, second, point=(1, 0, 0), axis=(0, 1, 0)))
    tip = model.add_primitive([(0, 0, 0.4), (0, 0, 0.5)], radius=RADIUS, carrier=second)
    floor = model.add_plane(normal=(0, 0, 1), offset=-1.5 - RADIUS)
    model.add(CapsulePlane([tip], [floor], e_n=0.5))
    return model


def impacts(result: ns.Result) -> Impacts:
    """The impacts of a run, by the forces of the contact."""
    pressed = np.zeros(len(result.t))
    np.add.at(pressed, result.contacts.record, (result.contacts.impulse * result.contacts.normal).sum(axis=1))
    index = np.flatnonzero(pressed > 1e-3)
    rates = -result.angular_velocity[:, :, 1]
    return Impacts(index, result.t[index], rates[index - 1], rates[index], pressed[index])


def _first(values: Floats, count: int) -> Floats:
    """The first `count` of some values; NaN, which no row accepts, where there are fewer."""
    return np.concatenate([values[:count], np.full((max(count - len(values), 0), *values.shape[1:]), np.nan)])


def pendulum_errors(h: float, phase: float) -> tuple[float, float]:
    """Of times [s] and of rates after [rad/s] of five impacts."""
    given, model = reference.case("pendulum_on_stop")["impacts"], pendulum()
    found = impacts(simulate(model, t_end=4.0, h=h, state=late(model, phase * h)))
    times = _first(found.t, BOUNCES) - [each["t"] for each in given]
    rates = _first(found.after[:, 0], BOUNCES)
    speeds = np.array([each["speed_before"] for each in given])
    return np.abs(times).max(), np.abs(np.abs(rates) - RESTITUTION * speeds).max()


def double_errors(h: float, phase: float) -> list[float]:
    """Of time, rates after, impulse of the first impact, and of the second."""
    given, model = reference.case("double_pendulum_on_plane")["impacts"][:2], double_pendulum()
    found = impacts(simulate(model, t_end=0.95, h=h, state=late(model, phase * h)))
    t, after, impulse = (_first(each, 2) for each in (found.t, found.after, found.impulse))
    errors = []
    for k, each in enumerate(given):
        rates = np.abs(after[k] - each["after"]).max()
        errors += [abs(t[k] - each["t"]), rates, abs(impulse[k] - each["impulse"])]
    return errors


def studies(phases: int = PHASES) -> list[Judged]:
    """Studies of both over the arrival; the order is judged of first impacts."""
    single = studied(
        ["pendulum on a stop: times of 5 impacts", "pendulum on a stop: rates after"],
        ["s", "rad/s"],
        pendulum_errors,
        STEPS[:3],
        phases,
    )
    names = [f"{what}, impact {k}" for k in (1, 2) for what in ("time", "rates after", "impulse")]
    double = studied(
        [f"double pendulum on a plane: {name}" for name in names],
        ["s", "rad/s", "N s"] * 2,
        double_errors,
        STEPS,
        phases,
    )
    first, second = (TIMES, RATES, PRESSED[0]), (2.0 * TIMES, RATES, PRESSED[1])
    return [
        *zip(single, (BOUNCES * TIMES, SPEEDS), [SINGLE] * 2, [False] * 2, strict=True),
        *zip(double, first + second, [DOUBLE] * 6, [True] * 3 + [False] * 3, strict=True),
    ]


def hinge_rows() -> list[Row]:
    """Impulses of the hinge of the pendulum for three places of the stop."""
    rows = []
    for each in reference.case("pendulum_on_stop")["joint_impulse"]:
        run = simulate(pendulum(each["stop_at"]), t_end=0.6, h=STEPS[-1])
        found = impacts(run)
        hinge = reaction(run, 0, side=0, column=IMPULSE)[found.record[0], 0]
        what = f"pendulum on a stop at {each['stop_at']:.3g} m: impulse of the"
        rows += [
            Row(f"{what} contact", "N s", each["contact_impulse"], found.impulse[0], 1e-5, HINGE),
            Row(f"{what} hinge", "N s", each["joint_impulse_horizontal"], hinge, 1e-5, HINGE),
        ]
    return rows


def elastic_rows() -> list[Row]:
    """An elastic stop takes nothing, at any fraction of its step."""
    model, rows = pendulum(e_n=1.0), []
    for phase in fractions(PHASES):
        run = simulate(model, t_end=4.0, h=STEPS[0], state=late(model, phase * STEPS[0]))
        budget = run.budget()
        what = f"pendulum on an elastic stop, phase {phase:g}"
        rows += [
            bound_row(f"{what}: work of the impacts", "J", np.abs(budget.impacts).max(), 1e-12, "law"),
            Row(f"{what}: impacts in 4 s", "-", BOUNCES - 1, len(impacts(run).t), 0.5, SINGLE),
        ]
    return rows


def run_all() -> tuple[list[Row], ns.Result, ns.Result]:
    """All rows, and a run of the pendulum and one of the double pendulum."""
    swung, struck = simulate(pendulum(), t_end=4.0, h=SHOWN), simulate(double_pendulum(), t_end=1.2, h=SHOWN)
    violated = [violation(run) for run in (swung, struck)]
    speeds = [np.abs(run.velocity).max() for run in (swung, struck)]
    rate = max(each[1] / speed for each, speed in zip(violated, speeds, strict=True))
    rows = [row for each in studies() for row in judged(*each)] + hinge_rows() + elastic_rows()
    return rows + held_rows("with impacts", max(each[0] for each in violated), rate), swung, struck
