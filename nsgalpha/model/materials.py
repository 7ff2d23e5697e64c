"""Materials and the table of their pairs, from which the laws of all contacts follow.

    steel = Material(name="steel", young=2.1e11, poisson=0.3, density=7850)
    table = Materials(materials=[steel, rubber], pairs=[MaterialPair(a="steel", b="rubber", mu=0.7, ...)])

`Contact(among=..., materials=table)` of the package `elements` has set-valued laws of it, `CompliantContact`
compliant ones. No number is built in: a number that a pair or a material lacks is an error that names it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from nsgalpha.checks import field_in, listed, number_in, parameter_set, positive, refuse, text


@parameter_set
class Material:
    """Properties of one material. All but the name may be left out until a law needs it.

    name: in the table of pairs. young E [Pa] > 0 and poisson nu in (-1, 0.5]: elastic constants. density
    [kg/m^3] > 0. layer L [m] >= 0: thickness of the elastic layer on the faces of solids, 0 of rigid faces;
    compliant contact of solids needs it.

    Raises ValueError that names the parameter, its value and its range.
    """

    name: str
    young: float | None = field_in(0.0, math.inf, default=None, open_low=True, remedy="it is a modulus in Pa")
    poisson: float | None = field_in(-1.0, 0.5, default=None, open_low=True, remedy="0.5 is incompressible")
    density: float | None = field_in(0.0, math.inf, default=None, open_low=True, remedy="it is in kg/m^3")
    layer: float | None = field_in(0.0, math.inf, default=None, remedy="it is a length in metres; 0 is rigid")

    def __post_init__(self) -> None:
        text("name", self.name)


@parameter_set
class MaterialPair:
    """Properties of two materials together, by their names `a` and `b`, which may be the same.

    mu [-] >= 0: sliding friction. restitution e in [0, 1]: of the normal velocity; compliant contact needs e
    > 0. mu_static [-] >= mu with stribeck_velocity [m/s]: see ContactLaw; compliant friction falls to mu at
    once. rolling_radius, drilling_radius [m] >= 0: friction against rolling and drilling; compliant contact
    needs the stiffness of its spring, rolling_stiffness, drilling_stiffness [N m/rad] > 0, too. contact:
    False for materials that do not see each other.

    Raises ValueError that names the parameter, its value and its range.
    """

    a: str
    b: str
    mu: float | None = field_in(0.0, math.inf, default=None, remedy="0 is frictionless")
    restitution: float | None = field_in(0.0, 1.0, default=None, remedy="0 is plastic, 1 elastic")
    mu_static: float | None = None
    stribeck_velocity: float | None = None
    rolling_radius: float = field_in(0.0, math.inf, default=0.0, remedy="it is a length in metres")
    drilling_radius: float = field_in(0.0, math.inf, default=0.0, remedy="it is a length in metres")
    rolling_stiffness: float | None = field_in(0.0, math.inf, default=None, open_low=True)
    drilling_stiffness: float | None = field_in(0.0, math.inf, default=None, open_low=True)
    contact: bool = True

    def __post_init__(self) -> None:
        text("a", self.a)
        text("b", self.b)
        if (self.mu_static is None) != (self.stribeck_velocity is None):
            missing = "stribeck_velocity" if self.stribeck_velocity is None else "mu_static"
            raise refuse(missing, None, "given", "mu_static and stribeck_velocity belong together")
        if self.mu_static is not None:
            positive("stribeck_velocity", self.stribeck_velocity, "it is a speed in m/s")
            least = 0.0 if self.mu is None else self.mu
            number_in("mu_static", self.mu_static, least, math.inf, remedy="it is not less than mu")


@parameter_set
class Materials:
    """The table of `materials` and of their `pairs`, at most one of two materials.

    Raises ValueError for two materials of one name, a pair of unknown materials, and a pair stated twice.

    >>> ice, rubber = ns.Material(name="ice", density=917), ns.Material(name="rubber", density=1100)
    >>> pair = ns.MaterialPair(a="ice", b="rubber", mu=0.1, restitution=0.3)
    >>> table = ns.Materials(materials=[ice, rubber], pairs=[pair])
    >>> table.material("ice").density, table.pair("rubber", "ice").mu
    (917.0, 0.1)
    """

    materials: Sequence[Material]
    pairs: Sequence[MaterialPair]

    def __post_init__(self) -> None:
        for name, kind in (("materials", Material), ("pairs", MaterialPair)):
            found = listed(name, getattr(self, name), f"a list of {kind.__name__}")
            for k, each in enumerate(found):
                if not isinstance(each, kind):
                    raise refuse(f"{name}[{k}]", each, f"a {kind.__name__}")
            object.__setattr__(self, name, tuple(found))
        names = [each.name for each in self.materials]
        for k, each in enumerate(names):
            if each in names[:k]:
                raise refuse(f"materials[{k}]", each, "another name", "a material is stated once")
        seen: set[frozenset[str]] = set()
        for k, pair in enumerate(self.pairs):
            for side in (pair.a, pair.b):
                if side not in names:
                    raise refuse(f"pairs[{k}]", side, f"one of the materials {sorted(names)}")
            if frozenset((pair.a, pair.b)) in seen:
                raise ValueError(f"pairs: {pair.a!r} and {pair.b!r} have two entries; leave one out")
            seen.add(frozenset((pair.a, pair.b)))

    def material(self, name: str) -> Material:
        """The material of this `name`. Raises ValueError if there is none."""
        return self._known("name", name)

    def pair(self, a: str, b: str) -> MaterialPair:
        """The entry of two materials, in any order. Raises ValueError that names both if there is none."""
        names = {self._known("a", a).name, self._known("b", b).name}
        for each in self.pairs:
            if {each.a, each.b} == names:
                return each
        raise ValueError(
            f"pairs: no entry for the materials {a!r} and {b!r}; give one, or contact=False if they do not "
            "see each other"
        )

    def _known(self, argument: str, name: Any) -> Material:
        """The material of the `name`, or a ValueError with the `argument`."""
        for each in self.materials:
            if each.name == text(argument, name):
                return each
        raise refuse(argument, name, f"one of the materials {sorted(each.name for each in self.materials)}")
