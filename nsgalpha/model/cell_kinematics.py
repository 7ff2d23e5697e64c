"""Ways to the next images of a strained and sheared cell, as functions of time.

    L_i = L_i0 exp(eps_i)              periods, with the logarithmic strains eps_i
    s   = exp(eps_f) L_g0 J            way along the flow f of the next image along the gradient g
    J   = integral of gamma' exp(eps_g - eps_f) dt

They solve h' = D h for the rows h of the cell and the velocity gradient D, with eps_i' on its diagonal and
gamma' in row f and column g. Without strains along f and g is J = gamma. Otherwise it is found by the
quadrature of Gauss, to rounding.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from nsgalpha.arrays import Floats
from nsgalpha.model.time_function import Linear, Table, TimeFunction

NODES, WEIGHTS = np.polynomial.legendre.leggauss(10)
PANEL = 0.5  # difference of the strains in a panel of the quadrature
STILL = Linear(0.0)


class CellKinematics(NamedTuple):
    """Strains of a cell: `strains` along the axes, the `shear` along flow and gradient, numbers of axes."""

    flow: int
    gradient: int
    strains: tuple[TimeFunction | None, TimeFunction | None, TimeFunction | None]
    shear: TimeFunction
    begin: float | None = None  # [s] from which on J is integrated; None: the first time of tables, or 0
    first: float = 0.0  # J there

    def at(self, t: float) -> tuple[Floats, Floats, float, float]:
        """Strains and rates (3,) along the axes, the integral J and the shear rate at the time `t` [s]."""
        each = np.array([(0.0, 0.0) if e is None else e.at(t) for e in self.strains])
        gamma, rate = self.shear.at(t)
        return each[:, 0], each[:, 1], gamma if self.is_plain else self._integral(t), rate

    @property
    def is_plain(self) -> bool:
        """True if the integral J is the shear itself."""
        return self.strains[self.flow] is None and self.strains[self.gradient] is None

    def through(self, times: Floats) -> tuple[Floats, Floats, Floats, Floats, str]:
        """`at` for the `times` (n,) up to the first invalid one; a text says why."""
        functions, values, text = [*self.strains, self.shear], np.zeros((len(times), 4, 2)), ""
        for k, function in enumerate(functions):
            if function is not None:
                found, why = function.through(times[: len(values)])
                if why:
                    values, text = values[: len(found)], why
                values[:, k] = found
        J = values[:, 3, 0]
        if not self.is_plain and self.shear is not STILL:
            J = np.array([self._integral(t) for t in times[: len(values)].tolist()])
        return values[:, :3, 0], values[:, :3, 1], J, values[:, 3, 1], text

    def _integral(self, t: float) -> float:
        """J at the time `t`, from the first time of tables on, or 0."""
        if self.shear is STILL:
            return 0.0
        pair = self.strains[self.gradient] or STILL, self.strains[self.flow] or STILL
        given = [each for each in (*pair, self.shear) if isinstance(each, Table)]
        begin, first = self.begin, self.first
        if begin is None:
            begin = max((float(each.rows[0, 0]) for each in given), default=0.0)
            first = self.shear.at(begin)[0] * np.exp(pair[0].at(begin)[0] - pair[1].at(begin)[0])
        corners = [float(c) for each in given for c in each.rows[:, 0] if min(begin, t) < c < max(begin, t)]
        ends = [begin, *sorted(set(corners), reverse=t < begin), t]
        parts = (shear_integral(self.shear, pair, *span) for span in pairwise(ends))
        return float(first + sum(parts))


def shear_integral(
    shear: TimeFunction, pair: tuple[TimeFunction, TimeFunction], start: float, end: float
) -> float:
    """Integral of the shear rate times exp(eps_g - eps_f) from `start` to `end` [s].

    pair: the strains along the gradient and the flow, smooth in between.
    """
    rates = [pair[0].at(t)[1] - pair[1].at(t)[1] for t in (start, 0.5 * (start + end), end)]
    panels = max(1, int(np.ceil(np.abs(rates).max() * abs(end - start) / PANEL)))
    edges, total = np.linspace(start, end, panels + 1).tolist(), 0.0
    for a, b in pairwise(edges):
        for node, weight in zip(NODES.tolist(), WEIGHTS.tolist(), strict=True):
            t = 0.5 * (a + b) + 0.5 * (b - a) * node
            total += 0.5 * (b - a) * weight * shear.at(t)[1] * np.exp(pair[0].at(t)[0] - pair[1].at(t)[0])
    return total


def ways_to_images(
    periods: Sequence[float | None],
    kinematics: CellKinematics,
    strain: Floats,
    rate: Floats,
    J: Floats,
    shear: Floats,
) -> tuple[Floats, Floats]:
    """Ways to the next images along the axes (..., 3, 3) [m], and their rates, see `CellKinematics.at`.

    As `place_images` (system/stressed_cell.py) to the bit, also the exponential function.
    """
    length = np.array([each or 0.0 for each in periods])
    stretch = np.reshape([math.exp(each) for each in np.ravel(strain)], np.shape(strain))
    vectors, rates = np.zeros((2, *np.shape(strain), 3))
    for i in range(3):
        vectors[..., i, i] = length[i] * stretch[..., i]
        rates[..., i, i] = rate[..., i] * vectors[..., i, i]
    f, g = kinematics.flow, kinematics.gradient
    vectors[..., g, f] = J * length[g] * stretch[..., f]
    rates[..., g, f] = rate[..., f] * vectors[..., g, f] + shear * vectors[..., g, g]
    return vectors, rates
