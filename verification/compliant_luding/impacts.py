"""Impacts of two spheres: head-on against exact solutions, oblique with spins against extrapolated ones.

All begin at touch, just closed so that the dashpot acts from the start. Free flight before it is exact, and
the instant of touch is not rounded to a step. Separation is: there the dashpot still pulls with gamma_n v,
and the impulse of half a step is an error of first order of the restitution, e eta_0 h.
"""

from typing import Any

import numpy as np

import nsgalpha as ns
from elements import (
    CompliantSphereSphere,
    LudingNormal,
    bar_stiffness,
    contact_time,
    plastic_restitution,
    viscous_restitution,
)
from nsgalpha.arrays import Floats
from verification.compliant_luding import reference
from verification.outcome import Effort, Outcome, Row, bound_row
from verification.run import effort, simulate
from verification.scenes import add_spheres

TOUCH = 2e-13  # [m] overlap at the start
STEPS = 500  # per contact time
H = 1e-6  # [s] of oblique impacts
DURATION = 6.6e-4  # [s] of the longest of them
ROUNDING = 1e-14  # relative
EXACT = "exact solution of the equation of motion (reference.py)"
EXAMPLE = "worked example of the documentation: spheres of 12 mm, 4200 kg/m^3, 1 MPa, 2.5 kg/s"
LEAPFROG = "Woo's law in a leapfrog scheme, extrapolated in the step (reference.py)"
#: Output of the documentation's script, with all digits: t_c [s], restitution.
EXAMPLE_VALUES = 0.0014764551468880258, 0.3785776571968107
#: How well v [m/s] and w [rad/s] agree: the dashpot at separation, gamma_n v h/(2 m_12), and the
#: extrapolation.
TOLERANCE = {"v": 1e-4, "w": 5e-3}
#: There the force jumps from static to dynamic friction, at instants rounded to steps by all.
JUMPING, JUMP = "oblique_unequal_dyn0.7", {"v": 2e-4, "w": 5e-2}
#: With Woo's spring: a case whose limit depends little on how steps that slip and stick take turns.
LITERAL = "oblique_spin_dyn1"


def head_on(case: dict[str, Any]) -> tuple[ns.Model, float, float]:
    """Two spheres at touch, a step [s] and the time [s] of separation or failure."""
    p, model, sides = case["params"], ns.Model(), np.outer((-1.0, 1.0), (1.0, 0.0, 0.0))
    x, v = sides * (p["a1"] - 0.5 * TOUCH), -0.5 * sides * case["v0"]
    a, b = add_spheres(model, p["a1"], case["mass"], x, v)
    model.add(CompliantSphereSphere(pairs=[(a, b)], normal=reference.laws(p)["normal"]))
    duration = case["result"].get("tc", 3e-3)
    return model, duration / STEPS, 1.05 * duration


def head_on_rows(case: dict[str, Any]) -> tuple[list[Row], ns.Result]:
    """Contact time, restitution, largest overlap."""
    model, h, t_end = head_on(case)
    result = simulate(model, t_end=t_end, h=h, rho_inf=0.8)
    overlap = 2.0 * case["params"]["a1"] - np.diff(result.position[:, :, 0])[:, 0]
    speed = np.diff(result.velocity[:, :, 0])[:, 0]
    largest = max(history.values[:, 0].max(initial=0.0) for history in result.histories)
    name, exact = case["name"], case["result"]
    values = [("largest overlap", "m", exact["deltaMax"], largest, 1e-5 * exact["deltaMax"])]
    if not exact["captured"]:
        last = int(np.flatnonzero(overlap > 0.0)[-1])
        end = result.t[last] + overlap[last] / speed[last]
        separation = case["params"]["viscN"] / case["mass"] * h * exact["e"]  # e eta_0 h
        values += [
            ("contact time", "s", exact["tc"], end, 2e-5 * exact["tc"]),
            ("restitution", "-", exact["e"], speed[-1] / case["v0"], 5e-5 + 1.5 * separation),
        ]
    rows = [
        Row(f"{name}: {q}", unit, theirs, ours, tolerance, EXACT)
        for q, unit, theirs, ours, tolerance in values
    ]
    if exact["captured"]:
        rows.append(
            Row(f"{name}: closed contacts at the end", "-", 1.0, float(overlap[-1] > 0.0), 0.5, EXACT)
        )
    return rows, result


def closed_forms() -> list[Row]:
    """Contact times and restitutions by formula, against integration where the formula is exact."""
    rows = []
    for case in reference.record()["impacts"]:
        p, m12, exact = case["params"], 0.5 * case["mass"], case["analytic"]
        law = reference.laws(p)["normal"]
        assert isinstance(law, LudingNormal)
        if "tc" in exact:
            time = contact_time(law.stiffness, m12, law.damping)
            e = viscous_restitution(law.stiffness, m12, law.damping)
            rows.append(_row(f"{case['name']}: formula of t_c", "s", exact["tc"], time))
        elif exact:
            e = plastic_restitution(law, case["v0"], m12, 0.5 * reference.reduced_radius(p))
        else:
            continue
        rows.append(_row(f"{case['name']}: formula of the restitution", "-", exact["r"], e))
    k = bar_stiffness(1e6, 1e6, 6e-3, 6e-3)
    volume = 4.0 / 3.0 * np.pi * 6e-3**3
    m12 = 0.5 * 4200.0 * volume
    rows.append(_row("worked example: t_c", "s", EXAMPLE_VALUES[0], contact_time(k, m12, 2.5), EXAMPLE))
    rows.append(
        _row("worked example: restitution", "-", EXAMPLE_VALUES[1], viscous_restitution(k, m12, 2.5), EXAMPLE)
    )
    return rows


def _row(
    quantity: str, unit: str, theirs: float, ours: float, provenance: str = "closed form of the peers"
) -> Row:
    tolerance = ROUNDING * max(abs(theirs), 1e-3)
    return Row(quantity, unit, theirs, ours, tolerance, provenance)


def oblique(case: dict[str, Any], **options: Any) -> ns.Model:
    """Two spheres with spins, moved along their free paths until they touch."""
    given = case["input"]
    x, v = np.array(given["x"], float), np.array(given["v"], float)
    dx, dv = x[1] - x[0], v[1] - v[0]
    closing, square = dx @ dv, dv @ dv
    apart = dx @ dx - (sum(given["r"]) - TOUCH) ** 2
    touch = (-closing - np.sqrt(closing**2 - square * apart)) / square
    model = ns.Model()
    a, b = add_spheres(model, given["r"], given["m"], x + touch * v, v, given["w"])
    model.add(CompliantSphereSphere(pairs=[(a, b)], **reference.laws(case["params"], **options)))
    return model


def velocities(case: dict[str, Any], h: float, **options: Any) -> tuple[dict[str, Floats], ns.Result]:
    """v, w (2, 3) of both spheres after the impact."""
    result = simulate(oblique(case, **options), t_end=DURATION, h=h, rho_inf=0.8, record_every=100)
    return {"v": result.velocity[-1], "w": result.angular_velocity[-1]}, result


def oblique_rows() -> tuple[list[Row], list[ns.Result]]:
    """Velocities and spins after oblique impacts."""
    rows, results = [], []
    for case in reference.record()["collisions"]:
        ours, result = velocities(case, H)
        results.append(result)
        tolerance = JUMP if case["name"] == JUMPING else TOLERANCE
        for what, unit in (("v", "m/s"), ("w", "rad/s")):
            error = float(np.abs(ours[what] - case["return_map"][what]).max())
            quantity = f"{case['name']}: largest error of {what}"
            rows.append(bound_row(quantity, unit, error, tolerance[what], LEAPFROG))
        if case["name"] == LITERAL:
            coarse, fine = (velocities(case, h, old_spring=True)[0] for h in (H, 0.5 * H))
            error = float(np.abs(2.0 * fine["w"] - coarse["w"] - case["woo_literal"]["w"]).max())
            rows.append(
                bound_row(f"{case['name']}: w, spring as in the program", "rad/s", error, 0.05, LEAPFROG)
            )
    return rows, results


def run() -> Outcome:
    """All impacts."""
    frontal = [head_on_rows(case) for case in reference.record()["impacts"]]
    rows, results = oblique_rows()
    efforts: list[Effort] = [
        effort("head-on impacts", *(result for _, result in frontal)),
        effort("oblique impacts", *results),
    ]
    return Outcome(
        rows=[*(row for part, _ in frontal for row in part), *closed_forms(), *rows], efforts=efforts
    )
