"""The contact conditions in plain numpy, written from the definition.

    e(r) = | r - P( r - u - s e_N ) | / |q|,     u = W r + q,     s = sum_i rho_i |u_i|

with P the projection on the cone of each contact, `|r_i| <= rho_i r_N` for its balls i. Units are those in
which W has a unit diagonal: `d r`, `u/d`, `q/d`, `rho d_i/d_N`, with d^2 the mean of the diagonal over the
rows of a ball. Bilateral rows have `e = u`, bounded ones the projection on a ball of the radius `d bound`.
"""

import numpy as np
from scipy.optimize import brentq


def balls(rows, rolling, drilling):
    """Rows of a contact that belong to each ball: sliding, rolling, drilling."""
    parts = [slice(1, 2 if rows == 2 else 3)]
    if rolling:
        parts.append(slice(3, 5))
    if drilling:
        parts.append(slice(rows - 1, rows))
    return parts


def project_cone(y, rho):
    """Projection of (y_N, y_T) on the second-order cone `|y_T| <= rho y_N`, the textbook formula."""
    length = np.linalg.norm(y[1:])
    if length <= rho * y[0]:
        return y.copy()
    if rho * length <= -y[0]:
        return np.zeros_like(y)
    height = (y[0] + rho * length) / (1.0 + rho * rho)
    return np.r_[height, rho * height * y[1:] / length]


def project_cones(y, parts, rho):
    """Projection on the intersection of cones: the height is a root of the derivative of

    (h - y_N)^2 / 2 + sum_i max(|y_i| - rho_i h, 0)^2 / 2
    """
    lengths = np.array([np.linalg.norm(y[part]) for part in parts])

    def slope(h):
        return h - y[0] - rho @ np.maximum(lengths - rho * h, 0.0)

    # the slope is between 1 and 1 + sum rho^2
    top = abs(y[0]) + rho @ lengths
    h = brentq(slope, 0.0, 2.0 * top, xtol=1e-300, rtol=9e-16) if slope(0.0) < 0.0 else 0.0
    out = y.copy()
    out[0] = h
    for part, length, radius in zip(parts, lengths, rho, strict=True):
        if length > radius * h:
            out[part] *= radius * h / length
    return out


def natural_map(W, q, radii, parts, r):
    """(K, rows) of the problem with `radii` (K, balls)."""
    contacts, rows = len(radii), len(q) // len(radii)
    u = (W @ r + q).reshape(contacts, rows)
    r = r.reshape(contacts, rows)
    out = np.empty_like(r)
    for k in range(contacts):
        y = r[k] - u[k]
        y[0] -= sum(rho * np.linalg.norm(u[k, part]) for rho, part in zip(radii[k], parts, strict=True))
        if len(parts) == 1:
            out[k] = r[k] - project_cone(y, radii[k, 0])
        else:
            out[k] = r[k] - project_cones(y, parts, radii[k])
    return out


def residual(problem, r):
    """`e(r)` of a ContactProblem's W, q and radii."""
    laws = [problem.mu, problem.rolling_radius, problem.drilling_radius]
    radii = np.column_stack([law for law in laws if law is not None])
    parts = balls(problem.rows, laws[1] is not None, laws[2] is not None)
    W, d = problem.W.toarray(), np.ones_like(problem.q)
    n = problem.contacts * problem.rows
    bilateral = slice(n, n + problem.bilateral)
    d[bilateral] = np.sqrt(np.diag(W)[bilateral])
    bounded = np.split(np.arange(bilateral.stop, len(d)), np.cumsum(problem.bound_rows))[:-1]
    for rows in bounded:
        d[rows] = np.sqrt(np.mean(W[rows, rows]))
    for k in range(problem.contacts):
        for part in [slice(0, 1), *parts]:
            rows = np.arange(k * problem.rows, (k + 1) * problem.rows)[part]
            d[rows] = np.sqrt(np.mean(W[rows, rows])) or 1.0
    own = d[:n].reshape(problem.contacts, -1)
    scaled = radii * np.column_stack([own[:, part.start] / own[:, 0] for part in parts])
    q, r, W = problem.q / d, np.ravel(r) * d, W / d[:, None] / d
    u = W @ r + q
    contacts = slice(0, n)
    load = q[contacts] + W[contacts, n:] @ r[n:]
    F = natural_map(W[contacts, contacts], load, scaled, parts, r[contacts]).ravel()
    others = [u[bilateral]]
    for rows, bound in zip(bounded, problem.bounds, strict=True):
        y, radius = r[rows] - u[rows], d[rows[0]] * bound
        others.append(r[rows] - y * min(1.0, radius / (np.linalg.norm(y) or 1.0)))
    return np.linalg.norm(np.concatenate([F, *others])) / (np.linalg.norm(q) or 1.0)
