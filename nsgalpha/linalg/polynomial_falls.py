"""First falls of polynomials: where one that begins positive comes to zero, between 0 and 1.

The coefficients of Bernstein's polynomials bound the values. If all are positive nothing is looked for.
Otherwise roots are found of all derivatives, from the linear one on. Between the roots of the next derivative
each is monotone, so that no change of sign is passed over.
"""

import math

from nsgalpha.jit.decorators import kernel

MOST = 6  # degree
WORK = MOST + 2  # numbers of a row of workspace
ITERATIONS = 80  # of Newton's method within a bracket, which halves it at least


@kernel
def stays_positive(p):
    """True if the coefficients of Bernstein's polynomials of `p`, ascending, are positive: so is `p` then."""
    n = p.shape[0] - 1
    for j in range(n + 1):
        b, part = 0.0, 1.0  # part = C(j, i)/C(n, i)
        for i in range(j + 1):
            b += part * p[i]
            if i < j:
                part *= (j - i) / (n - i)
        if not b > 0.0:
            return False
    return True


@kernel
def _value(p, k, s):
    """The `k`-th derivative of `p` at `s`."""
    total = 0.0
    for i in range(p.shape[0] - 1, k - 1, -1):
        factor = 1.0
        for j in range(i - k + 1, i + 1):
            factor *= j
        total = total * s + factor * p[i]
    return total


@kernel
def _root(p, k, low, high, rises):
    """The root of the `k`-th derivative of `p` between `low` and `high`, where its sign changes."""
    s = 0.5 * (low + high)
    for _ in range(ITERATIONS):
        f, slope = _value(p, k, s), _value(p, k + 1, s)
        if (f > 0.0) == rises:
            high = s
        else:
            low = s
        following = s - f / slope if slope != 0.0 else low
        if not low < following < high:
            following = 0.5 * (low + high)
        if following in (s, low, high):
            break
        s = following
    return s


@kernel
def first_fall(p, work):
    """The first `s` in [0, 1] at which `p`, coefficients ascending, comes to 0 from above; else inf.

    A polynomial that does not begin positive falls at 0. One that touches 0 and goes back does not fall.
    `work` (2, WORK) is workspace.
    """
    if not p[0] > 0.0:
        return 0.0
    if stays_positive(p):
        return math.inf
    knots, found = work[0], work[1]
    knots[0], knots[1], count = 0.0, 1.0, 2
    for k in range(p.shape[0] - 2, -1, -1):
        found[0], number = 0.0, 1
        left = _value(p, k, 0.0)
        for i in range(1, count):
            right = _value(p, k, knots[i])
            if (left > 0.0) != (right > 0.0):
                s = _root(p, k, knots[i - 1], knots[i], right > 0.0)
                if k == 0 and left > 0.0:
                    return s
                found[number] = s
                number += 1
            left = right
        found[number] = 1.0
        for i in range(number + 1):
            knots[i] = found[i]
        count = number + 1
    return math.inf


@kernel
def hermite_cubic(first, last, slope, end, p):
    """Coefficients `p` (4,), ascending, of the cubic from `first` to `last` with slopes `slope`, `end`."""
    change = last - first
    p[0], p[1] = first, slope
    p[2] = 3.0 * change - 2.0 * slope - end
    p[3] = slope + end - 2.0 * change


@kernel
def add_square(p, out):
    """Add the square of a polynomial `p` (n + 1,) to `out` (2 n + 1,)."""
    for i in range(p.shape[0]):
        for j in range(p.shape[0]):
            out[i + j] += p[i] * p[j]
