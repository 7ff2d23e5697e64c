"""Islands: connected components of contacts over the bodies that can move."""

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

import nsgalpha as ns
from elements import SpherePlane, SphereSphere
from nsgalpha.contact.islands import islands
from nsgalpha.system.system import System


@given(seed=st.integers(0, 10**6), count=st.integers(1, 12), share=st.floats(0.0, 0.6))
def test_islands_are_the_connected_components_over_moving_bodies(seed, count, share):
    rng = np.random.default_rng(seed)
    model = ns.Model()
    for k in range(count):
        model.add_sphere(radius=1.0, mass=1.0, position=(3.0 * k, 0, 0))
    planes = [
        model.add_plane(normal=(0, 0, 1), offset=-5.0),
        model.add_plane(normal=(0, 1, 0), offset=-5.0, motion=lambda t: ((0, 0, 0), (0, 0, 0))),
    ]
    if count > 1:
        model.add(SphereSphere(among=model.spheres))
        deck = model.add_plane(normal=(0, 0, 1), offset=-9.0, body=model.spheres[-1])
        model.add(SpherePlane(model.spheres[:-1], deck))
    model.add(SpherePlane(model.spheres, planes))
    system = System(model)
    x = system.motion(model.initial_state()).x
    candidates = system.candidates(x, np.inf)
    closed = np.flatnonzero(rng.uniform(size=len(candidates.a)) < share)
    order, offset = islands.islands(closed, candidates, system.bodies)
    assert sorted(order) == list(closed)
    assert offset[0] == 0
    assert offset[-1] == len(closed)
    assert (np.diff(offset) > 0).all()
    # reference: bodies joined by contacts between two moving bodies
    a, b = candidates.a[closed], candidates.b[closed]
    moving = b < count
    graph = coo_array((np.ones(moving.sum()), (a[moving], b[moving])), shape=(count, count))
    label = connected_components(graph, directed=False)[1]
    found = {frozenset(order[i:j]) for i, j in itertools.pairwise(offset)}
    assert found == {frozenset(closed[label[a] == k]) for k in set(label[a])}
    for i, j in itertools.pairwise(offset):
        assert (np.diff(order[i:j]) > 0).all()  # stable, so that results can be repeated
