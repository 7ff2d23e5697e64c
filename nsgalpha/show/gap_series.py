"""Gaps over time: of one pair, or the smallest of all possible pairs."""

from __future__ import annotations

import numpy as np

from nsgalpha.arrays import Floats, turned
from nsgalpha.checks import named, refuse
from nsgalpha.model.contact_element import ContactLaw
from nsgalpha.model.handles import Body, Plane, own
from nsgalpha.model.periodic_cell import cell_of, nearest_images
from nsgalpha.model.plane_motion import frame_motion
from nsgalpha.run.cell_series import cells_of
from nsgalpha.run.result import Result
from nsgalpha.show.figure_style import COLOURS, Figure, label, new_figure, shown_name
from nsgalpha.show.row_reader import picked
from nsgalpha.show.user_choices import has_compliant, result_of

BLOCK = 256  # states that are read at once


@named
def gaps(result: Result, a: Body | None = None, b: Body | Plane | None = None) -> Figure:
    """Gap [m] over time between the sphere `a` and `b`, a sphere or a plane, > 0 open.

    Without both it is the smallest gap of all pairs near each other that the model's elements let touch.
    There is no line where no pair is near.

    Raises ValueError if one of the two is given, `a` has no surface, or handles are of another model.
    """
    if (a is None) != (b is None):
        raise ValueError("a, b: give both of them for the gap of a pair, or none for the smallest gap")
    result_of(result)
    figure, axis = new_figure()
    if a is None or b is None:
        gap, title = smallest_gap(result), "smallest gap"
    else:
        gap, title = pair_gap(result, a, b), f"{shown_name(a.name)}, {shown_name(b.name)}"
    axis.axhline(0.0, color="0.4", linewidth=0.8)
    axis.plot(result.t, gap, color=COLOURS[0], linewidth=1.2)
    label(axis, "t [s]", "gap [m]", title)
    return figure


def pair_gap(result: Result, a: Body, b: Body | Plane) -> Floats:
    """Gap (n,) [m] between the sphere `a` and `b`, a sphere or a plane, in the recorded states."""
    model = result.model
    for name, handle in (("a", a), ("b", b)):
        own(model, name, handle)
    if not isinstance(a, Body) or not isinstance(b, Body | Plane):
        raise refuse("a, b", (a, b), "a sphere, and a sphere or plane")
    for name, side in (("a", a), ("b", b)):
        if isinstance(side, Body) and side.radius == 0.0:
            raise refuse(f"radius of {name}", 0.0, "positive", "a body without a surface has no gap")
    x = np.asarray(result.position[:, a.index])
    if isinstance(b, Body):
        apart = x - result.position[:, b.index]
        if model.cell_motion is None:
            apart = nearest_images(apart, cell_of(model.periodic))
        else:
            cells = cells_of(result)
            apart = np.array([nearest_images(d, cell) for d, cell in zip(apart, cells, strict=True)])
        return np.linalg.norm(apart, axis=-1) - a.radius - b.radius
    origin, normal = plane_frames(result, b)
    return np.einsum("ni,ni->n", normal, x - origin) - b.offset - a.radius


def plane_frames(result: Result, plane: Plane) -> tuple[Floats, Floats]:
    """Origins (n, 3) [m] of the frame that carries `plane`, and its normals (n, 3), in recorded states."""
    n = len(result.t)
    if plane.body is not None:
        carrier = plane.body.index
        rotation = np.asarray(result.rotation[:, carrier])
        return np.asarray(result.position[:, carrier]), turned(rotation, np.tile(plane.normal, (n, 1)))
    if plane.motion is None:
        return np.zeros((n, 3)), np.tile(plane.normal, (n, 1))
    frames = [frame_motion(plane, float(t)) for t in result.t]
    rotation = np.array([frame[1] for frame in frames])
    return np.array([frame[0] for frame in frames]), turned(rotation, np.tile(plane.normal, (n, 1)))


def smallest_gap(result: Result) -> Floats:
    """Smallest gap (n,) [m] of all pairs that may touch; NaN where none is within the largest radius."""
    n = len(result.t)
    gap = np.full(n, np.inf)
    for first in range(0, n, BLOCK):
        records = range(first, min(first + BLOCK, n))
        part = picked(result, records)
        if any(isinstance(element.law, ContactLaw) for element in result.model.elements):
            gap[records] = _set_valued_gaps(part)
        if has_compliant(result.model):
            soft = [part.compliant_contacts(k).gap.min(initial=np.inf) for k in range(len(records))]
            gap[records] = np.minimum(gap[records], soft)
    return np.where(np.isfinite(gap), gap, np.nan)


def _set_valued_gaps(result: Result) -> list[float]:
    from nsgalpha.system.system import System

    system = System(result.model)
    reach = float(system.bodies.extent.max())
    gaps = []
    for record in range(len(result.t)):
        motion = system.motion(result.state(record))
        near = system.candidates(motion.x, reach, motion.q)
        system.select(motion, near)
        system.measure(motion, near)
        gaps.append(float(near.gap.min(initial=np.inf)))
    return gaps
