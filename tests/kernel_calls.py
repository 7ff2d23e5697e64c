"""Kernels called from tests: those that fill an array return it; measured candidates of a model."""

import numpy as np

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
    system.measure(motion, candidates)
    return system, motion, candidates
