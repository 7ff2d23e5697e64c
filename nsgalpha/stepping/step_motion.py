"""Step limits, prescribed motion, and acceptance of the new state."""

import math

import numpy as np

from nsgalpha.geometry.nearest_images import image_way, less_periods, nearest_image, periods_between, way_of
from nsgalpha.geometry.vector_triples import dot, plus, row
from nsgalpha.jit.decorators import fused, inlined, kernel
from nsgalpha.stepping.record_kernels import copy_body

MOST_LONGER = 20.0  # ratio of a step to the one before, up to which accelerations follow


@kernel
def follow_step(motion, h, size):
    """Let the accelerations `a` of the scheme follow a step of `h`; `size` (1,) is that of the last.

    `a` is `dv` at another time, later by a part of the step, so that `a - dv` grows with it. Beyond
    MOST_LONGER rounding would, too, and `a` begins with `dv`.
    """
    if h == size[0]:
        return
    ratio = h / size[0]
    if ratio > MOST_LONGER:
        ratio = 0.0
    for b in range(motion.a.shape[0]):
        for i in range(6):
            motion.a[b, i] = motion.dv[b, i] + ratio * (motion.a[b, i] - motion.dv[b, i])
    size[0] = h


@kernel
def accept(new, old):
    """Commit the step: `old <- new`."""
    for b in range(new.x.shape[0]):
        copy_body(new, b, old.x[b], old.q[b], old.v[b], old.w[b], old.dv[b], old.a[b])


@fused
def _strain_since(x, images):
    """Stretches and shear of the cell since its `images` were listed, which end `x` now.

    The motion of the cell gives a place y the way y_i stretch_i + y_g shear_i; g is the axis of the gradient.
    """
    g, k = int(images[3, 0]), x.shape[0] - 3
    one = _stretch(x, images, k, 0), _stretch(x, images, k, 1), _stretch(x, images, k, 2)
    height = images[g, g]
    askew = 1.0 / height if height > 0.0 else 0.0
    off = (
        askew * (x[k + g, 0] - images[g, 0] - images[g, 0] * one[0]) if g != 0 else 0.0,
        askew * (x[k + g, 1] - images[g, 1] - images[g, 1] * one[1]) if g != 1 else 0.0,
        askew * (x[k + g, 2] - images[g, 2] - images[g, 2] * one[2]) if g != 2 else 0.0,
    )
    return one, off


@fused
def _stretch(x, images, k, i):
    """Relative change of the period along the axis `i`; 0 without one."""
    return (x[k + i, i] - images[i, i]) / images[i, i] if images[i, i] > 0.0 else 0.0


@inlined
def _square_of_way(x, anchor, images, b):
    """Square of the way of body `b` from its `anchor`, about the strain of the `images`."""
    moved = 0.0
    if images.shape[0] == 0:
        for i in range(3):
            moved += (x[b, i] - anchor[b, i]) ** 2
    else:
        one, off = _strain_since(x, images)
        g = int(images[3, 0])
        for i in range(3):
            moved += (x[b, i] - anchor[b, i] - anchor[b, i] * one[i] - anchor[b, g] * off[i]) ** 2
    return moved


@inlined
def _has_left(x, anchor, images, reach, b):
    """True if body `b` has left its `anchor` by half of the `reach`, about the strain of the `images`."""
    return not _square_of_way(x, anchor, images, b) <= 0.25 * reach * reach


@kernel
def reach_left(x, images, reach):
    """The `reach` [m] of a list less the strain of distances since then; `x` ends with images.

    A strain changes the difference d of two centres by at most its norm times d. Pairs that are just not
    listed are at most `images[3, 1]` apart.
    """
    if images.shape[0] == 0 or reach == math.inf:
        return reach
    one, off = _strain_since(x, images)
    return max(reach - math.sqrt(dot(one, one) + dot(off, off)) * images[3, 1], 0.0)


@kernel
def reached(x, anchor, images, reach):
    """True if a body has left its `anchor` so far that candidates may be missing.

    Rotations move no surface: pairs are listed by spheres around the centres.
    `x` has more rows than `anchor` where drives move frames that are in no place.
    """
    left = reach_left(x, images, reach)
    for b in range(anchor.shape[0]):  # noqa: SIM110
        if _has_left(x, anchor, images, left, b):
            return True
    return False


@kernel
def outdated(motion, listing):
    """True if points have moved so far since a `listing` that candidates may be missing.

    Where a body has turned by an angle, a point at the lever r has moved by up to |dx| + 2 r |sin(angle/2)|.
    With p and q before and after the sine is |q - p| |q + p| / 2.
    """
    x, q = listing.x, listing.q
    reach = reach_left(motion.x, listing.images, listing.reach)
    for b in range(x.shape[0]):
        if listing.lever[b] == 0.0:
            if _has_left(motion.x, x, listing.images, reach, b):
                return True
            continue
        moved = _square_of_way(motion.x, x, listing.images, b)
        less = more = 0.0
        for i in range(4):
            less += (motion.q[b, i] - q[b, i]) ** 2
            more += (motion.q[b, i] + q[b, i]) ** 2
        if not math.sqrt(moved) + listing.lever[b] * math.sqrt(less * more) <= 0.5 * reach:
            return True
    return False


@kernel
def any_reached(bodies, x, anchor, images, reach):
    """True if one of these `bodies` has left its `anchor` so far."""
    left = reach_left(x, images, reach)
    for b in bodies:  # noqa: SIM110
        if _has_left(x, anchor, images, left, np.uintp(b)):
            return True
    return False


@kernel
def _swept(candidates, bodies, c, side, b, old, new):
    """Path [m] of the contact point `c` along the normal by body `b`'s rotation.

    Nothing turns the surface of a sphere along its normal.
    """
    if not bodies.extent[b] > bodies.radius[b]:
        return 0.0
    n, r, p, q = candidates.normal[c], candidates.lever[c, side], old.q[b], new.q[b]
    swept = 0.0
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        half = p[0] * q[1 + i] - q[0] * p[1 + i] - q[1 + j] * p[1 + k] + q[1 + k] * p[1 + j]  # of q p^-1
        swept += 2.0 * half * (r[j] * n[k] - r[k] * n[j])
    return abs(swept)


@kernel
def _meets_moving_image(d, way, reach, cell, old, new):
    """`_meets_image` of bodies that are `d` apart, and whose difference has a `way`, in a cell that moves."""
    n, last = periods_between(d, cell, old.x), new.x.shape[0] - 3
    for i in range(-1, 2):
        for j in range(-1, 2):
            for k in range(-1, 2):
                m = n[0] + i, n[1] + j, n[2] + k
                at = less_periods(d, m, old.x)
                moved = plus(plus(way, -1.0, way_of(m, new.x)), 1.0, way_of(m, old.x))
                length = dot(moved, moved)
                for axis in range(3):
                    if cell[0, axis] > 0.0 and not abs(moved[axis]) < 0.5 * new.x[last + axis, axis]:
                        return True
                part_of = min(max(-dot(moved, at) / length, 0.0), 1.0) if length > 0.0 else 0.0
                nearest = plus(at, part_of, moved)
                if dot(nearest, nearest) < reach * reach:
                    return True
    return False


@kernel
def _meets_image(a, b, bodies, old, new):
    """True if body `a` meets an image of `b`, or moves half a period."""
    cell = bodies.cell
    d = plus(row(old.x, a), -1.0, row(old.x, b))
    way = plus(plus(row(new.x, a), -1.0, row(new.x, b)), -1.0, d)
    if cell.shape[0] > 2:
        return _meets_moving_image(d, way, bodies.extent[a] + bodies.extent[b], cell, old, new)
    d = nearest_image(d, cell, old.x)
    for i in range(3):
        if cell[0, i] > 0.0 and not abs(way[i]) < 0.5 * cell[0, i]:
            return True
    length, limit = dot(way, way), (bodies.extent[a] + bodies.extent[b]) ** 2
    for i in range(-1, 2):
        for j in range(-1, 2):
            for k in range(-1, 2):
                at = d[0] + i * cell[0, 0], d[1] + j * cell[0, 1], d[2] + k * cell[0, 2]
                part_of = min(max(-dot(way, at) / length, 0.0), 1.0) if length > 0.0 else 0.0
                nearest = plus(at, part_of, way)
                if dot(nearest, nearest) < limit:
                    return True
    return False


@kernel
def too_fast(candidates, bodies, old, new):
    """1 + number of a body whose path onto another exceeds the thinner one.

    0 if there is none. Such a body may be past the other at the end of the step, and the impact missed.
    Bodies meet as the spheres that hold them; the thinner one is the length of the contact or B's radius.
    Rotations add their effect on the points that were nearest when contacts were measured last.
    """
    for c in range(candidates.a.shape[0]):
        if candidates.plane[c] != -1:
            continue
        a, b = candidates.a[c], candidates.b[c]
        length = along = far_a = far_b = 0.0
        way = plus(image_way(candidates.image, c, new.x), -1.0, image_way(candidates.image, c, old.x))
        for i in range(3):
            da, db = new.x[a, i] - old.x[a, i], new.x[b, i] - old.x[b, i] + way[i]
            length += (da - db) ** 2
            along -= (da - db) * (old.x[a, i] - old.x[b, i])
            far_a += da * da
            far_b += db * db
        thin = candidates.length[c]
        if bodies.radius[b] > 0.0:
            thin = min(thin, bodies.radius[b])
        swept = _swept(candidates, bodies, c, 0, a, old, new) + _swept(candidates, bodies, c, 1, b, old, new)
        if math.sqrt(length) + swept <= thin:
            continue
        if bodies.cell.shape[0] > 0:
            if _meets_image(a, b, bodies, old, new):
                return 1 + (a if far_a >= far_b else b)
            continue
        nearest, part_of = 0.0, min(max(along / length, 0.0), 1.0) if length > 0.0 else 0.0
        for i in range(3):
            da, db = new.x[a, i] - old.x[a, i], new.x[b, i] - old.x[b, i]
            nearest += (old.x[a, i] - old.x[b, i] + part_of * (da - db)) ** 2
        if nearest < (bodies.extent[a] + bodies.extent[b]) ** 2:
            return 1 + (a if far_a >= far_b else b)
    return 0


@kernel
def penetration(candidates):
    """Largest overlap of a candidate over its length."""
    depth = 0.0
    for c in range(candidates.gap.shape[0]):
        depth = max(depth, -candidates.gap[c] / candidates.length[c])
    return depth


@kernel
def finite(motion):
    """True if positions, rotations, velocities and accelerations of all bodies and frames are finite."""
    x = v = q = a = 0.0  # sums that do not wait for each other
    for b in range(motion.x.shape[0]):
        for i in range(3):
            x += 0.0 * (motion.x[b, i] + motion.dv[b, i])
            v += 0.0 * (motion.v[b, i] + motion.w[b, i])
            q += 0.0 * (motion.q[b, i] + motion.dv[b, 3 + i])
            a += 0.0 * (motion.a[b, i] + motion.a[b, 3 + i])
        q += 0.0 * motion.q[b, 3]
    return x + v + q + a == 0.0


@kernel
def place_frames(frames, count, h, old, new, increment):
    """Write the prescribed poses into rows `count:` of the motion arrays, their motion to `increment`."""
    for k in range(frames.shape[0]):
        b = count + k
        for i in range(3):
            new.x[b, i] = frames[k, i]
            new.v[b, i] = frames[k, 7 + i]
            new.w[b, i] = frames[k, 10 + i]
            increment[b, i] = new.x[b, i] - old.x[b, i]
            increment[b, 3 + i] = 0.5 * h * (old.w[b, i] + new.w[b, i])
        for i in range(4):
            new.q[b, i] = frames[k, 3 + i]


@kernel
def move_frames(frames, count, h, motion, increment):
    """Write the prescribed poses `frames` (F, 13) into rows `count:` of the motion arrays."""
    for k in range(frames.shape[0]):
        b = count + k
        for i in range(3):
            increment[b, i] = frames[k, i] - motion.x[b, i]
            increment[b, 3 + i] = 0.5 * h * (motion.w[b, i] + frames[k, 10 + i])
            motion.x[b, i] = frames[k, i]
            motion.v[b, i] = frames[k, 7 + i]
            motion.w[b, i] = frames[k, 10 + i]
        for i in range(4):
            motion.q[b, i] = frames[k, 3 + i]
