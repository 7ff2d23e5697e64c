"""Measures of packings: coordination number, fabric tensor, granular temperature.

    Z = contacts of bodies / bodies,     F = 1/N_c sum n n^T,     T = 1/3 <|v - u|^2>

with the unit normals n of the N_c contacts (Satake 1982; tr F = 1, F = 1/3 if all directions are alike) and
the mean velocity u (Goldhirsch 2003). Spheres touch where their gap is at most a tolerance. Places and radii
alone decide, so that hard and soft contact have the same measures. Contacts need no record.

Bodies of other shapes have the contacts of the run that exert forces. Two of them are one contact for Z,
wherever they touch, and N_c contacts for F.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from nsgalpha.arrays import Flags, Floats, Ints
from nsgalpha.checks import instance, integer, named, number_in, refuse, truth
from nsgalpha.geometry.broad_phase import near_pairs
from nsgalpha.model.compliant_law import CompliantLaw
from nsgalpha.model.model_repr import counted
from nsgalpha.model.periodic_cell import nearest_images, wrapped
from nsgalpha.run.cell_series import cells_of, field_velocities
from nsgalpha.run.result import Result

ROUNDING = 1e-6  # of the mean radius, by which spheres that touch may be apart


@dataclass(frozen=True, slots=True, repr=False)
class ContactNetwork:
    """Contacts of bodies in n recorded states."""

    t: Floats  # (n,) [s]
    coordination: Floats  # (n,) mean number of contacts of a body that is not fixed
    backbone: (
        Floats  # (n,) the same of those that are no rattlers, with each other and fixed ones; 0 if none is
    )
    rattlers: Ints  # (n,) how many bodies have fewer than `least` contacts with others that are no rattlers
    fabric: Floats  # (n, 3, 3) mean of n n^T; zero without contacts

    def __repr__(self) -> str:
        return (
            f"<ContactNetwork: {counted(len(self.t), 'states')}, Z = {self.coordination[-1]:.3g} at the end>"
        )


@named
def contact_network(
    result: Result, *, gap: float | None = None, least: int = 4, recorded: bool = False
) -> ContactNetwork:
    """Coordination numbers and fabric in all recorded states; see run/contact_network.py.

    gap [m]: up to which two spheres touch, by default 1e-6 of the mean radius. least: rattlers have fewer
    contacts, 4 without friction; they are taken away again and again until none is left. Contacts with fixed
    bodies count for the others, those of two fixed ones and with planes do not. In a periodic cell each pair
    has its nearest image. recorded: bodies of all shapes, by the contacts that exerted forces in the last
    step. Without it only spheres count, by their places.

    Raises ValueError for a negative gap or number, for a gap of recorded contacts, for a result without
    spheres, and for one without recorded contacts.

    >>> from elements import SphereSphere
    >>> model = ns.Model()
    >>> row = model.add_spheres(position=[(0.2 * k, 0, 0) for k in range(5)], radius=0.1, mass=1.0)
    >>> found = ns.contact_network(ns.simulate(model, t_end=0.1, h=0.1))
    >>> float(found.coordination[-1]), found.fabric[-1].diagonal().tolist()
    (1.6, [1.0, 0.0, 0.0])
    """
    instance("result", result, Result, "a Result", "such as simulate and load return")
    radius = np.array([body.radius for body in result.model.bodies])
    free = np.array([not body.fixed for body in result.model.bodies], bool)
    lowest = integer("least", least, 0)
    if truth("recorded", recorded):
        if gap is not None:
            raise refuse("gap", gap, "left out with recorded contacts")
        start, closed = result.contacts.start, np.asarray(result.stats.contacts)
        left_out = len(start) > 2 and start[-2] == 0 and closed[:-1].any()  # but of the last state
        if left_out and not _is_compliant(result):
            raise ValueError(
                "recorded: no contacts are recorded: leave out `contacts=False` of the recording"
            )
        known = (_recorded(result, i) for i in range(len(result.t)))
        return _network(result, known, free & result.present, lowest)
    if not radius.any():
        raise ValueError("result: has no spheres: must have some for a contact network")
    within = ROUNDING * float(radius[radius > 0.0].mean())
    if gap is not None:
        within = number_in("gap", gap, 0.0, math.inf)
    there = result.present & (radius > 0.0)
    states = zip(cells_of(result), np.asarray(result.position), there, strict=True)
    found = (_touching(x, radius, counts, within, cell) for cell, x, counts in states)
    return _network(result, found, free & there, lowest)


def _network(result: Result, found: Iterable[tuple[Ints, Floats]], free: Flags, least: int) -> ContactNetwork:
    """The network of the pairs (K, 2) and normals (K, 3) of each state; free (n, N) bodies count."""
    rows = []
    for (pairs, normal), counts in zip(found, free, strict=True):
        kept = counts[pairs].any(axis=1)
        rows.append(_measures(pairs[kept], normal[kept], counts, least))
    z, backbone, rattlers, fabric = (np.array(each) for each in zip(*rows, strict=True))
    return ContactNetwork(np.asarray(result.t), z, backbone, rattlers, fabric)


def _is_compliant(result: Result) -> bool:
    """True if there are compliant contacts."""
    return any(isinstance(each.law, CompliantLaw) for each in result.model.elements)


def _recorded(result: Result, index: int) -> tuple[Ints, Floats]:
    """Pairs (K, 2) of bodies, and normals (K, 3) of their contacts that exert forces."""
    hard = result.contacts.at(index)
    parts = [(hard.body_a, hard.body_b, hard.normal, hard.wrench[:, :3])]
    if _is_compliant(result):
        soft = result.compliant_contacts(index)
        parts.append((soft.body_a, soft.body_b, soft.normal, soft.force))
    a, b, normal, force = (np.concatenate(each) for each in zip(*parts, strict=True))
    acts = (a >= 0) & (b >= 0) & force.any(axis=1)
    return np.stack([a, b], axis=1)[acts], normal[acts]


@named
def granular_temperature(result: Result) -> Floats:
    """1/3 of the mean square of velocities about their mean (n,) [m^2/s^2].

    It is that of all bodies that are not fixed, in a cell that moves about the mean field.
    A body has its part by number, not by mass; 0 where nothing moves freely. Spins do not count.
    """
    instance("result", result, Result, "a Result", "such as simulate and load return")
    free = np.array([not body.fixed for body in result.model.bodies], bool) & result.present
    number = np.maximum(free.sum(axis=1), 1)
    v = np.where(free[:, :, None], np.asarray(result.velocity) - field_velocities(result), 0.0)
    mean = v.sum(axis=1) / number[:, None]
    square = np.where(free[:, :, None], (v - mean[:, None]) ** 2, 0.0)
    found: Floats = square.sum(axis=(1, 2)) / (3.0 * number)
    return found


def _touching(x: Floats, radius: Floats, counts: Flags, gap: float, cell: Floats) -> tuple[Ints, Floats]:
    """Pairs (K, 2) of bodies that touch, and unit vectors (K, 3) from the second one to the first."""
    own = np.flatnonzero(counts)
    if len(own) < 2:
        return np.zeros((0, 2), np.int64), np.zeros((0, 3))
    places = wrapped(x[own], cell)
    if len(cell) > 2:  # of images that move
        near = near_pairs(places, radius[own], np.arange(len(own)), gap + ROUNDING * radius.max(), cell)
    else:
        tree = cKDTree(places, boxsize=cell[0] if len(cell) else None)
        reach = 2.0 * float(radius[own].max()) + gap
        near = tree.query_pairs(reach * (1.0 + 1e-12), output_type="ndarray").astype(np.int64)
    d = nearest_images(places[near[:, 0]] - places[near[:, 1]], cell)
    length = np.linalg.norm(d, axis=1)
    pairs = own[near]
    touch = (length > 0.0) & (length - radius[pairs].sum(axis=1) <= gap)
    return pairs[touch], d[touch] / length[touch, None]


def _measures(pairs: Ints, normal: Floats, free: Flags, least: int) -> tuple[float, float, int, Floats]:
    """Coordination, that of the backbone, number of rattlers, fabric (3, 3)."""
    fabric = normal.T @ normal / max(len(normal), 1)
    pairs = np.unique(np.sort(pairs, axis=1), axis=0)
    own = _contacts(pairs, len(free))
    z = float(own[free].sum() / max(free.sum(), 1))
    stays, kept = free.copy(), pairs
    while (stays & (own < least)).any():
        gone = stays & (own < least)
        stays &= ~gone
        kept = kept[~gone[kept].any(axis=1)]
        own = _contacts(kept, len(free))
    backbone = float(own[stays].sum() / max(stays.sum(), 1))
    return z, backbone, int(free.sum() - stays.sum()), fabric


def _contacts(pairs: Ints, bodies: int) -> Ints:
    """How many contacts each of the bodies has."""
    return np.bincount(pairs.ravel(), minlength=bodies)
