"""Runs with steps that follow the contacts, extrapolated to the limit of short steps.

A force that jumps or bends at touch, turn, separation or between its branches costs a fixed step its regular
second order. A step in which the phase of a contact changes is therefore taken again in `PARTS` parts, the
part in which it changes likewise, down to `finest`. Free flight, which the scheme integrates exactly, takes
long steps. The rest is the error of the smooth phases, of second order in the step h of the contact:
Richardson's

    (4 y(h/2) - y(h)) / 3

is free of it.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

import nsgalpha as ns
from verification.run import simulate

PARTS = 10
CHUNK = 100  # steps of one look ahead
RHO_INF = 1.0  # nothing here has to be damped


@dataclass(frozen=True, slots=True, kw_only=True)
class Steps:
    """Step lengths [s]: with closed contact, without, and shortest at changes of phase."""

    contact: float
    flight: float = 2e-4
    bend: float = 1e-6  # where the force bends
    jump: float = 1e-8  # where a contact opens or closes and the force may jump


@dataclass(frozen=True, slots=True)
class End:
    """Position, velocity and angular velocity (bodies, 3) at the end of a run."""

    x: np.ndarray
    v: np.ndarray
    w: np.ndarray


#: Phase of every pair (n, pairs) in the n states of a result; 0 is open.
Phases = Callable[[ns.Result], np.ndarray]


def extrapolated(model: ns.Model, t_end: float, steps: Steps, phases: Phases) -> tuple[End, End, End]:
    """End of `model` at `t_end` [s] with the step of the contact h, with h/2, and their extrapolation.

    Raises RunFailedError if a step fails.
    """
    ends = []
    for contact in (steps.contact, 0.5 * steps.contact):
        state = advance(model, model.initial_state(), t_end, replace(steps, contact=contact), phases)
        ends.append(End(state.position, state.velocity, state.angular_velocity))
    coarse, fine = ends
    limit = End(*((4.0 * getattr(fine, name) - getattr(coarse, name)) / 3.0 for name in "xvw"))
    return coarse, fine, limit


def overlaps(model: ns.Model, position: np.ndarray) -> np.ndarray:
    """Overlaps (n, pairs) [m] of all pairs of spheres at the positions (n, bodies, 3)."""
    a, b = np.triu_indices(len(model.bodies), 1)
    radius = np.array([body.radius for body in model.bodies])
    return radius[a] + radius[b] - np.linalg.norm(position[:, b] - position[:, a], axis=2)


def approach(result: ns.Result) -> np.ndarray:
    """Phases by the motion: 0 open, 1 approaching, 2 separating."""
    a, b = np.triu_indices(len(result.model.bodies), 1)
    line = result.position[:, b] - result.position[:, a]
    rate = result.velocity[:, b] - result.velocity[:, a]
    separating = (line * rate).sum(axis=2) > 0.0
    return np.where(overlaps(result.model, result.position) > 0.0, 1 + separating, 0)


def advance(
    model: ns.Model, state: ns.State, t_end: float, steps: Steps, phases: Phases, longest: float = np.inf
) -> ns.State:
    """The state at `t_end` [s]; `longest` [s] bounds all steps."""
    while state.t < t_end * (1.0 - 1e-14):
        free = overlaps(model, state.position[None]).max() <= 0.0
        h = min(longest, steps.flight if free else steps.contact)
        h = (t_end - state.t) / np.ceil((t_end - state.t) / h * (1.0 - 1e-9))  # arrives at t_end
        result = simulate(model, t_end=min(t_end, state.t + CHUNK * h), h=h, rho_inf=RHO_INF, state=state)
        phase = phases(result)
        changes = np.flatnonzero((phase[1:] != phase[:-1]).any(axis=1))
        if len(changes) == 0:
            state = result.state(-1)
            continue
        first = changes[0]
        opens_or_closes = (phase[first : first + 2] == 0).any()
        if h <= (steps.jump if opens_or_closes else steps.bend):
            state = result.state(first + 1)
        else:
            end = float(result.t[first + 1])
            state = advance(model, result.state(first), end, steps, phases, h / PARTS)
    return state
