"""Bonds in a run: they hold, break for good, and are of the kind of their clusters."""

import numpy as np
import pytest

import nsgalpha as ns
from elements import Bond, CompliantSphereSphere, RockableDefault, StickedLinks, glued

RADIUS, MASS = 0.1, 1.6755
BOND = {"k_n": 1e5, "k_t": 5e4, "f_n0": 50.0, "f_t0": 1e3, "M_0": 1e3}
TOUCHING = RockableDefault(k_n=1e5, en2=0.5)
LINKS = StickedLinks(touching=TOUCHING, inner=Bond(**BOND), outer=Bond(**{**BOND, "k_n": 4e5}))


def chain(gaps, velocities, links=LINKS, reach=2e-3):
    """Spheres along x with the given gaps and velocities along x."""
    model = ns.Model()
    x = np.concatenate([[0.0], np.cumsum(2 * RADIUS + np.array(gaps))])
    for place, v in zip(x, velocities, strict=True):
        model.add_sphere(radius=RADIUS, mass=MASS, position=(place, 0, 0), velocity=(v, 0, 0))
    model.add(CompliantSphereSphere(among=model.spheres, contact=links, reach=reach))
    return model


def gap_in_time(result):
    return np.diff(result.position[:, :, 0], axis=1)[:, 0] - 2 * RADIUS


@pytest.mark.parametrize(("cluster", "k"), [(True, 1e5), (False, 4e5)])
def test_a_bond_that_holds_swings_about_its_rest_gap(cluster, k):
    rest, v = 1e-4, 0.02
    model = chain([rest], [-v, v])
    state = glued(model, gap=2e-4, clusters=[model.spheres] if cluster else [])
    omega = np.sqrt(k / (0.5 * MASS))
    assert k * 2 * v / omega < 50.0  # below the strength
    result = ns.simulate(model, t_end=0.02, h=1e-5, state=state)
    assert result.status, result.status
    swing = 2 * v / omega * np.sin(omega * result.t)
    assert gap_in_time(result) - rest == pytest.approx(swing, abs=2e-3 * 2 * v / omega)


def test_a_bond_breaks_at_its_strength_and_does_not_come_back():
    v = 0.1  # 2 v sqrt(k m / 2) = 58 N, above the strength of 50 N
    model = chain([0.0, 0.2], [-v, v, -1.0])
    result = ns.simulate(
        model, t_end=0.3, h=2e-5, record_every=50, state=glued(model, gap=1e-5, clusters=[model.spheres])
    )
    assert result.status, result.status
    # the third pushes the second back onto the first: ordinary contact, which separates again
    u = np.diff(result.velocity[:, :, 0], axis=1)[:, 0]
    free = np.sqrt((2 * v) ** 2 - 50.0**2 / (1e5 * 0.5 * MASS))  # what the bond has not taken
    assert u[20] == pytest.approx(free, rel=2e-2)
    assert u.min() < -0.5
    assert u[-1] > 0.1
    assert gap_in_time(result)[-1] > 0.0


def test_a_pair_out_of_the_gap_is_not_glued():
    model = chain([1e-5, 5e-5], [0.0, 0.0, 0.0])
    contacts = glued(model, gap=2e-5).contacts
    assert contacts.pair[:, 1:3].tolist() in ([[0, 1]], [[1, 0]])
    assert contacts.values[0, :2] == pytest.approx([2.0, 1e-5])


def test_rest_at_touch_is_an_option():
    links = StickedLinks(touching=TOUCHING, inner=Bond(**BOND, rest="touch"))
    model = chain([1e-5], [0.0, 0.0], links)
    assert glued(model, gap=2e-5, clusters=[model.spheres]).contacts.values[0, :2] == pytest.approx(
        [1.0, 0.0]
    )


def test_a_run_with_bonds_continues_identically():
    model = chain([1e-4], [-0.02, 0.02])
    whole = ns.simulate(model, t_end=2e-3, h=2e-5, state=glued(model, gap=2e-4))
    rest = ns.simulate(model, t_end=2e-3, h=2e-5, state=whole.state(40))
    assert rest.position[-1] == pytest.approx(whole.position[-1], abs=1e-14)


def test_glue_that_cannot_be_is_refused():
    model = chain([1e-4], [0.0, 0.0])
    a, b = model.spheres
    with pytest.raises(ValueError, match="gap"):
        glued(model, gap=-1.0)
    with pytest.raises(ValueError, match="no two bodies"):
        glued(model, gap=5e-5)
    with pytest.raises(ValueError, match="in two of them"):
        glued(model, gap=2e-4, clusters=[[a, b], [b]])
    with pytest.raises(ValueError, match="reach"):
        glued(chain([1e-4], [0.0, 0.0], reach=1.1e-4), gap=2e-4)
