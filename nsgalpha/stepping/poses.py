"""Poses: measuring and displacing them, and the displacement by friction.

Friction moves the bodies with the forces by which the contacts carried the loads of the last step. A force
`lambda` that is constant over a step moves them by `h^2/2 M^-1 G^T lambda` (docs/design/positions.md).
"""

import numpy as np

from nsgalpha.arrays import FRICTION, Motion
from nsgalpha.constraints.jointed_response import add_wrenches, measure_and_factorise
from nsgalpha.contact.islands.islands import chosen, closed_rows
from nsgalpha.contact.multiplier_sets import HALF_LINE
from nsgalpha.contact.rows.contact_kinematics import scatter
from nsgalpha.geometry.narrow_phase import measure, touches
from nsgalpha.geometry.rotations import exponential, inertial_tensor, product
from nsgalpha.jit.decorators import inlined, kernel
from nsgalpha.linalg.vectors import copy_into
from nsgalpha.stepping.smooth_motion import times
from nsgalpha.stepping.warm_start import recall_turned


@kernel
def rotate_inertias(bodies, q, inverse_inertia):
    """Inertial inverse inertia tensors (B, 3, 3) at the rotations `q` of the bodies that need them."""
    for b in range(bodies.mass.shape[0]):
        if not bodies.isotropic[b]:
            inertial_tensor(q[b], bodies.inverse_inertia[b], inverse_inertia[b])


@kernel
def mark_touching(candidates, past):
    """Note in `past` the touching candidates of the measured pose, and their places."""
    for c in range(past.touched.shape[0]):
        past.touched[c] = touches(candidates, past.flying, c)
        if past.touched[c]:
            for i in range(3):
                past.place[c, i] = candidates.normal[c, i]
                past.place[c, 3 + i] = candidates.lever[c, 0, i]
                past.place[c, 6 + i] = candidates.lever[c, 1, i]


@kernel
def displace(x, q, U, new):
    """`new = (x, q) o exp(U)`, `U` (B, 6) inertial."""
    turn = np.empty(4)
    for b in range(x.shape[0]):
        for i in range(3):
            new.x[b, i] = x[b, i] + U[b, i]
        if U[b, 3] != 0.0 or U[b, 4] != 0.0 or U[b, 5] != 0.0:
            exponential(U[b, 3:], turn)
            product(turn, q[b], new.q[b])
        else:
            for i in range(4):
                new.q[b, i] = q[b, i]


@inlined
def coasting(old, new, h):
    """The motion `new`, but where the bodies of `old` come in `h` without forces."""
    pose = Motion(new.x.copy(), new.q.copy(), new.v, new.w, new.dv, new.a)
    way = np.empty((new.x.shape[0], 6))
    for b in range(way.shape[0]):
        for i in range(3):
            way[b, i], way[b, 3 + i] = h * old.v[b, i], h * old.w[b, i]
    displace(old.x, old.q, way, pose)
    return pose


@inlined
def first_general(bodies):
    """The first body whose inertia has a direction; their number if no inertia has."""
    first = 0
    while first < bodies.mass.shape[0] and bodies.isotropic[first]:
        first += 1
    return first


@kernel
def conserve_spin(bodies, q, new):
    """Angular momentum of `v~` kept while the correction turns a body: `w = I^-1 I~ w~`."""
    first, count = first_general(bodies), bodies.mass.shape[0]
    if first == count:
        return
    workspace = np.empty((7, 3))
    tensor, inverse, momentum = workspace[:3], workspace[3:6], workspace[6]
    for b in range(first, count):
        if bodies.isotropic[b]:
            continue
        inertial_tensor(q[b], bodies.inertia[b], tensor)
        inertial_tensor(new.q[b], bodies.inverse_inertia[b], inverse)
        times(tensor, new.w[b], momentum)
        times(inverse, momentum, new.w[b])


@inlined
def loaded(past):
    """Candidates (K,) that touch and have carried a load in the last step."""
    count = 0
    known = np.zeros(past.touched.shape[0], np.bool_)
    for c in range(known.shape[0]):
        if past.touched[c]:
            for i in range(6):
                known[c] = known[c] or past.wrench[c, i] != 0.0
            count += known[c]
    return chosen(known, count)


@inlined
def forces_of(known, past, candidates, laws, bodies, inverse_inertia):
    """Rows, at the measured pose, of the candidates `known` (K,), and their forces (R,) in the last step."""
    rows = closed_rows(known, candidates, laws, bodies, inverse_inertia)
    force = np.empty(rows.G.shape[0])
    recall_turned(rows.contact, rows.row, rows.G, past, candidates, force)
    return rows, force


@inlined
def displace_by_friction(rows, force, h, bodies, U, increment, new):
    """Displace `new` by the friction among the `force` (R,) of `rows`, as a constant one does in `h`^2/2.

    Adds the displacement to `U` (B, 6), zero on entry, and to `increment` (B, 6).
    """
    friction = 0.5 * h * h * force
    for k in range(rows.contact.shape[0]):
        if rows.set_parent[rows.sets[k]] == HALF_LINE:
            friction[rows.row[k]] = 0.0
    scatter(rows, friction, U)
    x = new.x.copy()
    q = new.q.copy()
    displace(x, q, U, new)
    conserve_spin(bodies, q, new)
    for b in range(U.shape[0]):
        for i in range(6):
            increment[b, i] += U[b, i]


@kernel
def _forget_friction(joints, h):
    """Subtract the answer to friction in joints, just found over `h`, from their loads."""
    for r in range(joints.c.shape[0]):
        joints.c[r] *= 2.0 / (h * h)
        joints.answer[r] += joints.c[r]
    add_wrenches(joints, 1.0, joints.c, joints.answered)


@kernel
def displace_by_joint_friction(joints, elements, constants, h, now, U):
    """`displace_by_friction` by the friction in joints, with rows and inertia where the step began.

    Where it holds a mechanism at rest its force is that which balances the loads there. With those of
    `now.new`, where loads alone have moved the bodies, they would creep by O(h^4) in every step.
    """
    if joints is None:
        return
    candidates, bodies, old, new = now.candidates, constants.bodies, now.old, now.new
    rubbing = loaded_joint_friction(candidates, now.past)
    if rubbing.shape[0] > 0:
        measure(elements, old, candidates)
        rotate_inertias(bodies, old.q, now.inverse_inertia)
        measure_and_factorise(joints, old, bodies, now.inverse_inertia)
        rows, force = forces_of(rubbing, now.past, candidates, constants.laws, bodies, now.inverse_inertia)
        displace_by_friction(rows, force, h, bodies, U, now.increment, new)
        _forget_friction(joints, h)
        rotate_inertias(bodies, new.q, now.inverse_inertia)
        measure_and_factorise(joints, new, bodies, now.inverse_inertia)
    copy_into(joints.rubbed.reshape(-1), U.reshape(-1))


@inlined
def loaded_joint_friction(candidates, past):
    """Candidates (K,), friction in joints, that have had a force in the last step."""
    count = 0
    known = np.zeros(past.touched.shape[0], np.bool_)
    for c in range(known.shape[0]):
        if candidates.plane[c] <= FRICTION:
            for i in range(6):
                known[c] = known[c] or past.wrench[c, i] != 0.0
            count += known[c]
    return chosen(known, count)
