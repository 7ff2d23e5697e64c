"""The woodpecker toy in three coordinates, by Moreau's midpoint rule: numbers of reference.json.

    python -m verification.mechanisms.toy          # some minutes

Coordinates q = (y, phi_M, phi_S): height and angle of the sleeve, angle of the bird. With u = dq/dt,

    q_m = q + h/2 u,    M(q_m) (u' - u) = h f(q_m, u) + sum of W_N P_N + W_T P_T,    q' = q_m + h/2 u'
    0 <= P_N, W_N^T u' + e W_N^T u >= 0,    |P_T| <= mu P_N against W_T^T u'        where gap(q_m) <= 0

by projected Gauss-Seidel (Moreau 1988), apart from the solver that is verified. `linear` is Glocker's
kinematics, linear in the angles; `finite` has the same bodies with their rotations: the sleeve's centre stays
on the axis of the pole.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from scipy.optimize import brentq

from nsgalpha.arrays import Floats
from verification.mechanisms import reference

FIRST, LONG = (2.5e-7, 0.125), (1e-6, 1.0)  # steps and times [s]
CYCLES = 4
LEAST = 3e-5  # [N s] impulse of an impact; loads make less in a step of 1e-4 s
SWEEPS = 200
CLOSE = 1e-13  # change of an impulse over the largest, at which the sweeps end


class Event(NamedTuple):
    """An impact."""

    contact: int  # 0 beak, 1 lower edge, 2 upper edge
    t: float  # [s]
    before: Floats  # (3,) rates
    after: Floats
    impulse: float  # normal [N s]


@njit(cache=False)
def _linear(q, u, p, M, f, gap, N, T):
    r_O, r_M, h_M, l_M, l_G, h_S, l_S, m_M, m_S, J_M, J_S, c, g = p
    M[:] = np.array(
        [
            [m_S + m_M, m_S * l_M, m_S * l_G],
            [m_S * l_M, J_M + m_S * l_M**2, m_S * l_M * l_G],
            [m_S * l_G, m_S * l_M * l_G, J_S + m_S * l_G**2],
        ]
    )
    turn = c * (q[1] - q[2])
    f[:] = np.array([-(m_S + m_M) * g, -turn - m_S * l_M * g, turn - m_S * l_G * g])
    gap[:] = np.array([l_M + l_G - l_S - r_O - h_S * q[2], r_M - r_O + h_M * q[1], r_M - r_O - h_M * q[1]])
    N[:] = np.array([[0.0, 0.0, -h_S], [0.0, h_M, 0.0], [0.0, -h_M, 0.0]])
    T[:] = np.array([[1.0, l_M, l_G - l_S], [1.0, r_M, 0.0], [1.0, r_M, 0.0]])


@njit(cache=False)
def _finite(q, u, p, M, f, gap, N, T):
    r_O, r_M, h_M, l_M, l_G, h_S, l_S, m_M, m_S, J_M, J_S, c, g = p
    s_M, c_M, s_S, c_S = np.sin(q[1]), np.cos(q[1]), np.sin(q[2]), np.cos(q[2])
    both, turned = m_S * l_M * l_G * np.cos(q[1] - q[2]), m_S * l_M * l_G * np.sin(q[1] - q[2])
    M[:] = np.array(
        [
            [m_S + m_M, m_S * l_M * c_M, m_S * l_G * c_S],
            [m_S * l_M * c_M, J_M + m_S * l_M**2, both],
            [m_S * l_G * c_S, both, J_S + m_S * l_G**2],
        ]
    )
    turn = c * (q[1] - q[2])
    f[0] = -(m_S + m_M) * g + m_S * (l_M * s_M * u[1] ** 2 + l_G * s_S * u[2] ** 2)
    f[1] = -turn - m_S * g * l_M * c_M - turned * u[2] ** 2
    f[2] = turn - m_S * g * l_G * c_S + turned * u[1] ** 2
    out = l_G - l_S
    gap[0] = l_M * c_M + out * c_S - h_S * s_S - r_O
    gap[1] = r_M * c_M + h_M * s_M - r_O
    gap[2] = r_M * c_M - h_M * s_M - r_O
    N[:] = np.array(
        [
            [0.0, -l_M * s_M, -out * s_S - h_S * c_S],
            [0.0, -r_M * s_M + h_M * c_M, 0.0],
            [0.0, -r_M * s_M - h_M * c_M, 0.0],
        ]
    )
    T[:] = np.array(
        [
            [1.0, l_M * c_M, out * c_S - h_S * s_S],
            [1.0, r_M * c_M + h_M * s_M, 0.0],
            [1.0, r_M * c_M - h_M * s_M, 0.0],
        ]
    )


def _maker(kinematics):
    """The loop over steps with these `kinematics`: q, u and normal impulses (n + 1, 3) of all steps."""

    @njit(cache=False)
    def run(q0, u0, p, e, mu, h, n):
        qs, us, ps = np.empty((n + 1, 3)), np.empty((n + 1, 3)), np.zeros((n + 1, 3))
        qs[0], us[0] = q0, u0
        M, N, T = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3))
        f, gap = np.empty(3), np.empty(3)
        P = np.zeros((3, 2))
        for k in range(n):
            u = us[k]
            half = qs[k] + 0.5 * h * u
            kinematics(half, u, p, M, f, gap, N, T)
            inverse = np.linalg.inv(M)
            v = u + h * (inverse @ f)
            for c in range(3):
                if gap[c] <= 0.0:
                    v = v + inverse @ (N[c] * P[c, 0] + T[c] * P[c, 1])  # from those of the last step
                else:
                    P[c] = 0.0
            for _ in range(SWEEPS):
                change = 0.0
                for c in range(3):
                    if gap[c] > 0.0:
                        continue
                    was = P[c, 0]
                    P[c, 0] = max(0.0, was - (N[c] @ v + e[c] * (N[c] @ u)) / (N[c] @ inverse @ N[c]))
                    v = v + inverse @ N[c] * (P[c, 0] - was)
                    change = max(change, abs(P[c, 0] - was))
                    was, most = P[c, 1], mu * P[c, 0]
                    P[c, 1] = min(max(was - (T[c] @ v) / (T[c] @ inverse @ T[c]), -most), most)
                    v = v + inverse @ T[c] * (P[c, 1] - was)
                    change = max(change, abs(P[c, 1] - was))
                if change <= CLOSE * np.abs(P).max():
                    break
            us[k + 1], ps[k + 1], qs[k + 1] = v, P[:, 0], half + 0.5 * h * v
        return qs, us, ps

    return run


KINEMATICS: dict[str, Any] = {"linear": _linear, "finite": _finite}
RUNS: dict[str, Any] = {kind: _maker(kinematics) for kind, kinematics in KINEMATICS.items()}


def parameters() -> tuple[Floats, Floats, float]:
    """Numbers in the order in which the kinematics take them; restitutions (3,); friction."""
    p = reference.case("woodpecker")["params"]
    names = ("r_O", "r_M", "h_M", "l_M", "l_G", "h_S", "l_S", "m_M", "m_S", "J_M", "J_S", "c_phi", "g")
    return np.array([p[name] for name in names]), np.array(p["e_N"], float), p["mu"]


def start(kind: str) -> tuple[Floats, Floats]:
    """Coordinates and rates (3,); the lower edge begins at the pole, in the source 9e-7 m in it."""
    given = reference.case("woodpecker")
    p, q = given["params"], np.array(given["q0"], float)
    if kind == "linear":
        q[1] = -(p["r_M"] - p["r_O"]) / p["h_M"]
    else:
        q[1] = brentq(lambda a: p["r_M"] * np.cos(a) + p["h_M"] * np.sin(a) - p["r_O"], -0.2, 0.0, xtol=1e-15)
    return q, np.array(given["v0"], float)


def run(kind: str, h: float, t_end: float) -> tuple[Floats, Floats, Floats, Floats]:
    """Times, coordinates, rates, normal impulses of a run of the `kind` "linear" or "finite"."""
    p, e, mu = parameters()
    n = round(t_end / h)
    return h * np.arange(n + 1), *RUNS[kind](*start(kind), p, e, mu, h, n)


def events(t: Floats, rates: Floats, impulses: Floats, least: float = LEAST) -> list[Event]:
    """Impacts in a run: normal impulses of one step (n, 3) above `least` [N s] that follow none."""
    found = []
    for k, c in np.argwhere(impulses > least):
        if k and impulses[k - 1, c] < least:
            found.append(Event(int(c), float(t[k]), rates[k - 1], rates[k], float(impulses[k, c])))
    return found


def limit(t: Floats, q: Floats, found: Sequence[Event]) -> dict[str, float]:
    """Means over the last CYCLES cycles, from beak to beak; cycles alternate about their limit."""
    beak = [int(np.searchsorted(t, each.t)) for each in found if each.contact == 0][-CYCLES - 1 :]
    if len(beak) <= CYCLES:
        return dict.fromkeys(("period", "drop_per_cycle", "phi_S_min", "phi_S_max"), np.nan)
    turns = [q[a:b, 2] for a, b in pairwise(beak)]
    return {
        "period": float(t[beak[-1]] - t[beak[0]]) / CYCLES,
        "drop_per_cycle": float(q[beak[0], 0] - q[beak[-1], 0]) / CYCLES,
        "phi_S_min": float(np.mean([turn.min() for turn in turns])),
        "phi_S_max": float(np.mean([turn.max() for turn in turns])),
    }


def main() -> None:
    """Print the toy's values in reference.json."""
    for kind in RUNS:
        t, _, u, P = run(kind, *FIRST)
        first = [(e.contact, e.t, e.before.tolist(), e.after.tolist(), e.impulse) for e in events(t, u, P)]
        t, q, u, P = run(kind, *LONG)
        print(json.dumps({kind: {"limit": limit(t, q, events(t, u, P)), "first": first}}), flush=True)


if __name__ == "__main__":
    main()
