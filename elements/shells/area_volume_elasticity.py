"""Elasticity of areas and volumes of a surface; tension and inner pressure.

    local area     E = sum k_d (A_j - A_j0)^2/(2 A_j0) + sum gamma_j A_j
    area           E = k_a (A - A_0)^2/(2 A_0) + gamma A,      tension T = k_a (A - A_0)/A_0 + gamma
    volume         E = k_v (V - V_0)^2/(2 V_0) - p_0 V,        pressure p = -k_v (V - V_0)/V_0 + p_0 + p_i
                   dp_i/dt = -(k_v/tau) (V - V_0)/V_0

A_0, V_0, gamma and p_0 may be functions of time: growth. Areas and volumes as a whole couple all nodes; their
stiffness is a term of low rank (nsgalpha/linalg/low_rank.py).

Sources: documentation of mpacts, areaforce, volumeforce.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from elements.shells.area_volume import Areas, Volumes
from elements.shells.edge_springs import a_surface
from elements.shells.shell_laws import Regulated, Varying
from nsgalpha.arrays import Floats
from nsgalpha.checks import finite, function, number_in, positive, refuse
from nsgalpha.forces.scalar_force_element import ScalarForceElement, ScalarPass
from nsgalpha.model.constructor_record import Missing, recorded
from nsgalpha.model.force_element import ForcePass
from nsgalpha.model.registration import offered
from nsgalpha.model.triangulated_surface import Surface


@offered(
    "elements",
    page=("Shells and membranes", "area A_j of a triangle", "k_d (A_j - A_j0)^2/(2 A_j0) + gamma_j A_j", ""),
)
@recorded
class LocalArea(ScalarForceElement):
    """Tension in each triangle of `surface` by its own area.

    stiffness k_d [N/m] >= 0. area A_j0 [m^2] > 0: one for each triangle or a function of time that gives
    them, by default those of the model as stated. tension gamma_j [N/m]: a number, one for each triangle, or
    a function of time.

    Raises ValueError that names the argument, in a run too for functions.
    """

    def __init__(
        self, surface: Surface, *, stiffness: float, area: Varying | None = None, tension: Varying = 0.0
    ) -> None:
        areas, triangles = a_surface(surface).reference.area, surface.bodies[surface.triangles]
        law = Regulated(
            _stiffness(stiffness, len(areas)),
            areas if area is None else time_dependent("area", area, areas, "triangles", positive=True),
            time_dependent("tension", tension, np.zeros(len(areas)), "triangles"),
            None,
        )
        super().__init__(Areas(triangles), law, surface.nodes)
        self.surface = surface

    def tension(self, made: ForcePass) -> Floats:
        """Tension (T,) [N/m] in the triangles, see surface_outputs."""
        return _generalised(made)


@offered(
    "elements", page=("Shells and membranes", "area A of a piece", "k_a (A - A_0)^2/(2 A_0) + gamma A", "")
)
@recorded
class GlobalArea(ScalarForceElement):
    """Tension in `surface` by its area as a whole, piece by piece.

    stiffness k_a [N/m] >= 0. area A_0 [m^2] > 0: a number, one for each piece or a function of time, by
    default that of the model as stated. tension gamma [N/m]: likewise, by default 0.

    Raises ValueError that names the argument, in a run too for functions.
    """

    def __init__(
        self, surface: Surface, *, stiffness: float, area: Varying | None = None, tension: Varying = 0.0
    ) -> None:
        of = a_surface(surface).piece
        areas: Floats = np.bincount(of, surface.reference.area).astype(float)
        law = Regulated(
            _stiffness(stiffness, len(areas)),
            areas if area is None else time_dependent("area", area, areas, "pieces", positive=True),
            time_dependent("tension", tension, np.zeros(len(areas)), "pieces"),
            None,
        )
        super().__init__(Areas(surface.bodies[surface.triangles], of), law, surface.nodes)
        self.surface = surface

    def tension(self, made: ForcePass) -> Floats:
        """Tension (T,) [N/m] in the triangles, see surface_outputs."""
        return _generalised(made)[self.surface.piece]


@offered(
    "elements",
    page=(
        "Shells and membranes",
        "volume V in a piece",
        "k_v (V - V_0)^2/(2 V_0) - p_0 V, and dp/dt = -(k_v/tau) (V - V_0)/V_0 with `time=`",
        "",
    ),
)
@recorded
class Volume(ScalarForceElement):
    """Pressure within the closed `surface` by its volume, piece by piece.

    stiffness k_v [Pa] >= 0. volume V_0 [m^3] > 0: a number, one for each piece or a function of time, by
    default that of the model as stated. pressure p_0 [Pa]: likewise, by default 0. time tau [s] > 0 of an
    integral controller: the pressure changes at a rate proportional to V_0 - V, until V = V_0. By default
    there is no controller. The history is the integral of each piece.

    Raises ValueError that names the argument, in a run too for functions; and for a surface with a border.
    """

    def __init__(
        self,
        surface: Surface,
        *,
        stiffness: float,
        volume: Varying | None = None,
        pressure: Varying = 0.0,
        time: float | None = None,
    ) -> None:
        if not a_surface(surface).closed:
            remedy = "a volume needs one without a border; add the triangles that close it"
            raise refuse("surface", surface.name, "closed", remedy)
        volumes = surface.reference.volume
        if volume is None and not (volumes > 0.0).all():
            remedy = "state the triangles counter-clockwise from outside, or give a volume"
            raise refuse(f"volume of {surface.name!r}", float(volumes.min()), "positive", remedy)
        inner = time_dependent("pressure", pressure, np.zeros(len(volumes)), "pieces")
        to = volumes, "pieces"
        k, lag = _stiffness(stiffness, len(volumes)), None if time is None else positive("time", time)
        rest = volumes if volume is None else time_dependent("volume", volume, *to, positive=True)
        law = Regulated(k, rest, _opposite(inner), lag, "volume")
        super().__init__(Volumes(surface.bodies[surface.triangles], surface.piece), law, surface.nodes)
        self.surface = surface

    def pressure(self, made: ForcePass) -> Floats:
        """Pressure (P,) [Pa] within the pieces, see surface_outputs."""
        return -_generalised(made)


def _generalised(made: ForcePass) -> Floats:
    """Forces f = dE/dq (K,) of the coordinates."""
    assert isinstance(made, ScalarPass)
    return made.response.force


def _stiffness(value: float, count: int) -> Floats:
    return np.full(count, number_in("stiffness", value, 0.0, np.inf))


def time_dependent(name: str, value: Any, default: Floats, what: str, positive: bool = False) -> Varying:
    """One number for each of the `what`, or a function that gives them; ValueError if not, at 0 s."""
    numbers = f"a number, one for each of the {len(default)} {what}, or a function of time"
    allowed = f"positive: {numbers}" if positive else numbers
    if callable(value) or isinstance(value, Missing):
        given = value if isinstance(value, Missing) else function(name, value, numbers)
        if not isinstance(value, Missing):
            _checked(f"{name}(0)", given(0.0), default, positive, allowed)
        return given
    return _checked(name, value, default, positive, allowed)


def _checked(name: str, value: Any, default: Floats, positive: bool, allowed: str) -> Floats:
    array = finite(name, value, allowed)
    if array.shape not in ((), default.shape) or (positive and not (array > 0.0).all()):
        raise refuse(name, value, allowed)
    return np.full(len(default), array)


def _opposite(value: Varying) -> Varying:
    """A function of time with the opposite sign."""
    if callable(value):
        return _Opposite(value)
    return -np.asarray(value)


class _Opposite:
    def __init__(self, value: Callable[[float], ArrayLike]) -> None:
        self._function = value

    def __call__(self, t: float) -> Floats:
        return -finite(f"pressure({t:g})", self._function(t))
