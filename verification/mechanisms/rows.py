"""Rows and reactions of joints at recorded states, computed apart from the solver."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

import nsgalpha as ns
from nsgalpha.arrays import Floats, turned
from nsgalpha.model.joint_interface import PERPENDICULAR, SLIDE

REACTION, IMPULSE = 1, 2  # columns of `Result.joints`


class Measured(NamedTuple):
    """Of n states and R rows."""

    g: Floats  # (n, R) violation of positions [m], [-]
    rate: Floats  # (n, R) of velocities [m/s], [rad/s]
    on_a: Floats  # (n, R, 6) unit force and torque on side A
    on_b: Floats  # (n, R, 6)


def _placed(result: ns.Result, carrier: Any) -> tuple[Floats, ...]:
    """Position, quaternion, velocity, angular velocity (n, .) of a carrier of a joint."""
    n = len(result.t)
    still = np.zeros((n, 3))
    if carrier is None:
        return still, np.tile((1.0, 0.0, 0.0, 0.0), (n, 1)), still, still
    if isinstance(carrier, ns.Plane):
        assert carrier.motion is not None
        x, v = (np.array([carrier.motion(t)[k] for t in result.t]) for k in range(2))
        return x, np.tile((1.0, 0.0, 0.0, 0.0), (n, 1)), v, still  # of frames that do not turn
    b = carrier.index
    return result.position[:, b], result.rotation[:, b], result.velocity[:, b], result.angular_velocity[:, b]


def _dot(a: Floats, b: Floats) -> Floats:
    return np.einsum("ni,ni->n", a, b)


def measure(result: ns.Result, joint: Any) -> Measured:
    """Rows of one `joint`."""
    x, q, v, w = zip(*(_placed(result, carrier) for carrier in joint.carriers), strict=True)
    n = len(result.t)
    lever = [turned(q[s], np.broadcast_to(joint.points[s], (n, 3))) for s in range(2)]
    axes = [[turned(q[s], np.broadcast_to(joint.axes[s][k], (n, 3))) for k in range(3)] for s in range(2)]
    d = x[1] + lever[1] - x[0] - lever[0]
    g, on_a, on_b = [], [], []
    for kind, one, two in joint.rows:
        a, b = axes[0][one], axes[1][two]
        if kind == SLIDE:
            g.append(_dot(a, d))
            on_a.append(np.hstack([-a, -np.cross(lever[0] + d, a)]))
            on_b.append(np.hstack([a, np.cross(lever[1], a)]))
        elif kind == PERPENDICULAR:
            g.append(_dot(a, b))
            on_a.append(np.hstack([np.zeros_like(a), np.cross(a, b)]))
            on_b.append(-on_a[-1])
        else:
            size = np.linalg.norm(d, axis=1)
            g.append(size - joint.length)
            m = d / size[:, None]
            on_a.append(np.hstack([-m, -np.cross(lever[0], m)]))
            on_b.append(np.hstack([m, np.cross(lever[1], m)]))
    sides = [np.stack(each, axis=1) for each in (on_a, on_b)]
    V = [np.hstack([v[s], w[s]]) for s in range(2)]
    rate = sum(np.einsum("nri,ni->nr", sides[s], V[s]) for s in range(2))
    return Measured(np.stack(g, axis=1), np.asarray(rate), *sides)


def violation(result: ns.Result) -> tuple[float, float]:
    """Largest violation in all states: of positions [m] or [-], and of velocities [m/s] or [rad/s]."""
    parts = [measure(result, joint) for joint in result.model.joints]
    return float(max(np.abs(p.g).max() for p in parts)), float(max(np.abs(p.rate).max() for p in parts))


def reaction(result: ns.Result, number: int, side: int = 1, column: int = REACTION) -> Floats:
    """Force and torque (n, 6) of joint `number` on its `side`, A 0 or B 1, about the body's centre.

    column: REACTION [N, N m] or IMPULSE [N s, N m s] of the impacts of the step.
    """
    joints: Sequence[Any] = result.model.joints
    first = sum(len(joint.rows) for joint in joints[:number])
    rows = slice(first, first + len(joints[number].rows))
    unit = measure(result, joints[number])[2 + side]
    return np.asarray(np.einsum("nri,nr->ni", unit, np.asarray(result.joints)[:, rows, column]))
