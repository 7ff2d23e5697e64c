"""The state of a model: all that a run needs to continue identically."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from nsgalpha.arrays import Floats, Ints
from nsgalpha.checks import floats, instance, integers, number_in, positive, refuse
from nsgalpha.model.model_repr import state_as_html, state_in_words

#: Numbers of a body in each part of a state.
STATE_WIDTHS = {
    "position": 3,
    "rotation": 4,
    "velocity": 3,
    "angular_velocity": 3,
    "acceleration": 6,
    "auxiliary": 6,
}
F8 = np.dtype(float)
UNIT = 1e-9  # difference of the length of a quaternion from 1 that is rounding


@dataclass(frozen=True, slots=True, eq=False)
class ContactHistory:
    """Histories of the compliant contacts of a state; one row per closed contact."""

    #: (K, 4) number of the element among the compliant ones, bodies a, b, plane or -1. For primitives these
    #: are their numbers in the element, and the contact's number in the pair
    pair: Ints
    tangent: Floats  # (K, 3) first tangent of the contact's frame, inertial
    values: Floats  # (K, k) history of the law, filled up with zeros to the longest
    opened: Floats  # (elements, k) sums of the last histories of contacts that have opened since
    feature: Ints = None  # type: ignore[assignment]  # (K,) which of its pair of bodies; by default the first

    def __post_init__(self) -> None:
        _number_features(self, self.pair)

    def check(self) -> None:
        """Raise ValueError unless the arrays belong together; histories may be infinite."""
        count, width = len(np.atleast_1d(self.pair)), np.shape(self.values)[-1:]
        _check_rows("state.contacts.pair", self.pair, (count, 4))
        _check_rows("state.contacts.feature", self.feature, (count,))
        _check_rows("state.contacts.tangent", self.tangent, (count, 3))
        _check_rows("state.contacts.values", self.values, (count, *width), finite=False)
        _check_rows("state.contacts.opened", self.opened, (*np.shape(self.opened)[:1], *width), finite=False)


@dataclass(frozen=True, slots=True, eq=False)
class ContactForces:
    """Forces of set-valued contacts over the last step, without impacts; a row each."""

    a: Ints  # (K,) body A
    b: Ints  # (K,) body B; any number where side B is a plane
    plane: Ints  # (K,) -1 where side B is a body
    wrench: Floats  # (K, 6) force [N] and torque [N m] on A, inertial
    feature: Ints = None  # type: ignore[assignment]  # (K,) which of its pair; all are the first by default

    def __post_init__(self) -> None:
        _number_features(self, self.a)

    def check(self) -> None:
        """Raise ValueError unless the arrays belong together and the forces are finite."""
        count = len(np.atleast_1d(self.a))
        for name in ("a", "b", "plane", "feature"):
            _check_rows(f"state.forces.{name}", getattr(self, name), (count,))
        _check_rows("state.forces.wrench", self.wrench, (count, 6))


def _number_features(contacts: ContactHistory | ContactForces, rows: Any) -> None:
    """Without features all contacts, as many as `rows`, are the first of their pairs."""
    if contacts.feature is None:
        object.__setattr__(contacts, "feature", np.zeros(len(np.atleast_1d(rows)), np.int64))


def _check_rows(name: str, value: Any, shape: tuple[int, ...], *, finite: bool = True) -> None:
    """ValueError unless `value` is an array of (finite) numbers of the `shape`."""
    if not isinstance(value, np.ndarray) or value.shape != shape or value.dtype.kind not in "iuf":
        raise refuse(name, value, f"numbers of shape {shape}", "use a state of the same model, or None")
    if finite and not np.isfinite(value).all():
        raise ValueError(f"{name} of shape {shape}: must be finite; use a state of the same model, or None")


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """Time and motion of all bodies; arrays (bodies, ...), vectors inertial unless said.

    `acceleration` is the smooth acceleration of the last step and `auxiliary` the scheme's own. Both are
    memory of the integrator (6: linear, angular; angular in the body frame unless the inertia is isotropic).
    Without them (None) a run starts from consistent accelerations. `contacts` is the history of compliant
    contacts whose laws have one. Without it they start without history. Lists become arrays. Raises
    ValueError for fields of another width or type. Runs, `step`, `equilibrium` and `compliant_contacts` also
    raise it for numbers that are not finite or of another number of bodies. So they do for quaternions whose
    length differs from 1 by more than 1e-9. States of a run are taken as they are. From `forces` those of
    set-valued contacts are found again. Where they are not unique, as in a pile of many bodies, a run without
    them has others. Its first step moves the bodies a little.

    >>> model = ns.Model(gravity=(0, 0, -10))
    >>> ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 20))
    >>> half = ns.simulate(model, t_end=0.5, h=0.01).state()
    >>> round(half.t, 9), half.velocity[ball].round(9)
    (0.5, array([ 0.,  0., -5.]))
    >>> ns.simulate(model, t_end=1.0, h=0.01, state=half).velocity[-1, ball].round(9)
    array([  0.,   0., -10.])
    """

    t: float  # [s]
    position: Floats  # (N, 3) [m]
    rotation: Floats  # (N, 4) unit quaternion, scalar first, body to inertial
    velocity: Floats  # (N, 3) [m/s]
    angular_velocity: Floats  # (N, 3) [rad/s]
    acceleration: Floats | None = None  # (N, 6) [m/s^2, rad/s^2]
    auxiliary: Floats | None = None  # (N, 6)
    contacts: ContactHistory | None = None
    forces: ContactForces | None = None
    #: (R, 3) of the rows of joints and drives over the last step: multipliers of the smooth motion, reactions
    #: [N, N m], impulses of impacts [N s, N m s]. Behind them are coordinates of drives [rad, m], with their
    #: turns, their rates, and loads of motors. Without it they begin again
    joints: Floats | None = None
    #: (N,) of models with outlets or feeders: 0 the body is yet to come, 1 it is there, 2 it is gone; None:
    #: those of feeders are to come, all others are there
    presence: Ints | None = None
    h: float | None = None  # [s] size of the last step, of which `auxiliary` is; None: that of the next

    def __post_init__(self) -> None:
        """Convert lists to arrays. Raises ValueError for non-numbers and wrong shapes."""
        if _is_plain(self):
            return
        if type(self.t) is not float or not math.isfinite(self.t):
            object.__setattr__(self, "t", number_in("t", self.t, -math.inf, math.inf))
        for name, width in STATE_WIDTHS.items():
            value = getattr(self, name)
            if type(value) is np.ndarray and value.dtype.char == "d" and value.shape[1:] == (width,):
                continue
            if value is not None or width != 6:
                object.__setattr__(self, name, _rows(name, value, width))
        if self.joints is not None:
            object.__setattr__(self, "joints", _rows("joints", self.joints, 3, "rows of joints"))
        if self.presence is not None:
            object.__setattr__(self, "presence", _stages(self.presence))
        if self.h is not None:
            object.__setattr__(self, "h", positive("h", self.h, "it is a step in s"))
        instance("contacts", self.contacts, ContactHistory | None, "those of a state, or None")
        instance("forces", self.forces, ContactForces | None, "those of a state, or None")

    def __repr__(self) -> str:
        return state_in_words(self)

    def _repr_html_(self) -> str:
        """A table of the bodies, as notebooks show it."""
        return state_as_html(self)

    def check(self, count: int, rows: int = 0) -> None:
        """Raise ValueError unless the state is finite, of `count` bodies, with quaternions of length 1.

        The part of joints has `rows` rows, or is None.
        """
        for name, width in STATE_WIDTHS.items():
            value = getattr(self, name)
            if value is None and width == 6:
                continue
            if np.shape(value) != (count, width) or not np.isfinite(value).all():
                raise ValueError(
                    f"state.{name} of shape {np.shape(value)}: must be finite and of shape {(count, width)}; "
                    "use a state of the same model"
                )
        length = np.sqrt(np.einsum("bi,bi->b", self.rotation, self.rotation))
        for k in np.flatnonzero(~(np.abs(length - 1.0) <= UNIT))[:1]:
            remedy = "divide the quaternion by its length; (1, 0, 0, 0) is no rotation"
            raise refuse(f"length of state.rotation[{k}]", float(length[k]), f"1, to {UNIT:g}", remedy)
        joints = np.zeros((rows, 3)) if self.joints is None else self.joints
        if joints.shape != (rows, 3) or not np.isfinite(joints).all():
            raise ValueError(
                f"state.joints of shape {joints.shape}: must be finite and of shape {(rows, 3)}, "
                "for every joint row; use a state of the same model, or replace(state, joints=None)"
            )
        if self.presence is not None and self.presence.shape != (count,):
            shape = f"one of 0, 1, 2 for each of {count} bodies"
            remedy = "use a state of the same model"
            raise refuse("state.presence", f"array {self.presence.shape}", shape, remedy)
        for memory in (self.contacts, self.forces):
            if memory is not None:
                memory.check()
        if (self.acceleration is None) != (self.auxiliary is None):
            raise ValueError("state.acceleration and state.auxiliary: give both or none of them")


def _is_plain(state: State) -> bool:
    """True for a state for loads, made several times a step: floats of correct widths."""
    x, q, v, w = state.position, state.rotation, state.velocity, state.angular_velocity
    kind, n = np.ndarray, len(x) if type(x) is np.ndarray and x.ndim else -1
    return (
        (type(x) is kind and type(q) is kind and type(v) is kind and type(w) is kind)
        and (x.dtype is F8 and q.dtype is F8 and v.dtype is F8 and w.dtype is F8)
        and (x.shape == v.shape == w.shape == (n, 3) and q.shape == (n, 4))
        and (state.acceleration is None and state.auxiliary is None)
        and (state.contacts is None and state.forces is None and state.joints is None)
        and state.presence is None
        and state.h is None
        and (type(state.t) is float and math.isfinite(state.t))
    )


def _rows(name: str, value: Any, width: int, of: str = "bodies") -> Floats:
    """`value` as an array (bodies, width), or a ValueError; `of` says whose the rows are."""
    allowed = f"numbers ({of}, {width})"
    rows = floats(name, value, allowed)
    if rows.shape[1:] != (width,):
        raise refuse(name, f"array {rows.shape}", allowed)
    return rows


def _stages(value: Any) -> Ints:
    """`value` as stages of bodies, or a ValueError."""
    allowed = "0 (yet to come), 1 (there) or 2 (gone) for each body"
    found = integers("presence", value, allowed)
    if found.ndim != 1 or not ((found >= 0) & (found <= 2)).all():
        raise refuse("presence", value, allowed)
    return found
