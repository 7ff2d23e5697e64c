"""Slots of pairs whose geometry selects the features that may touch at a pose.

    before a step           `arrange`  at q_n       keys of the selected features, ascending, one in each slot
    within it               `measure`               the same features at every iterate
    after the correction    `reselect` at q_{n+1}   features that are new fill free slots

Nothing is selected twice at one pose: pairs that `reselect` leaves as `arrange` would are marked.
A slot without a contact has a negative feature, `~key`. That is the key of a feature that has ended within
the step, and may still have its past, or NO_FEATURE. Its gap is infinite.
"""

import math

import numpy as np

from nsgalpha.arrays import Scene
from nsgalpha.geometry.geometry_signature import SELECTION
from nsgalpha.geometry.narrow_phase import measure, part_begin, parts_of, touches
from nsgalpha.jit.addresses import caller
from nsgalpha.jit.decorators import inlined, kernel
from nsgalpha.jit.work_sharing import share
from nsgalpha.linalg.vectors import copy_into, fill
from nsgalpha.model.contact_keys import MOST_FEATURES, SIDE_BITS

call_selection = caller(SELECTION)

NO_FEATURE = (MOST_FEATURES - 1 << SIDE_BITS) + MOST_FEATURES - 1  # on both sides
SAME, CHANGED = -2, -1  # else the first slot of a pair that has too few


@inlined
def _key(feature):
    """The key in a slot."""
    return feature if feature >= 0 else ~feature


@kernel
def _find(values, value):
    """Place of a `value` among `values` (n,), -1 if it is not there."""
    for i in range(values.shape[0]):
        if values[i] == value:
            return i
    return -1


@kernel
def select_keys(selection, elements, k, c, motion, candidates, keys):
    """Write the selected keys of the pair whose slots begin at `c` to `keys` (slots + 1,), ascending.

    Returns their number; it may be larger than that of the slots.
    """
    most = keys.shape[0] - 1
    keys[most] = 0
    options, cell = elements.options[k], elements.cell
    scene = Scene(elements.shapes, elements.planes, options, motion.x, motion.q, cell)
    call_selection(selection.address[k], (c, candidates, scene, keys))
    count = keys[most]
    for i in range(1, min(count, most)):
        key, j = keys[i], i
        while j > 0 and keys[j - 1] > key:
            keys[j] = keys[j - 1]
            j -= 1
        keys[j] = key
    return count


@inlined
def _wanted(keys, count, feature, c, s):
    """The feature that `arrange` leaves in slot `s` of the pair at `c`."""
    return keys[s] if s < count else ~(_key(feature[c]) | NO_FEATURE)


@inlined
def _is_still(past, motion, body):
    """True if the pose of the `body` is that of the last selection."""
    same = True
    for i in range(3):
        same = same and past.x[body, i] == motion.x[body, i]
    for i in range(4):
        same = same and past.q[body, i] == motion.q[body, i]
    return same


@inlined
def _is_arranged(past, candidates, motion, c):
    """True if the features of the pair at `c` were selected at this pose."""
    if past is None:
        return False
    still = past.arranged[c] and _is_still(past, motion, candidates.a[c])
    return still and _is_still(past, motion, candidates.b[c])


@kernel
def _note_pose(past, motion, result):
    """Note where the features were selected; nothing is known after a `result` that ends the step."""
    if result >= 0:
        fill(past.arranged, False)
    else:
        copy_into(past.x.reshape(-1), motion.x.reshape(-1))
        copy_into(past.q.reshape(-1), motion.q.reshape(-1))


@kernel
def _move(past, c, row):
    """Move the past of slot `row[s]` to slot `s` of the pair at `c`; -1: none, but the slot may fly."""
    all_ = slice(c, c + row.shape[0])
    wrench, struck, turned = past.wrench[all_].copy(), past.struck[all_].copy(), past.turned[all_].copy()
    place, touched, flying = past.place[all_].copy(), past.touched[all_].copy(), past.flying[all_].copy()
    for s in range(row.shape[0]):
        known, r = row[s] >= 0, max(row[s], 0)
        past.touched[c + s], past.flying[c + s] = known and touched[r], flying[r if known else s]
        for i in range(6):
            past.wrench[c + s, i] = wrench[r, i] if known else 0.0
            past.struck[c + s, i] = struck[r, i] if known else 0.0
        for i in range(3):
            past.turned[c + s, i] = turned[r, i] if known else 0.0
        for i in range(9):
            past.place[c + s, i] = place[r, i] if known else 0.0


@kernel
def arrange(selection, elements, motion, candidates, past):
    """Select the features of all pairs at the pose `motion`, and move their `past`, if any.

    Returns SAME, CHANGED, or the first slot of a pair with too few of them.
    """
    if selection is None:
        return SAME
    result = _arrange(elements.board, elements, motion, candidates, past)
    if past is not None:
        _note_pose(past, motion, result)
    return result


@kernel
def _arrange(board, elements, motion, candidates, past):
    """`arrange`, by the threads of the `board`; None: by the caller."""
    if board is None:
        return _arrange_between(elements, motion, candidates, past, 0, candidates.gap.shape[0])
    results = np.empty(parts_of(candidates), np.int64)
    share(board, results.shape[0], _arrange_part, (elements, motion, candidates, past, results))
    return _combined(results)


@kernel
def _arrange_part(p, given):
    """Part `p` of `arrange`."""
    elements, motion, candidates, past, results = given
    first, last = part_begin(candidates, p), part_begin(candidates, p + 1)
    results[p] = _arrange_between(elements, motion, candidates, past, first, last)


@kernel
def _combined(results):
    """The result for all parts: a first slot, else whether any has changed."""
    result = SAME
    for each in results:
        if each >= 0:
            return each
        result = max(result, each)
    return result


@kernel
def _arrange_between(elements, motion, candidates, past, first, last):
    """`arrange` for the candidates from `first` to before `last`."""
    result, feature, selection = SAME, candidates.feature, elements.selection
    for k in range(selection.slots.shape[0]):
        slots = selection.slots[k]
        begin, end = max(elements.start[k], first), min(elements.start[k + 1], last)
        if slots == 0 or begin >= end:
            continue
        keys, row, wanted = np.empty(slots + 1, np.int64), np.full(slots, -1), np.empty(slots, np.int64)
        for c in range(begin, end, slots):
            if _is_arranged(past, candidates, motion, c):
                continue
            count = select_keys(selection, elements, k, c, motion, candidates, keys)
            if count > slots:
                return c
            same = True
            for s in range(slots):
                wanted[s] = _wanted(keys, count, feature, c, s)
                same = same and feature[c + s] == wanted[s]
            if past is not None:
                past.arranged[c] = True
            if same:
                continue
            result = CHANGED
            for s in range(slots):
                row[s] = -1
                for r in range(slots):
                    if s < count and _key(feature[c + r]) == keys[s]:
                        row[s] = r
            for s in range(slots):
                feature[c + s] = wanted[s]
            if past is not None:
                _move(past, c, row)
    return result


@inlined
def _is_free(past, feature, c):
    """True if slot `c` has no contact, and no past that a repeated step would need."""
    free = feature[c] < 0 and not past.touched[c]
    for i in range(6):
        free = free and past.wrench[c, i] == 0.0
    return free


@kernel
def reselect(board, elements, motion, candidates, past):
    """Select again within a step: features keep their slots, new ones fill free ones.

    By the threads of the `board`; None: by the caller. Returns as `arrange` does.
    """
    result = _reselect(board, elements, motion, candidates, past)
    _note_pose(past, motion, result)
    return result


@kernel
def _reselect(board, elements, motion, candidates, past):
    """`reselect` without its note."""
    if board is None:
        return _reselect_between(elements, motion, candidates, past, 0, candidates.gap.shape[0])
    results = np.empty(parts_of(candidates), np.int64)
    share(board, results.shape[0], _reselect_part, (elements, motion, candidates, past, results))
    return _combined(results)


@kernel
def _reselect_part(p, given):
    """Part `p` of `reselect`."""
    elements, motion, candidates, past, results = given
    first, last = part_begin(candidates, p), part_begin(candidates, p + 1)
    results[p] = _reselect_between(elements, motion, candidates, past, first, last)


@kernel
def _reselect_between(elements, motion, candidates, past, first, last):
    """`reselect` for the candidates from `first` to before `last`."""
    result, feature, selection = SAME, candidates.feature, elements.selection
    for k in range(selection.slots.shape[0]):
        slots = selection.slots[k]
        begin, end = max(elements.start[k], first), min(elements.start[k + 1], last)
        if slots == 0 or begin >= end:
            continue
        keys, known = np.empty(slots + 1, np.int64), np.empty(slots, np.int64)
        for c in range(begin, end, slots):
            if _is_arranged(past, candidates, motion, c):
                continue
            count = select_keys(selection, elements, k, c, motion, candidates, keys)
            if count > slots:
                return c
            for s in range(slots):
                known[s] = _key(feature[c + s])
            for i in range(count):
                if _find(known, keys[i]) < 0:
                    s = 0
                    while s < slots and not (known[s] >= 0 and _is_free(past, feature, c + s)):
                        s += 1
                    if s == slots:
                        return c
                    feature[c + s], known[s] = keys[i], -1  # -1: is taken
                    result = CHANGED
            for s in range(slots):
                if known[s] < 0:
                    continue
                selected = _find(keys[:count], known[s]) >= 0
                if selected != (feature[c + s] >= 0):
                    feature[c + s] = ~feature[c + s]
                    result = CHANGED
            arranged = True
            for s in range(slots):
                arranged = arranged and feature[c + s] == _wanted(keys, count, feature, c, s)
            past.arranged[c] = arranged
    return result


@kernel
def grow(selection, elements, now, correction):
    """Select the features at the corrected pose; returns (again, ended, full).

    It has to be corrected `again` if a new feature overlaps, or one has `ended` that has pushed. `full` is
    the first slot of a pair that has too few of them, else -1.
    """
    if selection is None:
        return False, False, -1
    result = reselect(elements.board, elements, now.new, now.candidates, now.past)
    if result >= 0:
        return True, False, result
    if result == SAME:
        return False, False, -1
    measure(elements, now.new, now.candidates)
    ended, new, member, multiplier = False, False, correction.member, correction.multiplier
    for c in range(member.shape[0]):
        if now.candidates.gap[c] == math.inf:
            ended = ended or (member[c] and multiplier[c] > 0.0)
            member[c], multiplier[c] = False, 0.0
        else:
            new = new or (not member[c] and touches(now.candidates, now.past.flying, c))
    if ended or new:
        correction.iterates.noted[0] = 0
    return ended or new, ended, -1
