"""Forces, energies and tangents of the forms of shells."""

import pytest
from shell_meshes import icosphere, modelled

from elements.shells import (
    Bending,
    GlobalArea,
    LocalArea,
    MaxwellShell,
    ShellBending,
    ShellSprings,
    ShellViscosity,
    Volume,
)
from nsgalpha.testing import check_form

ENERGETIC = {
    "springs": lambda s: ShellSprings(s, modulus=3.0),
    "springs that are strained": lambda s: ShellSprings(s, modulus=3.0, length=0.4),
    "bending": lambda s: Bending(s, stiffness=2.0),
    "bent from flat": lambda s: Bending(s, stiffness=2.0, angle=0.0),
    "bending of a cosine": lambda s: Bending(s, stiffness=2.0, cosine=True, curvature=-1.0),
    "bending of a shell": lambda s: ShellBending(s, modulus=3.0, poisson=0.3),
    "areas": lambda s: LocalArea(s, stiffness=2.0, area=0.2, tension=0.3),
    "area": lambda s: GlobalArea(s, stiffness=2.0, area=11.0, tension=0.3),
    "volume": lambda s: Volume(s, stiffness=2.0, volume=5.0, pressure=0.4),
}
OTHERS = {
    "printed bending": (lambda s: Bending(s, stiffness=2.0, angle=0.1, printed=True), {"moments": False}),
    "flow": (lambda s: MaxwellShell(s, modulus=3.0, time=2e-3), {}),
    "flow above a threshold": (lambda s: MaxwellShell(s, modulus=3.0, time=2e-3, threshold=1.001), {}),
    "viscosity": (lambda s: ShellViscosity(s, viscosity=2.0), {"moments": False}),
    "viscosity along edges": (lambda s: ShellViscosity(s, viscosity=2.0, invariant=True), {}),
    "a volume that regulates": (lambda s: Volume(s, stiffness=2.0, volume=5.0, time=1e-2), {}),
}


def sphere():
    return modelled(*icosphere(1), thickness=0.05)[2]


@pytest.mark.parametrize("name", ENERGETIC)
def test_forces_are_gradients(name):
    check_form(ENERGETIC[name](sphere()), size=0.5)


@pytest.mark.parametrize("name", OTHERS)
def test_tangents_of_forces_without_energy(name):
    make, options = OTHERS[name]
    check_form(make(sphere()), size=0.5, energy=False, **options)


def test_a_check_fails_where_the_energy_is_another():
    element = Bending(sphere(), stiffness=2.0, angle=0.1, printed=True)
    with pytest.raises(AssertionError, match="energy: the force is not minus its gradient"):
        check_form(element, size=0.5, moments=False)
    with pytest.raises(AssertionError, match="balance: moments"):
        check_form(element, size=0.5, energy=False)


def test_a_check_fails_where_tangents_are_wrong():
    element = ShellSprings(sphere(), modulus=3.0)
    stated = type(element.coordinate).add_curvature
    element.coordinate.add_curvature = lambda x, f, blocks: stated(element.coordinate, x, 1.01 * f, blocks)
    with pytest.raises(AssertionError, match="tangents: those by x differ"):
        check_form(element, size=0.5)
