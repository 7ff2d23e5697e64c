"""The list of features, each with its scene, the schemes that take it and what it is made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from verification.bystanders import contact_scenes as contact
from verification.bystanders import joint_scenes as joints
from verification.bystanders import other_scenes as other
from verification.bystanders.stage import Stage

PERIODS = (2.0, None, None)  # [m] of the periodic cell


@dataclass(frozen=True)
class Feature:
    """A feature: `kind` is what refusals and the table of the documentation speak of.

    function: a function of Python, which files do not hold. periodic: in a periodic cell.
    """

    name: str
    build: Callable[[Stage], None]
    kind: str
    function: bool = False
    periodic: bool = False


HARD, SOFT, JOINT, GATE, SOLID, FREE = "hard contact", "compliant contact", "joint", "gate", "surface", "body"

FEATURES = {
    feature.name: feature
    for feature in (
        Feature("free body", other.free_body, FREE),
        Feature("hard spheres", contact.hard_spheres, HARD),
        Feature("hard sphere in shell", contact.spheres_in_shell, HARD),
        Feature("hard capsules", contact.hard_capsules, HARD),
        Feature("hard polygon", contact.hard_polygon, HARD),
        Feature("hard fixed body", other.fixed_body, HARD),
        Feature("hard moving plane", other.moving_plane(True), HARD),
        Feature("hard plane by a function", other.plane_by_function(True), HARD, function=True),
        Feature("hard carried plane", other.carried_plane(True), HARD),
        Feature("large hard island", other.island(True), HARD),
        Feature("hard spheres, periodic", contact.hard_spheres, HARD, periodic=True),
        Feature("compliant spheres", contact.soft_spheres, SOFT),
        Feature("compliant sphere in shell", partial(contact.spheres_in_shell, hard=False), SOFT),
        Feature("adhesion", contact.adhesive_spheres, SOFT),
        Feature("Luding's law", contact.luding_spheres, SOFT),
        Feature("bonds", contact.bonded_spheres, SOFT),
        Feature("compliant capsules", contact.soft_capsules, SOFT),
        Feature("compliant polygon", contact.soft_polygon, SOFT),
        Feature("rounded triangles", contact.rounded_mesh, SOLID),
        Feature("solids", contact.solids, SOLID),
        Feature("deformable cell", contact.cell, SOLID),
        Feature("membrane", contact.membrane, SOLID),
        Feature("springs", contact.springs, SOFT),
        Feature("compliant fixed body", partial(other.fixed_body, hard=False), SOFT),
        Feature("compliant moving plane", other.moving_plane(False), SOFT),
        Feature("compliant plane by a function", other.plane_by_function(False), SOFT, function=True),
        Feature("compliant carried plane", other.carried_plane(False), SOFT),
        Feature("large compliant packing", other.island(False), SOFT),
        Feature("compliant spheres, periodic", contact.soft_spheres, SOFT, periodic=True),
        Feature("switched spring", other.switched_spring, SOFT, function=True),
        Feature("switched contact", other.switched_contact, SOFT, function=True),
        Feature("compiled load", other.compiled_load, FREE),
        Feature("load in Python", other.python_load, FREE, function=True),
        Feature("feeder, hard", other.feeder(True), GATE),
        Feature("feeder, compliant", other.feeder(False), GATE),
        Feature("outlet, hard", other.outlet(True), GATE),
        Feature("outlet, compliant", other.outlet(False), GATE),
        *(Feature(kind, joints.joint(kind), JOINT) for kind in joints.KINDS),
        Feature("telescope", joints.telescope, JOINT),
        Feature("markers", joints.markers, JOINT),
        Feature("drive", joints.drive, JOINT),
        Feature("limit", joints.limit, JOINT),
        Feature("rope", joints.rope, JOINT),
        Feature("joint friction", joints.friction, JOINT),
        Feature("speed motor", joints.speed_motor, JOINT),
        Feature("motor", joints.motor, JOINT),
        Feature("controller", joints.controller, JOINT),
        Feature("joint spring", joints.joint_spring, JOINT),
        Feature("gear", joints.gear, JOINT),
        Feature("gear with backlash", partial(joints.gear, backlash=0.02), JOINT),
        Feature("rack and pinion", joints.rack, JOINT),
        Feature("screw", joints.screw, JOINT),
        Feature("differential", joints.differential, JOINT),
        Feature("arm on a hard floor", joints.arm_on_hard_floor, JOINT),
        Feature("arm on a compliant floor", joints.arm_on_soft_floor, JOINT),
    )
}
