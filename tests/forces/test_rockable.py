"""The laws of Rockable alone: checks of `check_law`, restitution, weights, bonds that break for good."""

import dataclasses
import math

import numpy as np
import pytest

from elements import Bond, RockableAvalanche, RockableDefault, StickedLinks
from elements.laws.energy_restitution import clamped_restitution, energy_restitution, viscous_rate
from nsgalpha.forces import some_contacts
from nsgalpha.model.compliant_law import no_response
from nsgalpha.testing import check_law
from verification.compliant_rockable.reference import cases
from verification.compliant_rockable.replay import replay

SCALE = {"overlap": 1e-4, "speed": 0.3}
SPRINGS = {"k_t": 8e4, "mu": 0.3, "k_r": 4.0, "mu_r": 0.02}
BOND = {"k_n": 1e5, "k_t": 5e4, "k_r": 3.0, "f_n0": 10.0, "f_t0": 8.0, "M_0": 0.02, "power": 2.5}


class Intact:
    """The law of an unbroken bond: StickedLinks while the state says so."""

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
    "Default with history": RockableDefault(k_n=1e5, en2=0.5, keeps_history=True, **SPRINGS),
    "StickedLinks without a bond": StickedLinks(
        touching=RockableDefault(k_n=1e5, en2=0.5, **SPRINGS), inner=Bond(**BOND)
    ),
}


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_laws_are_what_they_say(law):
    check_law(contact=law, reach=1e-4 if getattr(law, "keeps_history", False) else 0.0, **SCALE)


def test_a_cohesive_contact_is_what_it_says():
    check_law(contact=RockableDefault(k_n=1e5, en2=0.5, cohesion=3.0, **SPRINGS), adhesive=True, **SCALE)


@pytest.mark.parametrize("moment", [{}, {"rolling_length": True}, {"corrected_branch": True}])
def test_avalanche_is_what_it_says(moment):
    # the force jumps within one step: its trapezoid counts half of the jump
    check_law(contact=RockableAvalanche(k_n=1e5, en2=0.4, **SPRINGS, **moment), energy=2e-3, **SCALE)


@pytest.mark.parametrize("shear", ["elastic", "damped"])
def test_a_bond_is_what_it_says(shear):
    reach = 1e-3
    law = Intact((1.0, reach), en2=0.5, shear=shear)  # at rest where the cycles begin
    check_law(contact=law, adhesive=True, reach=reach, **SCALE)


def contacts(count, memory, **values):
    """`count` contacts at rest, a history of `memory` numbers; other fields in `values`."""
    given = {"radius": 0.05, "mass": 0.8, "h": 1e-5, "branch": 0.2, "radius_a": 0.1}
    return some_contacts(memory, **{"rate": np.zeros((count, 6)), **given, **values})


def evaluated(law, contact):
    response = no_response(len(contact.overlap), 6, law.history)
    law(contact, response)
    return response


@pytest.mark.parametrize("en2", [0.0, 1e-4, 0.25, 0.8, 1.0])
def test_viscous_rate_and_energy_restitution_are_inverse(en2):
    assert energy_restitution(viscous_rate(en2)) == pytest.approx(en2, abs=1e-14)


def test_a_dashpot_that_may_pull_has_the_restitution_it_was_asked_for():
    # free oscillator over half a period: velocity falls by exp(-alpha pi / sqrt(1 - alpha^2))
    alpha = viscous_rate(0.25)
    assert math.exp(-alpha * math.pi / math.sqrt(1 - alpha**2)) == pytest.approx(0.5, rel=1e-14)


def test_a_clamped_dashpot_restores_more():
    assert clamped_restitution(0.0) == 1.0
    assert clamped_restitution(viscous_rate(0.25)) == pytest.approx(0.550283, abs=1e-6)
    assert clamped_restitution(1.0) == pytest.approx(clamped_restitution(1.0 - 1e-12), rel=1e-5)


def drop(law, h=2e-6, speed=1.0):
    """Restitution of a head-on collision, by small explicit steps."""
    k, m = law.k_n, 0.8
    d, u, history = 0.0, -speed, np.zeros((1, law.history))
    for _ in range(int(6 * math.sqrt(m / k) / h)):
        d -= h * u
        rate = np.zeros((1, 6))
        rate[0, 0] = u
        response = evaluated(law, contacts(1, law.history, overlap=np.array([d]), rate=rate, history=history))
        u += h * response.force[0, 0] / m
        history = response.history
    return u / speed


def test_restitution_of_a_law():
    assert drop(RockableDefault(k_n=1e6, en2=0.25)) == pytest.approx(0.550283, abs=5e-4)
    assert drop(RockableDefault(k_n=1e6, en2=0.25, clamped=False), h=2e-6) == pytest.approx(0.5, abs=1e-3)
    for en2 in (0.0, 0.25, 0.64):
        assert drop(RockableAvalanche(k_n=1e6, en2=en2)) ** 2 == pytest.approx(en2, abs=5e-5)


def test_cohesion_pulls_by_itself_while_the_bodies_touch():
    law = RockableDefault(k_n=1e6, cohesion=7.0)
    force = evaluated(law, contacts(2, 5, overlap=np.array([1e-12, -1e-12]))).force[:, 0]
    assert force == pytest.approx([-7.0, 0.0], abs=1e-5)


def sheared(law, slide, turn=0.0, state=(), u=0.0):
    """Response at an overlap of 1 mm after one increment `slide` [m], `turn` [rad]."""
    history, increment, rate = np.zeros((1, law.history)), np.zeros((1, 6)), np.zeros((1, 6))
    history[0, : len(state)] = state
    increment[0, 1], increment[0, 4], rate[0, 0] = slide, turn, u
    return evaluated(
        law,
        contacts(1, law.history, overlap=np.array([1e-3]), increment=increment, history=history, rate=rate),
    )


def test_caps_of_friction_and_moment():
    values = {"k_n": 1e6, "k_t": 1e6, "mu": 0.3, "k_r": 500.0, "mu_r": 0.02}
    default = RockableDefault(**values, viscous_rate=0.2)
    elastic, normal = 1e3, 1e3 + 0.4 * math.sqrt(1e6 * 0.8)
    at = {"slide": 1.0, "turn": 1.0, "u": -1.0}
    force = sheared(default, **at).force[0]
    assert force[0] == pytest.approx(normal)
    assert force[1] == pytest.approx(-0.3 * elastic)
    assert force[4] == pytest.approx(-0.02 * 0.2 * elastic)  # mu_r times the branch
    program = RockableDefault(**values, viscous_rate=0.2, rolling_length=True)
    assert sheared(program, **at).force[0, 4] == pytest.approx(-0.02 * normal)
    sticked = StickedLinks(touching=default, inner=Bond(**BOND))
    assert sheared(sticked, **at).force[0, 1] == pytest.approx(-0.3 * normal)
    avalanche = RockableAvalanche(**values, en2=0.5)
    assert sheared(avalanche, **at).force[0, 1] == pytest.approx(-0.3 * elastic)


@pytest.mark.parametrize("keeps_history", [False, True])
def test_springs_are_cancelled_when_contact_is_lost_unless_the_law_remembers(keeps_history):
    law = RockableDefault(k_n=1e6, k_t=1e6, mu=0.3, keeps_history=keeps_history)
    slid = sheared(law, slide=1e-5).history
    opened = evaluated(law, contacts(1, 5, overlap=np.array([-1e-4]), history=slid))
    assert not opened.force.any()
    assert opened.history[0, 0] == (slid[0, 0] if keeps_history else 0.0)


@pytest.mark.parametrize(
    ("weights", "parts"), [("number", (1 / 3, 1 / 3, 1 / 3)), ("overlap", (0.5, 0.3, 0.2))]
)
def test_contacts_of_the_same_two_bodies_share_a_stiffness(weights, parts):
    law = RockableDefault(k_n=1e6, viscous_rate=0.1, k_t=1e6, mu=10.0, weights=weights)
    overlap = np.array([5e-4, 1e-3, 3e-4, 2e-4, -1e-4])
    rate, increment = np.zeros((5, 6)), np.zeros((5, 6))
    rate[:, 0], increment[:, 1] = -1e-3, 1e-5
    pair = np.array([7, 4, 7, 7, 7])  # the second is alone, the last open
    force = evaluated(law, contacts(5, 5, overlap=overlap, rate=rate, increment=increment, pair=pair)).force
    share = np.array([parts[0], 1.0, parts[1], parts[2]])
    damping = 0.2 * np.sqrt(1e6 * 0.8) * np.sqrt(share)
    assert force[:4, 0] == pytest.approx(1e6 * share * overlap[:4] + 1e-3 * damping)
    assert force[:4, 1] == pytest.approx(-1e6 * share * 1e-5)
    assert not force[4].any()


STICKED = StickedLinks(touching=RockableDefault(k_n=2e5, k_t=1e5, mu=0.3), inner=Bond(**BOND))


def pulled(gaps, law=STICKED, state=(1.0, 0.0)):
    """States and normal forces of a bond whose gap takes the values `gaps` one after another."""
    history = np.zeros((1, law.history))
    history[0, :2] = state
    seen = []
    for gap in gaps:
        response = evaluated(law, contacts(1, law.history, overlap=np.array([-gap]), history=history))
        history = response.history
        seen.append((history[0, 0], response.force[0, 0]))
    return np.array(seen).T


def test_a_bond_breaks_for_good():
    # strength 10 N, stiffness 1e5 N/m: 0.1 mm
    states, force = pulled([0.5e-4, 0.99e-4, 1.01e-4, 0.5e-4, 0.0, -1e-5])
    assert states.tolist() == [1, 1, 0, 0, 0, 0]
    assert force == pytest.approx([-5.0, -9.9, -10.1, 0.0, 0.0, 2.0])


def test_a_bond_rests_at_its_own_gap():
    assert pulled([3e-5, 4e-5], state=(1.0, 3e-5))[1] == pytest.approx([0.0, -1.0])


@pytest.mark.parametrize(
    ("row", "stiffness", "strength"), [(1, BOND["k_t"], BOND["f_t0"]), (4, BOND["k_r"], BOND["M_0"])]
)
def test_the_rupture_surface_has_its_power(row, stiffness, strength):
    # half of the tensile strength leaves (1/2)^(1/p) of the other
    limit = strength * 0.5 ** (1 / BOND["power"]) / stiffness
    for part, broken in ((0.999, False), (1.001, True)):
        history, increment = np.zeros((1, 7)), np.zeros((1, 6))
        history[0, 0], increment[0, row] = 1.0, part * limit
        stretched = contacts(1, 7, overlap=np.array([-5e-5]), increment=increment, history=history)
        assert (evaluated(STICKED, stretched).history[0, 0] == 0.0) == broken


def test_the_whole_interface_breaks():
    history = np.zeros((4, 7))
    history[:, 0] = 1.0
    gaps = np.array([1.1e-4, 0.1e-4, 0.1e-4, 0.1e-4])
    pair = np.array([3, 5, 3, 4])
    after = evaluated(STICKED, contacts(4, 7, overlap=-gaps, history=history, pair=pair)).history[:, 0]
    assert after.tolist() == [0, 1, 0, 1]


def test_accumulated_viscosity_depends_on_the_step():
    # the same slide in one step and in ten: elastic and damped agree, the program's adds c/h to k_t
    def slid(shear, steps):
        law = StickedLinks(
            touching=RockableDefault(k_n=1e5), inner=Bond(**{**BOND, "f_t0": 1e3}, en2=0.5, shear=shear)
        )
        history, h, slide = np.zeros((1, 7)), 1e-5 / steps, 1e-6
        history[0, 0] = 1.0
        for _ in range(steps):
            increment, rate = np.zeros((1, 6)), np.zeros((1, 6))
            increment[0, 1], rate[0, 1] = slide / steps, slide / 1e-5
            seen = contacts(1, 7, increment=increment, rate=rate, history=history, h=h)
            response = evaluated(law, seen)
            history = response.history
        return response.force[0, 1]

    assert slid("elastic", 1) == pytest.approx(slid("elastic", 10), rel=1e-12)
    assert slid("damped", 1) == pytest.approx(slid("damped", 10), rel=1e-12)
    damping = 2 * viscous_rate(0.5) * math.sqrt(BOND["k_n"] * 0.8)
    assert slid("accumulated", 10) == pytest.approx(slid("elastic", 1) - 10 * damping * 0.1, rel=1e-12)


@pytest.mark.parametrize(
    ("law", "values", "name"),
    [
        *((RockableDefault, {name: -1.0}, name) for name in ("k_n", "k_t", "mu", "k_r", "mu_r", "cohesion")),
        *((RockableAvalanche, {name: -1.0}, name) for name in ("k_n", "en2", "k_t", "mu", "k_r", "mu_r")),
        *((Bond, {name: 0.0}, name) for name in ("k_n", "k_t", "f_n0", "f_t0", "M_0")),
        *((Bond, {name: np.nan}, name) for name in ("f_n0", "f_t0", "M_0")),
        *((Bond, {name: np.inf}, name) for name in ("k_n", "k_t")),
        (RockableDefault, {"en2": 1.1}, "en2"),
        (RockableDefault, {"viscous_rate": 1.1}, "viscous_rate"),
        (RockableDefault, {"en2": 0.5, "viscous_rate": 0.1}, "give one"),
        (RockableDefault, {"weights": "area"}, "weights"),
        (RockableAvalanche, {"weights": "area"}, "weights"),
        (RockableAvalanche, {"rolling_length": True, "corrected_branch": True}, "give one"),
        (Bond, {"k_r": -1.0}, "k_r"),
        (Bond, {"power": 0.5}, "power"),
        (Bond, {"en2": -0.1}, "en2"),
        (Bond, {"shear": "viscous"}, "shear"),
        (Bond, {"rest": "zero"}, "rest"),
    ],
)
def test_parameters_out_of_range_are_refused(law, values, name):
    good = {RockableDefault: {"k_n": 1.0}, RockableAvalanche: {"k_n": 1.0, "en2": 0.5}, Bond: BOND}[law]
    with pytest.raises(ValueError, match=name):
        law(**{**good, **values})


def test_links_without_a_bond_are_refused():
    with pytest.raises(ValueError, match="no bond"):
        StickedLinks(touching=RockableDefault(k_n=1.0))


def test_the_moment_of_an_avalanche_has_the_arm_across_the_spin_in_the_programs_stepping():
    """A ball lands on a plane with equal spins about normal and tangent."""
    case = cases()["avalanche_sphere_plane_friction"]
    values = {"krContact": 500.0, "murContact": 0.02}
    data = [[name, a, b, values.get(name, value)] for name, a, b, value in case.data["data"]]
    start = case.motion.copy()
    start[0, 2, 0] = 0.0, 50.0, 50.0
    motion, force = replay(
        dataclasses.replace(case, data={**case.data, "data": data}, motion=start), parts=10
    )
    moment = np.linalg.norm(force[:, 4:], axis=1)
    spin = motion[:, 2, 0]
    overlap = 0.15 - motion[:, 0, 0, 1]
    arm = (0.1 - 0.5 * overlap) * np.linalg.norm(spin[:, [0, 2]], axis=1) / np.linalg.norm(spin, axis=1)
    slides = np.flatnonzero(force[:, 0] > 100.0)
    assert len(slides) > 50
    assert moment[slides] == pytest.approx((0.02 * arm * force[:, 0])[slides], rel=1e-3)


def test_a_corrected_branch_is_the_arm_across_the_spin():
    """Moments of a slipping ball on a floor, under spins about three axes."""
    spins = np.array([[3.0, 4.0, 0.0], [3.0, 0.0, 4.0], [0.0, 0.0, 5.0]])
    rate = np.hstack([np.zeros((3, 3)), spins])
    state = {"rate": rate, "increment": 1e-2 * rate, "overlap": 2e-3, "branch": 0.1}
    numbers = {"k_n": 1e5, "en2": 0.5, "k_r": 1e4, "mu_r": 0.02}
    for options, arms in (({"corrected_branch": True}, 0.099 * np.array([1.0, 0.6, 0.0])), ({}, 0.1)):
        law = RockableAvalanche(**numbers, **options)
        response = no_response(3, 6, law.history)
        law(contacts(3, law.history, **state), response)
        assert np.linalg.norm(response.force[:, 3:], axis=1) == pytest.approx(0.02 * arms * 200.0)
