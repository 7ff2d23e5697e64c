"""One pass over compliant contacts without derivatives, block by block of candidates.

    geometry  ->  localise  ->  laws  ->  add_wrenches

The equations are those of compliant/frames.py. A block is small enough to stay in the first caches: what is
measured of a contact is used at once, and only what it remembers goes back to memory,

    n, t_1, p_A, history,    all zero for an open pair.

The memory has two halves. A pass reads the accepted one and writes the other; the step is accepted by
exchanging them.
"""

import math
from typing import NamedTuple

import numpy as np

from nsgalpha.arrays import Floats, Ints
from nsgalpha.compiled import entry, kernel
from nsgalpha.compliant.law import Contact, Response
from nsgalpha.explicit.triples import combined, cross, dot, plus, put, row
from nsgalpha.kinematics import tangents

BLOCK = 64  # candidates
FRAME = 9  # numbers of the memory before the history
ROWS = 1, 2, 6  # of a law


class Table(NamedTuple):
    """Candidates of all elements, element by element, and what their contacts remember."""

    a: Ints  # (C,)
    b: Ints  # (C,)
    plane: Ints  # (C,)
    start: Ints  # (G + 1,) offsets of the elements
    kind: Ints  # (G,) which geometry measures them
    reach: Floats  # (G,) gap up to which their laws act [m]
    memory: Floats  # (2, C, FRAME + k)
    now: Ints  # (1,) the accepted half


class Parts(NamedTuple):
    """The laws of the elements: laws of single senses, in the order in which they are called."""

    start: Ints  # (G + 1,) offsets of the elements
    law: Ints  # (P,) which kernel
    first: Ints  # (P,) first row
    rows: Ints  # (P,) 1, 2 or 6
    column: Ints  # (P,) first number of the history
    width: Ints  # (P,) numbers of the history
    parameters: Floats  # (P, p)


class Block(NamedTuple):
    """Room for M contacts: geometry, local kinematics, forces, and what a law of 1, 2, 6 rows sees."""

    gap: Floats  # (M,) of candidates, as all geometry
    normal: Floats  # (M, 3)
    lever: Floats  # (M, 2, 3)
    candidate: Ints  # (M,) of contacts, as all that follows
    E: Floats  # (M, 3, 3) rows n, t1, t2
    p: Floats  # (M, 2, 3)
    overlap: Floats  # (M,)
    rate: Floats  # (M, 6)
    increment: Floats  # (M, 6)
    radius: Floats  # (M,)
    mass: Floats  # (M,)
    force: Floats  # (M, 6)
    above: Floats  # (M,) normal force that friction laws see
    seen: tuple[tuple[Floats, ...], ...]  # rate, increment: (M, m) each, for every m of ROWS
    given: tuple[tuple[Floats, ...], ...]  # force, by_overlap, by_normal
    slopes: tuple[tuple[Floats, ...], ...]  # by_rate, by_increment (M, m, m)
    history: Floats  # (2, M k) before and after
    energy: Floats  # (M,)


def no_block(count: int, history: int) -> Block:
    """Room for `count` contacts with up to `history` numbers."""

    def each(*shape: int) -> tuple[Floats, ...]:
        return tuple(np.zeros((count, *(m for _ in shape))) for m in ROWS)

    def number(*shape: int) -> Floats:
        return np.zeros((count, *shape))

    return Block(
        number(),
        number(3),
        number(2, 3),
        np.zeros(count, np.int64),
        number(3, 3),
        number(2, 3),
        number(),
        number(6),
        number(6),
        number(),
        number(),
        number(6),
        number(),
        (each(1), each(1)),
        (each(1), each(1), each(1)),
        (each(1, 1), each(1, 1)),
        np.zeros((2, count * history)),
        number(),
    )


@kernel
def _turned(t, u, phi):
    """`t` turned by the angle `phi` to the unit vector `u` normal to it."""
    if abs(phi) < 0.02:  # series: the next terms are below rounding
        s = phi * phi
        cosine = 1.0 - s * (0.5 - s * (1.0 / 24.0 - s * (1.0 / 720.0 - s / 40320.0)))
        sine = phi * (1.0 - s * (1.0 / 6.0 - s * (1.0 / 120.0 - s / 5040.0)))
    else:
        cosine, sine = math.cos(phi), math.sin(phi)
    return combined(cosine, t, sine, u, 0.0, u)


@kernel
def _senses(E, c, w, out, factor):
    """`out += factor` times the six rates of the relative velocity `c` and spin `w` in the frame `E`."""
    n, t, u = E
    out[0] += factor * dot(n, c)
    out[1] += factor * dot(t, c)
    out[2] += factor * dot(u, c)
    out[3] += factor * dot(t, w)
    out[4] += factor * dot(u, w)
    out[5] += factor * dot(n, w)


@kernel
def _relative(va, wa, p, vb, wb, q):
    """Velocity `v_A + w_A x p - v_B - w_B x q` of A relative to B at the contact point."""
    return plus(plus(plus(va, 1.0, cross(wa, p)), -1.0, vb), -1.0, cross(wb, q))


@kernel
def _localise_one(c, i, k, table, bodies, motion, moved, turned, block):
    """Contact `k`: candidate `c`, measured in place `i`; its frame goes to the memory."""
    before, after = table.memory[table.now[0], c], table.memory[1 - table.now[0], c]
    a, b, gap = table.a[c], table.b[c], block.gap[i]
    n = row(block.normal, i)
    p = plus(row(block.lever[i], 0), -0.5 * gap, n)
    apart = plus(row(motion.x, a), -1.0, row(motion.x, b))
    q = plus(p, 1.0, apart)
    n0, t0, p0 = (
        (before[0], before[1], before[2]),
        (before[3], before[4], before[5]),
        (before[6], before[7], before[8]),
    )
    if dot(t0, t0) == 0.0:
        x, y, z, _, _, _ = tangents(n[0], n[1], n[2])
        n0, t0, p0 = n, (x, y, z), p
    sa, sb, ra, rb = row(moved, a), row(moved, b), row(turned, a), row(turned, b)
    q0 = plus(plus(p0, 1.0, apart), -1.0, plus(sa, -1.0, sb))
    both = plus(n0, 1.0, n)
    t = plus(t0, -dot(t0, n) / (1.0 + dot(n0, n)), both)
    t = _turned(t, cross(n, t), 0.25 * dot(both, plus(ra, 1.0, rb)))
    u = cross(n, t)
    put(n, block.E[k], 0)
    put(t, block.E[k], 1)
    put(u, block.E[k], 2)
    put(p, block.p[k], 0)
    put(q, block.p[k], 1)
    after[0], after[1], after[2] = n
    after[3], after[4], after[5] = t
    after[6], after[7], after[8] = p
    rate, increment = block.rate[k], block.increment[k]
    for j in range(6):
        rate[j] = 0.0
        increment[j] = 0.0
    wa, wb = row(motion.w, a), row(motion.w, b)
    _senses(
        (n, t, u), _relative(row(motion.v, a), wa, p, row(motion.v, b), wb, q), plus(wa, -1.0, wb), rate, 1.0
    )
    turn = plus(ra, -1.0, rb)
    _senses((n, t, u), _relative(sa, ra, p, sb, rb, q), turn, increment, 0.5)
    _senses((n0, t0, cross(n0, t0)), _relative(sa, ra, p0, sb, rb, q0), turn, increment, 0.5)
    block.candidate[k] = c
    block.overlap[k] = -gap
    block.radius[k] = bodies.radius[a]
    if table.plane[c] < 0:
        block.radius[k] = 1.0 / (1.0 / bodies.radius[a] + 1.0 / dot(n, row(block.lever[i], 1)))
    block.mass[k] = 1.0 / (bodies.inverse_mass[a] + bodies.inverse_mass[b])


@entry
def localise(first, last, reach, table, bodies, motion, moved, turned, block):
    """Local kinematics of the closed ones among the candidates `first` to `last` - 1.

    They are measured in `block`, with the displacements `moved` and rotation vectors `turned` (B, 3) of the
    step. Open ones are forgotten. Returns the number of contacts.
    """
    count = 0
    after = table.memory[1 - table.now[0]]
    for c in range(first, last):
        if block.gap[c - first] < reach:
            _localise_one(c, c - first, count, table, bodies, motion, moved, turned, block)
            count += 1
        else:
            for j in range(after.shape[1]):
                after[c, j] = 0.0
    return count


@entry
def add_wrenches(count, table, block, wrench):
    """Add the local forces of `count` contacts to the wrenches (B, 6) on the bodies, inertial."""
    for k in range(count):
        f, E = block.force[k], block.E[k]
        n, t, u = row(E, 0), row(E, 1), row(E, 2)
        F = combined(f[0], n, f[1], t, f[2], u)
        M = combined(f[5], n, f[3], t, f[4], u)
        for side in range(2):
            b = table.a[block.candidate[k]] if side == 0 else table.b[block.candidate[k]]
            T = plus(M, 1.0, cross(row(block.p[k], side), F))
            for i in range(3):
                wrench[b, i] += (1.0 - 2.0 * side) * F[i]
                wrench[b, 3 + i] += (1.0 - 2.0 * side) * T[i]


@kernel
def _call(laws, j, count, h, parts, table, block):
    """Law `j` on `count` contacts: its forces are added, its history goes to the memory."""
    m, first, width = parts.rows[j], parts.first[j], parts.width[j]
    s = 0 if m == 1 else 1 if m == 2 else 2
    rate, increment = block.seen[0][s][:count], block.seen[1][s][:count]
    force, energy = block.given[0][s][:count], block.energy[:count]
    known = block.history[0, : count * width].reshape((count, width))
    new = block.history[1, : count * width].reshape((count, width))
    here = FRAME + parts.column[j]
    before = table.memory[table.now[0]]
    for k in range(count):
        for i in range(m):
            rate[k, i] = block.rate[k, first + i]
            increment[k, i] = block.increment[k, first + i]
            force[k, i] = 0.0
        block.above[k] = 0.0 if first == 0 else block.force[k, 0]
        energy[k] = 0.0
        for i in range(width):
            known[k, i] = before[block.candidate[k], here + i]
            new[k, i] = 0.0
    contact = Contact(
        block.overlap[:count],
        rate,
        increment,
        block.above[:count],
        known,
        block.radius[:count],
        block.mass[:count],
        h,
    )
    # nobody reads the derivatives: they are not zero on entry
    response = Response(
        force,
        block.given[1][s][:count],
        block.given[2][s][:count],
        block.slopes[0][s][:count],
        block.slopes[1][s][:count],
        energy,
        new,
    )
    laws[parts.law[j]](contact, response, parts.parameters[j])
    after = table.memory[1 - table.now[0]]
    for k in range(count):
        for i in range(m):
            block.force[k, first + i] += force[k, i]
        for i in range(width):
            after[block.candidate[k], here + i] = new[k, i]


@entry
def evaluate(geometry, laws, table, parts, planes, bodies, motion, moved, turned, h, block, wrench):
    """Add the wrenches of all compliant contacts at the end of a step of `h` to `wrench` (B, 6).

    `geometry` and `laws` are tuples of compiled functions. Returns the number of contacts.
    """
    closed = 0
    size = block.gap.shape[0]
    for g in range(table.kind.shape[0]):
        for first in range(table.start[g], table.start[g + 1], size):
            last = min(first + size, table.start[g + 1])
            geometry[table.kind[g]](
                0,
                last - first,
                table.a[first:last],
                table.b[first:last],
                table.plane[first:last],
                planes.normal,
                planes.offset,
                bodies.radius,
                motion.x,
                motion.q,
                block.gap,
                block.normal,
                block.lever,
            )
            count = localise(first, last, table.reach[g], table, bodies, motion, moved, turned, block)
            if count == 0:
                continue
            for k in range(count):
                for i in range(6):
                    block.force[k, i] = 0.0
            for j in range(parts.start[g], parts.start[g + 1]):
                _call(laws, j, count, h, parts, table, block)
            add_wrenches(count, table, block, wrench)
            closed += count
    return closed
