"""A case and its run in a few lines, as the command line says them."""

from __future__ import annotations

from collections.abc import Sized

import numpy as np

from nsgalpha.case.case_file import Case
from nsgalpha.model.model_repr import counted
from nsgalpha.run.result import Result
from nsgalpha.show.number_text import Resolution, resolution
from nsgalpha.shown_text import floor_of, number_in_words


def stated(case: Case) -> str:
    """One line on the model of a case."""
    model = case.model
    names = ("bodies", "planes", "primitives", "elements", "joints", "drives", "loads")
    parts: dict[str, Sized] = {name: getattr(model, name) for name in names}
    counts = ", ".join(counted(len(things), name) for name, things in parts.items() if things)
    return f"{case.title}: {counts}" if case.title else counts


def ended(result: Result) -> list[str]:
    """The status and the results of bodies and contacts, in a few lines."""
    with np.errstate(over="ignore", invalid="ignore"):  # runs may end with an overflow
        energy = np.array([result.energy(kind)[[0, -1]] for kind in ("kinetic", "potential")])
        motion = _motion(result, resolution(result))
    (kinetic, kinetic_end), (potential, potential_end) = (
        (number_in_words(each, floor_of(energy)) for each in pair) for pair in energy
    )
    energies = (
        f"kinetic energy {kinetic} -> {kinetic_end} J, potential energy {potential} -> {potential_end} J"
    )
    return [
        str(result.status),
        f"{motion}; closed contacts: {result.stats.contacts[-1:].sum()} at the end, "
        f"{result.stats.contacts[:].max(initial=0)} at most",
        *([energies] if energy.any() else []),  # all zero without mass and weight
    ]


def _motion(result: Result, limits: Resolution) -> str:
    """The motion at the end, in words."""
    speed, spin = (np.linalg.norm(v[-1], axis=1) for v in (result.velocity, result.angular_velocity))
    fastest, turning = (result.model.bodies[int(v.argmax())].name for v in (speed, spin))
    if not speed.max() <= limits.velocity:
        return f"fastest body at the end: {fastest!r}, {speed.max():.4g} m/s"
    if not np.all(spin <= limits.spin):
        return f"bodies only turn at the end: {turning!r} fastest, {spin.max():.4g} rad/s"
    return "all bodies rest at the end" + (f", but for {speed.max():.1g} m/s" if speed.any() else "")
