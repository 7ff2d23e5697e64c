"""One pass over compliant contacts without derivatives, block by block of candidates.

    geometry  ->  localise  ->  laws  ->  add_wrenches

The equations are those of forces/contact_frames.py, with increments in the mean frame at the mean levers,

    (E_0 + E)/2 [ s_A - s_B + psi_A x (p_0 + p)/2 - psi_B x (q_0 + q)/2 ],

which differs from the mean of both by terms of third order in h. A block is small enough to stay in the first
caches: measurements of a contact are used at once, and only its history goes back,

    n, t_1, p_A, history,    all zero for an open pair.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from nsgalpha.arrays import (
    Bodies,
    Candidates,
    Flags,
    Floats,
    Ints,
    Motion,
    Planes,
    Scene,
    Section,
    ShapeTable,
)
from nsgalpha.contact.rows.contact_kinematics import tangents
from nsgalpha.forces.contact_frames import FLIPPED, POINTS
from nsgalpha.forces.law_parts import Parts, call_law
from nsgalpha.geometry.geometry_signature import GEOMETRY
from nsgalpha.geometry.nearest_images import (
    less_periods,
    nearest_image,
    periods_between,
    push_images,
    way_of,
)
from nsgalpha.geometry.vector_triples import combined, cross, dot, leg, mean, plus, row, store, three
from nsgalpha.jit.addresses import caller
from nsgalpha.jit.decorators import fused, inlined, kernel
from nsgalpha.model.compliant_law import Contact, Response

BLOCK = 256  # candidates
MANY = 5000  # bodies whose data, 200 bytes each, fit into a second cache
FRAME = 9  # numbers of the memory before the history
CENTRAL = 1e-20  # squared sine up to which a normal is along the line of the centres
INTEGERS = ("candidate", "pair", "a", "b")  # columns of a block

call_geometry = caller(GEOMETRY)


class PairTable(NamedTuple):
    """Candidates of all elements, element by element, and the histories of their contacts."""

    a: Ints  # (C,)
    b: Ints  # (C,)
    plane: Ints  # (C,)
    mass: Floats  # (C,) effective
    pair: Ints  # (C,) number of the two bodies
    feature: Ints  # (C,) which contact of the pair
    shapes: ShapeTable
    start: Ints  # (G + 1,) offsets of the elements
    geometry: Ints  # (G,) address of the function that measures them
    options: Floats  # (G, k) numbers that it takes
    reach: Floats  # (G,) gap up to which their laws act [m]
    holds: Ints  # (G,) column of the history that is > 0 where a pair is kept at any distance, or -1
    turning: Flags  # (G,) whether they act against rolling or twisting
    on: Floats  # (G, 2) parts of their forces that A and B feel, 1 or 0
    images: Flags  # (G,) whether they act between nearest images in the cell
    memory: Floats  # (C, FRAME + k)
    opened: Floats  # (G, k) sums of the histories of contacts that have opened
    opening: Ints = np.empty(0, np.int64)  # (1 + C,) number and candidates of those that open; (0,): they go


class LawRows(NamedTuple):
    """Workspace for the inputs and outputs of a law of m rows for M contacts."""

    rate: Floats  # (M, m)
    increment: Floats  # (M, m)
    force: Floats  # (M, m)
    by_overlap: Floats  # (M, m)
    by_normal: Floats  # (M, m)
    by_rate: Floats  # (M, m, m)
    by_increment: Floats  # (M, m, m)


class Block(NamedTuple):
    """Workspace for M contacts: geometry, local kinematics, forces, and the rows of the laws."""

    gap: Floats  # (M,) of candidates, as all geometry
    normal: Floats  # (M, 3)
    lever: Floats  # (M, 2, 3)
    length: Floats  # (M,)
    candidate: Ints  # (M,) of contacts, as all that follows
    overlap: Floats  # (M,)
    rate: Floats  # (M, 6)
    increment: Floats  # (M, 6)
    radius: Floats  # (M,)
    mass: Floats  # (M,)
    branch: Floats  # (M,)
    pair: Ints  # (M,)
    radius_a: Floats  # (M,)
    fraction: Floats  # (M,)
    area: Floats  # (M,)
    a: Ints  # (M,)
    b: Ints  # (M,)
    crossing: Floats  # (M,) 0, spheres have no axes
    mean_square: Floats  # (M,) 1
    force: Floats  # (M, 6)
    above: Floats  # (M,) normal force that friction laws see
    one: LawRows  # inputs and outputs of laws of 1, 2, 6 rows
    two: LawRows
    six: LawRows
    history: Floats  # (2, M k) before and after
    energy: Floats  # (M,)


class ForceArrays(NamedTuple):
    """Compliant contacts of a run and their bodies: inputs of an evaluation but the motion."""

    table: PairTable
    parts: Parts
    planes: Planes
    bodies: Bodies
    block: Block


class Moving(NamedTuple):
    """The bodies and frames at the end of a step, and how they came there."""

    motion: Motion
    increment: Floats  # (B, 6) displacements and rotation vectors of the step


def no_block(count: int, history: int) -> Block:
    """Workspace for `count` contacts with up to `history` numbers."""

    def workspace(*shape: int, dtype: type = float) -> Any:
        return np.zeros((count, *shape), dtype)

    columns = {name: workspace(dtype=np.int64 if name in INTEGERS else float) for name in Block._fields}
    columns |= {"normal": workspace(3), "lever": workspace(2, 3)}
    columns |= {name: workspace(6) for name in ("rate", "increment", "force")}
    for name, m in (("one", 1), ("two", 2), ("six", 6)):
        columns[name] = LawRows(*(workspace(m) for _ in range(5)), *(workspace(m, m) for _ in range(2)))
    return Block(**columns | {"history": np.zeros((2, count * history))})


@fused
def _turned(t, u, phi):
    """`t` turned by the angle `phi` to the unit vector `u` normal to it."""
    if abs(phi) < 0.02:  # series: the next terms are below rounding
        s = phi * phi
        cosine = 1.0 - s * (0.5 - s * (1.0 / 24.0 - s * (1.0 / 720.0 - s / 40320.0)))
        sine = phi * (1.0 - s * (1.0 / 6.0 - s * (1.0 / 120.0 - s / 5040.0)))
    else:
        cosine, sine = math.cos(phi), math.sin(phi)
    return combined(cosine, t, sine, u, 0.0, u)


@fused
def _along(a, b, c, vector):
    """The components of `vector` along three axes."""
    return dot(a, vector), dot(b, vector), dot(c, vector)


@fused
def _relative(va, wa, p, vb, wb, q):
    """Velocity `v_A + w_A x p - v_B - w_B x q` of A relative to B at the contact point."""
    return plus(plus(plus(va, 1.0, cross(wa, p)), -1.0, vb), -1.0, cross(wb, q))


@fused
def _before(n, apart, before, turned, plane):
    """The normal at the start of a step that ends with `n`.

    Along the line of the centres it turns with it, from `before` to `apart`; else, as that of a `plane`, with
    B, whose rotation vector is `turned`.
    """
    off, c = cross(n, apart), dot(n, apart)
    if not plane and dot(off, off) < CENTRAL * dot(apart, apart) and c * dot(n, before) > 0.0:
        if before[0] == apart[0] and before[1] == apart[1] and before[2] == apart[2]:
            return n
        s = math.copysign(1.0 / math.sqrt(dot(before, before)), c)
        return s * before[0], s * before[1], s * before[2]
    w = math.sqrt(dot(turned, turned))
    if w == 0.0:
        return n
    e = turned[0] / w, turned[1] / w, turned[2] / w
    return combined(math.cos(w), n, -math.sin(w), cross(e, n), (1.0 - math.cos(w)) * dot(e, n), e)


@inlined
def _localise_one(c, i, k, g, table, bodies, moving, block):
    """Contact `k`: candidate `c`, measured in place `i`; its frame goes to the memory.

    A new contact had its normal and point at the start of the step, as `_before` has them.
    """
    motion, increment = moving
    turning, images = table.turning[g], table.images[g]
    block.candidate[k] = c
    # no index is negative: unsigned ones spare the question
    c, i, k, a, b = np.uintp(c), np.uintp(i), np.uintp(k), np.uintp(table.a[c]), np.uintp(table.b[c])
    gap = block.gap[i]
    n = row(block.normal, i)
    p = plus(leg(block.lever, i, 0), -0.5 * gap, n)
    apart = plus(row(motion.x, a), -1.0, row(motion.x, b))
    sa, sb, va, vb = row(increment, a), row(increment, b), row(motion.v, a), row(motion.v, b)
    if images:
        if bodies.cell.shape[0] > 2:
            periods = periods_between(apart, bodies.cell, motion.x)
            apart = less_periods(apart, periods, motion.x)
            sb, vb = plus(sb, 1.0, way_of(periods, increment)), plus(vb, 1.0, way_of(periods, motion.v))
        else:
            apart = nearest_image(apart, bodies.cell, motion.x)
    q = plus(p, 1.0, apart)
    memory = table.memory
    ra, rb = three(increment, a, 3), three(increment, b, 3)
    before = plus(apart, -1.0, plus(sa, -1.0, sb))
    n0, t0, p0 = row(memory, c), three(memory, c, 3), three(memory, c, 6)
    if dot(t0, t0) == 0.0:
        n0 = _before(n, apart, before, rb, table.plane[c] >= 0)
        x, y, z, _, _, _ = tangents(n0[0], n0[1], n0[2])
        along, opened = dot(p, n), dot(n0, before) - dot(n, apart)  # p_0 was in the middle of the gap there
        t0, p0 = (x, y, z), plus(p, -1.0, combined(along, n, 0.5 * opened - along, n0, 0.0, n0))
    q0 = plus(p0, 1.0, before)
    both = plus(n0, 1.0, n)
    turned = 1.0 + dot(n0, n)
    if turned > FLIPPED:
        t = plus(t0, -dot(t0, n) / turned, both)
    else:
        x, y, z, _, _, _ = tangents(n[0], n[1], n[2])
        t = (x, y, z)
    t = _turned(t, cross(n, t), 0.25 * dot(both, plus(ra, 1.0, rb)))
    u = cross(n, t)
    wa, wb = row(motion.w, a), row(motion.w, b)
    n1, t1, u1 = mean(n0, n), mean(t0, t), mean(cross(n0, t0), u)
    store(_along(n, t, u, _relative(va, wa, p, vb, wb, q)), block.rate, k, 0)
    store(_along(n1, t1, u1, _relative(sa, ra, mean(p0, p), sb, rb, mean(q0, q))), block.increment, k, 0)
    if turning:
        store(_along(t, u, n, plus(wa, -1.0, wb)), block.rate, k, 3)
        store(_along(t1, u1, n1, plus(ra, -1.0, rb)), block.increment, k, 3)
    store(n, memory, c, 0)
    store(t, memory, c, 3)
    store(p, memory, c, 6)
    block.overlap[k] = -gap
    surface = leg(block.lever, i, 0)
    radius = bodies.radius[a] if dot(surface, surface) > 0.0 and table.plane[c] != POINTS else 0.0
    block.radius[k] = block.branch[k] = block.radius_a[k] = radius
    if table.plane[c] < 0 and radius > 0.0:
        curvature = dot(n, leg(block.lever, i, 1))
        block.branch[k] = abs(radius + curvature)
        block.radius[k] = radius * curvature / (radius + curvature)
    block.mass[k], block.pair[k], block.fraction[k] = table.mass[c], table.pair[c], 1.0
    block.mean_square[k] = 1.0
    block.area[k] = math.pi * block.radius[k] * max(-gap, 0.0)
    block.a[k], block.b[k] = table.a[c], table.b[c]


@inlined
def is_remembered(memory, c):
    """True if candidate `c` was a contact when it was measured last, by its tangent."""
    return memory[c, 3] != 0.0 or memory[c, 4] != 0.0 or memory[c, 5] != 0.0


@kernel
def forget(g, c, memory, opened):
    """The open candidate `c` of element `g` has no `memory` any more; its history is added to `opened`."""
    for j in range(memory.shape[1]):
        if j >= FRAME:
            opened[g, j - FRAME] += memory[c, j]
        memory[c, j] = 0.0


@kernel
def localise(g, first, last, table, bodies, moving, block):
    """Local kinematics of the closed ones among the candidates `first` to `last` - 1 of element `g`.

    They are measured in `block`, at the end of the step. Open ones are forgotten, or listed for that. Returns
    the number of contacts.
    """
    count, reach, holds = 0, table.reach[g], table.holds[g]
    memory = table.memory
    for c in range(first, last):
        if block.gap[c - first] < reach or (holds >= 0 and memory[c, FRAME + holds] > 0.0):
            _localise_one(c, c - first, count, g, table, bodies, moving, block)
            count += 1
        elif is_remembered(memory, c):
            if table.opening.shape[0] == 0:
                forget(g, c, memory, table.opened)
            else:
                table.opening[0] += 1
                table.opening[table.opening[0]] = c
    return count


@inlined
def _fetch(first, last, reach, table, moving, wrench, block):
    """Read the bodies of the closed candidates into the caches.

    No read waits for another one here, so that many are under way at a time. In `localise` each contact would
    wait for its own. Both ends of a row are read, as it may be in two lines of a cache.
    """
    motion, increment = moving
    total = 0.0
    for c in range(first, last):
        if block.gap[c - first] < reach:
            for body in (table.a[c], table.b[c]):
                b = np.uintp(body)
                total += motion.v[b, 0] + motion.v[b, 2] + motion.w[b, 0] + motion.w[b, 2]
                total += increment[b, 0] + increment[b, 5] + wrench[b, 0] + wrench[b, 5]
    block.energy[0] = total  # laws begin with zero; without a use of the sum nothing would be read


@inlined
def add_wrenches(g, count, table, motion, block, cell, wrench):
    """Add the local forces of `count` contacts of element `g` to the wrenches (B, 6) on the bodies."""
    turning, on_a, on_b, images = table.turning[g], table.on[g, 0], table.on[g, 1], table.images[g]
    for k in range(count):
        c = np.uintp(block.candidate[k])
        a, b = np.uintp(table.a[c]), np.uintp(table.b[c])
        n, t, p = row(table.memory, c), three(table.memory, c, 3), three(table.memory, c, 6)
        u = cross(n, t)
        q = plus(plus(p, 1.0, row(motion.x, a)), -1.0, row(motion.x, b))
        F = combined(block.force[k, 0], n, block.force[k, 1], t, block.force[k, 2], u)
        if images:
            d = plus(row(motion.x, a), -1.0, row(motion.x, b))
            if cell.shape[0] > 2:
                periods = periods_between(d, cell, motion.x)
                d = less_periods(d, periods, motion.x)
                push_images(periods, -on_b, F, wrench)
            else:
                d = nearest_image(d, cell, motion.x)
            q = plus(p, 1.0, d)
        TA, TB = cross(p, F), cross(q, F)
        if turning:
            M = combined(block.force[k, 5], n, block.force[k, 3], t, block.force[k, 4], u)
            TA, TB = plus(TA, 1.0, M), plus(TB, 1.0, M)
        for i in range(3):
            wrench[a, i] += on_a * F[i]
            wrench[a, 3 + i] += on_a * TA[i]
            wrench[b, i] -= on_b * F[i]
            wrench[b, 3 + i] -= on_b * TB[i]


@inlined
def _call(j, count, h, parts, table, block):
    """Law `j` on `count` contacts: its forces are added, its history goes to the memory."""
    m, first, width = parts.rows[j], parts.first[j], parts.width[j]
    rows = block.one if m == 1 else block.two if m == 2 else block.six
    rate, increment, force, energy = rows.rate, rows.increment, rows.force, block.energy
    known = block.history[0, : count * width].reshape((count, width))
    new = block.history[1, : count * width].reshape((count, width))
    here = FRAME + parts.column[j]
    for i in range(m):
        for k in range(count):
            rate[k, i] = block.rate[k, first + i]
            increment[k, i] = block.increment[k, first + i]
            force[k, i] = 0.0
    for i in range(width):
        for k in range(count):
            known[k, i] = table.memory[block.candidate[k], here + i]
            new[k, i] = 0.0
    for k in range(count):
        block.above[k] = 0.0 if first == 0 else block.force[k, 0]
        energy[k] = 0.0
    n = count
    moved = block.overlap[:n], rate[:n], increment[:n], block.above[:n], known
    sides = block.radius[:n], block.mass[:n], h, block.branch[:n], block.pair[:n], block.radius_a[:n]
    rest = block.fraction[:n], block.area[:n], block.a[:n], block.b[:n], block.crossing[:n]
    contact = Contact(*moved, *sides, *rest, block.mean_square[:n])
    # nobody reads the derivatives: they are not zero on entry
    by_place, by_motion = (rows.by_overlap[:n], rows.by_normal[:n]), (rows.by_rate[:n], rows.by_increment[:n])
    response = Response(force[:n], *by_place, *by_motion, energy[:n], new)
    call_law(parts.law[j], (contact, response, parts.parameters[j]))
    if parts.resets[j]:
        block.force[:count] = 0.0
    for i in range(m):
        for k in range(count):
            block.force[k, first + i] += force[k, i]
    for i in range(width):
        for k in range(count):
            table.memory[block.candidate[k], here + i] = new[k, i]


@kernel
def evaluate(forces, moving, h, wrench):
    """Add the wrenches of all compliant contacts at the end of a step of `h` [s] to `wrench` (B, 6).

    Returns the number of contacts.
    """
    table, parts, bodies, block = forces.table, forces.parts, forces.bodies, forces.block
    motion = moving.motion
    closed = 0
    size = block.gap.shape[0]
    none = motion.x[:0]
    section = Section(none, none, none, none)
    for g in range(table.geometry.shape[0]):
        for first in range(table.start[g], table.start[g + 1], size):
            last = min(first + size, table.start[g + 1])
            feature = table.feature[first:last]  # also in the place of the law, which is that of the element
            sides = table.a[first:last], table.b[first:last], table.plane[first:last], feature, feature
            found = block.gap, block.normal, block.lever, block.length, block.length, none, block.length
            candidates = Candidates(*sides, *found, block.normal)
            scene = Scene(table.shapes, forces.planes, table.options[g], motion.x, motion.q, bodies.cell)
            call_geometry(table.geometry[g], (0, last - first, candidates, section, scene))
            if motion.x.shape[0] > MANY:
                _fetch(first, last, table.reach[g], table, moving, wrench, block)
            count = localise(g, first, last, table, bodies, moving, block)
            if count == 0:
                continue
            for k in range(count):
                for i in range(6):
                    block.force[k, i] = 0.0
            for j in range(parts.start[g], parts.start[g + 1]):
                _call(j, count, h, parts, table, block)
            add_wrenches(g, count, table, motion, block, bodies.cell, wrench)
            closed += count
    return closed
