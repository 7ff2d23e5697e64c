"""Tangents of contacts of primitives against differences."""

import numpy as np

from nsgalpha.forces.compliant_forces import CompliantForces
from nsgalpha.stepping.poses import displace
from nsgalpha.system.system import System


def evaluated(model):
    """Contacts at the start, in a step with displacements, and the rest."""
    system = System(model)
    motion = system.motion(model.initial_state())
    compliant = CompliantForces(system)
    compliant.find(motion, np.inf)
    compliant.begin(motion)
    rng = np.random.default_rng(1)
    increment = np.zeros((system.size, 6))
    increment[: system.count] = 2e-5 * rng.normal(size=(system.count, 6))
    increment[: system.count, 3:][~system.turns] = 0.0

    def wrenches(more, faster):
        after = type(motion)(*(part.copy() for part in motion))
        moved = increment.copy()
        displace(motion.x, motion.q, moved, after)
        displace(after.x.copy(), after.q.copy(), more, after)
        after.v[:] += faster[:, :3]
        after.w[:] += faster[:, 3:]
        return compliant.evaluate(after, moved + more, 1e-4).copy()

    return system, compliant, wrenches


def assert_tangents(model):
    """The tangents of the contacts of `model` are the derivatives of the wrenches, by differences."""
    system, compliant, wrenches = evaluated(model)
    none = np.zeros((system.size, 6))
    here = wrenches(none, none)
    assert compliant.closed >= 1
    assert np.abs(here).max() > 0.1
    for factors in ((1.0, 0.0), (0.0, 1.0)):
        wrenches(none, none)
        pattern, values = compliant.tangents(*factors)
        matrix = pattern.matrix(values).toarray()
        columns = []
        eps = 1e-7 if factors[0] else 1e-4
        for b in range(system.count):
            for j in range(6):
                unit = none.copy()
                unit[b, j] = eps if j < 3 or system.turns[b] else 0.0
                sides = [wrenches(*((s * unit, none) if factors[0] else (none, s * unit))) for s in (1, -1)]
                columns.append((sides[1] - sides[0]).ravel() / (2 * eps))
        expected = np.array(columns).T
        turning = np.repeat(system.turns, 6)
        scale = np.abs(expected).max(axis=1, keepdims=True) + 1e-6 * np.abs(expected).max()
        assert (np.abs(matrix - expected) / scale)[turning].max() < 2e-4
        assert np.abs(matrix - expected).max() < 1e-4 * np.abs(expected).max()
