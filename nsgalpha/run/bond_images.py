"""Bonds in a periodic cell: which images of their bodies they hold.

A bond acts between the nearest images of its two bodies. They are the same ones as long as it is shorter
than half a period along every axis. Bodies keep the places to which they have moved: the numbers of periods
between them tell whether a bond has got hold of another image.
"""

from __future__ import annotations

import numpy as np

from nsgalpha.arrays import Floats
from nsgalpha.forces.bonded_pairs import has_bond
from nsgalpha.model.periodic_cell import periods_between, placed_cell
from nsgalpha.model.state import ContactHistory
from nsgalpha.run.recorder import Recorded, spread_over
from nsgalpha.system.system import System

MOST = 16  # states of a part that are looked at


class BondImages:
    """The looks at the bonds of a run; `str` names the first that changed its image."""

    def __init__(self, system: System) -> None:
        self.system, self._text = system, ""
        numbered = enumerate(system.compliant)
        self._holding = {g: e for g, e in numbered if e.law.holds >= 0 and system.by_images(e.pairs)}
        self._known: dict[tuple[int, int, int], tuple[float, ...]] = {}

    def look(self, seen: Recorded) -> None:
        """Compare the periods between bonded bodies in some of the states with those before."""
        if not self._holding or self._text:
            return
        for k in spread_over(min(len(seen.t), len(seen.histories)), MOST).tolist():
            cell, moving = self.system.cell, self.system.frames.cell
            if moving is not None:
                cell = placed_cell(cell, moving.at(float(seen.t[k]), seen.joint[k])[0])
            self._compare(float(seen.t[k]), seen.x[k], cell, seen.histories[k])

    def _compare(self, t: float, x: Floats, cell: Floats, history: ContactHistory) -> None:
        """`look` at the bonds of a `history` of one state at `t` [s]."""
        for g, element in self._holding.items():
            rows = np.flatnonzero(history.pair[:, 0] == g)
            bonds = rows[has_bond(history.values[rows], element.law.holds)]
            a, b = history.pair[bonds, 1], history.pair[bonds, 2]
            periods = map(tuple, (periods_between(x[a] - x[b], cell) + 0.0).tolist())
            for i, j, n in zip(a.tolist(), b.tolist(), periods, strict=True):
                if self._known.setdefault((g, i, j), n) != n and not self._text:
                    first, second = (self.system.model.bodies[each].name for each in (i, j))
                    self._text = (
                        f"the bond of {first!r} and {second!r} has got hold of another image by t = {t:g} s: "
                        "must be shorter than half a period; take a larger cell, or a bond that breaks before"
                    )

    def __str__(self) -> str:
        return self._text
