"""Outputs of a result that evaluate laws, joints or steps with compiled code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from nsgalpha.arrays import Floats
from nsgalpha.constraints.joint_outputs import IMPACT, Coordinate, Effort, Reaction, energy_of_springs
from nsgalpha.constraints.marker_outputs import JointOutputs, JointRecords
from nsgalpha.forces.contact_outputs import (
    CompliantContacts,
    compliant_contacts,
    has_compliant,
    stored_energy,
)
from nsgalpha.forces.surface_outputs import SurfaceOutputs, outputs_of_surfaces, surface_outputs
from nsgalpha.model.contact_element import MarkerContact
from nsgalpha.model.joint_interface import Joint
from nsgalpha.model.triangulated_surface import Surface
from nsgalpha.run.dense_output import MotionAt, motion_at
from nsgalpha.run.element_works import element_works
from nsgalpha.run.energy_budget import Budget, budget
from nsgalpha.run.redundant_joints import RedundantJoints, redundant_joints
from nsgalpha.system.system import System

__all__ = ["Budget", "CompliantContacts", "Coordinate", "Effort"]
__all__ += ["MotionAt", "Outputs", "Reaction", "RedundantJoints", "SurfaceOutputs"]


@dataclass(frozen=True, slots=True)
class Outputs(JointOutputs):
    """Outputs of one result; its methods of the same names describe them."""

    result: Any  # a Result: its module imports this one when an output is asked for

    def compliant_contacts(self, index: int) -> CompliantContacts:
        """See Result.compliant_contacts."""
        return compliant_contacts(self.result.model, self.result.state(index))

    def at(self, times: ArrayLike) -> MotionAt:
        """See Result.at."""
        return motion_at(self.result, times)

    def surface(self, surface: Surface, index: int) -> SurfaceOutputs:
        """See Result.surface."""
        return surface_outputs(self.result.model, self.result.state(index), surface)

    def surfaces(self, index: int) -> list[SurfaceOutputs]:
        """See Result.surfaces."""
        return outputs_of_surfaces(self.result.model, self.result.state(index))

    def reaction_impulse(self, joint: Joint | MarkerContact | str) -> Reaction:
        """See Result.reaction_impulse."""
        return self._reaction(joint, IMPACT)

    def _records(self) -> JointRecords:
        result = self.result
        return JointRecords(result.model, result, result.joints, result.contacts)

    def redundant(self) -> RedundantJoints:
        """See Result.redundant."""
        return redundant_joints(System(self.result.model), self.result.state(0))

    def budget(self) -> Budget:
        """See Result.budget."""
        return budget(self.result)

    def works(self) -> dict[str, Floats]:
        """See Result.works."""
        return element_works(self.result)

    def elastic(self) -> Floats:
        """Elastic energy (n,) [J], see Result.energy."""
        result, count = self.result, len(self.result.t)
        stored = np.zeros(count)
        if has_compliant(result.model):
            stored = stored_energy(result.model, (result.state(i) for i in range(count)))
        return stored + energy_of_springs(result.model, result.joints) if result.model.drives else stored
