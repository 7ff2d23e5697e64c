"""Checks of a force element: forces, energies and tangents must agree

    check_force_element(element, size=1e-5)

evaluates it with its bodies moved at random from where they are in their model, and asks

    energy       forces are minus the gradient of the energy, by differences (of bodies at rest)
    tangents     K and C, with their terms of low rank, are minus the derivatives of the forces, by
    differences balance      forces and their moments add up to nothing
    motion       seen from elsewhere, turned and moved, forces are turned and energies the same
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nsgalpha.arrays import Floats
from nsgalpha.checks import instance, integer, number_in, positive, truth
from nsgalpha.forces.attachments import add_slots
from nsgalpha.model.force_element import ElementMotion, ForceElement, ForcePass, nodes_of

ENERGY = 1e-8  # difference of forces over the largest
TANGENT = 1e-6  # difference of the tangents over the largest entry
BALANCE = 1e-12  # sums of the forces over the sum of their sizes; moments times the size
MOTION = 1e-10  # difference of forces over the largest, in axes that are turned


def check_force_element(
    element: Any,
    *,
    size: float,
    speed: float = 1.0,
    h: float = 1e-3,
    t: float = 0.0,
    moved: float = 0.1,
    energy: bool = True,
    balance: bool = True,
    moments: bool = True,
    seed: int = 0,
) -> None:
    """Raise AssertionError, with a sentence, unless forces, energy and tangents of a force element agree.

    size [m]: of its parts, an edge; speed [m/s] of the bodies; h [s], t [s]: step and time of the
    evaluations. moved: displacements over the size. energy: whether the forces at rest have one; balance:
    whether they add up to nothing, and moments: whether their moments do. The history is 0.

    Raises ValueError for an argument out of range.
    """
    instance("element", element, ForceElement, "an element of forms", "see nsgalpha.model.force_element")
    size, speed, h = positive("size", size), positive("speed", speed), positive("h", h)
    t = number_in("t", t, -np.inf, np.inf)
    moved = number_in("moved", moved, 0.0, 1.0)
    for name, value in (("energy", energy), ("balance", balance), ("moments", moments)):
        truth(name, value)
    rng = np.random.default_rng(integer("seed", seed, 0))
    bodies = element.handles()[0].model.bodies
    stated = np.array([body.position for body in bodies])
    x = stated + moved * size * rng.uniform(-1.0, 1.0, stated.shape)
    start = x - 0.1 * moved * size * rng.uniform(-1.0, 1.0, x.shape)
    history = np.zeros((element.count, element.law.history))
    at = ElementMotion(x, speed * rng.uniform(-1.0, 1.0, x.shape), start, history, h, t)
    if energy:
        _check_energy(element, at._replace(v=np.zeros_like(x), start=x), size)
    _check_tangents(element, at, size, speed)
    if balance:
        _check_balance(element, at, size, moments)
    _check_motion(element, at, size, rng)


def _forces(element: ForceElement, answer: ForcePass, bodies: int) -> Floats:
    """Forces (B, 3) on the bodies."""
    total = np.zeros((bodies, 6))
    add_slots(nodes_of(element, answer), answer.force, total)
    return total[:, :3]


def _evaluated(element: ForceElement, at: ElementMotion) -> Floats:
    return _forces(element, element.force_pass(at), len(at.x))


def _check_energy(element: ForceElement, at: ElementMotion, size: float) -> None:
    """Forces against differences of fourth order of the energy, in random directions."""
    force = _evaluated(element, at)
    rng, step = np.random.default_rng(1), 1e-3 * size
    worst, largest = 0.0, 0.0
    for _ in range(8):
        way = np.zeros_like(at.x)
        way[np.unique(element.nodes)] = rng.normal(size=(len(np.unique(element.nodes)), 3))

        def along(by: float, way: Floats = way) -> float:
            x = at.x + by * step * way
            return float(element.force_pass(at._replace(x=x, start=x)).energy.sum())

        one, two, three = (along(k) - along(-k) for k in (1.0, 2.0, 3.0))
        slope = (45.0 * one - 9.0 * two + three) / (60.0 * step)
        worst = max(worst, abs(slope + float((force * way).sum())))
        largest = max(largest, float(np.linalg.norm(force) * np.linalg.norm(way)))
    assert worst <= ENERGY * largest, (
        f"energy: the force is not minus its gradient, by {worst / largest:.1e} of it; pass energy=False "
        "if it has none"
    )


def _check_tangents(element: ForceElement, at: ElementMotion, size: float, speed: float) -> None:
    """Tangents against central differences in random directions."""
    answer, count = element.force_pass(at), len(at.x)
    nodes = nodes_of(element, answer)
    C, S = nodes.shape
    rng = np.random.default_rng(2)
    for name, factors, step in (("x", (1.0, 0.0), 1e-5 * size), ("v", (0.0, 1.0), 1e-3 * speed)):
        blocks = np.zeros((C, S, 3, S, 3))
        answer.add_tangents(*factors, blocks)
        low = answer.low_rank(*factors, count)
        for _ in range(6):
            way = rng.normal(size=at.x.shape)
            parts = np.einsum("csirj,crj->csi", blocks, way[nodes])
            product = np.zeros((count, 6))
            add_slots(nodes, parts, product)
            found = product[:, :3]
            if low is not None:
                wide = np.zeros((count, 6))
                wide[:, :3] = way
                found = found + (low @ wide.ravel()).reshape(count, 6)[:, :3]
            sides = [
                _evaluated(element, at._replace(**{name: getattr(at, name) + s * step * way}))
                for s in (1, -1)
            ]
            expected = (sides[1] - sides[0]) / (2.0 * step)
            rounding = 1e-14 * max(np.abs(side).max() for side in sides) / step
            wrong = float(np.abs(found - expected).max())
            largest = max(float(np.abs(found).max()), float(np.abs(expected).max()))
            assert wrong <= TANGENT * largest + rounding, (
                f"tangents: those by {name} differ from the derivatives of the forces by {wrong:.2e} of "
                f"{largest:.2e}"
            )


def _check_balance(element: ForceElement, at: ElementMotion, size: float, moments: bool) -> None:
    force = _evaluated(element, at)
    total = float(np.abs(force).sum())
    lost = float(np.abs(force.sum(axis=0)).max())
    assert lost <= BALANCE * total, f"balance: forces of {total:.3g} add up to {lost:.1e} and not to nothing"
    if moments:
        arms = at.x - at.x[np.unique(element.nodes)].mean(axis=0)
        scale = total * max(size, float(np.linalg.norm(arms[np.unique(element.nodes)], axis=1).max()))
        turn = float(np.abs(np.cross(arms, force).sum(axis=0)).max())
        assert turn <= BALANCE * scale, (
            f"balance: moments of forces of {total:.3g} add up to {turn:.1e} and not to nothing; pass "
            "moments=False if they should not"
        )


def _check_motion(element: ForceElement, at: ElementMotion, size: float, rng: np.random.Generator) -> None:
    """The same seen in axes that are turned and moved."""
    turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    turn *= np.sign(np.linalg.det(turn))
    away = size * rng.uniform(-1.0, 1.0, 3)
    seen = at._replace(x=at.x @ turn.T + away, v=at.v @ turn.T, start=at.start @ turn.T + away)
    here, there = element.force_pass(at), element.force_pass(seen)
    force = _forces(element, here, len(at.x))
    wrong = float(np.abs(_forces(element, there, len(at.x)) - force @ turn.T).max())
    largest = float(np.abs(force).max())
    assert wrong <= MOTION * largest, (
        f"motion: forces do not turn with the bodies, by {wrong:.2e} of {largest:.2e}"
    )
    change = float(np.abs(there.energy - here.energy).max(initial=0.0))
    level = float(np.abs(here.energy).max(initial=0.0)) + largest * size
    assert change <= MOTION * level, f"motion: energies change with the axes by {change:.2e} of {level:.2e}"
