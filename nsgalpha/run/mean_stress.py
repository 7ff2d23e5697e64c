"""The mean stress in a cell, from contact forces and the motion of the bodies:

    sigma = 1/V sum_bodies ( sum_contacts F p^T  -  m (v - u) (v - u)^T )

with the forces F on a body, the levers p from its centre to the contact, and the mean velocity u of all
bodies that are not fixed. In a cell that moves u is the linear profile of its shear about that mean. For two
bodies the sum over both is F (p_A - p_B)^T = -F l^T, with the force on A and the branch vector l = x_A - x_B.
In a periodic cell it is that of the nearest image (Bagi 1996, Goldhirsch 2010). As for `virial_stress`,
tension is positive: the pressure is -tr(sigma)/3.

Forces of set-valued contacts are means over the step that led to the state, with its impacts: impulses over
the step. Sums over all steps, or over many states at random, are then those of the kinetic theory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from nsgalpha.arrays import Flags, Floats, Ints
from nsgalpha.checks import finite, instance, named, positive, refuse
from nsgalpha.model.body_volumes import body_volumes
from nsgalpha.model.compliant_law import CompliantLaw
from nsgalpha.model.contact_element import AnchoredPairs
from nsgalpha.model.handles import Body
from nsgalpha.model.model import Model
from nsgalpha.model.model_repr import counted
from nsgalpha.model.periodic_cell import nearest_images
from nsgalpha.run.cell_series import cell_series, cells_of, field_velocities
from nsgalpha.run.result import Result
from nsgalpha.run.run_records import Contacts


@dataclass(frozen=True, slots=True, repr=False)
class MeanStress:
    """Mean stress of n recorded states in the volume V, tension positive."""

    t: Floats  # (n,) [s]
    contact: Floats  # (n, 3, 3) [Pa] by the forces of contacts, sigma_ij = sum F_i p_j/V
    kinetic: Floats  # (n, 3, 3) [Pa] by velocities about their mean
    volume: float | Floats  # [m^3], (n,) of a cell whose periods change
    solid_fraction: Floats  # (n,) volume of the bodies over V

    def __repr__(self) -> str:
        volume = f"{np.ravel(self.volume)[-1]:g}"
        return f"<MeanStress: {counted(len(self.t), 'states')}, V = {volume} m^3>"

    @property
    def total(self) -> Floats:
        """Both parts (n, 3, 3) [Pa]."""
        return self.contact + self.kinetic

    @property
    def pressure(self) -> Floats:
        """Mean pressure (n,) [Pa], > 0 in compression."""
        return -np.trace(self.total, axis1=1, axis2=2) / 3.0


@named
def mean_stress(
    result: Result, *, volume: float | None = None, velocity: ArrayLike | None = None
) -> MeanStress:
    """The mean stress of all recorded states, tension positive; see nsgalpha/run/mean_stress.py.

    volume [m^3]: by default that of a cell that is periodic in all directions. Others must be given, such as
    that of a layer between two planes. Set-valued contacts with planes count with the lever of the sphere.
    Other contacts may be those of all shapes, between bodies with the way between their centres. velocity
    (3,), (N, 3) or (n, N, 3) [m/s]: about which motion counts, that of a shear flow, say. By default it is
    the mean of all bodies that are not fixed, in a cell that moves (`CellMotion`) with its mean field.

    Set-valued contacts must be recorded; compliant ones are evaluated again. Forces of joints, springs and
    ropes do not count.

    Raises ValueError for a missing volume, and one that is not positive. Raises it for set-valued contacts
    with planes of bodies that are no spheres, and for contacts of surfaces that deform.

    >>> from elements import SphereSphere
    >>> model = ns.Model(periodic=(1.0, 1.0, 1.0))
    >>> for x, v in ((0.2, 1.0), (0.8, -1.0)):
    ...     ball = model.add_sphere(radius=0.1, mass=2.0, position=(x, 0, 0), velocity=(v, 0, 0))
    >>> result = ns.simulate(model, t_end=0.1, h=0.01)
    >>> ns.mean_stress(result).total[-1].round(9)[0] + 0.0  # - sum m v v^T/V
    array([-4.,  0.,  0.])
    """
    instance("result", result, Result, "a Result", "such as simulate and load return")
    model, V = result.model, _volume(result, volume)
    radius = np.array([body.radius for body in model.bodies])
    there = result.present
    mass = np.array([0.0 if body.fixed else body.mass for body in model.bodies]) * there
    if velocity is None:
        field = field_velocities(result)
        total = mass.sum(axis=1)[:, None]
        mean = np.einsum("nb,nbi->ni", mass, result.velocity - field) / np.where(total > 0.0, total, 1.0)
        u = mean[:, None] + field
    else:
        u = _given(result, velocity)
    v = np.asarray(result.velocity) - u
    of_state = np.reshape(V, (-1, 1, 1))
    kinetic = -np.einsum("nb,nbi,nbj->nij", mass, v, v) / of_state
    solid = (there * body_volumes(model)).sum(axis=1) / V
    contact = (_set_valued(result, radius) + _compliant(result)) / of_state
    return MeanStress(np.asarray(result.t), contact, kinetic, V, solid)


def _volume(result: Result, volume: float | None) -> float | Floats:
    """The volume [m^3], one for each state (n,) of a cell whose periods change."""
    if volume is not None:
        return positive("volume", volume)
    known = [each for each in result.model.periodic or () if each is not None]
    if len(known) < 3:
        raise refuse("volume", None, "given for a cell that is not periodic in all directions")
    motion = result.model.cell_motion
    if motion is None or not motion.strained:
        return float(np.prod(known))
    return cell_series(result).volume


def _given(result: Result, velocity: Any) -> Floats:
    u = finite("velocity", velocity)
    shape = np.shape(result.velocity)
    if u.shape not in ((3,), shape[1:], shape):
        raise refuse("velocity", velocity, f"of the shape (3,), {shape[1:]} or {shape}")
    return u


def _set_valued(result: Result, radius: Floats) -> Floats:
    """Sums (n, 3, 3) [N m] over the set-valued contacts of each state."""
    contacts, n = result.contacts, len(result.t)
    if len(contacts.gap):
        on_plane = (np.asarray(contacts.plane) >= -1) & (np.asarray(contacts.body_b) < 0)
        _refuse_others(result, radius, np.asarray(contacts.body_a)[on_plane])
    steps = max(len(np.asarray(result.stats.contacts)), 1)
    h = float(result.t[-1] - result.t[0]) / steps
    states = list(zip(np.asarray(result.position), cells_of(result), strict=True))
    return set_valued_sums(contacts, radius, np.full(n, h or 1.0), with_shapes(result.model), states)


def with_shapes(model: Model) -> Flags:
    """Flags (N,) of the bodies that are no spheres alone."""
    shaped = np.array([body.radius == 0.0 for body in model.bodies], bool)
    for each in model.shapes.primitives:
        if isinstance(each.carrier, Body):
            shaped[each.carrier.index] = True
    return shaped


def set_valued_sums(
    contacts: Contacts, radius: Floats, h: Floats, shaped: Flags, states: Sequence[tuple[Floats, Floats]]
) -> Floats:
    """Sums (n, 3, 3) [N m] over the set-valued `contacts` of n states, after steps of `h` (n,) [s].

    Those between markers are no contacts. radius, shaped (N,): of the bodies [m], and whether they have other
    shapes. states: places (B, 3) of bodies, and the placed cell.
    """
    total = np.zeros((len(h), 3, 3))
    if not len(contacts.gap):
        return total
    rows = np.flatnonzero(np.asarray(contacts.plane) >= -1)
    a, b = np.asarray(contacts.body_a)[rows], np.asarray(contacts.body_b)[rows]
    normal, gap = np.asarray(contacts.normal)[rows], np.asarray(contacts.gap)[rows]
    arm = radius[a] + np.where(b >= 0, radius[b] + gap, 0.0)
    branch, record = arm[:, None] * normal, contacts.record[rows]
    others = np.flatnonzero((b >= 0) & (shaped[a] | shaped[b]))
    for i in np.unique(record[others]).tolist():
        k, (x, cell) = others[record[others] == i], states[i]
        branch[k] = nearest_images(x[a[k]] - x[b[k]], cell)
    force = np.asarray(contacts.impulse)[rows] / h[record][:, None]
    np.add.at(total, record, -np.einsum("ci,cj->cij", force, branch))
    return total


def _compliant(result: Result) -> Floats:
    """Sums (n, 3, 3) [N m] over the compliant contacts of each state, without springs."""
    total = np.zeros((len(result.t), 3, 3))
    elements = [each for each in result.model.elements if isinstance(each.law, CompliantLaw)]
    counts = np.array([not isinstance(getattr(each, "pairs", None), AnchoredPairs) for each in elements])
    if not counts.any():
        return total
    for i in range(len(total)):
        c = result.compliant_contacts(i)
        rows = np.flatnonzero(counts[c.element])
        a, b, force = c.body_a[rows], c.body_b[rows], c.force[rows]
        if ((a < 0) | ((b < 0) & (c.primitive_b[rows] >= 0))).any():
            raise refuse("result", "contacts of primitives", "of rigid bodies for a mean stress")
        arm = c.lever_a[rows] - np.where((b >= 0)[:, None], c.lever_b[rows], 0.0)
        total[i] = np.einsum("ci,cj->ij", force, arm)
    return total


def _refuse_others(result: Result, radius: Floats, touching: Ints) -> None:
    """ValueError, by its name, for one of the bodies with contacts that is no sphere."""
    for body in touching[radius[touching] == 0.0][:1]:
        name = result.model.bodies[int(body)].name
        raise ValueError(
            f"result: {name!r} has set-valued contact with planes: must be a sphere for a mean stress; "
            "other contacts may be those of all shapes"
        )
