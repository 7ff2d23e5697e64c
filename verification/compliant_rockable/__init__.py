"""Rockable's laws: contact with friction, avalanches, bonds that break.

The program has run 18 small cases, two spheres or a sphere on a plane, with its options and in its time
stepping (scheme_settings.py). Restitution against closed forms follows, in that scheme and in the project's
own.

Tolerance: both sides round, 1e-16 in the positions, k_n times that in the forces. Restitution: a contact is
noticed up to one step h late, which takes up to c h/m from the velocity. A rolling pair in the project's
own scheme: the program lists the contact one step late and loses an impulse f h.
"""

import math
from functools import partial

import numpy as np

import nsgalpha as ns
from elements import CompliantSphereSphere, RockableDefault
from elements.laws.energy_restitution import clamped_restitution, viscous_rate
from nsgalpha.arrays import Floats
from verification.compliant_rockable.figure import draw
from verification.compliant_rockable.reference import RecordedCase, cases, law, provenance
from verification.compliant_rockable.replay import replay
from verification.outcome import Outcome, Row, bound_row
from verification.run import simulate
from verification.scenes import add_spheres

MOTION, FORCE = 2e-10, 5e-10  # over the largest of the case
RESTITUTIONS = (0.3, 0.5, 0.8)
STIFFNESS, MASS, RADIUS = 1e6, 1.6755, 0.1  # [N/m], [kg], [m] of a sphere
H = 5e-6  # [s] of the project's own scheme: a contact lasts 3 ms


def case_rows(case: RecordedCase) -> list[Row]:
    """Largest differences over all frames: places, velocities, spins; forces and moments."""
    motion, force = replay(case)
    scales = [float(case.radius.max()), *(max(float(np.abs(case.motion[:, i]).max()), 1e-6) for i in (1, 2))]
    apart = max(float(np.abs(motion - case.motion)[:, i].max()) / scales[i] for i in range(3))
    active = case.force.any(axis=1)
    wrong = float(np.abs(force - case.force)[active].max() / np.abs(case.force).max())
    return [
        bound_row(f"motion, {case.name}", "-", apart, MOTION, provenance()),
        bound_row(f"forces, {case.name}", "-", wrong, FORCE, provenance()),
    ]


def restitution(v: Floats) -> float:
    """Of two bodies that meet along x, from velocities (..., 2, 3) in time."""
    u = v[..., 0, 0] - v[..., 1, 0]
    return float(-u[-1] / u[0])


def meeting(e_n: float) -> float:
    """Restitution of two spheres under Default in the project's own scheme."""
    model = ns.Model()
    places = [(0, 0, 0), (2.0 * RADIUS + 1e-5, 0, 0)]
    add_spheres(model, RADIUS, MASS, places, [(0, 0, 0), (-1.0, 0, 0)])
    default = RockableDefault(k_n=STIFFNESS, en2=e_n**2)
    model.add(CompliantSphereSphere(among=model.spheres, contact=default))
    return restitution(simulate(model, t_end=4e-3, h=H, record_every=40).velocity)


def late(e_n: float, h: float) -> float:
    """Part c h/m of the velocity that the dashpot takes in a step when the bodies touch."""
    return 2.0 * viscous_rate(e_n**2) * math.sqrt(STIFFNESS / (0.5 * MASS)) * h


def restitution_rows() -> list[Row]:
    """Default restores more than en2 says, Avalanche exactly that."""
    known = cases()
    default = (0.5, known["default_headon_en0.5"]), (0.0, known["default_headon_en2_0"])
    avalanche = known["avalanche_headon_en2_0.25"]
    closed = "closed form of the clamped dashpot (elements/laws/energy_restitution.py)"
    rows = []
    for e_n, scheme, ours, h in (
        *((e_n, "program's scheme", restitution(replay(c)[0][:, 1]), c.data["dt"]) for e_n, c in default),
        *((e_n, "generalized-alpha", meeting(e_n), H) for e_n in RESTITUTIONS),
    ):
        name, exact = f"restitution of Default, en2 {e_n**2:.2g}", clamped_restitution(viscous_rate(e_n**2))
        rows.append(Row(f"{name}, {scheme}", "-", exact, ours, late(e_n, h), closed))
    name, source = "restitution squared of Avalanche, en2 0.25", "loading with k_n, unloading with en2 k_n"
    ours = restitution(replay(avalanche)[0][:, 1]) ** 2
    return [*rows, Row(name, "-", avalanche.parameter("en2Contact"), ours, 5e-6, source)]


def rolling_rows() -> list[Row]:
    """A pair that rolls and slides, springs carried along: the program with FT_CORR, and our frames."""
    case = cases()["default_FT_CORR_rolling_pair"]
    model = ns.Model()
    add_spheres(model, case.radius, case.mass, *case.motion[0])
    model.add(CompliantSphereSphere(among=model.spheres, contact=law(case)))
    result = simulate(model, t_end=case.t[-1], h=H, record_every=1000)
    change = float(np.abs(case.force[:, :4]).max()) * case.data["dt"] / case.mass[0]  # by the impulse lost
    (_, v, w), ours, spin = case.motion[-1, :, 0], result.velocity[-1, 0], result.angular_velocity[-1, 0]
    return [
        Row(f"{name} of a rolling pair, generalized-alpha", unit, reference, found, tolerance, provenance())
        for name, unit, reference, found, tolerance in (
            ("v_x", "m/s", v[0], ours[0], change),
            ("v_y", "m/s", v[1], ours[1], change),
            ("w_z", "rad/s", w[2], spin[2], 2.5 * change / case.radius[0]),
        )
    ]


def run() -> Outcome:
    """All recorded cases and the restitutions."""
    rows = [row for case in cases().values() for row in case_rows(case)]
    return Outcome(
        rows=rows + restitution_rows() + rolling_rows(),
        figures={"Restitution of Default, loops of Avalanche, a bond in shear": partial(draw, cases())},
        notes="The options of the program: the moment is at most mu_r f_n with mu_r in metres, springs live "
        "on while a pair is listed, the viscosity of bonds accumulates in f_t, inner bonds rest at zero gap, "
        "a bond that breaks leaves its damping and what friction holds of its shear force.",
    )
