"""Kernels called from tests: those that fill an array return it; measurements of a model."""

import numpy as np

from nsgalpha.constraints.jointed_response import measure_and_factorise
from nsgalpha.stepping.poses import rotate_inertias
from nsgalpha.system.system import System


def returning(kernel, *shape):
    """A function that returns the array of a `shape` that the kernel fills, its last argument."""

    def call(*arguments):
        out = np.empty(shape)
        kernel(*arguments, out)
        return out

    return call


def measured_candidates(model, reach=np.inf):
    """System, motion and measured candidates of a model at its initial state."""
    system = System(model)
    motion = system.motion(model.initial_state())
    candidates = system.candidates(motion.x, reach)
    system.select(motion, candidates)
    system.measure(motion, candidates)
    return system, motion, candidates


def measure_joints(system, motion):
    """Measure and factorise the rows of the joints of a system in a motion."""
    rotate_inertias(system.bodies, motion.q, system.work)
    measure_and_factorise(system.bodies.joints, motion, system.bodies, system.work)
