"""Drives and transmissions: prescribed coordinates of joints, and relations between them.

    hinge = model.add(Revolute(None, crank, point=(0, 0, 0), axis=(0, 0, 1)))
    model.add(Drive(hinge, rate=10.0))
    model.add(Gear(hinge, other, ratio=-0.5))

They act on joints that were added to the model before; the coordinates are those of `result.coordinate`. Each
is a row between all bodies of its joints (nsgalpha/constraints/joint_coordinates.py), and exerts a force or
torque along each of the coordinates: `result.effort(drive)`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from elements.gear_backlash import add_play, flanks
from elements.joint_limits import Limit
from elements.joint_markers import name_or_none
from elements.joints import Prismatic
from nsgalpha.checks import number_in, refuse, text
from nsgalpha.model.constructor_record import ConstructorCall, constructor_call, recorded
from nsgalpha.model.coordinate_relations import Term, picked
from nsgalpha.model.handles import Body
from nsgalpha.model.joint_interface import Joint
from nsgalpha.model.registration import offered
from nsgalpha.model.time_function import Given, Linear, TimeFunction, time_function

INFINITY = float("inf")

Which = Joint | str | int


class End(NamedTuple):
    """A coordinate of a joint and its ratio; errors name the arguments."""

    argument: str
    joint: Which
    coordinate: str | None
    ratio: float = 1.0
    named: str = "coordinate"  # the argument that names it


class Relation:
    """Coordinates of the `ends` with a prescribed sum of ratio times coordinate."""

    motion: TimeFunction | None = None
    relative = True
    stiffness = damping = 0.0  # it is rigid

    def __init__(self, name: str | None, *ends: End) -> None:
        for end in ends:
            if not isinstance(end.joint, Joint | str) and type(end.joint) is not int:
                raise refuse(end.argument, end.joint, "a joint that was added to this model, or its name")
            if end.coordinate is not None:
                text(end.named, end.coordinate)
        self._ends = ends
        self.terms: Sequence[Term] = ()
        self._named = name_or_none(name)
        self.name = self._named or type(self).__name__

    def bind(self, joints: Sequence[Joint]) -> None:
        """See nsgalpha/model/coordinate_relations.py."""
        terms = tuple(Term(*picked(self.name, end, joints), end.ratio) for end in self._ends)
        places = [(id(joint), name) for joint, name, _ in terms]
        if len(set(places)) < len(places):
            argument = self._ends[-1].argument
            raise ValueError(f"{argument}: {self.name} has one coordinate twice; take two different ones")
        if self.terms and [id(each.joint) for each in self.terms] != [id(each.joint) for each in terms]:
            raise ValueError(f"{self.name}: belongs to another model; state another one")
        self.terms = terms
        self._number(joints)
        if self._named is None:
            names = " and ".join(term.joint.name for term in terms)
            self.name = f"{type(self).__name__} of {names}"

    def _number(self, joints: Sequence[Joint]) -> None:
        """State joints by their numbers, which files can hold."""
        number = {id(joint): k for k, joint in enumerate(joints)}

        def numbered(value: Any) -> Any:
            several = isinstance(value, list | tuple)
            return tuple(map(numbered, value)) if several else number.get(id(value), value)

        stated = constructor_call(self)
        if stated is not None:
            known = {"joint", "joints", "first", "second", "pinion", "rack"}
            arguments = {
                key: numbered(each) if key in known else each for key, each in stated.arguments.items()
            }
            self.stated = ConstructorCall(stated.maker, arguments)


@offered("drives", urdf=("trajectory",))
@recorded
class Drive(Relation):
    """A prescribed coordinate of a joint: servo, actuator, or, with a constant, a lock.

    motion: value [rad] or [m] of the coordinate, a number, a table or a function. A cubic spline joins the
    times [s] and values of a table (n, 2); a table (n, 3) also has rates. A function f(t) returns the value,
    or (value, rate). rate: in its place a constant rate [rad/s] or [m/s], from the model as stated on.
    coordinate: its name, for joints with several.

    Raises ValueError if none or both of motion and rate are given, a table does not increase in time, or a
    number is not finite. Adding it raises ValueError for a joint without such a coordinate. A run refuses to
    begin where the coordinate or its rate is not that of the motion, and two drives of one coordinate.
    """

    def __init__(
        self,
        joint: Which,
        motion: Given | None = None,
        *,
        rate: float | None = None,
        coordinate: str | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(name, End("joint", joint, coordinate))
        if (motion is None) == (rate is None):
            raise ValueError("motion and rate: give one of them; a number as motion holds the joint there")
        self.relative = rate is not None
        self.motion = (
            time_function("motion", motion)
            if rate is None
            else Linear(0.0, number_in("rate", rate, -INFINITY, INFINITY, remedy="it is a rate of change"))
        )


def _ratio(name: str, value: float) -> float:
    ratio = number_in(name, value, -INFINITY, INFINITY, remedy="it is the second over the first")
    if ratio == 0.0:
        raise refuse(name, value, "different from 0", "a Drive holds a coordinate; leave out unused ones")
    return ratio


@offered("drives", urdf=("mimic",))
@recorded
class Gear(Relation):
    """Two coordinates whose changes have the `ratio` of the `second` over the `first`.

    For hinges the ratio is that of the speeds, negative for an external pair of wheels, -z1/z2 with the
    numbers of teeth. coordinates: their names, for joints with several. backlash: the play > 0 from flank to
    flank, [rad] or [m] of the second coordinate, in the middle of which the model is stated; e_n: restitution
    of the flanks, in [0, 1].

    With backlash, `model.add` also adds the parts of the play. These are a body "play of" the gear, of a
    millionth of their inertia, its joint `play`, whose displacement is the play, and its stops `flanks`.
    Without, both are None.

    Raises ValueError for a ratio of 0, a backlash or e_n out of its range, and, when it is added, for joints
    without such coordinates.
    """

    play: Prismatic | None = None
    flanks: Limit | None = None

    def __init__(
        self,
        first: Which,
        second: Which,
        *,
        ratio: float,
        coordinates: tuple[str | None, str | None] = (None, None),
        backlash: float | None = None,
        e_n: float = 0.0,
        name: str | None = None,
    ) -> None:
        ratio = _ratio("ratio", ratio)
        self._flanks = flanks(backlash, e_n)
        if not isinstance(coordinates, list | tuple) or len(coordinates) != 2:
            raise refuse("coordinates", coordinates, "a pair of names, or of None")
        one, two = coordinates
        ends = End("second", second, two), End("first", first, one, -ratio)
        super().__init__(name, *(end._replace(named="coordinates") for end in ends))

    def bind(self, joints: Sequence[Joint]) -> None:
        """See coordinate_relations.py; the first time it adds its play, as a third coordinate."""
        super().bind(joints)
        if self._flanks is None or self.play is not None:
            return
        model = next(each.model for each in self.terms[0].joint.carriers if isinstance(each, Body))
        self.play, self.flanks = add_play(model, self.name, self.terms, self._flanks)
        self._ends = *self._ends, End("play", self.play, None, -1.0)
        self._named, self.terms = self.name, ()
        super().bind(joints)
        # files hold the parts, and this as their relation
        self.stated = ConstructorCall(Differential, _weighted(self.terms, joints) | {"name": self.name})


def _weighted(terms: Sequence[Term], joints: Sequence[Joint]) -> dict[str, Any]:
    """The `terms` as arguments of a Differential, the joints by their numbers."""
    return {
        "joints": tuple(joints.index(term.joint) for term in terms),
        "weights": tuple(term.ratio for term in terms),
        "coordinates": tuple(term.name for term in terms),
    }


@offered("drives")
@recorded
class RackAndPinion(Relation):
    """A displacement of the joint `rack` that is `radius` [m] times the angle of the joint `pinion`.

    Raises ValueError for a radius of 0; a negative one turns the direction.
    """

    def __init__(self, pinion: Which, rack: Which, *, radius: float, name: str | None = None) -> None:
        ends = End("rack", rack, "displacement"), End("pinion", pinion, "angle", -_ratio("radius", radius))
        super().__init__(name, *(end._replace(named=end.argument) for end in ends))


@offered("drives")
@recorded
class Screw(Relation):
    """A thread: the displacement of a Cylindrical joint grows by its `lead` [m] with every turn.

    Raises ValueError for a lead of 0; that of a left-hand thread is negative.
    """

    def __init__(self, joint: Which, *, lead: float, name: str | None = None) -> None:
        pitch = _ratio("lead", lead) / 6.283185307179586
        ends = End("joint", joint, "displacement"), End("joint", joint, "angle", -pitch)
        super().__init__(name, *(end._replace(named="joint") for end in ends))


@offered("drives")
@recorded
class Differential(Relation):
    """Coordinates whose weighted changes have the sum 0: `weights` (k,) of the `joints`.

    Weights (1, 1, -2) are those of the two wheels and the cage of the differential of an axle. For (ring,
    sun, carrier) of a planetary gear with z_r, z_s teeth they are (z_r, z_s, -(z_r + z_s)).

    Raises ValueError for less than two joints, another number of weights, and a weight of 0.
    """

    def __init__(
        self,
        joints: Sequence[Which],
        weights: Sequence[float],
        *,
        coordinates: Sequence[str] | None = None,
        name: str | None = None,
    ) -> None:
        for key, given in (
            ("joints", joints),
            ("weights", weights),
            ("coordinates", () if coordinates is None else coordinates),
        ):
            if not isinstance(given, list | tuple):
                raise refuse(key, given, "a list")
        if len(joints) < 2 or len(weights) != len(joints):
            count = f"{len(joints)} joints and {len(weights)} weights"
            raise ValueError(f"weights: {count}; give one weight for each of two or more joints")
        names: Sequence[str | None] = [None] * len(joints) if coordinates is None else coordinates
        if len(names) != len(joints):
            raise ValueError(f"coordinates: {len(names)} for {len(joints)} joints; give one for each")
        ratios = [_ratio(f"weights[{k}]", weight) for k, weight in enumerate(weights)]
        ends = zip(joints, names, ratios, strict=True)
        super().__init__(
            name, *(End("joints", joint, each, ratio, "coordinates") for joint, each, ratio in ends)
        )
