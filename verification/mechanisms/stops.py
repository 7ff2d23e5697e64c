"""Jointed bodies that strike: a pendulum on a stop, a double pendulum on a plane.

The tip is a capsule of small radius, the stop stands off by as much. An impact is resolved to its step, and
what follows is of first order in h; within a step the error hangs on the arrival, so that bounds go with h.
"""

from typing import NamedTuple

import numpy as np

import nsgalpha as ns
from elements import CapsulePlane, Revolute
from nsgalpha.arrays import Floats, Ints
from verification.mechanisms import reference
from verification.mechanisms.rows import IMPULSE, reaction, violation
from verification.mechanisms.smooth import HELD
from verification.outcome import Row, bound_row
from verification.run import simulate

RADIUS = 1e-3  # [m] of the tip
STEPS = (2e-3, 1e-3, 5e-4, 2.5e-4)  # [s]
BOUNCES = 5  # of the pendulum
RESTITUTION = 0.8
ALONG_X = (np.sqrt(0.5), 0, np.sqrt(0.5), 0)  # the third axis of a rod
SINGLE = "closed form between impacts (reference.json)"
HINGE = "rigid impact by hand (reference.json)"
DOUBLE = "event-driven, DOP853 to 1e-13 (reference.json)"
TIMES, SPEEDS, RATES, PRESSED = 1.5, 0.5, 60.0, 15.0  # bounds over h: [s], [rad/s], [rad/s], [N s]


class Impacts(NamedTuple):
    """Those of a run."""

    record: Ints  # (k,) of the recorded state at the end of the step
    t: Floats  # (k,) [s]
    before: Floats  # (k, B) rates about y [rad/s]
    after: Floats  # (k, B)
    impulse: Floats  # (k,) of the contact [N s]


def _rod(model: ns.Model, x: float) -> ns.Body:
    return model.add_body(mass=1.0, inertia=(1 / 12, 1 / 12, 1e-4), position=(x, 0, 0), rotation=ALONG_X)


def pendulum(stop: float = 1.0) -> ns.Model:
    """A rod that begins horizontal; below its hinge it meets a wall with one point, `stop` [m] along it."""
    model = ns.Model(gravity=(0, 0, -9.81))
    rod = _rod(model, 0.5)
    model.add(Revolute(rod, None, point=(0, 0, 0), axis=(0, 1, 0)))
    tip = model.add_primitive([(-0.1, 0, stop - 0.5), (0, 0, stop - 0.5)], radius=RADIUS, carrier=rod)
    wall = model.add_plane(normal=(1, 0, 0), offset=-RADIUS)
    model.add(CapsulePlane([tip], [wall], e_n=RESTITUTION))
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
    """The impacts of a run, by what the contact did."""
    pressed = np.zeros(len(result.t))
    np.add.at(pressed, result.contacts.record, (result.contacts.impulse * result.contacts.normal).sum(axis=1))
    index = np.flatnonzero(pressed > 1e-3)
    rates = -result.angular_velocity[:, :, 1]
    return Impacts(index, result.t[index], rates[index - 1], rates[index], pressed[index])


def _of(what: str, h: float, unit: str, error: float, bound: float, source: str) -> Row:
    return bound_row(f"{what}, over h, h {h:g}", unit, error / h, bound, source)


def pendulum_rows() -> tuple[list[Row], list[ns.Result]]:
    """Times and speeds of five impacts over the steps, impulses of the hinge for three places of the stop."""
    given = reference.case("pendulum_on_stop")
    times = np.array([each["t"] for each in given["impacts"]])
    speeds = np.array([each["speed_before"] for each in given["impacts"]])
    rows, runs = [], []
    for h in STEPS:
        run = simulate(pendulum(), t_end=4.0, h=h)
        runs.append(run)
        found = impacts(run)
        name = "pendulum on a stop"
        rows += [
            Row(f"{name}: impacts, h {h:g}", "-", BOUNCES, len(found.t), 0.5, SINGLE),
            _of(f"{name}: times", h, "s/s", np.abs(found.t[:BOUNCES] - times).max(), BOUNCES * TIMES, SINGLE),
            _of(
                f"{name}: rates after",
                h,
                "rad/s/s",
                np.abs(np.abs(found.after[:BOUNCES, 0]) - RESTITUTION * speeds).max(),
                SPEEDS,
                SINGLE,
            ),
        ]
    for each in given["joint_impulse"]:
        run = simulate(pendulum(each["stop_at"]), t_end=0.6, h=STEPS[-1])
        found = impacts(run)
        hinge = reaction(run, 0, side=0, column=IMPULSE)[found.record[0], 0]
        what = f"pendulum on a stop at {each['stop_at']:.3g} m: impulse of the"
        rows += [
            Row(f"{what} contact", "N s", each["contact_impulse"], found.impulse[0], 1e-3, HINGE),
            Row(f"{what} hinge", "N s", each["joint_impulse_horizontal"], hinge, 1e-3, HINGE),
        ]
    return rows, runs


def double_rows() -> tuple[list[Row], list[ns.Result]]:
    """Times, rates and impulses of the first two impacts over the steps."""
    given = reference.case("double_pendulum_on_plane")["impacts"][:2]
    rows, runs = [], []
    for h in STEPS:
        run = simulate(double_pendulum(), t_end=1.2, h=h)
        runs.append(run)
        found = impacts(run)
        for k, each in enumerate(given):
            what = f"double pendulum on a plane: impact {k + 1},"
            rates = np.abs(found.after[k] - each["after"]).max()
            pressed = abs(found.impulse[k] - each["impulse"])
            rows += [
                _of(f"{what} time", h, "s/s", abs(found.t[k] - each["t"]), (k + 1) * TIMES, DOUBLE),
                _of(f"{what} rates after", h, "rad/s/s", rates, RATES, DOUBLE),
                _of(f"{what} impulse", h, "N s/s", pressed, PRESSED, DOUBLE),
            ]
    return rows, runs


def run_all() -> tuple[list[Row], list[ns.Result], list[ns.Result]]:
    """Both, with the runs of the pendulum and of the double pendulum."""
    single, swung = pendulum_rows()
    double, struck = double_rows()
    violated = [violation(run) for run in [*swung, *struck]]
    speed = [np.abs(run.velocity).max() for run in [*swung, *struck]]
    g = max(each[0] for each in violated)
    rate = max(each[1] / v for each, v in zip(violated, speed, strict=True))
    return (
        [
            *single,
            *double,
            bound_row("with impacts: joints open, over the size", "-", g, HELD, "rounding"),
            bound_row("with impacts: joints open, rate over the speed", "-", rate, HELD, "rounding"),
        ],
        swung,
        struck,
    )
