"""Loads whose kernel the compiled loop can call without a return to Python.

    @load_kernel
    def wind(t, x, q, v, w, at, p, wrench):
        for b in at:
            wrench[b, 0] += p[0] * math.sin(p[1] * t)

    class Wind(CompiledLoad):
        kernel = wind

        def __init__(self, bodies, strength, rate):
            super().__init__([body.index for body in bodies], [strength, rate])

`x, q, v, w` are positions, rotations, velocities and angular velocities of the bodies at the time `t`, with
rows of frames behind them. `at` are the bodies of the load, `p` its parameters. The kernel adds to the
wrenches, force and torque (N, 6), inertial. Any other function f(t, state) is a load as well, at the speed of
Python.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from nsgalpha.arrays import Floats
from nsgalpha.checks import floats, integers, refuse
from nsgalpha.model.state import State

BODIES = "numbers of bodies, a list of integers >= 0"


class LoadKernel:
    """A function of the signature above, compiled when it is used for the first time."""

    def __init__(self, function: Callable[..., None]) -> None:
        self._function = function
        self.__doc__ = function.__doc__

    @cached_property
    def function(self) -> Any:
        """The compiled function."""
        from nsgalpha.model.load_signature import compiled

        return compiled(self._function)


load_kernel = LoadKernel


class CompiledLoad:
    """A load that acts on the bodies `at` (n,) with `parameters` (p,) by the `kernel` of its class.

    Raises ValueError if these are no numbers of bodies, or no vector.
    """

    kernel: LoadKernel

    def __init__(self, at: Sequence[int], parameters: ArrayLike) -> None:
        self.at = integers("at", at, BODIES)
        self.parameters = floats("parameters", parameters, "a vector of numbers")
        if self.at.ndim != 1 or self.at.min(initial=0) < 0:
            raise refuse("at", at, BODIES)
        if self.parameters.ndim != 1:
            raise refuse("parameters", f"array {self.parameters.shape}", "a vector of numbers")

    def check(self, count: int) -> None:
        """ValueError unless all bodies are among `count`: the kernel would write to other memory."""
        last = int(self.at.max(initial=-1))
        if last >= count:
            name = f"at of load {type(self).__name__}"
            raise refuse(name, last, f"below {count}, the number of bodies", "give body.index")

    def __call__(self, t: float, state: State) -> tuple[Floats, Floats]:
        """Forces and torques (N, 3) on all bodies at the time `t` [s]."""
        wrench = np.zeros((len(state.position), 6))
        motion: Any = (state.position, state.rotation, state.velocity, state.angular_velocity)
        self.kernel.function(t, *map(np.ascontiguousarray, motion), self.at, self.parameters, wrench)
        return wrench[:, :3], wrench[:, 3:]
