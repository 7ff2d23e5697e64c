"""Checks of a compliant law: forces, energies and tangents must agree

    check_law(normal=law, tangential=friction, overlap=1e-4, speed=1.0)

drives contacts through random closed cycles of all six components, from touch (with a reach: from there) to
separation. (Springs, which have no end, start from a gap of two overlaps.) It tests

    tangents     the derivatives are those of the forces, by differences
    energy       work done on the contact = stored + dissipated, and what is dissipated does not decrease
    exchange     bodies A and B exchanged, and the picture seen in a mirror, give the mirrored forces
    frame        tangents turned about the normal turn the forces
    opening      a contact that has just closed has no force, unless the law is adhesive
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from nsgalpha.arrays import Floats
from nsgalpha.checks import integer, number_in, positive, truth, unknown
from nsgalpha.forces.law_evaluation import some_contacts
from nsgalpha.model.compliant_law import (
    INSTANT,
    SENSES,
    CompliantLaw,
    Contact,
    Laws,
    Response,
    no_response,
    round_area,
)

STEPS = 2000  # of a cycle
TANGENT = 1e-5  # difference of the tangents over the largest
SYMMETRY = 1e-9  # difference of forces over the largest

# signs of the six rates and forces, with n -> -n, t1 -> t1, t2 -> -t2 and the bodies exchanged
EXCHANGED = np.array([1.0, -1.0, 1.0, -1.0, 1.0, 1.0])
# seen in a mirror that holds n and t1: spins are axial vectors
MIRRORED = np.array([1.0, 1.0, -1.0, -1.0, 1.0, -1.0])


class Cycles(NamedTuple):
    """Displacements of C contacts in time, open at both ends."""

    displacement: Floats  # (STEPS + 1, C, 6); the normal one is minus the overlap
    rate: Floats  # (STEPS + 1, C, 6)
    h: float


class LawAnswers(NamedTuple):
    """The answers of a law in the steps of `Cycles`."""

    contact: list[Contact]
    force: Floats  # (STEPS + 1, C, 6)
    energy: Floats  # (STEPS + 1, C)


def check_law(
    *,
    overlap: float,
    speed: float,
    radius: float = 0.01,
    mass: float = 1.0,
    adhesive: bool = False,
    energy: float = 2e-5,
    cycles: int = 6,
    seed: int = 0,
    **law: Any,
) -> None:
    """Raise AssertionError, with a sentence, unless a law agrees with its statements.

    `law`: laws of the components and `reach` as for an element, see CompliantLaw. overlap [m], speed [m/s]:
    maxima of the contacts; radius [m], mass [kg]: effective ones. adhesive: the law has a force when the
    contact closes. energy: part of the largest energy that may appear, as the work is a sum of trapezoids.
    Laws whose force jumps need more. `cycles` are drawn with `seed`.

    Raises ValueError for arguments out of range.
    """
    for name in law:
        if name not in Laws.__annotations__:
            raise unknown("check_law", name, ["overlap", "speed", *Laws.__annotations__])
    whole, adhesive = CompliantLaw(**law), truth("adhesive", adhesive)
    scale, speed = positive("overlap", overlap), positive("speed", speed)
    radius, mass = positive("radius", radius), positive("mass", mass)
    energy = number_in("energy", energy, 0.0, 1.0)
    cycles, seed = integer("cycles", cycles, 1, 10_000), integer("seed", seed, 0)
    start = whole.reach if np.isfinite(whole.reach) else 2.0 * scale
    paths = _cycles(scale, start, speed, radius, cycles, seed)
    particle = np.full(cycles, radius), np.full(cycles, mass)
    views = {
        "exchange of A and B": np.diag(EXCHANGED),
        "reflection": np.diag(MIRRORED),
        "rotation of the tangents": _turn(0.7),
    }
    answers, seen = _drive(whole, paths, *particle, list(views.values()))
    largest = np.abs(answers.force).max(axis=(0, 1))
    assert np.isfinite(answers.force).all(), "force: the law gives values that are not finite"
    assert largest.any(), "force: the law gives none; choose overlap and speed for which it does"
    _check_tangents(whole, answers, scale, speed, radius)
    _check_energy(answers, paths, energy)
    for (name, T), each in zip(views.items(), seen, strict=True):
        _check_symmetry(name, T, answers.force, each)
    if not adhesive and np.isfinite(whole.reach):
        _check_opening(whole, answers.contact[0], scale, float(largest.max()))


def _cycles(overlap: float, reach: float, speed: float, radius: float, count: int, seed: int) -> Cycles:
    """Smooth random closed paths: one arch to the overlap, with waves in all components."""
    rng = np.random.default_rng(seed)
    s = np.linspace(0.0, 1.0, STEPS + 1)[:, None, None]
    wave = 2 * np.pi * np.arange(1, 5)
    a, b = rng.normal(size=(2, 4, 1, count, SENSES)) / np.arange(1, 5)[:, None, None, None]
    x = sum(a[k] * np.sin(w * s) + b[k] * (np.cos(w * s) - 1.0) for k, w in enumerate(wave))
    dx = sum(w * (a[k] * np.cos(w * s) - b[k] * np.sin(w * s)) for k, w in enumerate(wave))
    arch, darch = np.sin(np.pi * s) ** 2, np.pi * np.sin(2 * np.pi * s)
    waves, dwaves = 0.15 * x[:, :, :1], 0.15 * dx[:, :, :1]
    normal, dnormal = -arch * (1.0 + waves), -darch * (1.0 + waves) - arch * dwaves
    x, dx = np.array(x), np.array(dx)
    x[:, :, :1], dx[:, :, :1] = normal, dnormal
    unit = np.array([overlap + reach, overlap, overlap] + [overlap / radius] * 3)
    duration = np.abs(unit[:3] * dx[:, :, :3]).max() / speed
    start = np.array([reach, 0.0, 0.0, 0.0, 0.0, 0.0])
    return Cycles(start + unit * x, unit * dx / duration, duration / STEPS)


def _drive(
    law: CompliantLaw, paths: Cycles, radius: Floats, mass: Floats, views: list[Floats]
) -> tuple[LawAnswers, list[Floats]]:
    """The law along the paths, as in a run: open contacts without force and history.

    Also the forces (STEPS + 1, C, 6) along the paths seen in the components of each of the `views` (6, 6).
    """
    views = [np.eye(SENSES), *views]  # all are contacts of one call
    displacement, rate = (np.hstack([x @ T.T for T in views]) for x in (paths.displacement, paths.rate))
    radius, mass = np.tile(radius, len(views)), np.tile(mass, len(views))
    count = len(radius)
    force = np.zeros((STEPS + 1, count, SENSES))
    energy = np.zeros((STEPS + 1, count))
    history = np.zeros((count, law.history))
    like, contacts = some_contacts(law.history, radius=radius, mass=mass, h=paths.h), []
    # contacts that never open are there at the start
    for i in range(0 if np.isinf(law.reach) else 1, STEPS + 1):
        overlap = -displacement[i, :, 0]
        increment = displacement[i] - displacement[max(i - 1, 0)]
        contact = like._replace(
            overlap=overlap,
            rate=rate[i],
            increment=increment,
            history=history,
            area=round_area(radius, overlap),
            h=paths.h if i > 0 else INSTANT,
        )
        response = _evaluate(law, contact)
        closed = overlap > -law.reach
        force[i, closed] = response.force[closed]
        energy[i, closed] = response.energy[closed]
        history = response.history * closed[:, None]
        contacts.append(contact)
    first = slice(count // len(views))
    own = [Contact._make(x[first] if isinstance(x, np.ndarray) else x for x in each) for each in contacts]
    seen = np.split(force, len(views), axis=1)
    return LawAnswers(own, seen[0], energy[:, first]), seen[1:]


def _evaluate(law: CompliantLaw, contact: Contact) -> Response:
    response = no_response(len(contact.overlap), SENSES, law.history)
    law(contact, response)
    return response


def _check_tangents(
    law: CompliantLaw, answers: LawAnswers, overlap: float, speed: float, radius: float
) -> None:
    """Derivatives against central differences; at a kink against those from one side."""
    lengths = np.array([1.0] * 3 + [1.0 / radius] * 3)
    worst: dict[str, tuple[float, str]] = {}
    for contact in answers.contact[STEPS // 40 : -STEPS // 40 : STEPS // 40]:
        response = _evaluate(law, contact)
        arguments = [("overlap", -1, response.by_overlap, 1e-6 * overlap)]
        for j in range(SENSES):
            arguments.append(("rate", j, response.by_rate[:, :, j], 1e-6 * speed * lengths[j]))
            arguments.append(("increment", j, response.by_increment[:, :, j], 1e-6 * overlap * lengths[j]))
        for name, j, tangent, eps in arguments:
            ahead, behind = (_moved(law, contact, name, j, sign * eps) for sign in (1.0, -1.0))
            here = response.force
            slopes = (ahead - behind) / (2 * eps), (ahead - here) / eps, (here - behind) / eps
            error = np.min([np.abs(tangent - slope) for slope in slopes], axis=0)
            rounding = 1e-13 * np.abs(here).max() / eps
            size = np.abs(slopes[0]).max() + np.abs(tangent).max()
            wrong = float((error - rounding).max() / size) if size > 0.0 else 0.0
            row = int(error.max(axis=0).argmax())
            if wrong > worst.get(name, (0.0, ""))[0]:
                column = "" if j < 0 else f", {j}"
                worst[name] = wrong, f"by_{name}[:, {row}{column}]"
    for wrong, entry in worst.values():
        assert wrong < TANGENT, (
            f"tangents: {entry} differs from the derivative of the force by {wrong:.1e} of the largest; "
            "see what the force depends on"
        )


def _moved(law: CompliantLaw, contact: Contact, name: str, j: int, by: float) -> Floats:
    """Forces with one argument moved."""
    value = getattr(contact, name).copy()
    value[... if j < 0 else (slice(None), j)] += by
    moved = contact._replace(**{name: value})
    return _evaluate(law, moved._replace(area=round_area(moved.radius, moved.overlap))).force


def _check_energy(answers: LawAnswers, paths: Cycles, allowed: float) -> None:
    """Check that dissipation, the work done less the stored energy, never decreases."""
    mean = 0.5 * (answers.force[1:] + answers.force[:-1])
    work = -(mean * np.diff(paths.displacement, axis=0)).sum(axis=2)
    dissipated = np.zeros_like(answers.energy)
    dissipated[1:] = np.cumsum(work, axis=0)
    exchanged = max(float(np.abs(dissipated).max()), float(np.abs(answers.energy).max()))
    dissipated -= answers.energy
    lost = float((np.maximum.accumulate(dissipated, axis=0) - dissipated).max())
    assert lost <= allowed * exchanged, (
        f"energy: {lost:.3g} J come out of nothing in a cycle with up to {exchanged:.3g} J; the law drives "
        "the motion, or `energy` is not what it gives back"
    )


def _turn(angle: float) -> Floats:
    """Local components (6, 6) with the tangents turned about the normal."""
    c, s = np.cos(angle), np.sin(angle)
    T = np.eye(SENSES)
    T[1:3, 1:3] = T[3:5, 3:5] = [[c, -s], [s, c]]
    return T


def _check_symmetry(name: str, T: Floats, force: Floats, seen: Floats) -> None:
    """Forces `seen` (STEPS + 1, C, 6) in the components T (6, 6) are the `force` in these components."""
    error = np.abs(seen - force @ T.T).max(axis=(0, 1))
    row = int((error / np.maximum(np.abs(force).max(axis=(0, 1)), 1e-300)).argmax())
    size = np.abs(force[:, :, row]).max()
    assert error[row] <= SYMMETRY * size, (
        f"{name}: the force of row {row} does not go with it, by {error[row]:.3g} of {size:.3g}; a law may "
        "use directions only through rates, increments and history"
    )


def _check_opening(law: CompliantLaw, contact: Contact, overlap: float, largest: float) -> None:
    """No force at rest where the contact begins."""
    still = np.zeros_like(contact.rate)
    edge = contact._replace(
        overlap=np.full_like(contact.overlap, 1e-9 * overlap - law.reach),
        rate=still,
        increment=still,
        history=np.zeros_like(contact.history),
    )
    force = float(np.abs(_evaluate(law, edge).force).max())
    assert force <= 1e-3 * largest, (
        f"opening: a contact at rest that just closes has a force of {force:.3g}; "
        "pass adhesive=True if it should"
    )
