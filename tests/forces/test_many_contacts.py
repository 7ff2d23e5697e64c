"""Packings with many contacts: any order of statement, and the memory that they take."""

import tracemalloc

import numpy as np
import pytest

import nsgalpha as ns
from elements import CompliantSpherePlane, CompliantSphereSphere, CundallStrack, SpringDashpot
from nsgalpha.forces.force_kernels import BLOCK

RADIUS, H = 0.01, 2e-5


def packing(edge, order=None):
    """`edge`^3 balls on a lattice, each in contact with all neighbours; stated in an `order`."""
    rng = np.random.default_rng(4)
    place = 1.99 * RADIUS * (np.indices((edge,) * 3).reshape(3, -1).T + 0.5)
    place += 2e-3 * RADIUS * rng.normal(size=place.shape)
    motion = {"position": place, "velocity": 0.1 * rng.normal(size=place.shape)}
    if order is not None:
        motion = {name: rows[order] for name, rows in motion.items()}
    model = ns.Model(gravity=(0, 0, -9.81))
    model.add_spheres(radius=RADIUS, mass=0.01, **motion)
    law = {
        "normal": SpringDashpot(stiffness=1e5, damping=5.0),
        "tangential": CundallStrack(stiffness=3e4, mu=0.3),
    }
    model.add(CompliantSphereSphere(among=model.spheres, **law))
    model.add(CompliantSpherePlane(model.spheres, model.add_plane(normal=(0, 0, 1)), **law))
    return model


@pytest.mark.parametrize("steps", [1, 20])
def test_the_order_of_statement_changes_last_digits_alone(steps):
    order = np.random.default_rng(5).permutation(6**3)
    runs = [
        ns.simulate(packing(6, each), t_end=steps * H, h=H, scheme=ns.VelocityVerlet())
        for each in (None, order)
    ]
    one, other = runs
    assert np.array_equal(one.stats.contacts, other.stats.contacts)
    for name in ("position", "velocity", "angular_velocity"):
        stated, shuffled = getattr(one, name)[-1][order], getattr(other, name)[-1]
        assert np.abs(stated - shuffled).max() <= 1e-13 * steps * np.abs(stated).max()


def test_a_run_goes_on_to_the_bit_with_the_histories_of_many_contacts():
    model = packing(6)
    whole, half = (
        ns.simulate(model, t_end=n * H, h=H, scheme=ns.VelocityVerlet(), record_every=10) for n in (20, 10)
    )
    rest = ns.simulate(model, t_end=20 * H, h=H, scheme=ns.VelocityVerlet(), state=half.state())
    assert np.array_equal(rest.position[-1], whole.position[-1])
    known, again = whole.state().contacts, rest.state().contacts
    assert len(known.pair) > BLOCK
    assert np.array_equal(known.pair, again.pair)
    assert np.array_equal(known.values, again.values)


def test_a_history_of_other_pairs_is_refused():
    state = ns.simulate(packing(4), t_end=H, h=H, scheme=ns.VelocityVerlet()).state()
    state.contacts.pair[0, 2] = 63
    with pytest.raises(ValueError, match=r"state\.contacts: must be of pairs and laws of this model"):
        ns.simulate(packing(4), t_end=2 * H, h=H, scheme=ns.VelocityVerlet(), state=state)


def test_memory_is_that_of_bodies_and_histories():
    model = packing(20)
    ns.simulate(model, t_end=H, h=H, scheme=ns.VelocityVerlet())  # kernels and their types
    tracemalloc.start()
    result = ns.simulate(model, t_end=5 * H, h=H, scheme=ns.VelocityVerlet(), record_every=5)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 3200 * result.stats.contacts[0], peak  # bytes, three contacts a ball; whole tables: 4200
