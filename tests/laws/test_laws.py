"""Laws agree with their statements; parts of the contact circle share the force."""

import numpy as np
import pytest

import elements as e
from nsgalpha.forces import evaluate
from nsgalpha.testing import check_law

SCALE = {"overlap": 1e-4, "speed": 0.3}
JUMPS = {"adhesive": True, "energy": 2e-3}  # the force jumps: half of it in one step is not in the trapezoids
ELASTIC = {"modulus": 1e7}
STICKY = {"modulus": 1e7, "work": 0.5}
SPRING = e.SpringDashpot(stiffness=1e5, damping=3.0)


def maugis(transition):
    """The law with this lambda at the effective radius of check_law, 0.01."""
    K, R, W = 4.0 / 3.0 * STICKY["modulus"], 0.01, STICKY["work"]
    return e.MaugisDugdale(range=2.0 * W / transition * (R / (np.pi * W * K * K)) ** (1 / 3), **STICKY)


def held(law):
    """With a reach a little beyond the detachment."""
    return {"normal": law, "reach": 1.1 * law.detachment(0.01), **JUMPS}


LAWS = {
    "Hertz": {"normal": e.Hertz(**ELASTIC)},
    "damped Hertz": {"normal": e.Hertz(damping=1e-4, **ELASTIC)},
    "that pulls": {"normal": e.Hertz(damping=1e-4, viscous_factor=1.0, tension=True, **ELASTIC)},
    "restitution": {"normal": e.Hertz(restitution=0.5, **ELASTIC)},
    "restitution, pulls": {"normal": e.Hertz(restitution=0.3, tension=True, **ELASTIC)},
    "Mindlin": {"normal": e.Hertz(**ELASTIC), "tangential": e.Mindlin(shear_modulus=8e6, mu=1e9)},
    "Mindlin slips": {"normal": e.Hertz(**ELASTIC), "tangential": e.Mindlin(shear_modulus=8e6, mu=0.3)},
    "Hertz-Mindlin": {
        "normal": e.Hertz(restitution=0.5, **ELASTIC),
        "tangential": e.Mindlin(shear_modulus=8e6, mu=2.0, dynamic_mu=1.5, restitution=0.5),
    },
    "DMT": {"normal": e.DMT(**STICKY), **JUMPS},
    "JKR": held(e.JKR(**STICKY)),
    **{f"Maugis {x}": held(maugis(x)) for x in (0.05, 0.5, 0.95, 5.0, 50.0)},
    "pressure": {"normal": e.LinearPressure(stiffness=1e10, damping=1e5)},
    "pressure, restitution": {"normal": e.LinearPressure(stiffness=1e10, restitution=0.5)},
    "spring, restitution": {"normal": e.SpringDashpot(stiffness=1e5, restitution=0.5)},
    "spring, restitution, pulls": {"normal": e.SpringDashpot(stiffness=1e5, restitution=0.5, tension=True)},
    "layers": {
        "normal": e.LinearPressure(stiffness=1e10, restitution=0.5),
        "tangential": e.LayerFriction(stiffness=8e9, mu=2.0, dynamic_mu=1.5, restitution=0.5),
    },
    "adhesion": {"normal": e.LinearAdhesion(force=0.1, distance=2e-5), **JUMPS},
    "constant": {"normal": e.ConstantForce(force=2.0), **JUMPS},
    "constant, apart": {"normal": e.ConstantForce(force=-2.0, distance=1e-5), **JUMPS},
    "preset": {"normal": e.PresetForce(force=-2.0, distance=1e-5), **JUMPS},
    "lubrication": {"normal": e.Lubrication(viscosity=1.0, least=1e-6, largest=1e-4), "adhesive": True},
    "film": {"normal": e.Lubrication(viscosity=1.0, least=1e-6, largest=1e-4, saturates=True)},
    "Delile": {"normal": e.Delile(weight=1e9, end=1.002, rest=0.999), "reach": 1e-4},
    "Delile, two weights": {
        "normal": e.Delile(weight=1e9, attraction=5e8, end=1.002, rest=0.999),
        "reach": 1e-4,
    },
    "contractile": {"normal": e.Contractile(substrate=1e-3, contraction=1e-5), **JUMPS},
    "dewetting": {"normal": e.Contractile(substrate=1e-3, contraction=1e-5, dewets=True), **JUMPS},
    "dividing": {
        "normal": e.Dividing(repulsion=1e5, attraction=0.0, start=0.04, end=0.04, speed=0.0),
        "reach": 1e-5,
    },
    "Cundall-Strack": {
        "normal": SPRING,
        "tangential": e.CundallStrack(stiffness=4e4, mu=0.3, dynamic_mu=0.2, damping=20.0),
        "rolling": e.CundallStrack(stiffness=4.0, mu=1e-3, damping=1e-3),
        "twisting": e.CundallStrack(stiffness=4.0, mu=1e-3, dynamic_mu=0.0, damping=1e-3),
    },
    "by magnitude": {
        "normal": e.DMT(**STICKY),
        "tangential": e.CundallStrack(stiffness=4e4, mu=0.3, damping=20.0, magnitude=True),
        "twisting": e.TorsionalCoulomb(damping=1e3, mu=0.3, magnitude=True),
        **JUMPS,
    },
    "Haff-Werner": {
        "normal": SPRING,
        "tangential": e.HaffWerner(damping=20.0, mu=0.3),
        "rolling": e.HaffWerner(damping=1e-3, mu=1e-4),
        "twisting": e.TorsionalCoulomb(damping=1e3, mu=0.3),
    },
    "Haff-Werner by magnitude": {
        "normal": e.DMT(**STICKY),
        "tangential": e.HaffWerner(damping=20.0, mu=0.3, magnitude=True),
        "twisting": e.TorsionalCoulomb(damping=1e3, mu=0.3, effective_radius=True),
        **JUMPS,
    },
}


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
@pytest.mark.sampled(2)
def test_laws_are_what_they_say(law):
    check_law(**SCALE, **law)


@pytest.mark.parametrize(("name", "law"), LAWS.items(), ids=LAWS)
def test_half_of_the_circle_has_half_of_the_force(name, law):
    contact = {"overlap": 3e-5, "radius": 0.01, "normal": 0.7, "history": 0.0, "h": 1e-3}
    for sense in ("normal", "tangential", "twisting"):
        if sense not in law or name.startswith("dividing"):
            continue
        motion = np.full((1, 2 if sense == "tangential" else 1), -1e-4)
        whole, half = (
            evaluate(
                law[sense],
                rate=100.0 * motion,
                increment=motion,
                fraction=part,
                **contact | {"normal": part * 0.7},
            )
            for part in (1.0, 0.5)
        )
        for field in ("force", "by_overlap", "by_rate", "by_increment", "energy"):
            expected = 0.5 * getattr(whole, field)
            assert getattr(half, field) == pytest.approx(expected, rel=1e-12, abs=0.0), (sense, field)
        assert half.history == pytest.approx(whole.history, rel=1e-12)
        assert np.any(whole.force) or name in ("lubrication", "film", "adhesion")
