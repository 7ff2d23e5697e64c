"""A cell under target stresses, from step to step in kernels.

    deps/dt = (target - sigma)/viscosity                         at most max_rate to either side
    sigma = -1/V (sum_b F_b x_b + sum_b m_b (v_b - u)^2)         of an axis, tension positive

with the forces F of compliant contacts on bodies and images, and velocities v about the field of the cell,
of the mean u. Strain rates are constant in a step. The integral J of the shear (cell_kinematics.py) is by
the four nodes of Gauss. Their error is below rounding for smooth rates and strains of some per cent a step.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from nsgalpha.arrays import Flags, Floats
from nsgalpha.jit.decorators import kernel
from nsgalpha.model.cell_kinematics import STILL, CellKinematics
from nsgalpha.model.cell_motion import CellMotion
from nsgalpha.model.time_function import TimeFunction

NODES, WEIGHTS = np.polynomial.legendre.leggauss(4)
ROUNDING = 1e-9  # of a least period


class CellSteps(NamedTuple):
    """The cell at n times, the levels of steps; `rows` are those of the state, see RunCell."""

    rows: Floats  # (3, 3) strains, rates of the next step, integral J
    length: Floats  # (3,) [m] stated periods
    least: Floats  # (3,) [m] periods; shorter ones end a run
    flow: int
    gradient: int
    is_plain: bool  # J is the shear itself
    held: Flags  # (3,) axes under a target
    viscosity: float  # [Pa s]
    max_rate: float  # [1/s]
    mass: Floats  # (N,) [kg], 0 of bodies that stand still
    t: Floats  # (n,) [s]
    target: Floats  # (n, 3) [Pa]
    given: Floats  # (n, 3, 2) strains of the other axes and their rates
    shear: Floats  # (n, 2) and its rate
    #: (n - 1, NODES, 4) time in a step, weight times shear rate, given strains of flow and gradient
    nodes: Floats

    def after(self, t: float) -> CellSteps:
        """The cell from the level `t` [s] on."""
        k = int(np.searchsorted(self.t, t))
        rest = self._replace(t=self.t[k:], target=self.target[k:], given=self.given[k:])
        return rest._replace(shear=self.shear[k:], nodes=self.nodes[k:])


def cell_steps(
    motion: CellMotion, kinematics: CellKinematics, length: Floats, rows: Floats, times: Floats
) -> tuple[CellSteps, str]:
    """The cell at the `times` (n,) [s]; a text says why one is invalid.

    They end before that one. There are no masses and least periods yet.
    """
    strains, text = kinematics.strains, ""
    held = np.array([target is not None for target in motion.targets])
    given, shear = np.zeros((len(times), 3, 2)), np.zeros((len(times), 2))
    for i, function in enumerate((*strains, kinematics.shear)):
        if function is not None and not (i < 3 and held[i]):
            found, why = function.through(times)
            if why:
                times, given, shear, text = times[: len(found)], given[: len(found)], shear[: len(found)], why
            (shear if i == 3 else given[:, i])[:] = found
    target = np.zeros((len(times), 3))
    for i, function in enumerate(motion.targets):
        if function is not None:
            target[:, i] = _values(function, times)
    nodes, whole = np.zeros((max(len(times) - 1, 0), len(NODES), 4)), np.diff(times)[:, None]
    if kinematics.is_plain or kinematics.shear is STILL:
        nodes = nodes[:, :0]
    else:
        nodes[:, :, 0] = 0.5 * whole * (1.0 + NODES)
        at = (times[:-1, None] + nodes[:, :, 0]).ravel()
        of_shear = kinematics.shear.through(at)[0][:, 1]
        nodes[:, :, 1] = 0.5 * whole * WEIGHTS * of_shear.reshape(-1, len(NODES))
        for column, i in ((2, kinematics.flow), (3, kinematics.gradient)):
            if (strain := strains[i]) is not None and not held[i]:
                nodes[:, :, column] = strain.through(at)[0][:, 0].reshape(-1, len(NODES))
    axes, tables = (kinematics.flow, kinematics.gradient), (times, target, given, shear, nodes)
    control = motion.viscosity, motion.max_rate
    known = rows, length, np.zeros(3), *axes, kinematics.is_plain, held, *control, np.zeros(0)
    return CellSteps(*known, *tables), text


def _values(function: TimeFunction, times: Floats) -> Floats:
    """Values (n,) at all `times`; the polynomials of a table continue outside."""
    found, _ = function.through(times)
    rest = [function.at(t)[0] for t in times[len(found) :].tolist()]
    return np.concatenate([found[:, 0], rest])


@kernel
def ends_short(cell, k):
    """True if a period at the end of step `k` would be too short."""
    if cell is None:
        return False
    for i in range(3):
        strain = cell.given[k + 1, i, 0]
        if cell.held[i]:
            strain = cell.rows[0, i] + cell.rows[1, i] * (cell.t[k + 1] - cell.t[k])
        if cell.length[i] * math.exp(strain) < cell.least[i] * (1.0 - ROUNDING):
            return True
    return False


@kernel
def move_cell(cell, k, frames):
    """Strains and J at the end of step `k`; ways to images to the last of `frames` (F, 13)."""
    if cell is None:
        return
    rows, held, flow, gradient = cell.rows, cell.held, cell.flow, cell.gradient
    for n in range(cell.nodes.shape[1]):
        node = cell.nodes[k, n]
        s, weight, of_flow, of_gradient = node[0], node[1], node[2], node[3]
        if held[flow]:
            of_flow = rows[0, flow] + rows[1, flow] * s
        if held[gradient]:
            of_gradient = rows[0, gradient] + rows[1, gradient] * s
        rows[2, 0] += weight * math.exp(of_gradient - of_flow)
    if cell.is_plain:
        rows[2, 0] = cell.shear[k + 1, 0]
    for i in range(3):
        if held[i]:
            rows[0, i] += rows[1, i] * (cell.t[k + 1] - cell.t[k])
        else:
            rows[0, i] = cell.given[k + 1, i, 0]
    _place(cell, k + 1, frames[-3:, :3], frames[-3:, 7:10])


@kernel
def _place(cell, level, vectors, rates):
    """Ways to the next images at a `level`, and their rates."""
    rate = np.empty(3)
    for i in range(3):
        rate[i] = cell.rows[1, i] if cell.held[i] else cell.given[level, i, 1]
    axes, rows = (cell.flow, cell.gradient), cell.rows
    place_images(cell.length, axes, rows[0], rate, (rows[2, 0], cell.shear[level, 1]), vectors, rates)


@kernel
def place_images(length, axes, strain, rate, sheared, vectors, rates):
    """Ways to the next images (3, 3) and their rates, see `ways_to_images`."""
    (f, g), (J, shear) = axes, sheared
    for i in range(3):
        vectors[i, i] = length[i] * math.exp(strain[i])
        rates[i, i] = rate[i] * vectors[i, i]
    vectors[g, f] = J * length[g] * math.exp(strain[f])
    rates[g, f] = rate[f] * vectors[g, f] + shear * vectors[g, g]


@kernel
def hold_stress(cell, k, wrench, other, motion):
    """Rates of the step after step `k`, at the end of the `motion` in that one.

    The forces of contacts are `wrench` (B, 6) less `other`, which has weights and loads.
    """
    if cell is None:
        return
    sigma = np.zeros(3)
    for b in range(wrench.shape[0]):
        for i in range(3):
            sigma[i] -= (wrench[b, i] - other[b, i]) * motion.x[b, i]
    mean_stress(cell.mass, (cell.flow, cell.gradient), motion, sigma)
    set_rates(cell.rows, cell.held, cell.target[k + 1], (cell.viscosity, cell.max_rate), sigma)
    _place(cell, k + 1, motion.x[-3:], motion.v[-3:])


@kernel
def set_rates(rows, held, target, control, sigma):
    """Strain rates of the axes `held` by the stress `sigma` (3,)."""
    viscosity, most = control
    for i in range(3):
        rows[1, i] = min(max((target[i] - sigma[i]) / viscosity, -most), most) if held[i] else 0.0


@kernel
def mean_stress(mass, axes, motion, sigma):
    """Turn the sums `sigma` (3,) [N m] over contacts into normal stresses with those of velocities.

    The images end `motion`; `axes` are those of flow and gradient. mass (N,): see CellSteps.
    """
    vectors, rates = motion.x[-3:], motion.v[-3:]
    mean, stray, total = np.zeros(3), np.empty(3), 0.0
    for b in range(mass.shape[0]):
        _stray(motion.x[b], motion.v[b], vectors, rates, axes, stray)
        total += mass[b]
        for i in range(3):
            mean[i] += mass[b] * stray[i]
    for i in range(3):
        mean[i] /= max(total, 1e-300)
    for b in range(mass.shape[0]):
        _stray(motion.x[b], motion.v[b], vectors, rates, axes, stray)
        for i in range(3):
            sigma[i] -= mass[b] * (stray[i] - mean[i]) ** 2
    for i in range(3):
        sigma[i] /= vectors[0, 0] * vectors[1, 1] * vectors[2, 2]


@kernel
def _stray(x, v, vectors, rates, axes, stray):
    """Velocity about the mean field, see `stray_velocities`."""
    flow, gradient = axes
    up = x[gradient] / vectors[gradient, gradient]
    for i in range(3):
        periods = x[i]
        if i == flow:
            periods -= up * vectors[gradient, flow]
        stray[i] = v[i] - periods / vectors[i, i] * rates[i, i]
    stray[flow] -= up * rates[gradient, flow]


@kernel
def record_cell(record, cell):
    """Put the rows of the cell to the state that is recorded next."""
    if cell is None:
        return
    n, first = record.filled[0], record.joint.shape[1] - 3
    for r in range(3):
        for i in range(3):
            record.joint[n, first + r, i] = cell.rows[r, i]
