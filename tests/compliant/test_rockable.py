"""The laws of Rockable alone: what `check_law` asks, restitution, weights, bonds that break for good."""

import math

import numpy as np
import pytest

from elements.laws.rockable import (
    Bond,
    RockableAvalanche,
    RockableDefault,
    StickedLinks,
    clamped_restitution,
    energy_restitution,
    viscous_rate,
)
from nsgalpha.compliant import Contact, CompliantLaw
from nsgalpha.compliant.law import no_response
from nsgalpha.testing import check_law

SCALE = {"overlap": 1e-4, "speed": 0.3}
SPRINGS = {"k_t": 8e4, "mu": 0.3, "k_r": 4.0, "mu_r": 0.02}
BOND = {"k_n": 1e5, "k_t": 5e4, "k_r": 3.0, "f_n0": 10.0, "f_t0": 8.0, "M_0": 0.02, "power": 2.5}


class Intact:
    """The law of an unbroken bond: what StickedLinks does while the state says so."""

    history = 7

    def __init__(self, state, **bond):
        strong = {"f_n0": 1e9, "f_t0": 1e9, "M_0": 1e9}
        self.law = StickedLinks(touching=RockableDefault(k_n=1e5), inner=Bond(**{**BOND, **strong, **bond}))
        self.state = state

    def __call__(self, contact, response):
        history = contact.history.copy()
        history[:, :2] = self.state
        self.law(contact._replace(history=history), response)
        response.history[:, :2] = 0.0


LAWS = {
    "Default": RockableDefault(k_n=1e5, en2=0.5, **SPRINGS),
    "Default that pulls": RockableDefault(k_n=1e5, viscous_rate=0.4, clamped=False, **SPRINGS),
    "Default with the program's moment": RockableDefault(k_n=1e5, en2=0.5, rolling_length=True, **SPRINGS),
    "Default that remembers": RockableDefault(k_n=1e5, en2=0.5, remembers=True, **SPRINGS),
    "StickedLinks without a bond": StickedLinks(
        touching=RockableDefault(k_n=1e5, en2=0.5, **SPRINGS), inner=Bond(**BOND)
    ),
}


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_laws_are_what_they_say(law):
    check_law(contact=law, reach=1e-4 if getattr(law, "remembers", False) else 0.0, **SCALE)


def test_a_cohesive_contact_is_what_it_says():
    check_law(contact=RockableDefault(k_n=1e5, en2=0.5, cohesion=3.0, **SPRINGS), adhesive=True, **SCALE)


@pytest.mark.parametrize("moment", [{}, {"rolling_length": True}])
def test_avalanche_is_what_it_says(moment):
    # the force jumps within one step: its trapezoid counts half of the jump
    check_law(contact=RockableAvalanche(k_n=1e5, en2=0.4, **SPRINGS, **moment), energy=2e-3, **SCALE)


@pytest.mark.parametrize("shear", ["elastic", "damped"])
def test_a_bond_is_what_it_says(shear):
    law = Intact((1.0, 0.0), en2=0.5, shear=shear)
    check_law(contact=law, adhesive=True, reach=1e-3, **SCALE)
