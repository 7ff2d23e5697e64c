"""Contact forces between impacts: balls under loads stay in contact, slide, stick or part.

A closed contact with the normal force N >= 0 and the acceleration a_N of its gap has 0 <= N _|_ a_N >= 0.
Where it slides the friction is -mu N u_T/|u_T|. Elsewhere it is at most mu N and the contact sticks, or it
begins to slide against its friction. `mode` decides which; `accelerations` follows a decision, so that motion
in between is smooth.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from verification.impact_reference.coulomb import solve
from verification.impact_reference.scene import Scene, State

SLIDING = 1e-11  # [m/s] slower contacts do not slide
PULLS = 1e-12  # of the largest acceleration; far below SAME of stepper.py, or contacts would part for ever

Floats = np.ndarray


@dataclass(frozen=True, slots=True)
class Mode:
    """The closed contacts that press; `slip` has the first direction of those that slide, else None."""

    contacts: tuple[int, ...]
    slip: tuple[Floats | None, ...]


def smooth_part(scene: Scene, x: Floats) -> Floats:
    """Accelerations (6 N,) without contact."""
    force = scene.applied(x)
    return scene.inverse_mass() * np.stack([force, np.zeros_like(force)], axis=1).ravel()


def solve_loads(scene: Scene, state: State, closed: Sequence[int]) -> tuple[Floats, Mode]:
    """Accelerations (6 N,) of the balls and the mode of the `closed` contacts, from the complete problem."""
    free = smooth_part(scene, state.x)
    if not closed:
        return free, Mode((), ())
    slips = [sliding(scene, k, state) for k in closed]
    mu = [scene.law(k).mu if slip is None else 0.0 for k, slip in zip(closed, slips, strict=True)]
    sizes = [3 if friction > 0.0 else 1 for friction in mu]
    first = np.cumsum(sizes) - sizes
    parts = [contact_rows(scene, *each, state) for each in zip(closed, sizes, slips, strict=True)]
    G, C, bias = (np.concatenate(each) for each in zip(*parts, strict=True))
    b, inverse = G @ free + bias, scene.inverse_mass()
    r = solve(G @ (C * inverse).T, b, list(zip(first, sizes, strict=True)), mu)
    a = free + inverse * (C.T @ r)
    rate = G @ a + bias
    enough = PULLS * float(np.abs(b).max() + np.abs(free).max())
    mode = {}
    for k, i, size, slip in zip(closed, first, sizes, slips, strict=True):
        if r[i] > 0.0 or rate[i] <= enough:  # else it parts
            begins = rate[i + 1 : i + size] @ tangents(scene, k, state.x)[: size - 1]
            speed = float(np.sqrt(begins @ begins))
            mode[k] = begins / speed if speed > enough else slip
    return a, Mode(tuple(mode), tuple(mode.values()))


def sliding(scene: Scene, contact: int, state: State) -> Floats | None:
    """Direction (3,) in which a contact with friction slides; None if it does not."""
    slip = scene.slip(contact, state)
    speed = np.sqrt(slip @ slip)
    return slip / speed if scene.law(contact).mu > 0.0 and speed > SLIDING else None


def tangents(scene: Scene, contact: int, x: Floats) -> Floats:
    """The tangents (2, 3) of a contact."""
    a, _ = scene.sides(contact)
    return scene.rows(contact, x).reshape(3, -1, 2, 3)[1:, a, 0]


def contact_rows(
    scene: Scene, contact: int, size: int, slip: Floats | None, state: State
) -> tuple[Floats, Floats, Floats]:
    """Rows that measure, rows that push (size, 6 N), bias (size,) of a contact that slides along `slip`."""
    rows = scene.rows(contact, state.x)
    drift = scene.drift(contact, state, rows)[:size]
    if slip is None:
        return rows[:size], rows[:size], drift
    mu = scene.law(contact).mu
    return rows[:1], rows[:1] - mu * scene.along(contact, state.x, slip), drift


def accelerations(scene: Scene, state: State, mode: Mode) -> Floats:
    """Accelerations (6 N,) while `mode` lasts."""
    free = smooth_part(scene, state.x)
    if not mode.contacts:
        return free
    inverse, parts = scene.inverse_mass(), []
    for k, begun in zip(mode.contacts, mode.slip, strict=True):
        slip = None if begun is None else sliding(scene, k, state)
        size = 3 if scene.law(k).mu > 0.0 and begun is None else 1
        parts.append(contact_rows(scene, k, size, begun if slip is None else slip, state))
    G, C, bias = (np.concatenate(each) for each in zip(*parts, strict=True))
    W = G @ (C * inverse).T
    return free - inverse * (C.T @ np.linalg.lstsq(W, G @ free + bias, rcond=1e-11)[0])
