"""Loads on coordinates of joints: motors, controllers, springs and dampers.

    model.add(Motor(hinge, 2.5))                                         a torque
    model.add(PD(hinge, [[0, 0], [1, 1.57]], stiffness=200, damping=5))  follows a table
    model.add(JointSpring(hinge, stiffness=10, rest=0.3))

A positive load moves side B against side A in the direction in which the coordinate grows. A Drive prescribes
a coordinate exactly, with any load; these yield to the motion.
"""

from __future__ import annotations

from elements.drives import End, Relation, Which
from nsgalpha.checks import number_in, refuse
from nsgalpha.model.constructor_record import recorded
from nsgalpha.model.registration import offered
from nsgalpha.model.time_function import Given, time_function

INFINITY = float("inf")


class _SoftRelation(Relation):
    """A soft relation of one coordinate."""

    relative = False

    def __init__(
        self, joint: Which, coordinate: str | None, name: str | None, stiffness: float, damping: float
    ) -> None:
        super().__init__(name, End("joint", joint, coordinate))
        self.stiffness = number_in("stiffness", stiffness, 0.0, INFINITY, remedy="0 is a damper alone")
        self.damping = number_in("damping", damping, 0.0, INFINITY, remedy="0 is a spring alone")
        if self.stiffness == self.damping == 0.0:
            raise refuse("stiffness", stiffness, "positive, or damping", "without both there is no load")


@offered("drives", urdf=("motor",))
@recorded
class Motor(Relation):
    """A torque [N m] about, or a force [N] along, a coordinate of a joint.

    load: a number, a table (n, 2) of times [s] and values, joined by straight lines, or a function f(t).
    coordinate: its name, for joints with several.

    Raises ValueError for a table whose times do not increase, and for numbers that are not finite. Adding it
    raises ValueError for a joint without such a coordinate.
    """

    relative = False

    def __init__(
        self, joint: Which, load: Given, *, coordinate: str | None = None, name: str | None = None
    ) -> None:
        super().__init__(name, End("joint", joint, coordinate))
        self.motion = self._load = time_function("load", load, straight=True)

    def load(self, t: float) -> float:
        """See nsgalpha/model/coordinate_relations.py."""
        return self._load.at(t)[0]


@offered("drives", urdf=("position", "velocity"))
@recorded
class PD(_SoftRelation):
    """A controller: the load `stiffness` (target - c) + `damping` (target' - c') on a coordinate c.

    target [rad] or [m], with its rate: as the motion of a Drive. stiffness [N m/rad] or [N/m], damping [N m
    s/rad] or [N s/m]: >= 0 and not both 0; both are implicit.

    Raises ValueError as `Motor`, and for values out of their range.
    """

    def __init__(
        self,
        joint: Which,
        target: Given,
        *,
        stiffness: float,
        damping: float = 0.0,
        coordinate: str | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(joint, coordinate, name, stiffness, damping)
        self.motion = time_function("target", target)


@offered("drives", urdf=("damping",))
@recorded
class JointSpring(_SoftRelation):
    """A spring, and a damper beside it, on a coordinate c of a joint: `stiffness` (rest - c) - `damping` c'.

    rest [rad] or [m]: the coordinate without a load, a number, or a function of time as the target of a PD.
    Angles count whole turns. Units and errors are those of PD.
    """

    def __init__(
        self,
        joint: Which,
        *,
        stiffness: float = 0.0,
        damping: float = 0.0,
        rest: Given = 0.0,
        coordinate: str | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(joint, coordinate, name, stiffness, damping)
        self.motion = time_function("rest", rest)
