"""The paper's system in velocities and multipliers, written from its equations.

Contacts have the rows G (3, n), normal first, and `g = G v + c`, multipliers L and `s = k L - p g`. The
residual (P16) with its misprints corrected (docs/theory.md, errata) and with the inertia is

    M (v - v_0) - G^T Pi(s),     k/p (Pi(s) - k L)

in its three branches: gap `Pi = 0`, stick `Pi = s`, slip `Pi = (s_N, mu s_N s_T/|s_T|)`. Impulses are k L.
"""

from typing import NamedTuple

import numpy as np


class Contacts(NamedTuple):
    """K contacts with Coulomb friction."""

    G: np.ndarray  # (K, 3, n) rows
    c: np.ndarray  # (K, 3) added to the rates: restitution
    mu: np.ndarray  # (K,)


def residual(M, start, contacts, v, L, k, p):
    """The residual, momenta (n,) and rows (K, 3), at velocities `v` (n,) and multipliers `L` (K, 3)."""
    momentum, rows = M @ (v - start), np.empty_like(L)
    for j, (G, c, mu) in enumerate(zip(*contacts, strict=True)):
        g = G @ v + c
        s = k * L[j] - p * g
        length = np.linalg.norm(s[1:])
        if s[0] < 0.0:
            rows[j] = -k * k / p * L[j]
        elif length >= mu * s[0]:
            tau = s[1:] / (length or 1.0)
            momentum -= G[0] * s[0] + mu * s[0] * tau @ G[1:]
            rows[j, 0], rows[j, 1:] = -k * g[0], k / p * (mu * s[0] * tau - k * L[j, 1:])
        else:
            momentum -= s @ G
            rows[j] = -k * g
    return momentum, rows


def jacobian(M, contacts, v, L, k, p):
    """The derivative of the residual, (n + 3 K, n + 3 K)."""
    n, size = len(v), len(v) + L.size
    J = np.zeros((size, size))
    J[:n, :n] = M
    for j, (G, c, mu) in enumerate(zip(*contacts, strict=True)):
        s, D = k * L[j] - p * (G @ v + c), np.zeros((3, 3))
        length = np.linalg.norm(s[1:])
        if s[0] >= 0.0:
            D[0, 0] = 1.0
            if length >= mu * s[0]:
                tau = s[1:] / (length or 1.0)
                D[1:, 0] = mu * tau
                D[1:, 1:] = mu * s[0] / (length or 1.0) * (np.eye(2) - np.outer(tau, tau))
            else:
                D[1:, 1:] = np.eye(2)
        own = slice(n + 3 * j, n + 3 * j + 3)
        J[:n, :n] += p * G.T @ D @ G
        J[:n, own] = -k * G.T @ D
        J[own, :n] = -k * D @ G
        J[own, own] = k * k / p * (D - np.eye(3))
    return J


def iterates(M, start, contacts, k, p, count=30):
    """Newton's method on the system from rest, as in the paper: (v, k L) per step."""
    v, L = np.array(start, float), np.zeros_like(contacts.c)
    for _ in range(count):
        R = np.concatenate([part.ravel() for part in residual(M, start, contacts, v, L, k, p)])
        step = np.linalg.solve(jacobian(M, contacts, v, L, k, p), -R)
        dv, dL = step[: len(v)], step[len(v) :].reshape(L.shape)
        v, L = v + dv, L + dL
        yield v, k * L
        if all(np.abs(d).max() <= 1e-13 * np.abs(x).max() for d, x in ((dv, v), (dL, L))):
            return


def solve(M, start, contacts, k, p):
    """Velocities (n,) and impulses (K, 3) at the end of Newton's method."""
    *_, found = iterates(M, start, contacts, k, p)
    return found
