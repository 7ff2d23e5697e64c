"""Outputs of a result that evaluate laws, joints or steps with compiled code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from nsgalpha.arrays import Floats
from nsgalpha.constraints.joint_outputs import (
    FORCE,
    IMPACT,
    Coordinate,
    Effort,
    Reaction,
    constraint_reaction,
    coordinate,
    effort,
    energy_of_springs,
)
from nsgalpha.constraints.marker_outputs import reaction
from nsgalpha.forces.contact_outputs import (
    CompliantContacts,
    compliant_contacts,
    has_compliant,
    stored_energy,
)
from nsgalpha.forces.surface_outputs import SurfaceOutputs, outputs_of_surfaces, surface_outputs
from nsgalpha.model.contact_element import MarkerContact
from nsgalpha.model.coordinate_relations import Drive
from nsgalpha.model.joint_interface import Joint
from nsgalpha.model.triangulated_surface import Surface
from nsgalpha.run.energy_budget import Budget, budget
from nsgalpha.run.redundant_joints import RedundantJoints, redundant_joints
from nsgalpha.system.system import System


@dataclass(frozen=True, slots=True)
class Outputs:
    """Outputs of one result; its methods of the same names describe them."""

    result: Any  # a Result: its module imports this one when an output is asked for

    def compliant_contacts(self, index: int) -> CompliantContacts:
        """See Result.compliant_contacts."""
        return compliant_contacts(self.result.model, self.result.state(index))

    def surface(self, surface: Surface, index: int) -> SurfaceOutputs:
        """See Result.surface."""
        return surface_outputs(self.result.model, self.result.state(index), surface)

    def surfaces(self, index: int) -> list[SurfaceOutputs]:
        """See Result.surfaces."""
        return outputs_of_surfaces(self.result.model, self.result.state(index))

    def reaction(self, joint: Joint | MarkerContact | str, column: int = FORCE) -> Reaction:
        """See Result.reaction."""
        result = self.result
        return reaction(result.model, joint, result, result.joints, result.contacts, column)

    def reaction_impulse(self, joint: Joint | MarkerContact | str) -> Reaction:
        """See Result.reaction_impulse."""
        return self.reaction(joint, IMPACT)

    def constraint_reaction(self, joint: Joint | str) -> Reaction:
        """See Result.constraint_reaction."""
        return constraint_reaction(self.result.model, joint, self.result, self.result.joints, FORCE)

    def coordinate(self, joint: Joint | str, name: str | None) -> Coordinate:
        """See Result.coordinate."""
        return coordinate(self.result.model, joint, name, self.result, self.result.joints)

    def effort(self, drive: Drive | str) -> Effort:
        """See Result.effort."""
        return effort(self.result.model, drive, self.result, self.result.joints)

    def redundant(self) -> RedundantJoints:
        """See Result.redundant."""
        return redundant_joints(System(self.result.model), self.result.state(0))

    def budget(self) -> Budget:
        """See Result.budget."""
        return budget(self.result)

    def elastic(self) -> Floats:
        """Elastic energy (n,) [J], see Result.energy."""
        result, count = self.result, len(self.result.t)
        stored = np.zeros(count)
        if has_compliant(result.model):
            stored = stored_energy(result.model, (result.state(i) for i in range(count)))
        return stored + energy_of_springs(result.model, result.joints) if result.model.drives else stored
