"""Separation: poses near given ones at which no set-valued contact overlaps.

It is the position correction of a step (7): displacements M^-1 G^T r with r >= 0 open the gaps. Of small
overlaps they are the least in the metric of the masses. Nothing else moves a body in STEP from rest.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from nsgalpha.arrays import Floats
from nsgalpha.checks import instance, named
from nsgalpha.model.model import Model
from nsgalpha.model.state import State
from nsgalpha.run.run_progress import Run
from nsgalpha.schemes.generalized_alpha.alpha_stepper import GeneralizedAlphaStepper
from nsgalpha.schemes.scheme_settings import GeneralizedAlpha
from nsgalpha.stepping.step_times import StepTimes
from nsgalpha.system.system import OVERLAP

STEP = 1e-9  # [s]
TOL = 1e-10  # of the position correction
ROUNDS = 20  # corrections, each of which sees the pairs near the pose before
SHOWN = 1e-9  # displacement, over the size of a body, up to which it has not moved


class Separation(NamedTuple):
    """A state without overlap, and its differences from the given one."""

    state: State
    moved: Floats  # (N,) displacement of the centres [m]
    turned: Floats  # (N,) [rad]
    text: str  # the largest displacement in words, "" where nothing has moved

    def __str__(self) -> str:
        return self.text


class _Overlapping(GeneralizedAlphaStepper):
    """Steps from a state whose contacts may overlap."""

    starts_apart = False


@named
def separate(model: Model, state: State | None = None) -> Separation:
    """Positions near those of `state`, by default as stated, at which set-valued contacts do not overlap.

    Bodies move in the metric of the masses, as little as possible for small overlaps; fixed ones and
    velocities stay. Overlaps of compliant contacts are forces, and stay, too.

    Raises ValueError if no such positions are found near by. Raises the errors of the first step.

    >>> from elements import SphereSphere
    >>> model = ns.Model()
    >>> a = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0), name="a")
    >>> b = model.add_sphere(radius=0.1, mass=3.0, position=(0.16, 0, 0), name="b")
    >>> element = model.add(SphereSphere(among=[a, b]))
    >>> found = ns.separate(model)
    >>> print(found)
    separated: bodies moved by up to 0.03 m ('a')
    >>> found.state.position[:, 0].round(9)
    array([-0.03,  0.17])
    """
    instance("model", model, Model, "a Model")
    instance("state", state, State | None, "a State", "such as result.state()")
    given = model.initial_state() if state is None else state
    still = np.zeros_like(given.velocity)
    resting = _placed(replace(given, velocity=still, angular_velocity=still), given)
    for _ in range(ROUNDS):
        stepper = _Overlapping(model, resting, STEP, GeneralizedAlpha(), TOL)
        pairs = stepper.now.candidates
        if (pairs.gap >= -OVERLAP * pairs.length).all():
            return _report(model, given, resting, stepper.system.bodies.extent)
        run = Run(stepper, StepTimes(given.t, np.array([STEP]), 0.0))
        run.plan(1, 1)
        run.advance(0, 1)  # a correction that failed has come nearer, too
        reached = stepper.now.new
        if not all(np.isfinite(part).all() for part in (reached.x, reached.q)):
            break
        x, q = reached.x[: len(still)].copy(), reached.q[: len(still)].copy()
        resting = _placed(resting, replace(resting, position=x, rotation=q))
    c = int((pairs.gap / pairs.length).argmin())
    first, second = stepper.now.names(c)
    raise ValueError(
        f"separate: no pose near the given one is without overlap; {first!r} and {second!r} overlap by "
        f"{-pairs.gap[c]:.3g} m; move them apart by hand"
    )


def _placed(state: State, at: State) -> State:
    """The `state` with the pose of another one, without memory of accelerations and forces."""
    placed = replace(state, position=at.position, rotation=at.rotation)
    return replace(placed, acceleration=None, auxiliary=None, forces=None)


def _report(model: Model, given: State, found: State, extent: Floats) -> Separation:
    """The pose `found`, without rounding in bodies that stay, and its differences from the `given` one."""
    dx, dq = found.position - given.position, found.rotation - given.rotation
    moved, half = np.linalg.norm(dx, axis=1), 0.5 * np.linalg.norm(dq, axis=1)
    turned = 4.0 * np.arcsin(np.minimum(half, 1.0))
    size = np.where(extent[: len(dx)] > 0.0, extent[: len(dx)], 1.0)
    stays = (moved <= SHOWN * size) & (turned <= SHOWN)
    if stays.all():
        return Separation(given, 0.0 * moved, 0.0 * turned, "")
    moved[stays] = turned[stays] = 0.0
    x = np.where(stays[:, None], given.position, found.position)
    turn = np.where(stays[:, None], given.rotation, found.rotation)
    k = int(moved.argmax())
    text = f"separated: bodies moved by up to {moved[k]:.3g} m ({model.bodies[k].name!r})"
    return Separation(_placed(given, replace(found, position=x, rotation=turn)), moved, turned, text)
