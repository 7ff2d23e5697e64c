"""The list of features, with their scenes, schemes and parts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from verification.bystanders import cell_scenes as cells
from verification.bystanders import contact_scenes as contact
from verification.bystanders import joint_scenes as joints
from verification.bystanders import other_scenes as other
from verification.bystanders.stage import Stage

PERIODS = (2.0, None, None)  # [m] of the periodic cell


@dataclass(frozen=True)
class Feature:
    """A feature: kind and parts for refusals and the table of the documentation.

    function: a function of Python, which files do not hold. periodic: in a periodic cell. large: it has so
    many unknowns that linear systems are sparse.
    """

    name: str
    build: Callable[[Stage], None]
    kind: str
    parts: tuple[str, ...] = ()
    function: bool = False
    periodic: bool = False
    large: bool = False

    @property
    def made_of(self) -> set[str]:
        """The kind and the parts."""
        return {self.kind, *self.parts}


HARD, SOFT, JOINT, GATE, FREE = (
    "set-valued contact",
    "compliant contact",
    "joints",
    "inlets and outlets",
    "bodies",
)
PLACED, TURNS, CARRIED = "shapes without images", "planes that turn", "planes of bodies"
SLIDER = "sliders"
DIVIDING, MASSLESS = "cells that divide", "bodies without mass"
DRIVEN, RUBBING = "drives and springs of joints", "friction of joints"
NO_FORCES = "VelocityVerlet", "SemiImplicit", "Overdamped"


class Rule(NamedTuple):
    """A combination that is refused: `what` by the `schemes`, or in a periodic cell, with these `words`."""

    what: str
    schemes: tuple[str, ...]
    periodic: bool
    words: str
    reason: str


ALPHA = "must be GeneralizedAlpha for"
OR_VERLET = "must be GeneralizedAlpha or VelocityVerlet"
IMPULSES = ("MoreauJean",)
NOT_OVERDAMPED = "GeneralizedAlpha", "VelocityVerlet", "SemiImplicit", *IMPULSES
NEED_MASS = "GeneralizedAlpha", "VelocityVerlet", *IMPULSES
CUT = "nodes are put elsewhere between steps of the scheme without inertia only"
STEPS = "bodies come and go between steps of GeneralizedAlpha and VelocityVerlet only"
RULES = (  # in the order in which they are asked
    Rule(GATE, NO_FORCES[1:], False, OR_VERLET, STEPS),
    Rule(DIVIDING, NOT_OVERDAMPED, False, "must be Overdamped for cells that divide", CUT),
    Rule(PLACED, (), True, "acts between bodies as they are placed", "they act between places, not images"),
    Rule(CARRIED, (), True, "is carried by", "a plane of a body that turns has no images"),
    Rule(HARD, NO_FORCES, False, ALPHA, "these schemes need forces, which hard contacts do not have"),
    Rule(JOINT, NO_FORCES, False, ALPHA, "these schemes have no constraints but sliders"),
    Rule(SLIDER, NO_FORCES[1:], False, ALPHA, "these schemes have no constraints"),
    Rule(MASSLESS, NEED_MASS, False, "must be positive for", "these schemes need a mass of every body"),
    Rule(
        SOFT, IMPULSES, False, f"{ALPHA} compliant contact", "stiff forces need other steps than impulses do"
    ),
    Rule(DRIVEN, IMPULSES, False, f"{ALPHA} drives", "drives follow the velocities within a step"),
    Rule(RUBBING, IMPULSES, False, f"{ALPHA} friction in joints", "it depends on loads of the smooth motion"),
    Rule(GATE, IMPULSES, False, f"{ALPHA} bodies that come and go", STEPS),
    Rule(TURNS, (), True, "turns it", "the normal of a plane stays across the periodic directions"),
)


def refusal(features: Sequence[Feature], scheme: str) -> Rule | None:
    """The rule by which `scheme` refuses the features together, or None."""
    periodic = any(feature.periodic for feature in features)
    there = set().union(*(feature.made_of for feature in features))
    for rule in RULES:
        if rule.what in there and (scheme in rule.schemes or (rule.periodic and periodic)):
            return rule
    return None


FEATURES = {
    feature.name: feature
    for feature in (
        Feature("free body", other.free_body, FREE),
        Feature("hard spheres", contact.hard_spheres, HARD),
        Feature("hard sphere in shell", contact.spheres_in_shell, HARD, (PLACED,)),
        Feature("hard capsules", contact.hard_capsules, HARD),
        Feature("hard polygon", contact.hard_polygon, HARD),
        Feature("hard solids", contact.hard_solids, HARD),
        Feature("hard round bodies on solids", contact.hard_round_solids, HARD),
        Feature("hard running surface", contact.hard_running_surface, HARD),
        Feature("hard fixed body", other.fixed_body, HARD),
        Feature("hard moving plane", other.moving_plane(True), HARD),
        Feature("hard turning plane", other.plane_by_function(True), HARD, (TURNS,), function=True),
        Feature("hard carried plane", other.carried_plane(True), HARD, (CARRIED,)),
        Feature("large hard island", other.island(True), HARD, large=True),
        Feature("hard spheres, periodic", contact.hard_spheres, HARD, periodic=True),
        Feature("compliant spheres", contact.soft_spheres, SOFT),
        Feature("compliant sphere in shell", partial(contact.spheres_in_shell, hard=False), SOFT, (PLACED,)),
        Feature("adhesion", contact.adhesive_spheres, SOFT),
        Feature("Luding's law", contact.luding_spheres, SOFT),
        Feature("bonds", contact.bonded_spheres, SOFT),
        Feature("compliant capsules", contact.soft_capsules, SOFT, (PLACED,)),
        Feature("compliant polygon", contact.soft_polygon, SOFT, (PLACED,)),
        Feature("rounded triangles", contact.rounded_mesh, SOFT, (PLACED,)),
        Feature("solids", contact.solids, SOFT),
        Feature("deformable cell", contact.cell, SOFT, (PLACED,), large=True),
        Feature("membrane", contact.membrane, SOFT, (PLACED,), large=True),
        Feature("dividing cells", cells.dividing_cells, DIVIDING, (SOFT, PLACED), large=True),
        Feature("cells in layers", cells.layered_spheres, SOFT, (PLACED,)),
        Feature("resistance of fibres", cells.segment_drag, SOFT, (PLACED,)),
        Feature("points without mass", cells.massless_membrane, MASSLESS, (SOFT, PLACED), large=True),
        Feature("springs", contact.springs, SOFT),
        Feature("compliant fixed body", partial(other.fixed_body, hard=False), SOFT),
        Feature("compliant moving plane", other.moving_plane(False), SOFT),
        Feature(
            "compliant turning plane",
            other.plane_by_function(False),
            SOFT,
            (TURNS,),
            function=True,
        ),
        Feature("compliant carried plane", other.carried_plane(False), SOFT, (CARRIED,)),
        Feature("large compliant packing", other.island(False), SOFT, large=True),
        Feature("compliant spheres, periodic", contact.soft_spheres, SOFT, periodic=True),
        Feature("switched spring", other.switched_spring, SOFT, function=True),
        Feature("switched contact", other.switched_contact, SOFT, function=True),
        Feature("compiled load", other.compiled_load, FREE),
        Feature("load in Python", other.python_load, FREE, function=True),
        Feature("feeder, hard", other.feeder(True), GATE, (HARD,)),
        Feature("feeder, compliant", other.feeder(False), GATE, (SOFT,)),
        Feature("outlet, hard", other.outlet(True), GATE, (HARD,)),
        Feature("outlet, compliant", other.outlet(False), GATE, (SOFT,)),
        *(Feature(kind, joints.joint(kind), JOINT) for kind in joints.KINDS),
        Feature("telescope", joints.telescope, JOINT, (DRIVEN,)),
        Feature("markers", joints.markers, JOINT),
        Feature("drive", joints.drive, JOINT, (DRIVEN,)),
        Feature("limit", joints.limit, JOINT, (HARD,)),
        Feature("rope", joints.rope, JOINT, (HARD,)),
        Feature("joint friction", joints.friction, JOINT, (HARD, RUBBING)),
        Feature("speed motor", joints.speed_motor, JOINT, (HARD, RUBBING)),
        Feature("motor", joints.motor, JOINT, (DRIVEN,)),
        Feature("controller", joints.controller, JOINT, (DRIVEN,)),
        Feature("joint spring", joints.joint_spring, JOINT, (DRIVEN,)),
        Feature("gear", joints.gear, JOINT, (DRIVEN,)),
        Feature("gear with backlash", partial(joints.gear, backlash=0.02), JOINT, (HARD, DRIVEN)),
        Feature("rack and pinion", joints.rack, JOINT, (DRIVEN,)),
        Feature("screw", joints.screw, JOINT, (DRIVEN,)),
        Feature("differential", joints.differential, JOINT, (DRIVEN,)),
        Feature("servo wall, hard", joints.servo_wall(True), SLIDER, (HARD, DRIVEN)),
        Feature("servo wall, compliant", joints.servo_wall(False), SLIDER, (SOFT, DRIVEN)),
        Feature("arm on a hard floor", joints.arm_on_hard_floor, JOINT, (HARD,)),
        Feature("arm on a compliant floor", joints.arm_on_soft_floor, JOINT, (SOFT,)),
    )
}
