"""Joints with dependent rows at the start: their single reactions are not unique."""

from __future__ import annotations

from typing import NamedTuple

from nsgalpha.constraints.joint_redundancy import redundant
from nsgalpha.model.state import State
from nsgalpha.system.consistent_start import measure_start
from nsgalpha.system.system import System

SHOWN = 4  # names in a sentence


class RedundantJoints(NamedTuple):
    """Redundancy of the joints of a model at a pose.

    The motion is unique nevertheless, and so is the sum of the reactions on a body that takes all of them.
    """

    joints: tuple[str, ...]  # names of those with rows that depend on others, in the order of the model
    rows: int  # number of all rows less their rank

    def __str__(self) -> str:
        if not self.rows:
            return ""
        more = f" and {len(self.joints) - SHOWN} more" if len(self.joints) > SHOWN else ""
        names = ", ".join(map(repr, self.joints[:SHOWN]))
        return (
            f"{self.rows} rows of joints are redundant, single reactions of {names}{more} are not unique "
            "(result.redundant)"
        )


def redundant_joints(system: System, state: State) -> RedundantJoints:
    """The `RedundantJoints` of the model of a `system` at a `state`."""
    joints = system.joints
    if system.model.joints:
        measure_start(system, system.motion(state))
    return of_measured(system) if joints.factor.missing.any() else RedundantJoints((), 0)


def of_measured(system: System) -> RedundantJoints:
    """Those at the pose at which the joints of the `system` were measured last."""
    rows = system.joints.rows
    found = redundant(system.joints.pattern, rows.G, rows.MG, system.size, system.soft)
    names = tuple(system.rows_of[k].name for k in found.joints.tolist())
    return RedundantJoints(names if found.missing else (), found.missing)
