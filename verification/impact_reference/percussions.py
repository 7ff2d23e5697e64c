"""A sequence of impacts on touching contacts, without loads.

An impact has no duration, so that loads have no part in it. In a pass the contacts are active that
approach, and not more slowly than `theta` times the fastest; they are solved together,

    n.u+ + e n.u- >= 0  _|_  P_N >= 0,    Coulomb's law between P_T and u_T+,

u- being the velocities before the pass. Passes follow until no contact approaches. The rest of a sequence
that does not end by itself is closed without restitution when it is below `REST` of the first approach.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from verification.impact_reference.coulomb import solve
from verification.impact_reference.scene import Scene, State, moving, twists

REST = 1e-11  # of the fastest approach of the first pass
QUIET = 1e-9  # [m/s] slower contacts do not rebound: bounces under a load end somewhere
ROUNDING = 1e-14  # of the largest speed: approaches that are none
PASSES = 100_000

Floats = np.ndarray


@dataclass(frozen=True, slots=True)
class Percussions:
    """The state after a sequence, and the active contacts of its passes."""

    state: State
    passes: list[list[int]]


def percussions(scene: Scene, state: State, touching: Sequence[int], theta: float) -> Percussions:
    """The sequence of impacts of the contacts `touching`.

    Raises ArithmeticError if it does not end.
    """
    if not touching:
        return Percussions(state, [])
    G = np.stack([scene.rows(k, state.x) for k in touching])  # (K, 3, 6 N)
    e, mu = np.array([(scene.law(k).e, scene.law(k).mu) for k in touching]).T
    speed = np.abs(np.concatenate([state.v, scene.radius[:, None] * state.w])).max()
    floor, first, V = ROUNDING * float(speed), 0.0, twists(state)
    passes: list[list[int]] = []
    while len(passes) < PASSES:
        approach = -(G[:, 0] @ V)
        fastest = float(approach.max())
        first = max(first, fastest)
        if fastest <= floor:
            return Percussions(moving(state, V), passes)
        last = fastest <= REST * first
        active = np.flatnonzero(last | (approach > floor) & (approach >= theta * fastest))
        rebound = np.where((approach[active] > QUIET) & (not last), e[active], 0.0)
        passes.append([touching[int(k)] for k in active])
        V = impact(G[active], mu[active], rebound, scene.inverse_mass(), V)
    raise ArithmeticError(f"more than {PASSES} impacts at t = {state.t:g} s")


def impact(G: Floats, mu: Floats, e: Floats, inverse_mass: Floats, V: Floats) -> Floats:
    """Velocities (6 N,) after one impact of contacts with rows `G` (K, 3, 6 N), all at once."""
    sizes = np.where(mu > 0.0, 3, 1)
    first = np.cumsum(sizes) - sizes
    J = np.concatenate([rows[:size] for rows, size in zip(G, sizes, strict=True)])
    b = J @ V
    b[first] += e * np.minimum(b[first], 0.0)
    P = solve((J * inverse_mass) @ J.T, b, list(zip(first, sizes, strict=True)), mu)
    return V + inverse_mass * (J.T @ P)
