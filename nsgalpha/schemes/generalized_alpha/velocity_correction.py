"""Third subproblem: the velocity correction `v_{n+1} = v~ + W`, impacts first, loads after.

    impacts   V = v_n + M^-1 G^T P,   a sequence without loads                           (impact_sequence.py)
    loads     M W - G^T (P + Lambda) = 0,   Lambda in its sets against  G v_{n+1} - c

`c` is the rate at which a contact that was struck opens after the impacts: loads do not take the rebound
back. In the rows of friction that turns it is a target (turning_friction.py). It is zero for all others. All
closed contacts carry the loads together, in one problem: a load is no impact (docs/theory.md, section 5).
Only `Lambda` becomes a force of the next step. The force that keeps the rate of a rebounding contact counts
as a part of its impact.

Where nothing that strikes rebounds, the two are one problem in `P + Lambda`, with which they agree to O(h):
projections do not stretch. Then the loads of the last step are taken for `Lambda`.
"""

import numpy as np

from nsgalpha.constraints.jointed_response import has_joints, scatter_joints
from nsgalpha.contact.impacts.impact_sequence import Rates
from nsgalpha.contact.impacts.velocity_problem import (
    apply_impulses,
    begin_velocities,
    no_ends,
    opening_rates,
    project_velocities_before,
    react,
    settle,
    solve_impacts,
)
from nsgalpha.contact.islands.small_islands import solve_islands
from nsgalpha.contact.methods.dense_newton import PROXIMAL
from nsgalpha.contact.rows.contact_kinematics import gather, twists
from nsgalpha.contact.rows.running_surfaces import fastest_surface, subtract_surfaces
from nsgalpha.jit.decorators import inlined, kernel
from nsgalpha.linalg.vectors import fill, largest
from nsgalpha.schemes.generalized_alpha.forced_motion import (
    add_impact_velocities,
    begin_velocity,
    velocity_follows,
)
from nsgalpha.schemes.generalized_alpha.gyroscopic_accelerations import follow_spin
from nsgalpha.schemes.generalized_alpha.persistent_contacts import turn_velocities, turned_rates
from nsgalpha.schemes.generalized_alpha.turning_friction import turn_friction

ROUNDING = 1e-15  # of a rate, relative to the velocities it is computed from,
HELD = 1e-14  # and to those that joints take away in the step
MAX_ITERATIONS = 20  # in the forces that follow the motion


@inlined
def rates_of_rows(rows, bodies, h, now):
    """`Rates` of the rows in a step of `h` from `now.old` to `now.new`."""
    old, new = now.old, now.new
    table = np.zeros((4, rows.G.shape[0]))
    after, before, turned, floors = table[0], table[1], table[2], table[3]
    V = np.empty((new.v.shape[0], 6))
    twists(old, V)
    project_velocities_before(rows.joints, V, new)
    gather(rows, V, before)
    subtract_surfaces(rows, new.q, before)
    turned_rates(rows, V, before, now, turned)
    twists(new, V)
    gather(rows, V, after)
    subtract_surfaces(rows, new.q, after)
    speed = fastest_surface(rows)
    for b in range(V.shape[0]):
        for i in range(3):
            speed = max(speed, abs(V[b, i]), bodies.extent[b] * abs(V[b, 3 + i]))
    floor = ROUNDING * speed
    floor = max(floor, HELD * _taken(rows.joints, bodies, h))
    fill(floors, floor)
    return Rates(after, before, turned, floors)


@kernel
def _taken(joints, bodies, h):
    """Largest velocity [m/s] that joints remove in a step of `h`."""
    if joints is None:
        return 0.0
    V, speed = joints.twist[0], 0.0
    fill(V, 0.0)
    scatter_joints(joints, h, joints.multiplier, V)
    for b in range(V.shape[0]):
        for i in range(3):
            speed = max(speed, abs(V[b, i]), bodies.extent[b] * abs(V[b, 3 + i]))
    return speed


@kernel
def velocity_correction(board, rows, constants, loads, t, h, now, impulses):
    """Correct the velocities of `now.new` in place; `impulses` takes those of the rows.

    The `loads` act at the time `t`; None: no force follows the motion. `impulses.load` is on entry the start.
    The `board` is that of threads, or None. Velocities are of no use where islands are unsolved.
    Returns (iterations, impacts, residual, islands capped, islands unsolved, islands at rest).
    """
    bodies, new = constants.bodies, now.new
    contacts = rows.contact.shape[0]
    if contacts > 0:
        begin_velocities(bodies.joints, constants, h, now)
    turn_velocities(rows, constants, h, now, impulses.load)
    if loads is not None:
        begin_velocity(constants, loads, h, now)
    rates = rates_of_rows(rows, bodies, h, now)
    ends = no_ends(rows.island.shape[0] - 1)
    way = board, True
    most, impacts, residual, capped, left = solve_impacts(way, rows, constants, rates, impulses, ends)
    if left > 0:
        return most, impacts, residual, capped, left, 0
    b = rates.after
    if turn_friction(rows, bodies, now, rates, ends.together, impulses):
        b = rates.after - impulses.rebound
    if has_joints(bodies.joints) and contacts > 0:
        b = opening_rates(rows, new, impulses.rebound)
    if largest(impulses.impact) > 0.0:
        apply_impulses(rows, impulses.impact, new)
        b = opening_rates(rows, new, impulses.rebound)
        if loads is not None:
            add_impact_velocities(loads, rows, impulses.impact)
    remembered, tolerance = impulses.load.copy(), (0.1 * constants.tol, rates.floor)
    left, kept = 1, 0
    for _ in range(MAX_ITERATIONS):
        iterations, worst, left, kept = solve_islands(
            way, rows, bodies, (b, rates.before), impulses.load, tolerance, PROXIMAL, ends.unsolved
        )
        most, residual = max(most, iterations), max(residual, worst)
        if left > 0:
            return most, impacts, residual, capped, left, kept
        apply_impulses(rows, impulses.load, new)
        follows = True
        if loads is not None:
            follows = velocity_follows(constants, loads, t, h, now)
        if follows:
            break
        b = opening_rates(rows, new, impulses.rebound)
        left = 1
    settle(rows, remembered, ends.together, impulses)
    if contacts > 0:
        react(bodies.joints, rows, impulses)
    follow_spin(rows, constants, h, now)
    return max(most, 1), impacts, residual, capped, left, kept
