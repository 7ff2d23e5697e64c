"""Data of a page: a run as base64 in JSON (nsgalpha/show/web/source/run.js).

Positions are 16-bit parts of the box in which all bodies stay, velocities and the quaternions of rotating
things 16-bit integers. Pages of scenes far off count from another origin.
"""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

from nsgalpha.arrays import Floats, Ints
from nsgalpha.model.model import Model
from nsgalpha.run.result import Result
from nsgalpha.show.colours import SCALE, STATUS_COLOURS, STATUSES, own_colours, table
from nsgalpha.show.contact_appearance import colour_numbers, shown_lines, stated_colours
from nsgalpha.show.contact_forces import body_status
from nsgalpha.show.contact_lines import Lines
from nsgalpha.show.picture_view import BARE, FLOOR, WALL
from nsgalpha.show.pictures import look
from nsgalpha.show.scene import Scene
from nsgalpha.shown_text import ROUNDING

FULL = 0.99  # part of the contacts below the force with the full thickness: impacts are beyond it
WIDE, SIGNED, NARROW = 65535, 32767, 255  # largest numbers of 16 and 8 bits
SURFACE = (0.62, 0.68, 0.78)  # of meshes whose corners are bodies, but for surfaces among others
STRETCH = 0.02  # change of the length of a spring over the run from which on it is drawn as a coil
MOST_COILS = 400
COIL = 0.035  # radius of coils over the longest of them, at most


def packed(values: Any, kind: str) -> dict[str, str]:
    """An array for the page; kind: "f4", "u2", ... of numpy."""
    array = np.ascontiguousarray(values, np.dtype(f"<{kind}"))
    return {"type": kind, "base64": base64.b64encode(array.tobytes()).decode()}


def still_data(scene: Scene) -> dict[str, Any]:
    """The part of the data that no frame changes; numbers as in Scene."""
    model, n = scene.model, len(scene.radius)
    camera = look(scene)
    towards = np.asarray(camera.eye) - np.asarray(camera.target)
    return {
        "names": [body.name for body in model.bodies],
        "mass": packed([body.mass for body in model.bodies], "f4"),
        "things": scene.things,
        "thing_colours": scene.thing_colours,
        "contact_colours": stated_colours(model),
        "status_names": STATUSES,
        "status_colours": table(STATUS_COLOURS).round(4).tolist(),
        "scale": table(SCALE).round(4).tolist(),
        "body_colours": packed(np.rint(own_colours(model) * NARROW), "u1"),
        "surface_colour": None if _has_several(model) else SURFACE,
        "bare_colour": BARE,
        "floor_colour": FLOOR,
        "wall_colour": WALL,
        "radius": packed(scene.radius, "f4"),
        "hollow": packed(scene.hollow, "u1"),
        "owner": packed(scene.owner, "i4"),
        "place": packed(scene.place - scene.origin * (scene.owner == n)[:, None], "f4"),
        "origin": scene.origin.tolist(),
        "rods": packed(scene.rods, "i4"),
        "rod_radius": packed(scene.rod_radius, "f4"),
        "rod_thing": packed(scene.rod_thing, "i4"),
        "coils": [],
        "coil_radius": 0.0,
        "face_start": packed(np.cumsum([0, *map(len, scene.faces)]), "i4"),
        "face_corners": packed([p for face in scene.faces for p in face], "i4"),
        "face_kind": packed(np.select([scene.is_floor, scene.is_wall], [1, 2], 0), "u1"),
        "face_thing": packed(scene.face_thing, "i4"),
        "visual_colours": [each.colour for each in model.visuals],
        "rod_visual": packed(scene.rod_visual, "i4"),
        "face_visual": packed(scene.face_visual, "i4"),
        "cell": scene.cell,
        "periods": [each or 0.0 for each in model.periodic or (None,) * 3],
        "low_seen": (scene.low - scene.origin).tolist(),
        "high_seen": (scene.high - scene.origin).tolist(),
        "spread": scene.spread,
        "view_low": (scene.view_low - scene.origin).tolist(),
        "view_high": (scene.view_high - scene.origin).tolist(),
        "up": scene.up.tolist(),
        "towards": (towards / np.linalg.norm(towards)).tolist(),
    }


def _has_several(model: Model) -> bool:
    """True if there are several surfaces, and no other meshes whose corners are bodies."""
    nodes = {node.index for surface in model.surfaces for node in surface.nodes}
    corners = {
        c for each in model.primitives if not each.rigid and len(each.corners) > 2 for c in each.corners
    }
    return len(model.surfaces) > 1 and corners <= nodes


def run_data(
    result: Result, scene: Scene, lines: list[Lines], contacts: bool, values: Floats | None, label: str
) -> dict[str, Any]:
    """All data of the page, with a frame for every state of `result`; `lines` (frames,) are contacts.

    values (frames, N), with their `label`, are a colouring; None: there is none.
    """
    n, frames = len(scene.radius), range(len(result.t))
    poses = [scene.pose(result, frame) for frame in frames]
    x, q = (np.array(part) for part in zip(*poses, strict=True))
    x -= scene.shift
    turning = np.flatnonzero((q != q[0]).any(axis=(0, 2)))
    low = x.min(axis=(0, 1))
    size = x.max(axis=(0, 1)) - low
    speed = np.linalg.norm(result.velocity, axis=-1)
    fastest = float(speed.max(initial=0.0))
    spin = np.linalg.norm(result.angular_velocity, axis=-1)
    status = np.array([body_status(each, n) for each in lines])
    data = still_data(scene) | {
        "times": packed(result.t, "f4"),
        "positions": packed(np.rint((x - low) / np.where(size > 0.0, size, 1.0) * WIDE), "u2"),
        "rotations": packed(np.rint(q[:, turning] * SIGNED), "i2"),
        "turning": packed(turning, "i4"),
        "rest": packed(q[0], "f4"),
        "low": low.tolist(),
        "size": size.tolist(),
        "velocity": packed(np.rint(np.asarray(result.velocity) / (fastest or 1.0) * SIGNED), "i2"),
        "fastest": fastest,
        "usual_speed": float(np.median(speed.max(axis=1, initial=0.0))),
        "status": packed(status, "u1"),
        "statuses": np.unique(status).tolist(),
    }
    data |= _coils(scene, x + scene.shift, q)
    if result.model.open_boundaries:
        data["absent"] = packed(~result.present, "u1")
    if spin.any():
        fastest = float(spin.max())
        data |= {"spins": packed(np.rint(spin / fastest * WIDE), "u2"), "fastest_spin": fastest}
    if values is not None:
        known = values[np.isfinite(values)]
        span = [float(known.min()), float(known.max())] if len(known) else None
        if span and abs(span[0]) < ROUNDING * abs(span[1]):
            span[0] = 0.0
        data |= {"values": packed(values, "f4"), "value_range": span, "value_label": label}
    if not contacts:
        return data
    shown = [shown_lines(each, result.model) for each in lines]
    colours = np.concatenate([colour_numbers(each, result.model) for each in shown])
    found = _contacts(shown, scene.radius, scene.origin + low, size)
    return data | found | {"contact_colour": packed(colours, "i4")}


def _coils(scene: Scene, x: Floats, q: Floats) -> dict[str, Any]:
    """The rods that are springs whose length changes, at poses (frames, M, ...)."""
    springs = [
        k for k, thing in enumerate(scene.rod_thing) if thing >= 0 and scene.things[thing][1] == "spring"
    ]
    if not 0 < len(springs) <= MOST_COILS:
        return {}
    some = sorted({round(k) for k in np.linspace(0, len(x) - 1, 16)})
    ends = np.array([scene.points(x[k], q[k])[scene.rods[springs]] for k in some])  # (S, K, 2, 3)
    lengths = np.linalg.norm(ends[:, :, 1] - ends[:, :, 0], axis=-1)
    longest = lengths.max(axis=0)
    coils = np.flatnonzero(longest - lengths.min(axis=0) > STRETCH * longest)
    if not len(coils):
        return {}
    radius = COIL * float(longest[coils].max())
    bodies = scene.radius[scene.radius > 0.0]
    if len(bodies):
        radius = min(radius, 0.5 * float(np.median(bodies)))
    return {"coils": [springs[k] for k in coils], "coil_radius": radius}


def _contacts(lines: list[Lines], radius: Floats, low: Floats, size: Floats) -> dict[str, Any]:
    """The contacts of all frames, those of frame i from `contact_start[i]` on."""
    counts: Ints = np.array([len(each.gap) for each in lines])
    span = np.where(size > 0.0, size, 1.0)
    ends = np.concatenate([np.concatenate([each.start, each.end], axis=1) for each in lines])
    points = np.concatenate([each.point for each in lines])
    force = np.concatenate([each.force for each in lines])
    strength = np.linalg.norm(force, axis=1)
    largest = float(strength.max(initial=0.0)) or 1.0
    status = np.concatenate([each.status for each in lines])
    return {
        "contact_start": packed(np.concatenate([[0], np.cumsum(counts)]), "i4"),
        "contact_ends": packed(
            np.rint(np.clip((ends - np.tile(low, 2)) / np.tile(span, 2), 0.0, 1.0) * WIDE), "u2"
        ),
        "contact_points": packed(np.rint(np.clip((points - low) / span, 0.0, 1.0) * WIDE), "u2"),
        "contact_force": packed(np.rint(force / largest * SIGNED), "i2"),
        "largest_force": largest,
        "full_force": full_force(strength),
        "contact_status": packed(status, "u1"),
        "thickest": thickest(radius, size),
    }


def full_force(strength: Floats) -> float:
    """The force [N] that is drawn with the full thickness or length."""
    pushing = strength[strength > 0.0]
    return float(np.quantile(pushing, FULL)) if len(pushing) else 1.0


def thickest(radius: Floats, size: Floats) -> float:
    """Radius [m] of the thickest rod of a contact."""
    with_surface = radius[radius > 0.0]
    return 0.35 * float(with_surface.min()) if len(with_surface) else 0.01 * float(size.max())
