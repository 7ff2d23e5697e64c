"""Restitution over en, force over overlap of a shaken plane, and shear viscosity."""

import dataclasses
from typing import Any

import numpy as np

from elements import RockableDefault, StickedLinks
from elements.laws.energy_restitution import clamped_restitution, viscous_rate
from nsgalpha.show.figure_style import COLOURS, Figure, label, new_figure
from verification.compliant_rockable.reference import RecordedCase, law
from verification.compliant_rockable.replay import replay

HOLLOW: dict[str, Any] = {"markersize": 5, "markerfacecolor": "none"}


def draw(cases: dict[str, RecordedCase]) -> Figure:
    """Three panels; circles: the program."""
    figure, axes = new_figure(1, 3, size=(12.0, 3.9))
    _restitution(axes[0], cases["default_headon_en0.5"])
    _loops(axes[1], cases["avalanche_loading_cycle"])
    _shear(axes[2], cases["sticked_inner_shear_en2_0.64_dt1e-6"])
    return figure


def _restitution(axis: Any, case: RecordedCase) -> None:
    e_n = np.linspace(0.05, 1.0, 96)
    axis.plot(e_n, e_n, color="0.6", linewidth=1.0, label="a dashpot that may pull")
    clamped = [clamped_restitution(viscous_rate(e**2)) for e in e_n]
    axis.plot(e_n, clamped, color=COLOURS[0], linewidth=1.2, label="closed form, clamped")
    tried = np.linspace(0.1, 0.9, 9)
    found = []
    for e in tried:
        v = replay(case, RockableDefault(k_n=case.parameter("knContact"), en2=e * e))[0][-1, 1, :, 0]
        found.append(v[1] - v[0])
    axis.plot(tried, found, "o", color=COLOURS[1], markersize=4, label="Default, clamped")
    v = case.motion[-1, 1, :, 0]
    axis.plot([0.5], [v[1] - v[0]], "o", color="k", markersize=8, markerfacecolor="none", label="program")
    label(axis, "restitution from en2 [-]", "restitution [-]", "Default", legend="lower right")


def _loops(axis: Any, case: RecordedCase) -> None:
    line = {"color": COLOURS[0], "linewidth": 1.2, "label": "ours"}
    theirs = {"color": "k", "marker": "o", "linestyle": "", "label": "program", **HOLLOW}
    for (motion, force), style in ((replay(case, parts=50), line), ((case.motion, case.force), theirs)):
        overlap = case.radius.sum() - (motion[:, 0, 0, 1] - motion[:, 0, 1, 1])
        axis.plot(1e3 * overlap[1:], 1e-3 * force[1:, 0], **style)
    label(axis, "overlap [mm]", "normal force [kN]", "Avalanche, en2 0.4", legend="upper left")


def _shear(axis: Any, case: RecordedCase) -> None:
    links = law(case)
    assert isinstance(links, StickedLinks)
    assert links.inner is not None
    for shear, colour in (("accumulated", COLOURS[1]), ("damped", COLOURS[2]), ("elastic", COLOURS[0])):
        chosen = dataclasses.replace(links, inner=dataclasses.replace(links.inner, shear=shear))
        force = replay(case, chosen, parts=25)[1]
        t = np.linspace(0.0, case.t[-1], len(force))
        axis.plot(1e3 * t, 1e-3 * force[:, 2], color=colour, linewidth=1.0, label=shear)
    axis.plot(1e3 * case.t, 1e-3 * case.force[:, 2], "o", color="k", label="program", **HOLLOW)
    axis.set_ylim(-0.65, 0.95)
    label(axis, "t [ms]", "shear force [kN]", "bond in shear, viscosity", legend="upper right")
