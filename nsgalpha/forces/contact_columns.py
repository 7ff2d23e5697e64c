"""The contacts of one element as columns of `CompliantContacts`, after an evaluation."""

from __future__ import annotations

import numpy as np

from nsgalpha.arrays import Floats, Ints, Motion
from nsgalpha.forces.contact_group import ContactGroup, Group, PairGroup
from nsgalpha.forces.shape_arrays import Side
from nsgalpha.forces.surface_contacts import SurfaceGroup
from nsgalpha.model.periodic_cell import nearest_images, placed_cell

Columns = dict[str, np.ndarray]


def rows_of(group: Group, motion: Motion) -> Columns:
    """Columns of the contacts that were closed in the last evaluation of `group`, which was at `motion`."""
    if isinstance(group, PairGroup):
        return _of_pairs(group, motion)
    assert isinstance(group, SurfaceGroup)
    return _of_surfaces(group, motion)


def _forces(group: ContactGroup, E: Floats, rate: Floats, lever_a: Floats, lever_b: Floats) -> Columns:
    """Rates, forces and couples of the last evaluation, inertial in the frames `E` (C, 3, 3) and local."""
    local = group.response.force
    force = np.einsum("cr,cri->ci", local[:, :3], E)
    couple = np.einsum("cr,cri->ci", local[:, [5, 3, 4]], E)
    return {
        "normal": E[:, 0],
        "force": force,
        "torque_a": couple + np.cross(lever_a, force),
        "torque_b": -couple - np.cross(lever_b, force),
        "lever_a": lever_a,
        "lever_b": lever_b,
        "local": local,
        "rate": rate,
        "energy": group.response.energy,
        "history": group.response.history,
    }


def _moving(group: Group, frames: Ints) -> Ints:
    """`frames`, -1 for those that are no bodies."""
    return np.where(frames < group.system.count, frames, -1)


def _of_pairs(group: PairGroup, motion: Motion) -> Columns:
    f = group.frames
    a, b, plane = f.body[:, 0], f.body[:, 1], f.plane
    gap, bodies = -f.overlap, _moving(group, f.body)
    columns = _forces(group, f.E, f.rate, f.p[:, 0], f.p[:, 1])
    foot = np.where((plane >= 0)[:, None], f.p[:, 1] - 0.5 * gap[:, None] * f.E[:, 0], 0.0)
    wrenches = [
        group.law.on[0] * np.hstack([columns["force"], columns["torque_a"]]),
        group.law.on[1] * np.hstack([-columns["force"], columns["torque_b"]]),
    ]
    none, apart = np.full(len(a), -1), motion.x[a] - motion.x[b]
    if group.system.by_images(group.element):
        apart = nearest_images(apart, placed_cell(group.system.cell, motion.x))
    image = f.image @ motion.v[-3:] if len(f.image) else 0.0
    return columns | {
        "body_a": a,
        "body_b": np.where(plane >= 0, -1, bodies[:, 1]),
        "plane": np.maximum(plane, -1),
        "primitive_a": none,
        "primitive_b": none,
        "gap": gap,
        "displacement": apart - foot,
        "velocity": motion.v[a] - motion.v[b] - image - np.cross(motion.w[b], foot),
        "point": motion.x[a] + f.p[:, 0],
        "area": f.area,
        "bodies": bodies,
        "share": np.ones(bodies.shape),
        "wrench": np.stack(wrenches, axis=1),
        "arms": f.p,
    }


def _of_surfaces(group: SurfaceGroup, motion: Motion) -> Columns:
    given, m, place, seen = group.last.given, group.last.measured, group.last.place, group.last.seen
    A, B, split = group.A, group.B, group.split
    of_a = A, given.a, place.XA, m.weight_a, given.slots[:, :split]
    of_b = B, given.b, place.XB, m.weight_b, given.slots[:, split:]
    (x_a, v_a, share_a), (x_b, v_b, share_b) = (_side(group, motion, *side) for side in (of_a, of_b))
    x_b, v_b = x_b + group.ways, v_b + group.image_rates(motion.v)
    return _forces(group, group.last.E, seen.rate, m.point - x_a, m.point - x_b) | {
        "body_a": _moving(group, A.carrier[given.a]),
        "body_b": _moving(group, B.carrier[given.b]),
        "plane": np.full(len(given.a), -1),
        "primitive_a": A.number[given.a],
        "primitive_b": B.number[given.b],
        "gap": -m.overlap,
        "displacement": x_a - x_b,
        "velocity": v_a - v_b,
        "point": m.point,
        "area": m.fraction * seen.area,
        "bodies": _moving(group, given.slots),
        "share": np.hstack([share_a, share_b]),
        "wrench": group.last.wrench,
        "arms": m.point[:, None] - place.centre,
    }


def _side(
    group: SurfaceGroup, motion: Motion, side: Side, number: Ints, X: Floats, weight: Floats, slots: Ints
) -> tuple[Floats, Floats, Floats]:
    """Centre and its velocity (C, 3), and the shares (C, S) of the slots, of one side.

    The centre is that of the body that carries it, else the mean of the corners `X` (C, N, 3) by `weight`.
    """
    rigid, frame = side.rigid[number], slots[:, 0]
    share = np.zeros(slots.shape)
    share[rigid, 0] = 1.0
    share[~rigid] = weight[~rigid, : slots.shape[1]]
    carried = rigid & (frame < group.system.count)
    foot = np.einsum("cn,cni->ci", weight, X)
    x = np.where(carried[:, None], motion.x[frame], foot)
    of_frame = motion.v[frame] + np.cross(motion.w[frame], x - motion.x[frame])
    of_corners = np.einsum("cs,csi->ci", share, motion.v[slots])
    return x, np.where(rigid[:, None], of_frame, of_corners), share
