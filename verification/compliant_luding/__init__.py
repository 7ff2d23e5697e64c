"""Luding's elasto-plastic adhesive contact, with friction of all kinds.

References are Woo's law on the same motions, to rounding, and Yade's. Exact solutions of head-on impacts,
collisions of spheres with spins and the worked example of the documentation follow. Where the references come
from is in reference.py.
"""

from verification.compliant_luding import driven, impacts
from verification.compliant_luding.figure import draw
from verification.outcome import Outcome, merge

NOTES = """Woo's program moves the spring of a sliding contact differently (`old_spring`). What its steps
converge to then depends on how those that slip and those that stick take turns; with another scheme the spins
of the other collisions differ by up to 0.5 rad/s. Of its energies, the plastic work is twice the area of the
loop, and sliding friction counts no work."""


def run() -> Outcome:
    """Prescribed motions, then impacts."""
    figures = {"Normal force over overlap: lines ours, markers Woo and Yade": draw}
    return merge([Outcome(rows=(), figures=figures, notes=NOTES), driven.run(), impacts.run()])
