"""The motion over a step: how far it may go, what moves as told, and what is committed."""

from nsgalpha.compiled import uncounted
from nsgalpha.stepping.record import copy_body


@uncounted
def accept(new, old):
    """Commit the step: `old <- new`."""
    for b in range(new.x.shape[0]):
        copy_body(new, b, old.x[b], old.q[b], old.v[b], old.w[b], old.dv[b], old.a[b])


@uncounted
def reached(x, anchor, reach):
    """True if a body has moved from `anchor` so far that the candidates of that reach may miss a pair.

    Pairs are listed by spheres around the centres, which hold whatever turns with the bodies.
    """
    limit = 0.25 * reach * reach
    for b in range(x.shape[0]):
        moved = 0.0
        for i in range(3):
            moved += (x[b, i] - anchor[b, i]) ** 2
        if not moved <= limit:
            return True
    return False


@uncounted
def too_fast(candidates, bodies, old, new):
    """1 + number of a body that meets another on its way, on which it moves further than the thinner one is.

    0 if there is none. Such a body may be past the other at the end of the step, and the impact missed.
    Bodies meet as the spheres that hold them; the thinner one is the length of the contact or B's radius.
    """
    for c in range(candidates.a.shape[0]):
        if candidates.plane[c] >= 0:
            continue
        a, b = candidates.a[c], candidates.b[c]
        length = along = far_a = far_b = 0.0
        for i in range(3):
            da, db = new.x[a, i] - old.x[a, i], new.x[b, i] - old.x[b, i]
            length += (da - db) ** 2
            along -= (da - db) * (old.x[a, i] - old.x[b, i])
            far_a += da * da
            far_b += db * db
        thin = candidates.length[c]
        if bodies.radius[b] > 0.0:
            thin = min(thin, bodies.radius[b])
        if length <= thin**2:
            continue
        nearest, part_of = 0.0, min(max(along / length, 0.0), 1.0)
        for i in range(3):
            da, db = new.x[a, i] - old.x[a, i], new.x[b, i] - old.x[b, i]
            nearest += (old.x[a, i] - old.x[b, i] + part_of * (da - db)) ** 2
        if nearest < (bodies.extent[a] + bodies.extent[b]) ** 2:
            return 1 + (a if far_a >= far_b else b)
    return 0


@uncounted
def penetration(candidates):
    """Largest overlap of a candidate over its length."""
    depth = 0.0
    for c in range(candidates.gap.shape[0]):
        depth = max(depth, -candidates.gap[c] / candidates.length[c])
    return depth


@uncounted
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


@uncounted
def place_frames(frames, count, h, old, new, increment):
    """Put the frames behind the `count` bodies where they are told; their motion to `increment`."""
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
