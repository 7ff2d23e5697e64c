"""Data of a step: constants of a run, and the changing instant."""

from typing import Any, NamedTuple

from nsgalpha.arrays import Bodies, Candidates, Floats, Ints, LawTable, Motion, Planes, ShapeTable
from nsgalpha.stepping.warm_start import Past


class Elements(NamedTuple):
    """Inputs of the kernels for measuring the candidates."""

    geometry: Ints  # (K,) addresses of the compiled functions (addresses.py)
    options: Floats  # (K, k) numbers that they take
    start: Ints  # (K + 1,) offsets of their runs of candidates
    planes: Planes
    shapes: ShapeTable
    cell: Floats  # as in `Scene`
    selection: Any  # Handle of geometry_signature.Selection, None if no geometry selects features
    board: Any = None  # of threads that share the work, a work_sharing.Board


class Constants(NamedTuple):
    """Constant properties, the scheme, and the tolerance of all equations."""

    bodies: Bodies
    weight: Floats  # (N, 6)
    laws: LawTable
    frictionless: LawTable  # the same laws without friction
    scheme: tuple[float, float, float, float]  # alpha_m, alpha_f, gamma, beta
    tol: float
    impact_law: int  # see contact/impacts/impact_sequence.py


class Listing(NamedTuple):
    """The poses for which candidates were listed."""

    x: Floats  # (B, 3) [m]
    q: Floats  # (B, 4)
    lever: Floats  # (B,) of the farthest points that a rotation moves, 0: none [m]
    reach: float  # gap up to which they were listed [m]
    images: Floats  # see `images_of` in nsgalpha/model/periodic_cell.py; (0, 3) unless the cell moves


class Instant(NamedTuple):
    """The motion before and after a step, and the contacts between."""

    old: Motion  # the last accepted state
    new: Motion  # smooth motion, then corrected
    increment: Floats  # (B, 6) motion over the step: displacements, inertial rotation vectors
    inverse_inertia: Floats  # (B, 3, 3) inertial, at a rotation met on the way
    candidates: Candidates
    past: Past  # their memory
    size: Floats  # (1,) [s] of the step of which `a` of the old motion is
    unknown: bool  # the forces among it are not known, as at the start of a run
    listing: Listing
