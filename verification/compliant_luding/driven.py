"""Laws driven along prescribed motions, against Woo's and Yade's results for them.

Called as in an explicit step: increments are the step times the rates.
"""

from typing import Any

import numpy as np

from elements import LudingNormal
from nsgalpha.arrays import Floats
from nsgalpha.forces import CompliantLaw, evaluate
from verification.compliant_luding import reference
from verification.compliant_luding.reduce import kept
from verification.outcome import Outcome, Row, bound_row

#: Relative: 2000 increments added up in another order.
ROUNDING = 5e-15
#: [N] A stiffness of 1e5 N/m times the rounding of positions near 0.02 m.
POSITIONS = 2e-12
WOO = "Woo's C++ law, driven (reference.py)"
#: Columns of the histories of normal, tangential, rolling, twisting law: springs, viscous work.
SPRING, VISCOUS = [3, 4, 7, 8, 11], [1, 5, 9, 13]
#: Quantities of a plastic loop, and their names in the reference.
PLASTIC = {
    "k_2": "k2",
    "d_0": "delta0",
    "d_min": "deltaMin",
    "work, area of the loop": "loopArea_exact",
    "work as documented": "W_np_documented",
    "work as the program has it": "W_np_cpp",
    "work, what the law remembers": "loopArea_exact",
}


def drive(law: CompliantLaw, overlap: Floats, rate: Floats, h: float, radius: float) -> tuple[Floats, Floats]:
    """Forces (n, 6) and histories (n, k) of one contact with `overlap` (n,) and `rate` (n, 6)."""
    force, history = np.zeros((len(overlap), 6)), np.zeros((len(overlap) + 1, law.history))
    for i in range(len(overlap)):
        u, before = rate[i : i + 1], history[i : i + 1]
        moved = {"overlap": overlap[i], "rate": u, "increment": h * u, "history": before}
        response = evaluate(law, **moved, radius=radius, h=h)
        force[i], history[i + 1] = response.force[0], response.history[0]
    return force, history[1:]


def loop(law: LudingNormal, overlap: Floats, radius: float) -> tuple[Floats, Floats]:
    """Normal forces (n,) and histories (n, 3) along `overlap` (n,), without viscosity."""
    rate = np.zeros((len(overlap), 6))
    force, history = drive(CompliantLaw(normal=law), np.ascontiguousarray(overlap), rate, 1.0, radius)
    return force[:, 0], history


def difference(ours: Floats, theirs: Floats) -> float:
    """Largest difference over the largest value, worst column; columns of zeros must be zero."""
    size = np.abs(theirs).max(axis=0)
    error = np.abs(ours - theirs).max(axis=0)
    return float((error / np.where(size > 0.0, size, 1.0)).max())


def woo_rows(name: str, case: dict[str, Any]) -> list[Row]:
    """Forces, histories and works of one driven case, with the program's options."""
    motion, out = reference.driven(name)
    params = case["params"]
    laws = reference.laws(params, old_spring=True)
    radius, normal = 0.5 * reference.reduced_radius(params), laws["normal"]
    assert isinstance(normal, LudingNormal)
    rate = np.ascontiguousarray(motion[:, reference.RATE])
    force, history = drive(CompliantLaw(**laws), -motion[:, 0], rate, params["dt"], radius)
    rows = kept(len(motion))
    stiffness = [normal.unloading(largest, radius)[0] for largest in history[rows, 0]]
    ours = [
        -force[rows],
        stiffness,
        history[rows, 0],
        history[rows][:, SPRING],
        history[rows][:, VISCOUS].sum(1),
    ]
    columns = reference.FORCE, reference.STIFFNESS, reference.LARGEST, reference.SPRING, reference.VISCOUS
    error = difference(np.column_stack(ours), np.column_stack([out[:, column] for column in columns]))
    judged = [bound_row(f"{name}: forces, histories, viscous work", "-", error, ROUNDING, WOO)]
    if case["break"]:
        work, theirs = normal.plastic_work(history[-1, 0], radius, "program"), case["break"][0]
        what = f"{name}: plastic work as the program has it"
        judged.append(Row(what, "J", theirs, work, ROUNDING * theirs, WOO))
    return judged


def yade_rows() -> list[Row]:
    """Normal forces over overlaps of Yade and Woo on the same paths.

    Yade bounds d_max by d_lim and lowers it on the adhesive branch. It changes from loading to unloading
    one step late, with an error that stays: up to K times the step of the path. Beyond d_lim there is no
    such change.
    """
    cases = reference.record()["yade"]
    p = cases["params"]
    documented, published = yade_law(p), yade_law(p, saturates=True, softens=True)
    judged = []
    for name in cases["cases"]:
        overlap, forces = reference.driven(f"yade.{name}")
        step = float(np.median(np.abs(np.diff(overlap))))
        late = POSITIONS if name == "beyond_limit" else p["k2hat"] * step
        for peer, law, theirs, tolerance in (
            ("Yade", published, forces[:, 0], late),
            ("Woo", documented, forces[:, 1], POSITIONS),
        ):
            ours = loop(law, overlap, 0.5 * p["R"])[0][kept(len(overlap))]
            provenance = f"{peer} on the path of luding_yade_crosscheck.json"
            error = float(np.abs(ours - theirs).max())
            judged.append(bound_row(f"{peer}, {name}: normal force", "N", error, tolerance, provenance))
    return judged


def yade_law(p: dict[str, Any], **options: Any) -> LudingNormal:
    """The law with Yade's parameters `p`."""
    stiffnesses: dict[str, Any] = {
        "stiffness": p["k2hat"],
        "plastic_stiffness": p["k1"],
        "adhesive_stiffness": p["kc"],
    }
    return LudingNormal(**stiffnesses, plastic_depth=p["phi_f"], **options)


def work_rows() -> list[Row]:
    """Plastic work: the formulas and the law's history against the area of the loop."""
    case = reference.record()["plastic_work"]
    params = case["params"]
    radius, law = 0.5 * reference.reduced_radius(params), reference.laws(params)["normal"]
    assert isinstance(law, LudingNormal)
    ours, theirs = [], []
    for line in case["table"]:
        largest = line["deltaMax_over_deltaLim"] * params["deltaLim"]
        rules = [law.plastic_work(largest, radius, rule) for rule in ("loop", "documented", "program")]
        remembered = loop(law, np.linspace(0.0, largest, 100), radius)[1][-1, 2]
        ours.append([*law.unloading(largest, radius), *rules, remembered])
        theirs.append([line[name] for name in PLASTIC.values()])
    errors = np.abs(np.array(ours) / np.array(theirs) - 1.0).max(axis=0)
    title = "plastic loops to 0.3, 0.8, 1 and 1.5 d_lim"
    source = "closed forms and integration of the loop (reference.py)"
    return [
        bound_row(f"{title}: {quantity}", "-", error, ROUNDING, source)
        for quantity, error in zip(PLASTIC, errors, strict=True)
    ]


def run() -> Outcome:
    """All driven motions."""
    rows = [row for name, case in reference.record()["driven"].items() for row in woo_rows(name, case)]
    return Outcome(rows=rows + work_rows() + yade_rows())
