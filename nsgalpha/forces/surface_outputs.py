"""The state of a surface: its sizes and curvatures, tensions, pressures and forces.

    cell = result.surface(surface, i)    or    surface_outputs(model, state, surface)
    cells = result.surfaces(i)                 of all surfaces, for one evaluation

Forces are evaluated again at the state, with the histories there and without a further step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from nsgalpha.arrays import Floats, Motion
from nsgalpha.checks import instance, named, refuse
from nsgalpha.forces.compliant_forces import CompliantForces
from nsgalpha.forces.contact_outputs import evaluated
from nsgalpha.forces.force_element_group import ForceElementGroup
from nsgalpha.model.force_element import ForcePass
from nsgalpha.model.model import Model
from nsgalpha.model.state import State
from nsgalpha.model.triangulated_surface import Surface
from nsgalpha.system.system import System


@runtime_checkable
class HasTension(Protocol):
    """A force element with a tension in the triangles of its surface."""

    surface: Surface

    def tension(self, made: ForcePass) -> Floats:
        """The tension (T,) [N/m] of an evaluation."""


@runtime_checkable
class HasPressure(Protocol):
    """A force element that is a pressure within the pieces of its surface."""

    surface: Surface

    def pressure(self, made: ForcePass) -> Floats:
        """The pressure (P,) [Pa] of an evaluation, > 0 pushes out."""


@runtime_checkable
class HasContact(Protocol):
    """A force element that is contact of surfaces."""

    surfaces: Sequence[Surface]

    def contact(self, made: ForcePass, surface: Surface) -> tuple[Floats, Floats]:
        """Areas of contact (N,) [m^2] of the nodes of one of them, and forces (N, 3) [N] on these."""


@dataclass(frozen=True, slots=True)
class SurfaceOutputs:
    """A surface of T triangles, N nodes and P pieces in one state."""

    area: Floats  # (T,) [m^2]
    volume: Floats  # (P,) [m^3]; without meaning where a piece is open
    tension: Floats  # (T,) [N/m], of areas, membranes, springs; half the trace of the stress resultant
    pressure: Floats  # (P,) [Pa] within, of volumes
    mean_curvature: Floats  # (N,) [1/m] at the nodes, > 0 on a sphere
    force: Floats  # (N, 3) [N] on the nodes, of all force elements but contact
    energy: float  # [J] stored in the force elements on its nodes
    contact_area: Floats  # (N,) [m^2] of the nodes: the sum is that of the surface
    contact_force: Floats  # (N, 3) [N] on the nodes


@named
def surface_outputs(model: Model, state: State, surface: Surface) -> SurfaceOutputs:
    """Sizes, tensions and forces of `surface` in `state`; `result.surface(surface, i)` for recorded ones.

    Tensions and pressures are the sums over the active elements. Forces and energy are those of all force
    elements on nodes of this surface alone, areas and forces of contact those of `SurfaceContact`.

    Raises ValueError if the surface or the state is of another model.

    >>> from elements import GlobalArea, icosphere
    >>> model = ns.Model()
    >>> x, triangles = icosphere(3)
    >>> cell = model.add_surface([model.add_point(position=each) for each in x], triangles)
    >>> film = model.add(GlobalArea(cell, stiffness=0.0, tension=0.1))
    >>> found = ns.surface_outputs(model, model.initial_state(), cell)
    >>> print(found.tension[0], found.mean_curvature.mean().round(3))
    0.1 1.004
    """
    instance("model", model, Model, "a Model")
    instance("state", state, State, "a State", "such as result.state()")
    instance("surface", surface, Surface, "a Surface", "model.add_surface returns one")
    if surface.model is not model:
        raise refuse("surface", surface.name, "a surface of this model")
    return _outputs(surface, *evaluated(System(model), state)[:2])


def outputs_of_surfaces(model: Model, state: State) -> list[SurfaceOutputs]:
    """Outputs of all surfaces of the model in their order, from one evaluation."""
    made = evaluated(System(model), state)[:2]
    return [_outputs(surface, *made) for surface in model.surfaces]


def _outputs(surface: Surface, compliant: CompliantForces, motion: Motion) -> SurfaceOutputs:
    """See surface_outputs, after an evaluation."""
    position = motion.x[: len(surface.model.bodies)]
    at = surface.at(position)
    tension, pressure = np.zeros_like(at.area), np.zeros_like(at.volume)
    wrench, energy, nodes = np.zeros((len(motion.x), 6)), 0.0, surface.bodies
    touching, pushed = np.zeros(len(nodes)), np.zeros((len(nodes), 3))
    for group in compliant.groups:
        if isinstance(group, ForceElementGroup) and isinstance(group.element, HasContact):
            if group.acts and surface in group.element.surfaces:
                area, contact = group.element.contact(group.last, surface)
                touching, pushed = touching + area, pushed + contact
            continue
        if not isinstance(group, ForceElementGroup) or not np.isin(group.element.nodes, nodes).all():
            continue
        group.add_wrenches(wrench)
        energy += group.energy
        acts = group.acts
        if acts and isinstance(group.element, HasTension) and group.element.surface is surface:
            tension += group.element.tension(group.last)
        if acts and isinstance(group.element, HasPressure) and group.element.surface is surface:
            pressure += group.element.pressure(group.last)
    curvature = surface.mean_curvature(position)
    return SurfaceOutputs(
        at.area, at.volume, tension, pressure, curvature, wrench[nodes, :3], energy, touching, pushed
    )
