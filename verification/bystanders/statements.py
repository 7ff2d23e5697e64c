"""Runs of scenes alone and together, in any frame, order and scheme."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy.spatial.transform import Rotation

import nsgalpha as ns
from elements import Drag, glued
from nsgalpha.arrays import Floats, Ints
from nsgalpha.model.compliant_law import Traits
from nsgalpha.model.force_element import ElementMotion, ForcePass, InactivePass
from nsgalpha.schemes.scheme_settings import Scheme
from verification.bystanders.cell_scenes import DIVISION
from verification.bystanders.features import PERIODS, Feature
from verification.bystanders.stage import MIRROR, Stage

H, STEPS = 1e-3, 60  # [s], steps of a run
GRAVITY = np.array([0.4, -0.3, -9.81])  # [m/s^2]
FAR = np.array([31.0, -25.0, 30.0])  # [m] from the one scene to the other
KILOMETRE = np.array([600.0, -640.0, 480.0])  # [m]
TURN = Rotation.from_rotvec((0.7, -1.1, 0.4)).as_matrix()
QUARTER = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])

#: Schemes by name, made of all bodies of a model.
SCHEMES: dict[str, Callable[[ns.Model], Scheme]] = {
    "GeneralizedAlpha": lambda model: ns.GeneralizedAlpha(0.8),
    "MoreauJean": lambda model: ns.MoreauJean(),
    "VelocityVerlet": lambda model: ns.VelocityVerlet(),
    "SemiImplicit": lambda model: ns.SemiImplicit(0.5, _resisted(model)),
    "Overdamped": lambda model: ns.Overdamped(Drag(_moving(model), translational=8.0, rotational=0.02)),
}


def _moving(model: ns.Model) -> list[ns.Body]:
    return [body for body in model.bodies if not body.fixed]


def _resisted(model: ns.Model) -> list[Drag]:
    """A resistance of bodies without mass, of which nothing else determines the velocities."""
    light = [body for body in _moving(model) if body.mass == 0.0]
    return [Drag(light, translational=8.0)] if light else []


def no_load(t: float, state: ns.State) -> Floats:
    """A load of zero, in Python: steps are driven from there."""
    return np.zeros_like(state.position)


class NoMemory:
    """The memory of an element that has none, see ForceElementLaw."""

    history = 0
    traits = (Traits(),)


@dataclass(eq=False)
class Pause:
    """An element without force that divides steps as a dividing cell does."""

    bodies: list[ns.Body]
    law = NoMemory()
    count = 0
    nodes = np.empty((0, 1), np.int64)
    times = np.array([DIVISION])

    def handles(self) -> list[ns.Body]:
        """See ForceElement."""
        return self.bodies

    def force_pass(self, motion: ElementMotion) -> ForcePass:
        """See ForceElement."""
        return InactivePass(self)

    def jump(self, t: float, x: Floats) -> Ints:
        """See JumpingElement: nothing moves."""
        return np.empty(0, np.int64)


@dataclass(frozen=True)
class Statement:
    """A model of `features`, each `FAR` from the one before, in one order.

    turned, mirrored, moved: in another frame. reverse: bodies and elements in the opposite order. python:
    with a load of zero that is a function of Python. pause: with a `Pause`.
    """

    features: tuple[Feature, ...]
    scheme: str
    turned: bool = False
    mirrored: bool = False
    moved: bool = False
    reverse: bool = False
    python: bool = False
    pause: bool = False
    first: int = 0  # number of the place of the first feature, in units of FAR

    @cached_property
    def periodic(self) -> bool:
        """True if one of the features asks for a periodic cell."""
        return any(feature.periodic for feature in self.features)

    @cached_property
    def frame(self) -> Floats:
        """The orthogonal matrix (3, 3) of the frame; cells are turned by quarters."""
        turn = np.eye(3) if not self.turned else QUARTER if self.periodic else TURN
        return turn @ MIRROR if self.mirrored else turn

    def staged(self) -> Staged:
        """The model, with its scenes."""
        periods = None
        if self.periodic:
            axes = np.abs(self.frame).argmax(axis=1)
            periods = [PERIODS[int(axis)] for axis in axes]
        model = ns.Model(gravity=self.frame @ GRAVITY, periodic=periods)
        origin = KILOMETRE if self.moved else np.zeros(3)
        stages = []
        for k, feature in enumerate(self.features):
            place = origin + (self.first + k) * self.frame @ FAR
            stages.append(Stage(model, place, self.frame, self.reverse))
            feature.build(stages[-1])
        if self.python:
            model.add_load(no_load)
        if self.pause:
            model.add(Pause(model.bodies[:1]))
        return Staged(self, model, stages)


@dataclass(frozen=True)
class Staged:
    """A model that was built, and the stages of its features."""

    statement: Statement
    model: ns.Model
    stages: list[Stage] = field(repr=False)

    def run(
        self,
        steps: int = STEPS,
        state: ns.State | None = None,
        recording: ns.Recording | None = None,
    ) -> ns.Result:
        """The run of so many steps from the start, or from a `state` on."""
        bonded = [cluster for stage in self.stages for cluster in stage.bonded]
        if state is None and bonded:
            state = glued(self.model, gap=1e-3, clusters=bonded)
        t = 0.0 if state is None else state.t
        scheme = SCHEMES[self.statement.scheme](self.model)
        return ns.simulate(
            self.model, t_end=t + (steps - 0.5) * H, h=H, scheme=scheme, state=state, recording=recording
        )

    @property
    def function(self) -> bool:
        """True if the model has functions that no file holds."""
        return self.statement.python or any(feature.function for feature in self.statement.features)
