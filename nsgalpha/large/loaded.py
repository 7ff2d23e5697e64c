"""The three subproblems of a step under loads and springs that are compiled (loads.py).

    smooth motion         f = f(t_{n+1}, q~, v~)
    position correction   U = h^2/2 M^-1 [f(q_{n+1}, v~ + 2 U/h) - f(q~, v~)] + M^-1 G^T nu             (7)
    velocity correction   W = h M^-1 [f(q_{n+1}, v_{n+1}) - f(q~, v~)] + M^-1 G^T (P + Lambda)      (10)

(docs/theory.md). Each is a fixed point in the forces, accelerated by what the last iterates tell: it
converges wherever few forces are stiff. Where it does not, the step is taken with tangents
(smooth_contacts.py, mixture.py).
"""

import numpy as np

from nsgalpha.compiled import kernel, leaf
from nsgalpha.contact.sets import fill
from nsgalpha.explicit.triples import cross, dot, plus, row, three
from nsgalpha.large.loads import wrenches
from nsgalpha.large.twists import add, copy, divide, less, negligible, size_of
from nsgalpha.stepping.anderson import combine, note
from nsgalpha.stepping.motion import finite
from nsgalpha.stepping.pose import displace, keep_spin, rotate_inertias
from nsgalpha.stepping.position import position_correction
from nsgalpha.stepping.smooth import smooth_motion
from nsgalpha.stepping.velocity import velocity_correction
from nsgalpha.stepping.warm_start import recall

MAX_ITERATIONS = 20
PLAIN = 2  # iterations that are not accelerated


@leaf
def loaded_motion(constants, loads, t, h, now):
    """`smooth.smooth_motion` under the loads at its end, the time `t`; they are `loads.smooth` then."""
    f, old, new = loads.smooth, now.old, now.new
    still, g = loads.moved[0], loads.wrench[0]
    fill(still, 0.0)
    wrenches(loads, t, old, still, h)
    copy(loads.total[: f.shape[0]], f)
    loads.iterates.noted[0] = 0
    for iteration in range(1, MAX_ITERATIONS + 1):
        if smooth_motion(constants, h, f, old, new, now.increment) < 0:
            return -1
        wrenches(loads, t, new, now.increment, h)
        copy(loads.total[: f.shape[0]], g)
        less(g, f, loads.wrench[1])
        if negligible(
            constants, loads.lever, now.inverse_inertia, h, loads.wrench[1], new, old, loads.moved[1]
        ):
            copy(g, f)
            return iteration
        if not finite(new):
            return -1
        _improve(loads.iterates, f, g)
    return -1


@leaf
def _improve(iterates, f, g):
    """The next iterate `f`, after the value `g` of the function at `f`."""
    note(iterates, f.reshape(-1), g.reshape(-1))
    copy(g, f)
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
def _keep(motion, kept):
    """Pose and velocities of `motion` to `kept`."""
    copy(motion.x, kept.x)
    copy(motion.q, kept.q)
    copy(motion.v, kept.v)
    copy(motion.w, kept.w)


@leaf
def _begin_position(constants, loads, t, h, now):
    """A guess of the change of the wrenches to `loads.wrench[0]`; the smooth motion is kept."""
    new, smooth, trial, start, U = now.new, loads.kept, loads.trial, loads.moved[0], loads.moved[1]
    copy(now.increment, start)
    _keep(new, smooth)
    rotate_inertias(constants.bodies, new.q, now.inverse_inertia)
    fill(loads.wrench[0], 0.0)
    loads.iterates.noted[0] = 0
    if _expect(loads, now, constants.bodies, h):
        _try(U, h, smooth, trial)
        displace(smooth.x, smooth.q, U, trial)
        add(start, U, now.increment)
        wrenches(loads, t, trial, now.increment, h)
        less(loads.total, loads.smooth, loads.wrench[0])


@leaf
def _displace(constants, loads, h, now):
    """The smooth motion, displaced by the change of the wrenches, to `now.new`."""
    smooth, U = loads.kept, loads.moved[1]
    copy(smooth.w, now.new.w)
    rotate_inertias(constants.bodies, smooth.q, now.inverse_inertia)
    divide(constants.bodies, now.inverse_inertia, 0.5 * h * h, loads.wrench[0], U)
    displace(smooth.x, smooth.q, U, now.new)
    keep_spin(constants.bodies, smooth.q, now.new)
    add(loads.moved[0], U, now.increment)


@leaf
def _respond(constants, loads, t, h, now):
    """True if the change of the wrenches is that at the corrected pose; else it is improved."""
    new, trial, U = now.new, loads.trial, loads.moved[1]
    change, response, rest = loads.wrench[0], loads.wrench[1], loads.wrench[2]
    less(now.increment, loads.moved[0], U)
    if _try(U, h, loads.kept, trial) == 0.0:
        return True
    copy(new.x, trial.x)
    copy(new.q, trial.q)
    wrenches(loads, t, trial, now.increment, h)
    less(loads.total, loads.smooth, response)
    less(response, change, rest)
    divide(constants.bodies, now.inverse_inertia, 0.5 * h * h, rest, U)
    if size_of(loads.lever, U) <= constants.tol * size_of(loads.lever, now.increment):
        return True
    _improve(loads.iterates, change, response)
    return False


@kernel
def corrected_position(elements, constants, loads, t, h, now):
    """`position.position_correction` under the loads; they have converged if it is solved."""
    _begin_position(constants, loads, t, h, now)
    for _ in range(MAX_ITERATIONS):
        _displace(constants, loads, h, now)
        closed, iterations, residual, worst, solved = position_correction(elements, constants, now, h)
        if not solved or _respond(constants, loads, t, h, now):
            return closed, iterations, residual, worst, solved
    return closed, iterations, residual, worst, False


@leaf
def recall_loads(rows, wrench, h, load):
    """The impulses `load` (R,) of the forces of the last step in one of `h`."""
    recall(rows.contact, rows.row, rows.G, wrench, load)
    for j in range(load.shape[0]):
        load[j] *= h


@leaf
def corrected_velocity(rows, constants, loads, t, h, now, impulses):
    """`velocity.velocity_correction` under the loads, whose last evaluation is the first guess."""
    new, bodies, laws, f = now.new, constants.bodies, constants.laws, loads.smooth
    smooth, W = loads.kept, loads.moved[1]
    change, response, rest = loads.wrench[0], loads.wrench[1], loads.wrench[2]
    _keep(new, smooth)
    less(loads.total, f, change)
    loads.iterates.noted[0] = 0
    for _ in range(MAX_ITERATIONS):
        divide(bodies, now.inverse_inertia, h, change, W)
        for b in range(f.shape[0]):
            for i in range(3):
                new.v[b, i] = smooth.v[b, i] + W[b, i]
                new.w[b, i] = smooth.w[b, i] + W[b, 3 + i]
        fill(impulses.impact, 0.0)
        fill(impulses.rebound, 0.0)
        recall_loads(rows, now.past.wrench, h, impulses.load)
        found = velocity_correction(rows, laws, bodies, constants.tol, now.old, new, impulses)
        if found[4] > 0 or (rows.G.shape[0] == 0 and size_of(loads.lever, W) == 0.0):
            return found
        wrenches(loads, t, new, now.increment, h)
        less(loads.total, f, response)
        less(response, change, rest)
        if negligible(constants, loads.lever, now.inverse_inertia, h, rest, new, smooth, W):
            return found
        if not finite(new):
            break
        _improve(loads.iterates, change, response)
    return found[0], found[1], found[2], found[3], 1
