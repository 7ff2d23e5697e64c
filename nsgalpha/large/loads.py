"""Loads and springs that are compiled, in the compiled loop: forces f(t, q, v) that the motion changes.

    smooth motion         f = f(t_{n+1}, q~, v~)
    position correction   U = h^2/2 M^-1 [f(q_{n+1}, v~ + 2 U/h) - f(q~, v~)] + M^-1 G^T nu             (7)
    velocity correction   W = h M^-1 [f(q_{n+1}, v_{n+1}) - f(q~, v~)] + M^-1 G^T (P + Lambda)      (10)

(docs/theory.md). Each is a fixed point in the forces, accelerated by what the last iterates tell: it
converges wherever few forces are stiff. Where it does not, the step is taken with tangents
(smooth_contacts.py, mixture.py).
"""

import math
from collections.abc import Sequence
from typing import NamedTuple, cast

import numpy as np

from nsgalpha.arrays import Floats, Ints, Motion, empty_motion
from nsgalpha.compiled import entry, kernel, leaf
from nsgalpha.compliant.law_kernel import CompiledLaw
from nsgalpha.contact.sets import fill
from nsgalpha.explicit.block import ForceArrays, Moving, evaluate
from nsgalpha.explicit.contacts import ExplicitForces
from nsgalpha.explicit.triples import cross, dot, plus, row, three
from nsgalpha.model.element import CompliantElement
from nsgalpha.model.load import CompiledLoad
from nsgalpha.model.load_signature import LOAD
from nsgalpha.model.state import ContactHistory
from nsgalpha.model.system import System
from nsgalpha.pointers import AVAILABLE, addresses, caller
from nsgalpha.stepping.anderson import Iterates, combine, no_iterates, note
from nsgalpha.stepping.motion import finite
from nsgalpha.stepping.pose import displace, keep_spin, rotate_inertias
from nsgalpha.stepping.position import position_correction
from nsgalpha.stepping.smooth import smooth_motion
from nsgalpha.stepping.velocity import velocity_correction
from nsgalpha.stepping.warm_start import recall

MAX_ITERATIONS = 20
PLAIN = 2  # iterations that are not accelerated
ROUNDING = 1e-14  # of a velocity, relative to the largest, that is no change

call_load = caller(LOAD)


class Loads(NamedTuple):
    """The forces of a model that are compiled."""

    weight: Floats  # (N, 6)
    turns: Floats  # (N,) 0 for bodies without rotation, else 1
    lever: Floats  # (N,) of forces on a body [m]
    address: Ints  # (L,) of the kernels of loads
    body: Ints  # (L + 1,) offsets into `at`
    at: Ints  # bodies on which they act
    first: Ints  # (L + 1,) offsets into `parameters`
    parameters: Floats
    springs: ForceArrays
    memory: Floats  # of the springs at the start of the step
    total: Floats  # (B, 6) wrenches of the last evaluation
    smooth: Floats  # (N, 6) wrenches of the smooth motion
    iterates: Iterates  # room for those of N wrenches,
    wrench: Floats  # (3, N, 6) for wrenches,
    moved: Floats  # (2, B, 6) for motions over a step,
    kept: Motion  # for the smooth motion,
    trial: Motion  # and for one that is tried


@leaf
def constant(loads):
    """True if the weight is all there is."""
    return loads.address.shape[0] == 0 and loads.springs.table.a.shape[0] == 0


@leaf
def _copy(source, target):
    """`target = source`, of one shape (n, m)."""
    for i in range(source.shape[0]):
        for j in range(source.shape[1]):
            target[i, j] = source[i, j]


@leaf
def keep_memory(loads):
    """The step is accepted: what the springs remember of it stays."""
    _copy(loads.springs.table.memory, loads.memory)


@leaf
def wrenches(loads, t, motion, increment, h):
    """`loads.total` (B, 6) at the time `t`, at the end of a step of `h` with that `motion`, `increment`."""
    total = loads.total
    for b in range(total.shape[0]):
        for i in range(6):
            total[b, i] = loads.weight[b, i] if b < loads.weight.shape[0] else 0.0
    for k in range(loads.address.shape[0]):
        call_load(
            loads.address[k],
            (
                t,
                motion.x,
                motion.q,
                motion.v,
                motion.w,
                loads.at[loads.body[k] : loads.body[k + 1]],
                loads.parameters[loads.first[k] : loads.first[k + 1]],
                total,
            ),
        )
    if loads.springs.table.a.shape[0] > 0:
        _copy(loads.memory, loads.springs.table.memory)
        evaluate(loads.springs, Moving(motion, increment), h, total)
    for b in range(loads.turns.shape[0]):
        for i in range(3, 6):
            total[b, i] *= loads.turns[b]


@leaf
def _less(a, b, out):
    """`out = a - b` (N, 6); `a` may have more rows."""
    for i in range(b.shape[0]):
        for j in range(6):
            out[i, j] = a[i, j] - b[i, j]


@leaf
def _divide(bodies, inverse_inertia, factor, wrench, out):
    """`out = factor M^-1 wrench` (B, 6), for wrenches (N, 6)."""
    for b in range(wrench.shape[0]):
        for i in range(3):
            turned = 0.0
            for j in range(3):
                turned += inverse_inertia[b, i, j] * wrench[b, 3 + j]
            out[b, i] = factor * bodies.inverse_mass[b] * wrench[b, i]
            out[b, 3 + i] = factor * turned


@leaf
def _size(lever, twist):
    """Largest entry of `twist` (B, 6), of rotations at the `lever` (N,) of the body; infinite for NaN."""
    size, check = 0.0, 0.0
    for b in range(lever.shape[0]):
        for i in range(3):
            size = max(size, abs(twist[b, i]), lever[b] * abs(twist[b, 3 + i]))
            check += 0.0 * (twist[b, i] + twist[b, 3 + i])
    return size if check == 0.0 else math.inf


@leaf
def _fastest(lever, motion, start):
    """Largest velocity of `start` [m/s], and the largest change of one in `motion`."""
    fastest, change = 0.0, 0.0
    for b in range(lever.shape[0]):
        for i in range(3):
            v, w = start.v[b, i], start.w[b, i]
            fastest = max(fastest, abs(v), lever[b] * abs(w))
            change = max(change, abs(motion.v[b, i] - v), lever[b] * abs(motion.w[b, i] - w))
    return fastest, change


@entry
def negligible(constants, lever, inverse_inertia, h, rest, motion, start, room):
    """True if the wrenches `rest` (N, 6) hardly change the velocities of `motion` over `h`.

    That is by less than the tolerance of what has changed since `start`; `room` (B, 6). By forces light
    bodies would count for nothing beside heavy ones.
    """
    _divide(constants.bodies, inverse_inertia, h, rest, room)
    fastest, change = _fastest(lever, motion, start)
    return _size(lever, room) <= max(constants.tol * change, ROUNDING * fastest)


@leaf
def loaded_motion(constants, loads, t, h, now):
    """`smooth.smooth_motion` under the loads at its end, the time `t`; they are `loads.smooth` then."""
    f, old, new = loads.smooth, now.old, now.new
    if constant(loads):
        return smooth_motion(constants, h, loads.weight, old, new, now.increment)
    still, g = loads.moved[0], loads.wrench[0]
    fill(still, 0.0)
    wrenches(loads, t, old, still, h)
    _copy(loads.total[: f.shape[0]], f)
    loads.iterates.noted[0] = 0
    for iteration in range(1, MAX_ITERATIONS + 1):
        if smooth_motion(constants, h, f, old, new, now.increment) < 0:
            return -1
        wrenches(loads, t, new, now.increment, h)
        _copy(loads.total[: f.shape[0]], g)
        _less(g, f, loads.wrench[1])
        if negligible(
            constants, loads.lever, now.inverse_inertia, h, loads.wrench[1], new, old, loads.moved[1]
        ):
            _copy(g, f)
            return iteration
        if not finite(new):
            return -1
        _improve(loads.iterates, f, g)
    return -1


@leaf
def _improve(iterates, f, g):
    """The next iterate `f`, after the value `g` of the function at `f`."""
    note(iterates, f.reshape(-1), g.reshape(-1))
    _copy(g, f)
    if iterates.noted[0] > PLAIN:
        combine(iterates, f.reshape(-1))


@leaf
def _expect(loads, now, bodies, h):
    """Displacements `loads.moved[1]` (B, 6) that the contact forces of the last step would make again.

    Returns False if there were none.
    """
    U, candidates, past, inverse = loads.moved[1], now.candidates, now.past, now.inverse_inertia
    fill(U, 0.0)
    factor, any_force = 0.5 * h * h, False
    for c in range(past.touched.shape[0]):
        a, b = np.uintp(candidates.a[c]), np.uintp(candidates.b[c])
        F, T = three(past.wrench, c, 0), three(past.wrench, c, 3)
        if not past.touched[c] or (dot(F, F) == 0.0 and dot(T, T) == 0.0):
            continue
        any_force = True
        apart = plus(row(now.new.x, a), -1.0, row(now.new.x, b))
        for body, sign, torque in ((a, factor, T), (b, -factor, plus(T, 1.0, cross(apart, F)))):
            for i in range(3):
                U[body, i] += sign * bodies.inverse_mass[body] * F[i]
                U[body, 3 + i] += sign * dot(row(inverse[body], i), torque)
    return any_force


@leaf
def _try(U, h, smooth, trial):
    """The velocities `v~ + 2 U/h` to `trial`; returns the largest entry of U (B, 6)."""
    size = 0.0
    for b in range(U.shape[0]):
        for i in range(3):
            trial.v[b, i] = smooth.v[b, i] + 2.0 / h * U[b, i]
            trial.w[b, i] = smooth.w[b, i] + 2.0 / h * U[b, 3 + i]
            size = max(size, abs(U[b, i]), abs(U[b, 3 + i]))
    return size


@leaf
def _add(a, b, out):
    """`out = a + b`, of one shape (n, m)."""
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = a[i, j] + b[i, j]


@leaf
def _keep(motion, kept):
    """Pose and velocities of `motion` to `kept`."""
    _copy(motion.x, kept.x)
    _copy(motion.q, kept.q)
    _copy(motion.v, kept.v)
    _copy(motion.w, kept.w)


@leaf
def _begin_position(constants, loads, t, h, now):
    """A guess of the change of the wrenches to `loads.wrench[0]`; the smooth motion is kept."""
    new, smooth, trial, start, U = now.new, loads.kept, loads.trial, loads.moved[0], loads.moved[1]
    _copy(now.increment, start)
    _keep(new, smooth)
    rotate_inertias(constants.bodies, new.q, now.inverse_inertia)
    fill(loads.wrench[0], 0.0)
    loads.iterates.noted[0] = 0
    if _expect(loads, now, constants.bodies, h):
        _try(U, h, smooth, trial)
        displace(smooth.x, smooth.q, U, trial)
        _add(start, U, now.increment)
        wrenches(loads, t, trial, now.increment, h)
        _less(loads.total, loads.smooth, loads.wrench[0])


@leaf
def _displace(constants, loads, h, now):
    """The smooth motion, displaced by the change of the wrenches, to `now.new`."""
    smooth, U = loads.kept, loads.moved[1]
    _copy(smooth.w, now.new.w)
    rotate_inertias(constants.bodies, smooth.q, now.inverse_inertia)
    _divide(constants.bodies, now.inverse_inertia, 0.5 * h * h, loads.wrench[0], U)
    displace(smooth.x, smooth.q, U, now.new)
    keep_spin(constants.bodies, smooth.q, now.new)
    _add(loads.moved[0], U, now.increment)


@leaf
def _respond(constants, loads, t, h, now):
    """True if the change of the wrenches is that at the corrected pose; else it is improved."""
    new, trial, U = now.new, loads.trial, loads.moved[1]
    change, response, rest = loads.wrench[0], loads.wrench[1], loads.wrench[2]
    _less(now.increment, loads.moved[0], U)
    if _try(U, h, loads.kept, trial) == 0.0:
        return True
    _copy(new.x, trial.x)
    _copy(new.q, trial.q)
    wrenches(loads, t, trial, now.increment, h)
    _less(loads.total, loads.smooth, response)
    _less(response, change, rest)
    _divide(constants.bodies, now.inverse_inertia, 0.5 * h * h, rest, U)
    if _size(loads.lever, U) <= constants.tol * _size(loads.lever, now.increment):
        return True
    _improve(loads.iterates, change, response)
    return False


@kernel
def corrected_position(elements, constants, loads, t, h, now):
    """`position.position_correction` under the loads; they have converged if it is solved."""
    if constant(loads):
        return position_correction(elements, constants, now, h)
    _begin_position(constants, loads, t, h, now)
    for _ in range(MAX_ITERATIONS):
        _displace(constants, loads, h, now)
        closed, iterations, residual, worst, solved = position_correction(elements, constants, now, h)
        if not solved or _respond(constants, loads, t, h, now):
            return closed, iterations, residual, worst, solved
    return closed, iterations, residual, worst, False


@leaf
def _recall(rows, wrench, h, load):
    """The impulses `load` (R,) of the forces of the last step in one of `h`."""
    recall(rows.contact, rows.row, rows.G, wrench, load)
    for j in range(load.shape[0]):
        load[j] *= h


@leaf
def corrected_velocity(rows, constants, loads, t, h, now, impulses):
    """`velocity.velocity_correction` under the loads, whose last evaluation is the first guess."""
    new, bodies, laws, f = now.new, constants.bodies, constants.laws, loads.smooth
    _recall(rows, now.past.wrench, h, impulses.load)
    if constant(loads):
        return velocity_correction(rows, laws, bodies, constants.tol, now.old, new, impulses)
    smooth, W = loads.kept, loads.moved[1]
    change, response, rest = loads.wrench[0], loads.wrench[1], loads.wrench[2]
    _keep(new, smooth)
    _less(loads.total, f, change)
    loads.iterates.noted[0] = 0
    for _ in range(MAX_ITERATIONS):
        _divide(bodies, now.inverse_inertia, h, change, W)
        for b in range(f.shape[0]):
            for i in range(3):
                new.v[b, i] = smooth.v[b, i] + W[b, i]
                new.w[b, i] = smooth.w[b, i] + W[b, 3 + i]
        fill(impulses.impact, 0.0)
        fill(impulses.rebound, 0.0)
        _recall(rows, now.past.wrench, h, impulses.load)
        found = velocity_correction(rows, laws, bodies, constants.tol, now.old, new, impulses)
        if found[4] > 0 or (rows.G.shape[0] == 0 and _size(loads.lever, W) == 0.0):
            return found
        wrenches(loads, t, new, now.increment, h)
        _less(loads.total, f, response)
        _less(response, change, rest)
        if negligible(constants, loads.lever, now.inverse_inertia, h, rest, new, smooth, W):
            return found
        if not finite(new):
            break
        _improve(loads.iterates, change, response)
    return found[0], found[1], found[2], found[3], 1


def are_compiled(system: System) -> bool:
    """True if all loads and compliant elements are loads and springs that the compiled loop evaluates."""
    if not (system.model.loads or system.compliant or system.surfaces):
        return True
    loads = all(isinstance(load, CompiledLoad) for load in system.model.loads)
    return AVAILABLE and loads and not system.surfaces and all(map(_is_spring, system.compliant))


def _is_spring(element: CompliantElement) -> bool:
    """True for given pairs of points with compiled laws along the line between them, at any distance."""
    laws = element.law.parts
    central = all(isinstance(law, CompiledLaw) and (first, last) == (0, 1) for law, first, last in laws)
    return central and hasattr(element.pairs, "anchors") and element.law.reach == math.inf


class CompiledLoads:
    """The loads of a system for the compiled loop, and what its springs remember."""

    def __init__(self, system: System) -> None:
        self.springs = ExplicitForces(system)
        self.springs.find(empty_motion(system.size), math.inf)
        table, acting = self.springs.table, cast(Sequence[CompiledLoad], system.model.loads)
        self.arrays = Loads(
            system.weight,
            system.turns.astype(float),
            system.levers(),
            addresses([load.kernel.function for load in acting], LOAD),
            np.cumsum([0, *(len(load.at) for load in acting)]),
            np.concatenate([np.empty(0, np.int64), *(load.at for load in acting)]),
            np.cumsum([0, *(len(load.parameters) for load in acting)]),
            np.concatenate([np.empty(0), *(load.parameters for load in acting)]),
            self.springs.forces,
            table.memory.copy(),
            np.zeros((system.size, 6)),
            np.zeros((system.count, 6)),
            no_iterates(6 * system.count),
            np.zeros((3, system.count, 6)),
            np.zeros((2, system.size, 6)),
            empty_motion(system.size),
            empty_motion(system.size),
        )

    def begin(self, motion: Motion, history: ContactHistory | None) -> None:
        """Go on from `motion` with what the springs remember there."""
        if len(self.springs.table.a):
            self.springs.start(motion, history)
            self.arrays.memory[:] = self.springs.table.memory

    def history(self) -> ContactHistory | None:
        """The memory of the springs at the last accepted state."""
        self.springs.table.memory[:] = self.arrays.memory
        return self.springs.history()
