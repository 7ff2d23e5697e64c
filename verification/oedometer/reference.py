"""Closed forms of the lattice, and measures of random packings away from floor and lid.

Layers of a face-centred cubic packing approach one another by u. Each ball touches four in the layer above,

    l = sqrt(d^2/2 + (d/sqrt 2 - u)^2),    F = 4/3 E* sqrt(R/2) (d - l)^(3/2),    p d^2 = 4 F (d/sqrt 2 - u)/l

and at floor and lid p d^2 = 4/3 E* sqrt(R) w^(3/2). Balls of one layer touch without a force. The lid goes
down by c = (N - 1) u + 2 w. Stresses are sums F n n l over the contacts of layers, and F n n (R - w/2) over
those of planes. Normals are (1/2, 1/2, 1/sqrt 2) and alike: between layers the lateral pressure is half of
the vertical.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq

import nsgalpha as ns
from nsgalpha.arrays import Flags, Ints
from verification.oedometer import model as made

AWAY = 2.5  # diameters from floor and lid


class Lattice(NamedTuple):
    """State of the lattice under a pressure."""

    displacement: float  # of the lid [m]
    lateral: float  # stress over the vertical one, mean over all
    energy: float  # in the contacts [J]


def lattice(pressure: float) -> Lattice:
    """Closed form."""
    d, modulus = made.D, made.MODULUS
    spacing = d / np.sqrt(2.0)
    ball, plane = 4.0 / 3.0 * modulus * np.sqrt(0.5 * made.R), 4.0 / 3.0 * modulus * np.sqrt(made.R)

    def length(u: float) -> float:
        return float(np.sqrt(d * d / 2.0 + (spacing - u) ** 2))

    def surplus(u: float) -> float:
        force = ball * max(d - length(u), 0.0) ** 1.5
        return 4.0 * force * (spacing - u) / length(u) - pressure * d * d

    u = float(brentq(surplus, 0.0, 0.1 * d, xtol=1e-16))
    wall = (pressure * d * d / plane) ** (2.0 / 3.0)
    layers, overlap = made.LAYERS, d - length(u)
    force = ball * overlap**1.5
    inner = 4.0 * (layers - 1) * force / length(u)  # for each column of the lattice
    vertical = inner * (spacing - u) ** 2 + 2.0 * pressure * d * d * (made.R - 0.5 * wall)
    lateral = inner * 0.25 * d * d
    each = 4.0 * (layers - 1) * 0.4 * force * overlap + 2.0 * 0.4 * pressure * d * d * wall
    return Lattice((layers - 1) * u + 2.0 * wall, lateral / vertical, each * made.ACROSS**2)


class Packing(NamedTuple):
    """A packing away from floor and lid."""

    solid: float  # fraction
    coordination: float  # of balls that are no rattlers
    rattlers: float  # part of the balls


def packing(result: ns.Result) -> Packing:
    """Measures of the last state."""
    contacts = result.compliant_contacts(len(result.t) - 1)
    grains = made.GRAINS
    x = result.position[-1, :grains, 2]
    top = float(result.position[-1, grains, 2])
    low, high = AWAY * made.D, top - AWAY * made.D
    below = [np.clip(h - x + made.R, 0.0, made.D) for h in (low, high)]
    caps = [np.pi / 3.0 * h * h * (3.0 * made.R - h) for h in below]
    solid = float((caps[1] - caps[0]).sum()) / ((made.SIDE * made.D) ** 2 * (high - low))
    number, stays = _backbone(contacts.body_a, contacts.body_b, contacts.plane >= 0, grains)
    inside = (x > low) & (x < high)
    bearing = inside & stays
    return Packing(solid, float(number[bearing].mean()), 1.0 - float(bearing.sum() / inside.sum()))


def _backbone(a: Ints, b: Ints, on_plane: Flags, grains: int) -> tuple[Ints, Flags]:
    """Contacts (N,) of balls with those that carry, and flags (N,) of these.

    They have more than two such contacts.
    """
    stays = np.ones(grains, bool)
    while True:
        other = np.where(on_plane, a, b)
        kept = stays[a] & stays[other]
        number = np.bincount(a[kept], minlength=grains) + np.bincount(b[kept & ~on_plane], minlength=grains)
        gone = stays & (number <= 2)
        if not gone.any():
            return number, stays
        stays &= ~gone


def work(result: ns.Result) -> float:
    """Work [J] of the load on the lid less the loss in its damper."""
    rate = result.coordinate("lid").rate
    force = result.effort("lid").value + result.effort("damper of lid").value
    power = force * rate
    return float(np.sum(0.5 * (power[1:] + power[:-1]) * np.diff(result.t)))
