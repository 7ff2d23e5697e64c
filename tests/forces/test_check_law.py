"""`check_law` accepts the laws of the catalogue and refuses laws that are wrong, each for its reason."""

import numpy as np
import pytest

from elements import CundallStrack, ExudynNormal, RegularisedCoulomb, SpringDashpot
from nsgalpha.testing import check_law

SCALE = {"overlap": 1e-4, "speed": 0.3}
FRICTION = RegularisedCoulomb(mu=0.4, velocity_zone=0.02)
PIVOT = RegularisedCoulomb(mu=1e-3, velocity_zone=2.0)

LAWS = {
    "spring and dashpot": {"normal": SpringDashpot(stiffness=1e5, damping=30.0)},
    "Cundall-Strack": {
        "normal": SpringDashpot(stiffness=1e5, damping=3.0),
        "tangential": CundallStrack(stiffness=4e4, mu=0.3),
        "rolling": CundallStrack(stiffness=4.0, mu=1e-3),
        "twisting": CundallStrack(stiffness=4.0, mu=1e-3),
    },
    "linear": {"normal": ExudynNormal(stiffness=1e5)},
    "linear with a dashpot": {"normal": ExudynNormal(stiffness=1e5, damping=3.0)},
    "Hertz": {"normal": ExudynNormal(stiffness=1e7, damping=3.0, exponent=1.5)},
    "friction": {"normal": ExudynNormal(stiffness=1e5, damping=3.0), "tangential": FRICTION},
    "all senses": {
        "normal": ExudynNormal(stiffness=1e7, exponent=1.5),
        "tangential": FRICTION,
        "rolling": PIVOT,
        "twisting": PIVOT,
    },
}


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_laws_are_what_they_say(law):
    check_law(**SCALE, **law)


def spring(contact, response):
    """A law of a user: numpy, no class, no registration."""
    response.force[:, 0] = 1e5 * contact.overlap
    response.by_overlap[:, 0] = 1e5
    response.energy[:] = 0.5e5 * contact.overlap**2


def test_a_function_of_numpy_is_a_law():
    check_law(normal=spring, **SCALE)


def wrong_tangent(contact, response):
    spring(contact, response)
    response.by_overlap[:, 0] *= 1.001


def forgotten_tangent(contact, response):
    spring(contact, response)
    response.force[:, 0] -= 2.0 * contact.rate[:, 0]


def creates_energy(contact, response):
    spring(contact, response)
    response.force[:, 0] += 0.02 * contact.rate[:, 0]
    response.by_rate[:, 0, 0] = 0.02


def reports_no_energy(contact, response):
    spring(contact, response)
    response.energy[:] = 0.0


def pulls_at_first(contact, response):
    spring(contact, response)
    response.force[:, 0] -= 2.0
    response.energy[:] -= 2.0 * contact.overlap


def drifts(contact, response):
    response.force[:, 0] = -0.1 * contact.normal


def one_sided(contact, response):
    u = np.maximum(contact.rate, 0.0)
    response.force[:] = -2.0 * u
    response.by_rate[:, 0, 0], response.by_rate[:, 1, 1] = -2.0 * (u > 0.0).T


def anisotropic(contact, response):
    response.force[:, 0] = -2.0 * contact.rate[:, 0]
    response.by_rate[:, 0, 0] = -2.0


@pytest.mark.parametrize(
    ("law", "reason"),
    [
        ({"normal": wrong_tangent}, r"by_overlap\[:, 0\]"),
        ({"normal": forgotten_tangent}, r"by_rate\[:, 0, 0\]"),
        ({"normal": creates_energy}, "energy"),
        ({"normal": reports_no_energy}, "energy"),
        ({"normal": pulls_at_first}, "opening"),
        ({"normal": spring, "tangential": drifts}, r"by_(overlap|rate)\[:, 1"),
        ({"normal": spring, "tangential": one_sided}, "exchange"),
        ({"normal": spring, "tangential": anisotropic}, "rotation"),
        (
            {
                "normal": ExudynNormal(stiffness=1e5, damping=30.0),
                "tangential": RegularisedCoulomb(mu=3.0, signed=True),
            },
            "energy",
        ),
    ],
    ids=lambda value: "",
)
def test_wrong_laws_are_found(law, reason):
    with pytest.raises(AssertionError, match=reason):
        check_law(**SCALE, **law)


def test_an_adhesive_law_may_pull_at_first():
    check_law(normal=pulls_at_first, adhesive=True, **SCALE)
