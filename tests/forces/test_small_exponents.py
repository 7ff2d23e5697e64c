"""Exponents below 1: forces that are steep at touch, in both schemes."""

import pytest

import nsgalpha as ns
from elements import CompliantSphereSphere, ExudynImpact, ExudynNormal, ExudynPlastic
from elements.laws.exudyn_impact import effective_restitution
from nsgalpha.forces import evaluate

SCHEMES = [None, ns.VelocityVerlet()]
ROOT = {"stiffness": 1e4, "exponent": 0.5}  # N/m^0.5


def separation(law, scheme, h=2e-6):
    """Velocity after over that before of two balls of 1.6 kg that meet with 1 m/s."""
    model = ns.Model()
    model.add_sphere(radius=0.1, mass=1.6, position=(0, 0, 0))
    model.add_sphere(radius=0.1, mass=1.6, position=(0.2003, 0, 0), velocity=(-1.0, 0, 0))
    model.add(CompliantSphereSphere(among=model.spheres, normal=law))
    result = ns.simulate(model, t_end=0.02, h=h, scheme=scheme, record_every=10000)
    assert result.status, result.status
    assert result.stats.contacts.max() == 1
    assert result.stats.contacts[-1] == 0
    return result.velocity[-1, 1, 0] - result.velocity[-1, 0, 0]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_an_elastic_impact_keeps_its_energy(scheme):
    assert separation(ExudynNormal(**ROOT), scheme) == pytest.approx(1.0, abs=2e-4)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_restitution_of_an_impact_model_does_not_depend_on_the_exponent(scheme):
    law = ExudynImpact(**ROOT, restitution=0.6)
    assert separation(law, scheme) == pytest.approx(effective_restitution(0.6), abs=5e-4)


def test_the_plastic_law_has_its_closed_restitution():
    # e^2 = (n+1)/(1-l) [(1 - p^(n+1))/(n+1) - p^n (1-p)], p = l^(1/n)
    n, ratio = 0.5, 0.3
    p = ratio ** (1 / n)
    exact = (n + 1) / (1 - ratio) * ((1 - p ** (n + 1)) / (n + 1) - p**n * (1 - p))
    found = separation(ExudynPlastic(**ROOT, plasticity=ratio), ns.VelocityVerlet())
    assert found**2 == pytest.approx(exact, abs=1e-3)


@pytest.mark.parametrize(
    ("law", "history"),
    [(ExudynNormal(**ROOT), {}), (ExudynImpact(**ROOT, restitution=0.6), {"history": 1.0})],
)
def test_tangents_are_right_and_bounded_at_touch(law, history):
    given = {"radius": 0.05, "rate": -1.0, **history}
    ends = [evaluate(law, overlap=1e-4 + step, **given).force[0, 0] for step in (1e-9, -1e-9)]
    slope = evaluate(law, overlap=1e-4, **given).by_overlap[0, 0]
    assert (ends[0] - ends[1]) / 2e-9 == pytest.approx(slope, rel=1e-6)
    near = [evaluate(law, overlap=d, **given).by_overlap[0, 0] for d in (5e-11, 1e-12, 1e-200)]
    assert near[0] >= near[1] >= near[2]
    assert evaluate(law, overlap=1e-200, **given).force[0, 0] > 0.0
