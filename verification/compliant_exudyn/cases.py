"""The runs of the case."""

from typing import Any

import numpy as np

import nsgalpha as ns
from elements import (
    CompliantSphereSphere,
    ExudynImpact,
    ExudynPlastic,
    RegularisedCoulomb,
    SpringDashpot,
)
from nsgalpha.forces import evaluate
from verification.compliant_exudyn import reference
from verification.compliant_exudyn.model import Law, build, normal_law, phases
from verification.compliant_exudyn.resolved import End, Steps, approach, extrapolated
from verification.run import simulate
from verification.scenes import add_spheres

STEP = 1e-5  # [s] of the contact
EXPLICIT = 1e-6  # [s] everywhere
FIXED = 1e12  # mass of a fixed sphere [kg]


def collide(case: reference.Collision) -> tuple[End, End, End]:
    """End of a binary collision with the step, its half, and extrapolated."""
    p = case.parameters
    return extrapolated(build(p), p["T"], Steps(contact=STEP), phases(normal_law(p)))


def collide_explicitly(case: reference.Collision) -> np.ndarray:
    """Velocities (2, 3) [m/s] at the end of a binary collision in short steps of one length."""
    p = case.parameters
    result = simulate(build(p), t_end=p["T"], h=EXPLICIT, scheme=ns.VelocityVerlet(), record_every=10000)
    return result.velocity[-1]


def general(case: dict[str, Any]) -> End:
    """End of a collision of the program's GeneralContact, whose normal force does not pull."""
    model = ns.Model()
    rest = (0, 0, 0)
    places, v, w = [rest, (0.19, 0.07, 0)], [rest, (-2.0, 0, 0)], [rest, (0, 0, 60.0)]
    balls = add_spheres(model, 0.1, 1.6, places, v, w)
    spring, friction = (
        SpringDashpot(stiffness=1e6, damping=case["damping"]),
        RegularisedCoulomb(mu=case["mu"]),
    )
    model.add(CompliantSphereSphere(pairs=[(balls[1], balls[0])], normal=spring, tangential=friction))
    return extrapolated(model, 0.012, Steps(contact=STEP), approach)[2]


def _impact(law: Law) -> float:
    """Restitution of two balls of 1.6 kg at 1 m/s."""
    model = ns.Model()
    a, b = add_spheres(model, 0.1, 1.6, [(0, 0, 0), (0.2003, 0, 0)], [(1.0, 0, 0), (0, 0, 0)])
    model.add(CompliantSphereSphere(pairs=[(b, a)], normal=law))
    result = simulate(model, t_end=8e-3, h=EXPLICIT, scheme=ns.VelocityVerlet(), record_every=10000)
    return float(result.velocity[-1, 1, 0] - result.velocity[-1, 0, 0])


def restitution(e: float, kind: str) -> float:
    """Restitution of an impact model with Hertz' exponent."""
    return _impact(ExudynImpact(stiffness=5e7, exponent=1.5, restitution=e, model=kind))


def plastic_restitution(ratio: float, n: float) -> float:
    """Restitution of the elasto-plastic model without adhesion; stiffness for overlaps of about 1 mm."""
    return _impact(ExudynPlastic(stiffness=1e6 * 1e3 ** (n - 1.0), exponent=n, plasticity=ratio))


def bounces(p: dict[str, Any]) -> tuple[float, float]:
    """Final height [m] and velocity [m/s] of a ball between fixed ones, after six impacts."""
    model = ns.Model()
    ball = model.add_sphere(
        radius=p["radius"], mass=p["mass"], position=(0, p["yInit"], 0), velocity=(0, p["vyInit"], 0)
    )
    places = [(0, p[name], 0) for name in ("lowerFixedSphereY", "upperFixedSphereY")]
    walls = add_spheres(model, p["radius"], FIXED, places)
    law = ExudynImpact(stiffness=p["contactStiffness"], restitution=p["restitutionCoefficient"])
    model.add(CompliantSphereSphere(pairs=[(ball, wall) for wall in walls], normal=law))
    end = extrapolated(model, p["tEnd"], Steps(contact=STEP, flight=1e-3), approach)[2]
    return float(end.x[ball, 1]), float(end.v[ball, 1])


def adhesive_loop() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Overlaps [m] of the program's press and pull, forces [N] of both."""
    test = reference.data()["adhesive"]
    p = test["parameters"]
    law = ExudynPlastic(
        stiffness=p["contactStiffness"],
        exponent=p["contactStiffnessExponent"],
        plasticity=p["contactPlasticityRatio"],
        pull_off=p["constantPullOffForce"],
        adhesion=p["adhesionCoefficient"],
        adhesion_exponent=p["adhesionExponent"],
    )
    overlap = np.array(test["overlap"])
    ours, history = [], np.zeros((1, 1))
    for d in overlap:
        response = evaluate(law, overlap=d, history=history, branch=1.0, radius_a=1.0)
        ours.append(response.force[0, 0])
        history = response.history
    return overlap, np.array(ours), np.array(test["force"])
