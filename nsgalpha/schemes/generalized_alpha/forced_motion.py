"""The three subproblems of a step under loads and springs that are compiled (compiled_loads.py).

    smooth motion         f = f(t_{n+1}, q~, v~)
    position correction   U = h^2/2 M^-1 [f(q_{n+1}, v~ + 2 U/h) - f(q~, v~)] + M^-1 G^T nu             (7)
    velocity correction   W = h M^-1 [f(q_{n+1}, v_{n+1}) - f(q~, v~)] + M^-1 G^T (P + Lambda)      (10)

(docs/theory.md). Each is a fixed point in the forces, accelerated by the last iterates: it converges wherever
few forces are stiff. Where it does not, the step is taken with tangents (compliant_motion.py,
corrections.py). The kernels take a Handle of the loads (addresses.py).

Loads on joints do not show in the motion: once that follows the forces, their multipliers do
(`set_multipliers`). The forces of the next step are stated by them alone, and errors would add up.
"""

import math

from nsgalpha.constraints.jointed_response import project_velocities
from nsgalpha.contact.rows.contact_kinematics import add_twists, scatter
from nsgalpha.geometry.twists import add, copy, divide, least_change, less, negligible, size_of
from nsgalpha.jit.decorators import kernel
from nsgalpha.linalg.vectors import fill, largest
from nsgalpha.schemes.generalized_alpha.anderson import combine, note
from nsgalpha.schemes.generalized_alpha.compiled_loads import wrenches
from nsgalpha.schemes.generalized_alpha.constrained_motion import free_motion, set_multipliers, subtract_loads
from nsgalpha.stepping.poses import displace, rotate_inertias
from nsgalpha.stepping.smooth_motion import inertia_wrenches
from nsgalpha.stepping.step_motion import finite
from nsgalpha.stepping.warm_start import recall_turned

MAX_ITERATIONS = 20
PLAIN = 2  # iterations that are not accelerated
MAX_BEFORE = 3  # iterations of the drift before gaps are measured
FAST = 1e-2  # change by the one before, of which the next one is expected to be the same part


@kernel
def expected(change, last):
    """The next change after `change` and the `last` before it, infinite where they do not decrease fast."""
    return change * change / last if change <= FAST * last else math.inf


@kernel
def loaded_motion(constants, loads, t, h, now):
    """`smooth.smooth_motion` under the loads at its end, the time `t`; they are `loads.smooth` then.

    It begins with the wrenches of the last step.
    """
    f, old, new = loads.smooth, now.old, now.new
    g, rest, V = loads.wrench[0], loads.wrench[1], loads.moved[1]
    inertia_wrenches(constants.bodies, old, f)
    rotate_inertias(constants.bodies, old.q, now.inverse_inertia)
    subtract_loads(constants.bodies.joints, constants.bodies, now, f)
    loads.iterates.noted[0] = 0
    last = 0.0
    for iteration in range(1, MAX_ITERATIONS + 1):
        if free_motion(constants, h, f, now) < 0:
            return -1
        wrenches(loads, t, new, now.increment, h)
        copy(loads.total[: f.shape[0]], g)
        less(g, f, rest)
        divide(constants.bodies, now.inverse_inertia, h, rest, V)
        project_velocities(constants.bodies.joints, V)
        size, least = size_of(loads.lever, V), least_change(constants, loads.lever, new, old)
        if size <= least:
            copy(g, f)
            set_multipliers(constants.bodies.joints, h)
            return iteration
        if not finite(new):
            return -1
        if iteration <= PLAIN and expected(size, last) <= least:
            copy(g, f)
            return iteration + 1 if free_motion(constants, h, f, now) > 0 else -1
        last = size
        _improve(loads.iterates, f, g)
    return -1


@kernel
def _improve(iterates, f, g):
    """The next iterate `f`, after the value `g` of the function at `f`."""
    note(iterates, f.reshape(-1), g.reshape(-1))
    copy(g, f)
    if iterates.noted[0] > PLAIN:
        combine(iterates, f.reshape(-1))


@kernel
def _keep(motion, kept):
    """Pose and velocities of `motion` to `kept`."""
    copy(motion.x, kept.x)
    copy(motion.q, kept.q)
    copy(motion.v, kept.v)
    copy(motion.w, kept.w)


@kernel
def _drift(constants, loads, t, h, now, correction):
    """Set `correction.drift` to `h^2/2 M^-1 [f(q, v~ + 2 U/h) - f~]` at the present pose of `now.new`.

    Returns the change of it, and that which is negligible.
    """
    new, trial, increment, drift = now.new, loads.trial, loads.moved[0], loads.moved[1]
    moved = 0.0
    for b in range(increment.shape[0]):
        for i in range(6):
            U = correction.pushed[b, i] + correction.U[b, i]
            moved = max(moved, abs(U))
            increment[b, i] = now.increment[b, i] + correction.U[b, i]
            if i < 3:
                trial.v[b, i] = new.v[b, i] + 2.0 / h * U
            else:
                trial.w[b, i - 3] = new.w[b, i - 3] + 2.0 / h * U
    if moved == 0.0:
        copy(loads.smooth, loads.total)
        copy(correction.closing, correction.drift)
        return 0.0, 0.0
    copy(new.x, trial.x)
    copy(new.q, trial.q)
    wrenches(loads, t, trial, increment, h)
    less(loads.total, loads.smooth, loads.wrench[0])
    divide(constants.bodies, now.inverse_inertia, 0.5 * h * h, loads.wrench[0], drift)
    project_velocities(constants.bodies.joints, drift)
    add(drift, correction.closing, drift)
    change = 0.0
    for b in range(loads.lever.shape[0]):
        for i in range(6):
            size = abs(drift[b, i] - correction.drift[b, i])
            change = max(change, size if i < 3 else loads.lever[b] * size)
            correction.drift[b, i] = drift[b, i]
    return change, max(constants.tol * size_of(loads.lever, increment), largest(correction.floor))


@kernel
def begin_drift(constants, loads, t, h, now, correction):
    """The drift for constant multipliers of the `correction`'s start; True if found."""
    last = 0.0
    for _ in range(MAX_BEFORE):
        copy(correction.drift, loads.before)
        change, least = _drift(constants, loads, t, h, now, correction)
        if change <= least:
            return True
        for b in range(loads.before.shape[0]):
            for i in range(6):
                correction.U[b, i] += correction.drift[b, i] - loads.before[b, i]
        displace(correction.x, correction.q, correction.U, now.new)
        if expected(change, last) <= least:
            return True
        last = change
    return False


@kernel
def position_follows(constants, handle, t, h, now, correction):
    """True if `correction.drift` is that of the loads at `now.new`; else set it."""
    change, least = _drift(constants, handle, t, h, now, correction)
    return change <= least


@kernel
def _drive(constants, loads, h, now):
    """The velocities of `now.new` before contacts act: those kept, and the change of the loads over `h`."""
    kept, new, W = loads.kept, now.new, loads.moved[1]
    divide(constants.bodies, now.inverse_inertia, h, loads.wrench[0], W)
    project_velocities(constants.bodies.joints, W)
    for b in range(loads.lever.shape[0]):
        for i in range(3):
            new.v[b, i] = kept.v[b, i] + W[b, i]
            new.w[b, i] = kept.w[b, i] + W[b, 3 + i]


@kernel
def begin_velocity(constants, loads, h, now):
    """Velocities under the loads of the last evaluation; the smooth motion's are kept."""
    _keep(now.new, loads.kept)
    less(loads.total, loads.smooth, loads.wrench[0])
    loads.iterates.noted[0] = 0
    _drive(constants, loads, h, now)


@kernel
def add_impact_velocities(loads, rows, impact):
    """Add `M^-1 G^T impact` to the velocities that are kept."""
    V = loads.moved[0]
    fill(V, 0.0)
    scatter(rows, impact, V)
    add_twists(V, loads.kept)


@kernel
def velocity_follows(constants, loads, t, h, now):
    """True if the loads at the velocities of `now.new` drive them; else drive again."""
    new, change, response, rest = now.new, loads.wrench[0], loads.wrench[1], loads.wrench[2]
    wrenches(loads, t, new, now.increment, h)
    less(loads.total, loads.smooth, response)
    less(response, change, rest)
    if negligible(constants, loads.lever, now.inverse_inertia, h, rest, new, loads.kept, loads.moved[1]):
        return True
    _improve(loads.iterates, change, response)
    _drive(constants, loads, h, now)
    return False


@kernel
def recall_loads(rows, now, h, load):
    """Impulses `load` (R,) of the last step's forces over `h`, at the pose."""
    recall_turned(rows.contact, rows.row, rows.G, now.past, now.candidates, load)
    for j in range(load.shape[0]):
        load[j] *= h
