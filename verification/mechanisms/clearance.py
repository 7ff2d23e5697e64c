"""Slider-crank with clearance: the slider, a rectangle, rattles between its guides with four corners.

Model: Flores, Leine and Glocker 2010, with an initial spin of the slider, so that corners strike one at a
time. The first twelve impacts, of corners 1 and 2 in turn, come to an accumulation at 2.85 ms: from the
eleventh to the twelfth it is 0.12 microseconds. So the step of a run falls twice, by ten each, as they come
closer. Corners are the ends of two capsules of small radius along the upper and lower edge; the guides stand
off by as much.
"""

from typing import NamedTuple

import numpy as np

import nsgalpha as ns
from elements import CapsulePlane, Revolute
from nsgalpha.arrays import Floats, Ints
from verification.mechanisms import reference
from verification.mechanisms.arrivals import PHASES, Judged, judged, late, studied
from verification.mechanisms.rows import violation
from verification.mechanisms.smooth import HELD
from verification.outcome import Row, bound_row
from verification.run import simulate

CASE = "slider_crank_clearance"
RADIUS = 1e-5  # [m] of the corners
STEPS = (4e-6, 2e-6, 1e-6)  # [s] in the first part
PARTS = ((2.7e-3, 1.0), (2.84e-3, 0.1), (2.8481e-3, 0.01))  # ends [s], parts of the step
BOUNDS = (4.0, 4.0, 7e4)  # over h: [s/s], [N s/s], [rad/s/s]
FIRST = 4  # impacts in the first parts of a run; those that follow come closer and closer
STRUCK = 1e-3  # [N s] least impulse of an impact; loads make less in a step
SOURCE = "event-driven, DOP853 to 1e-12 (reference.json)"


class Impacts(NamedTuple):
    """The k impacts of a run."""

    corner: Ints  # (k,) 1, 2 upper left and right, 3, 4 lower
    t: Floats  # (k,) [s]
    after: Floats  # (k, 3) rates of crank, rod, slider [rad/s]
    impulse: Floats  # (k,) [N s]
    slips: Floats  # (k,)


def build() -> ns.Model:
    """Crank, rod, slider from the outer dead centre."""
    p = reference.case(CASE)["params"]
    crank, rod, turn = p["v0"]
    model = ns.Model(gravity=(0, -p["g"], 0))
    pin = p["l1"] * crank  # [m/s] across
    end = pin + p["l2"] * rod
    places = 0.5 * p["l1"], p["l1"] + 0.5 * p["l2"], p["l1"] + p["l2"]
    speeds = 0.5 * pin, 0.5 * (pin + end), end
    bodies = [
        model.add_body(
            mass=p[f"m{k + 1}"],
            inertia=(p[f"J{k + 1}"],) * 3,
            position=(places[k], 0, 0),
            velocity=(0, speeds[k], 0),
            angular_velocity=(0, 0, (crank, rod, turn)[k]),
            name=name,
        )
        for k, name in enumerate(("crank", "rod", "slider"))
    ]
    for a, b, x in zip((None, *bodies), bodies, (0, p["l1"], places[2]), strict=False):
        model.add(Revolute(a, b, point=(x, 0, 0), axis=(0, 0, 1)))
    half = 0.5 * p["guide_distance"] + RADIUS
    for side in (1, -1):
        edge = [(-p["a"], side * p["b"], 0), (p["a"], side * p["b"], 0)]
        corners = model.add_primitive(edge, radius=RADIUS, carrier=bodies[2])
        guide = model.add_plane(normal=(0, -side, 0), offset=-half)
        model.add(CapsulePlane(corners, guide, mu=p["mu"], e_n=p["e_N"]))
    return model


def impacts(result: ns.Result) -> Impacts:
    """The impacts of a part of a run, by the corners in contact."""
    contacts = result.contacts
    k = np.flatnonzero(contacts.multipliers[:, 0] > STRUCK)
    lower = np.asarray(contacts.normal[k, 1] > 0.0)
    record = contacts.record[k]
    return Impacts(
        1 + 2 * lower + contacts.features[k, 1],
        result.t[record],
        result.angular_velocity[record, :, 2],
        contacts.multipliers[k, 0],
        np.asarray(contacts.status[k] == "slip"),
    )


def run(h: float, phase: float) -> tuple[Impacts, list[ns.Result]]:
    """All impacts of a run whose first step is `phase` h, and its parts."""
    model = build()
    state, found, parts = late(model, phase * h), [], []
    for end, part in PARTS:
        parts.append(simulate(model, t_end=end, h=part * h, state=state))
        state = parts[-1].state(-1)
        found.append(impacts(parts[-1]))
    return Impacts(*(np.concatenate(each) for each in zip(*found, strict=True))), parts


def errors(h: float, phase: float) -> Floats:
    """Largest of times [s], impulses [N s], rates after [rad/s] of all impacts; NaN for other corners."""
    given = reference.case(CASE)["impacts"]
    found, _ = run(h, phase)
    if list(found.corner[: len(given)]) != [each["corner"] for each in given]:
        return np.full(3, np.nan)
    first = slice(len(given))
    return np.array(
        [
            np.abs(ours[first] - np.array([each[name] for each in given])).max()
            for ours, name in ((found.t, "t"), (found.impulse, "impulse_n"), (found.after, "v_after"))
        ]
    )


def studies(phases: int = PHASES) -> list[Judged]:
    """Of all twelve impacts over the arrival within the step."""
    names = [
        f"slider-crank with clearance: {what} of 12 impacts" for what in ("times", "impulses", "rates after")
    ]
    found = studied(names, ["s", "N s", "rad/s"], errors, STEPS, phases)
    return list(zip(found, BOUNDS, [SOURCE] * 3, [True] * 3, strict=True))


def run_all() -> tuple[list[Row], tuple[Impacts, list[ns.Result]]]:
    """Studies, and impact by impact those of one run."""
    rows = [row for each in studies() for row in judged(*each)]
    found, parts = shown = run(STEPS[-1], 0.5)
    h, given = STEPS[-1], reference.case(CASE)["impacts"]
    count = min(len(found.t), len(given))
    rows.append(
        Row("slider-crank with clearance: impacts, of the first 12", "-", len(given), count, 0.5, SOURCE)
    )
    for k, each in enumerate(given[:count]):
        close = 2.0 * h if k < FIRST else 0.4 * h
        what = f"slider-crank with clearance, impact {k + 1}:"
        rows += [
            Row(f"{what} corner", "-", each["corner"], found.corner[k], 0.5, SOURCE),
            Row(f"{what} slips", "-", float(each["mode"] == "slip"), found.slips[k], 0.5, SOURCE),
            Row(f"{what} time", "s", each["t"], found.t[k], close, SOURCE),
            Row(f"{what} impulse", "N s", each["impulse_n"], found.impulse[k], 2.0 * h, SOURCE),
        ]
    g = max(violation(part)[0] for part in parts)
    rows.append(bound_row("slider-crank with clearance: joints open", "m", g, HELD, "rounding"))
    return rows, shown
