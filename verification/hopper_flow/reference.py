"""Rates of discharge, the bulk density above the hole, and Beverloo's law.

W = C rho_b sqrt(g) (D - k d)^(5/2),    W^(2/5) = (C rho_b sqrt(g))^(2/5) (D - k d)
"""

from typing import NamedTuple

import numpy as np

import nsgalpha as ns
from nsgalpha.arrays import Floats
from verification.hopper_flow import model as made

C, K = 0.58, 1.4  # Beverloo, Leniger and van de Velde, Chem. Eng. Sci. 15 (1961) 260


class Law(NamedTuple):
    """A fit of Beverloo's law."""

    C: float
    k: float


def discharged(result: ns.Result) -> Floats:
    """Number (n,) of the balls below the floor."""
    return np.asarray(result.position[..., 2] < 0.0).sum(axis=1).astype(float)


def rate(result: ns.Result) -> float:
    """Mass per time while the silo is full enough, by least squares."""
    gone = discharged(result)
    during = (result.t >= made.T_START) & (gone < made.PART * len(result.model.bodies))
    return made.MASS * float(np.polyfit(result.t[during], gone[during], 1)[0])


def halves(result: ns.Result) -> float:
    """The rate of the second half of that time over the first."""
    gone = discharged(result)
    during = np.flatnonzero((result.t >= made.T_START) & (gone < made.PART * len(result.model.bodies)))
    parts = np.array_split(during, 2)
    early, late = (np.polyfit(result.t[part], gone[part], 1)[0] for part in parts)
    return float(late / early)


def density(result: ns.Result) -> float:
    """Bulk density in steady flow, away from floor, walls and surface."""
    at = int(np.searchsorted(result.t, made.T_START))
    x = result.position[at]
    low, high, half = 2.0, 6.0, 0.5 * made.SIDE - 1.5
    near = (abs(x[:, 0]) < half) & (abs(x[:, 1]) < half)  # by their centres
    z = x[near, 2]
    below = [np.clip(h - z + 0.5 * made.D, 0.0, made.D) for h in (low, high)]
    caps = [np.pi / 3.0 * h * h * (1.5 * made.D - h) for h in below]
    volume = float((caps[1] - caps[0]).sum())
    return made.MASS / (np.pi / 6.0) * volume / ((high - low) * (2.0 * half) ** 2)


def fit(rates: Floats, rho: float) -> Law:
    """C and k from the rates for made.HOLES."""
    slope, at_zero = np.polyfit(made.HOLES, rates**0.4, 1)
    return Law(float(slope**2.5 / (rho * np.sqrt(made.GRAVITY))), float(-at_zero / slope))


def exponent(rates: Floats, k: float = K) -> float:
    """The exponent of D - k d."""
    return float(np.polyfit(np.log(np.asarray(made.HOLES) - k), np.log(rates), 1)[0])
