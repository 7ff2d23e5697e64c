"""Rockable's laws with the program's options, against an imitation written out here.

The imitation goes through its interactions one by one, as the program does. Overlapping or glued ones are
computed, all others keep their state. Then interfaces that yield are broken. Its normal distance is minus our
overlap, its velocity that of j relative to i, A being i.
"""

import numpy as np
import pytest

from elements import Bond, RockableAvalanche, RockableDefault, StickedLinks
from elements.laws.energy_restitution import viscous_rate
from nsgalpha.forces import some_contacts
from nsgalpha.model.compliant_law import no_response

H, MASS, BRANCH = 1e-5, 0.8, 0.2
SPRINGS = {"k_n": 1e5, "k_t": 6e4, "mu": 0.4, "k_r": 8.0, "mu_r": 0.02}
BOND = {"k_n": 2e5, "k_t": 5e4, "k_r": 6.0, "f_n0": 48.0, "f_t0": 5e3, "M_0": 0.05, "power": 2.0}
EN2, EN2_BOND = 0.6, 0.2


def path(seed, steps=2000, count=2):
    """Overlaps (steps, count) that open and close, displacements (steps, count, 6) of the steps."""
    rng = np.random.default_rng(seed)
    t = np.linspace(0.0, 1.0, steps)[:, None]
    phase = rng.uniform(0.0, 2.0 * np.pi, (4, count))
    waves = enumerate(zip((23, 41, 67, 97), phase, strict=True), 1)
    overlap = 1e-4 * sum(np.sin(w * t + f) / k for k, (w, f) in waves)
    turn = 40.0 * rng.uniform(0.5, 1.0, (5, count))
    moved = 4e-6 * np.cos(turn.T[None] * t[:, :, None] + rng.uniform(0.0, 6.0, (5, count)).T[None])
    s = np.concatenate([-np.diff(overlap, axis=0, prepend=overlap[:1])[:, :, None], moved], axis=2)
    s[:, :, 3:] *= 3.0
    return overlap, s


def ours(law, overlap, s, pair, state=None):
    """Forces (steps, count, 6) of a law along a path, with histories."""
    count = overlap.shape[1]
    history = np.zeros((count, law.history))
    if state is not None:
        history[:, 0] = state
    forces = []
    for d, increment in zip(overlap, s, strict=True):
        seen = some_contacts(
            law.history,
            overlap=d,
            rate=increment / H,
            increment=increment,
            history=history,
            pair=pair,
            radius=0.05,
            mass=MASS,
            h=H,
            branch=BRANCH,
        )
        response = no_response(count, 6, law.history)
        law(seen, response)
        history = response.history
        forces.append(response.force.copy())
    return np.array(forces)


def limited(vector, bound):
    """`vector`, cut to the length `bound`."""
    length = np.linalg.norm(vector)
    return vector * (bound / length) if length > bound else vector


class Interaction:
    """One interaction of the program; `damp` is that of the glue, if there is any."""

    def __init__(self, glued=False):
        self.fn, self.ft, self.mom, self.prev_dn, self.glued = 0.0, np.zeros(2), np.zeros(3), 1.0, glued
        en2, k = (EN2_BOND, BOND["k_n"]) if glued else (EN2, SPRINGS["k_n"])
        self.damp = 2.0 * viscous_rate(en2) * np.sqrt(k * MASS)

    def springs(self, s, k_t, k_r):
        self.ft = self.ft - k_t * s[1:3]
        self.mom = self.mom - k_r * s[3:]

    def avalanche(self, dn, s):
        p, before = SPRINGS, min(self.prev_dn, 0.0)
        self.fn = max(-p["k_n"] * EN2 * dn if dn > before else self.fn - p["k_n"] * (dn - before), 0.0)
        self.springs(s, p["k_t"], p["k_r"])
        self.ft = limited(self.ft, p["mu"] * self.fn)
        self.mom = limited(self.mom, p["mu_r"] * self.fn)

    def contact(self, dn, s):
        p = SPRINGS
        self.fn = max(-p["k_n"] * dn - self.damp * s[0] / H, 0.0)
        self.springs(s, p["k_t"], p["k_r"])
        self.ft = limited(self.ft, p["mu"] * self.fn)
        self.mom = limited(self.mom, p["mu_r"] * self.fn)

    def bond(self, dn, s):
        p = BOND
        self.fn = -p["k_n"] * dn - self.damp * s[0] / H
        self.springs(s, p["k_t"], p["k_r"])
        self.ft = self.ft - self.damp * s[1:3] / H
        shear, turn = np.linalg.norm(self.ft) / p["f_t0"], np.linalg.norm(self.mom) / p["M_0"]
        return shear ** p["power"] + turn ** p["power"] - self.fn / p["f_n0"] - 1.0 > 0.0

    def break_up(self, dn):
        self.glued = False
        if dn >= 0.0:
            self.fn, self.ft = 0.0, np.zeros(2)
        else:
            self.ft = limited(self.ft, SPRINGS["mu"] * abs(self.fn))


def program(overlap, s, kind, glued=False):
    """Forces (steps, count, 6) of interactions of one interface, and the step in which it breaks."""
    interactions = [Interaction(glued) for _ in range(overlap.shape[1])]
    forces, broken = np.zeros(s.shape), None
    for k, (d, increment) in enumerate(zip(overlap, s, strict=True)):
        yields = False
        for c, each in enumerate(interactions):
            dn = -d[c]
            if each.glued:
                yields |= each.bond(dn, increment[c])
            elif dn < 0.0:
                getattr(each, kind)(dn, increment[c])
            if each.glued or dn < 0.0:
                forces[k, c] = each.fn, *each.ft, *each.mom
            each.prev_dn = dn
        if yields:
            broken = k
            for c, each in enumerate(interactions):
                each.break_up(-d[c])
    return forces, broken


def apart(one, other):
    """Largest difference of forces over the largest force, moments over the largest moment."""
    return max(
        np.abs(one - other)[..., r].max() / np.abs(other[..., r]).max() for r in (slice(3), slice(3, 6))
    )


AVALANCHE = {**SPRINGS, "en2": EN2, "rolling_length": True}


@pytest.mark.parametrize("seed", range(4))
def test_avalanche_loads_from_the_force_that_an_open_pair_has_kept(seed):
    overlap, s = path(seed)
    assert (np.diff(overlap > 0.0, axis=0).sum(axis=0) >= 4).all()
    known, _ = program(overlap, s, "avalanche")
    pair = np.array([3, 4])
    assert apart(ours(RockableAvalanche(**AVALANCHE, keeps_history=True), overlap, s, pair), known) < 1e-13
    assert apart(ours(RockableAvalanche(**AVALANCHE), overlap, s, pair), known) > 1e-2


TOUCHING = RockableDefault(**SPRINGS, en2=EN2, rolling_length=True, keeps_history=True)
GLUE = Bond(**BOND, en2=EN2_BOND, shear="accumulated", rest="touch")


def links(**options):
    return StickedLinks(touching=TOUCHING, inner=GLUE, **options)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.sampled(3)
def test_after_a_bond_the_program_cuts_the_shear_force_and_keeps_the_damping(seed):
    overlap, s = path(seed)
    known, broken = program(overlap, s, "contact", glued=True)
    assert 0 < broken < 1500
    assert known[broken + 1 :].any(axis=(0, 2)).all()
    pair = np.array([3, 3])
    found = ours(links(cuts=True, keeps_damping=True), overlap, s, pair, state=1.0)
    assert apart(found, known) < 1e-13
    for missing in ({"keeps_damping": True}, {"cuts": True}):
        found = ours(links(**missing), overlap, s, pair, state=1.0)
        assert apart(found[: broken + 1], known[: broken + 1]) < 1e-13
    assert apart(ours(links(cuts=True), overlap, s, pair, state=1.0), known) > 1e-2


def test_an_open_bond_hands_over_no_shear_and_one_under_pressure_what_friction_holds():
    """Two bonds of an interface: one is torn, one pressed, both are sheared."""
    overlap = np.array([[-2e-4, 5e-5], [1e-5, 2e-4], [1e-5, 2e-4]])
    s = np.zeros((3, 2, 6))
    s[0, :, 1] = 1e-2
    s[1:, :, 2] = 1e-9
    s[:, :, 4] = 1e-5
    pair = np.array([3, 3])
    known, broken = program(overlap, s, "contact", glued=True)
    assert broken == 0
    cut = ours(links(cuts=True, keeps_damping=True), overlap, s, pair, state=1.0)
    assert apart(cut, known) < 1e-13
    whole = ours(links(keeps_damping=True), overlap, s, pair, state=1.0)
    assert abs(cut[1, 0, 1]) < 1e-9
    assert abs(cut[1, 1, 1]) == pytest.approx(0.4 * abs(known[0, 1, 0]), rel=1e-6)
    assert abs(whole[1, 1, 1]) == pytest.approx(0.4 * known[1, 1, 0], rel=1e-6)  # all that friction now holds


def test_a_forgetful_contact_is_damped_as_the_bond_while_it_lasts():
    touching = RockableDefault(**SPRINGS, en2=EN2)
    law = StickedLinks(touching=touching, inner=GLUE, keeps_damping=True)
    history = np.zeros((1, 7))
    history[0, 0] = -1.0
    rate = np.zeros((1, 6))
    rate[0, 0] = -0.05

    def touched(d, history):
        seen = some_contacts(7, overlap=d, rate=rate, history=history, mass=MASS, h=H, branch=BRANCH)
        response = no_response(1, 6, 7)
        law(seen, response)
        return response

    first = touched(1e-4, history)
    c = 2.0 * viscous_rate(EN2_BOND) * np.sqrt(BOND["k_n"] * MASS)
    assert first.force[0, 0] == pytest.approx(10.0 + 0.05 * c, rel=1e-12)
    assert first.history[0, 0] == -1.0
    assert touched(-1e-6, first.history).history[0, 0] == 0.0
