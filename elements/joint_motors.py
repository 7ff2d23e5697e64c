"""Loads on coordinates of joints: motors, controllers, springs and dampers.

    model.add(Motor(hinge, 2.5))                                         a torque
    model.add(PD(hinge, [[0, 0], [1, 1.57]], stiffness=200, damping=5))  follows a table
    model.add(JointSpring(hinge, stiffness=10, rest=0.3))

A positive load moves side B against side A in the direction in which the coordinate grows. A Drive holds a
coordinate exactly, whatever that takes; these let it go as the motion makes it.
"""

from __future__ import annotations

from elements.drives import End, Relation, Which
from nsgalpha.checks import number_in, refuse
from nsgalpha.model.constructor_record import remembers
from nsgalpha.model.offers import offered
from nsgalpha.model.time_function import Given, course

INFINITY = float("inf")


class _Yielding(Relation):
    """A relation of one coordinate that gives way."""

    relative = False

    def __init__(
        self,
        joint: Which,
        coordinate: str | None,
        name: str | None,
        stiffness: float,
        damping: float,
    ) -> None:
        super().__init__(name, End("joint", joint, coordinate))
        self.stiffness = number_in("stiffness", stiffness, 0.0, INFINITY, remedy="0 is a damper alone")
        self.damping = number_in("damping", damping, 0.0, INFINITY, remedy="0 is a spring alone")
        if self.stiffness == self.damping == 0.0:
            raise refuse("stiffness", stiffness, "positive, or damping", "without both there is no load")


@offered("drives")
@remembers
class Motor(Relation):
    """A torque [N m] about, or a force [N] along, a coordinate of a joint.

    load: a number, a table (n, 2) of times [s] and values, joined by straight lines, or a function f(t).
    coordinate: its name, for joints with several.

    Raises ValueError for a table whose times do not increase, for what is not finite, and, when it is added,
    for a joint without such a coordinate.
    """

    relative = False

    def __init__(
        self, joint: Which, load: Given, *, coordinate: str | None = None, name: str | None = None
    ) -> None:
        super().__init__(name, End("joint", joint, coordinate))
        self.motion = self._course = course("load", load, straight=True)

    def load(self, t: float) -> float:
        """See nsgalpha/model/coordinate_relations.py."""
        return self._course.at(t)[0]


@offered("drives")
@remembers
class PD(_Yielding):
    """A controller: the load `stiffness` (target - c) + `damping` (target' - c') on a coordinate c.

    target [rad] or [m], with its rate: a number, a table or a function of time, as the motion of a Drive.
    stiffness [N m/rad] or [N/m] and damping [N m s/rad] or [N s/m], >= 0 and not both 0; they are implicit.

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
        self.motion = course("target", target)


@offered("drives")
@remembers
class JointSpring(_Yielding):
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
        self.motion = course("rest", rest)
