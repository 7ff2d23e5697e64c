"""Assembly: positions and velocities near given ones at which joints hold.

    U = -M^-1 G^T y,    (S + mu diag S) y = g          repeated until g is rounding
    V <- P V                                           then; P of constraints/jointed_response.py

Each displacement is orthogonal in the mass to the null space of the joints. Rows that depend on others once
the joints hold do not before. With mu of the order of the violation iterations converge quadratically
nevertheless (Levenberg, Marquardt; Fan and Yuan, Computing 74, 2005).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import spsolve

from nsgalpha.arrays import Floats, Motion, copy_motion, empty_motion
from nsgalpha.checks import instance, named
from nsgalpha.constraints.jointed_response import project_velocities_onto_joints
from nsgalpha.model.model import Model
from nsgalpha.model.state import State
from nsgalpha.stepping.poses import displace
from nsgalpha.system.consistent_start import VIOLATION, begin_coordinates, measure_start, refuse_branch
from nsgalpha.system.system import System

MAX_ITERATIONS = 100
HALVED = 30  # times at most that a displacement is halved until the violation decreases
FURTHEST = 0.5  # rotation in one iteration [rad], or displacement over the length of a body
DAMPED = 1e-14, 1e-2  # bounds of mu
ROUNDING = 1e-15  # of a displacement, relative to the coordinates
SHOWN = 1e-12  # displacement, over the size, up to which nothing has moved


class Assembly(NamedTuple):
    """A state with closed joints, and its differences from the given one.

    `state` has no memory of accelerations and reactions if it differs.
    """

    state: State
    moved: Floats  # (N,) displacement of the centres [m]
    turned: Floats  # (N,) [rad]
    velocity: Floats  # (N,) change [m/s]
    angular_velocity: Floats  # (N,) change [rad/s]
    text: str  # the largest of these in words, "" where nothing has moved

    def __str__(self) -> str:
        return self.text


@named
def assemble(model: Model, state: State | None = None) -> Assembly:
    """Positions and velocities near those of `state`, by default as stated, at which the joints hold.

    Raises ValueError if a joint is further than 90 degrees from the branch that it is meant to hold on, or
    positions are not found.

    >>> from elements import Marker, Revolute
    >>> model = ns.Model()
    >>> rod = model.add_body(mass=1.0, inertia=(0.01, 0.1, 0.1), position=(0.51, 0, 0), name="rod")
    >>> pin = model.add(Revolute(Marker(None), Marker(rod, (-0.5, 0, 0))))
    >>> print(ns.assemble(model))
    assembled: bodies moved by up to 0.01 m ('rod')
    """
    instance("model", model, Model, "a Model")
    instance("state", state, State | None, "a State", "such as result.state()")
    system = System(model)
    state = model.initial_state() if state is None else state
    motion = system.motion(state)
    if not model.joints:
        none = np.zeros(system.count)
        return Assembly(state, none, none, none, none, "")
    start = copy_motion(motion)
    begin_coordinates(system, motion, state.joints)
    measure_start(system, motion)
    refuse_branch(system)
    _close(system, motion)
    V = np.hstack([motion.v, motion.w])
    project_velocities_onto_joints(system.joints, V)
    motion.v[: system.count], motion.w[: system.count] = V[: system.count, :3], V[: system.count, 3:]
    return _report(system, state, start, motion)


def _close(system: System, motion: Motion) -> None:
    """Move `motion` to a pose at which the joints hold."""
    joints, trial = system.joints, empty_motion(system.size)
    trial.v[:], trial.w[:] = motion.v, motion.w
    size = max(1.0, float(np.abs(motion.x[: system.places]).max()))
    floor = ROUNDING * size
    need = _need(system)
    for _ in range(MAX_ITERATIONS):
        if need <= floor:
            return
        U = _displacement(system, need)
        before, found = need, False
        for _ in range(HALVED):
            displace(motion.x, motion.q, U, trial)
            measure_start(system, trial)
            need = _need(system)
            if need < before:
                found = True
                break
            U *= 0.5
        if not found:
            need = before
            break
        motion.x[:], motion.q[:] = trial.x, trial.q
    measure_start(system, motion)
    if need > size * VIOLATION:
        row = int(np.abs(_open(system)).argmax())
        name = system.rows_of[int(np.searchsorted(joints.table.row, row, side="right")) - 1].name
        raise ValueError(
            f"assemble: no pose near the given one closes all joints; {name} stays open by "
            f"{abs(joints.rows.g[row]):.3g} m or rad; place the bodies nearer to it, or check lengths"
        )


def _open(system: System) -> Floats:
    """Violations (R,) of the rows; soft ones have none."""
    g = system.joints.rows.g.copy()
    g[system.soft] = 0.0
    return g


def _need(system: System) -> float:
    """Largest displacement [m] that a row alone asks for."""
    joints = system.joints
    rows, lever = joints.rows, np.ones(system.size)
    lever[: system.count] = joints.lever
    joint = np.repeat(np.arange(len(joints.table.body)), np.diff(joints.table.row))
    body = joints.table.body[joint]
    reach = np.maximum(
        np.abs(rows.MG[:, :, :3]).max(axis=2), lever[body] * np.abs(rows.MG[:, :, 3:]).max(axis=2)
    ).max(axis=1)
    own = np.einsum("rsi,rsi->r", rows.G, rows.MG)
    return float((np.abs(_open(system)) * reach / own).max())


def _displacement(system: System, need: float) -> Floats:
    """Damped displacement `U` (B, 6) that closes the joints to first order."""
    joints, size = system.joints, system.size
    rows, table = joints.rows, joints.table
    joint = np.repeat(np.arange(len(table.body)), np.diff(table.row))
    width = 6 * table.body.shape[1]
    columns = (6 * table.body[joint][:, :, None] + np.arange(6)).reshape(len(joint), width)
    indptr = width * np.arange(len(joint) + 1)
    shape = len(joint), 6 * size
    G, MG = (
        sparse.csr_array((each.reshape(-1), columns.reshape(-1), indptr), shape=shape)
        for each in (rows.G, rows.MG)
    )
    S = (G @ MG.T).tocsc()
    softness = np.zeros(len(joint))
    softness[system.soft] = S.diagonal()[system.soft] / DAMPED[0]  # they hold nothing
    S = S + sparse.diags_array(softness)
    scale = 1.0 / np.sqrt(S.diagonal())
    S = sparse.diags_array(scale) @ S @ sparse.diags_array(scale)
    mu = np.clip(need / float(joints.lever.min()), *DAMPED)
    y = spsolve((S + mu * sparse.eye_array(len(scale))).tocsc(), scale * _open(system))
    U = -(MG.T @ (scale * y)).reshape(size, 6)
    n = system.count
    largest = max(float(np.abs(U[:n, 3:]).max()), float((np.abs(U[:n, :3]).max(axis=1) / joints.lever).max()))
    return U * min(1.0, FURTHEST / largest) if largest > 0.0 else U


def _report(system: System, state: State, start: Motion, motion: Motion) -> Assembly:
    n, names = system.count, system.model.bodies
    moved = np.linalg.norm(motion.x[:n] - start.x[:n], axis=1)
    cosine = np.abs(np.einsum("bi,bi->b", motion.q[:n], start.q[:n]))
    turned = 2.0 * np.arctan2(np.sqrt(np.maximum(1.0 - np.minimum(cosine, 1.0) ** 2, 0.0)), cosine)
    velocity = np.linalg.norm(motion.v[:n] - start.v[:n], axis=1)
    spin = np.linalg.norm(motion.w[:n] - start.w[:n], axis=1)
    size = max(1.0, float(np.abs(start.x).max()))
    speed = max(float(np.abs(start.v).max()), float(np.abs(start.w).max()), np.finfo(float).tiny)
    parts = []
    for values, limit, what in (
        (moved, SHOWN * size, "bodies moved by up to {:.3g} m ({!r})"),
        (np.degrees(turned), 1e-6, "turned by up to {:.3g} degrees ({!r})"),
        (velocity, SHOWN * speed, "velocities changed by up to {:.3g} m/s ({!r})"),
        (spin, SHOWN * speed, "angular velocities by up to {:.3g} rad/s ({!r})"),
    ):
        most = int(values.argmax())
        if values[most] > limit:
            parts.append(what.format(float(values[most]), names[most].name))
    if not parts:
        return Assembly(state, moved, turned, velocity, spin, "")
    x, q, v, w = (part[:n].copy() for part in motion[:4])
    new = State(state.t, x, q, v, w, contacts=state.contacts, forces=state.forces)
    return Assembly(new, moved, turned, velocity, spin, "assembled: " + ", ".join(parts))
