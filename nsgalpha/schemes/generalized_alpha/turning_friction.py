"""Friction whose direction turns opposes the mean rates of the step.

    -Lambda_T in the ball of radius mu Lambda_N  against  u_{n+1} + u_n = G V_{n+1} - c,    c = -u_n

`u_n` is the rate of sliding, or of rolling, at the start of the step, rotated with the normal. The direction
is that of the middle of the step, to second order. The impulse is in its cone, and its work over the step,
Lambda_T (u_n + u_{n+1}) / 2 = -mu Lambda_N |u_n + u_{n+1}| / 2, takes energy.

The law against u_{n+1} alone, c = 0, is taken where the rate is not resolved. Its own friction would then
stop it within the step, or the last forces would turn it by more than a right angle. Sliding that ends within
a step sticks at its end. Where the direction is constant both laws have one solution. A single contact of
balls, whose solution shows this before, keeps c = 0.
"""

import math

import numpy as np

from nsgalpha.constraints.jointed_response import has_joints
from nsgalpha.contact.rows.contact_kinematics import scatter
from nsgalpha.contact.rows.running_surfaces import surface_velocity
from nsgalpha.jit.decorators import inlined, kernel
from nsgalpha.stepping.warm_start import along_row, first_column, rotated

STRAIGHT = 1e-9  # sine of a turn that counts as none, and friction over the rate that does


@inlined
def rates_before(rows, k, now):
    """Rates of contact `k` at the start of the step: sliding [m/s], rotation [rad/s], six numbers.

    They have rotated with its normal since, as its force does.
    """
    c, a, b, old = rows.contact[k], rows.body[k, 0], rows.body[k, 1], now.old
    place, x = now.past.place[c], surface_velocity(rows.owner, rows.surface, rows.law[k], old.q, a, b)
    va, wa, vb, wb, p, q = old.v[a], old.w[a], old.v[b], old.w[b], place[3:6], place[6:9]
    rates = (
        va[0] + wa[1] * p[2] - wa[2] * p[1] - vb[0] - wb[1] * q[2] + wb[2] * q[1] - x[0],
        va[1] + wa[2] * p[0] - wa[0] * p[2] - vb[1] - wb[2] * q[0] + wb[0] * q[2] - x[1],
        va[2] + wa[0] * p[1] - wa[1] * p[0] - vb[2] - wb[0] * q[1] + wb[1] * q[0] - x[2],
        wa[0] - wb[0],
        wa[1] - wb[1],
        wa[2] - wb[2],
    )
    return rotated(now.past, now.candidates, c, rates)


@inlined
def _struck(rows, i, together, impact):
    """True if island `i` has impacts in the step, also those `together` with its loads."""
    struck = together[i]
    for r in range(rows.row[rows.island[i]], rows.row[rows.island[i + 1]]):
        struck = struck or impact[r] != 0.0
    return struck


@inlined
def _response(G, MG, r):
    """Rate of row `r` by a unit multiplier; of a force without its rotation."""
    first, response = first_column(G, r), 0.0
    for i in range(first, first + 3):
        response += G[r, 0, i] * MG[r, 0, i] + G[r, 1, i] * MG[r, 1, i]
    return response


@inlined
def _differ(x, y, p, q):
    """True if the directions of (x, y) and (p, q) differ."""
    return (x * q - y * p) ** 2 > STRAIGHT * STRAIGHT * (x * x + y * y) * (p * p + q * q)


@inlined
def _is_round(bodies, b):
    """True if body `b` is a ball, or does not move."""
    return bodies.inverse_mass[b] == 0.0 or (bodies.isotropic[b] and bodies.radius[b] > 0.0)


@inlined
def _goes_on(rows, k, s, after, load, x, y):
    """True if the single contact `k` of balls keeps the direction of rates.

    These are (x, y), of its set `s`. Sliding acts on rolling at right angles, and rolling on sliding.
    """
    r = rows.set_row[s]
    response, most = _response(rows.G, rows.MG, r), STRAIGHT * (x * x + y * y)
    straight = not _differ(x, y, after[r], after[r + 1])
    for t in range(rows.sets[k] + 1, rows.sets[k + 1]):
        j = rows.set_row[t]
        if t == s:
            straight = straight and abs(x * load[j + 1] - y * load[j]) * response <= most
        elif rows.set_size[t] == 2:
            between = math.sqrt(response * _response(rows.G, rows.MG, j))
            straight = straight and abs(x * load[j] + y * load[j + 1]) * between <= most
    return straight


@inlined
def _keep_turning(rows, after, target, V):
    """Set the `target` (R,) to zero where rates turn too far; True if any is left.

    That is by a right angle or more. The rates to which the forces of the last step lead are `after` (R,)
    with those of `V` (B, 6).
    """
    found = False
    for k in range(rows.contact.shape[0]):
        for s in range(rows.sets[k] + 1, rows.sets[k + 1]):
            r = rows.set_row[s]
            if rows.set_size[s] != 2 or (target[r] == 0.0 and target[r + 1] == 0.0):
                continue
            p, q = after[r], after[r + 1]
            for side in range(2):
                for i in range(6):
                    v = V[rows.body[k, side], i]
                    p += rows.G[r, side, i] * v
                    q += rows.G[r + 1, side, i] * v
            x, y = -target[r], -target[r + 1]
            if x * p + y * q > 0.0:
                found = True
            else:
                target[r] = target[r + 1] = 0.0
    return found


@kernel
def turn_friction(rows, bodies, now, rates, together, impulses):
    """Put the targets `c` of friction that may turn into `impulses.rebound`; True if there is any.

    `impulses.load` is that of the last step. Islands with impacts, solved `together` (I,) with loads or not,
    have none: their rates jump.
    """
    load, target, found = impulses.load, impulses.rebound, False
    for i in range(rows.island.shape[0] - 1):
        first, last = rows.island[i], rows.island[i + 1]
        if _struck(rows, i, together, impulses.impact):
            continue
        alone = last == first + 1 and not has_joints(rows.joints)
        alone = alone and _is_round(bodies, rows.body[first, 0]) and _is_round(bodies, rows.body[first, 1])
        for k in range(first, last):
            c = rows.contact[k]
            if rows.sets[k + 1] == rows.sets[k] + 1 or not now.past.touched[c]:
                continue
            before = rates_before(rows, k, now)
            for s in range(rows.sets[k] + 1, rows.sets[k + 1]):
                r = rows.set_row[s]
                if rows.set_size[s] != 2:
                    continue
                x, y = along_row(rows.G, r, before), along_row(rows.G, r + 1, before)
                size, force = x * x + y * y, load[r] ** 2 + load[r + 1] ** 2
                if not STRAIGHT * STRAIGHT * size < _response(rows.G, rows.MG, r) ** 2 * force <= size:
                    continue
                if not (alone and _goes_on(rows, k, s, rates.after, load, x, y)):
                    target[r], target[r + 1] = -x, -y
                    found = True
    if not found:
        return False
    V = np.zeros((now.new.v.shape[0], 6))
    scatter(rows, load, V)
    return _keep_turning(rows, rates.after, target, V)
