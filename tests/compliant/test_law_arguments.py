"""What elements and laws take, what they show of it, and what they refuse."""

import dataclasses
import inspect

import pytest

import elements
import nsgalpha as ns
from elements import (
    CompliantSphereInShell,
    CompliantSpherePlane,
    CompliantSphereSphere,
    ExudynNormal,
    RegularisedCoulomb,
    RockableDefault,
)


def spring(contact, response):
    response.force[:, 0] = 1e5 * contact.overlap
    response.by_overlap[:, 0] = 1e5


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({}, "normal"),
        ({"normal": 3.0}, "normal"),
        ({"normal": ExudynNormal}, "normal"),
        ({"normal": RockableDefault(k_n=1.0)}, "normal.*1 rows.*contact, bond"),
        ({"contact": ExudynNormal(stiffness=1.0)}, "contact.*6 rows.*normal, twisting"),
        ({"normal": spring, "tangential": ExudynNormal(stiffness=1.0)}, "tangential.*2 rows"),
        ({"normal": spring, "reach": -1.0}, "reach"),
    ],
)
def test_a_law_that_cannot_be_is_refused(arguments, name):
    model = ns.Model()
    model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0))
    with pytest.raises(ValueError, match=name):
        CompliantSphereSphere(among=model.spheres, **arguments)


@pytest.mark.parametrize("kind", [CompliantSphereSphere, CompliantSpherePlane, CompliantSphereInShell])
def test_elements_show_the_laws_that_they_take(kind):
    shown = inspect.signature(kind).parameters
    senses = ["normal", "tangential", "rolling", "twisting", "contact", "bond", "reach"]
    assert list(shown)[-7:] == senses
    assert all(sense in kind.__doc__ for sense in senses)
    model = ns.Model()
    ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0))
    around = model.add_sphere(radius=1.0, mass=1.0, position=(0, 0, 0))
    sides = {
        CompliantSphereSphere: ([ball],),
        CompliantSpherePlane: (ball, model.add_plane(normal=(0, 0, 1))),
        CompliantSphereInShell: (ball, around),
    }
    with pytest.raises(TypeError, match=r"unknown parameter 'tangental'; did you mean 'tangential'"):
        kind(*sides[kind], normal=spring, tangental=None)


def every_parameter_set():
    laws = [getattr(elements, name) for name in elements.__all__]
    return [law for law in laws if isinstance(law, type) and dataclasses.is_dataclass(law)]


@pytest.mark.parametrize("law", every_parameter_set())
def test_laws_document_their_parameters_and_know_no_others(law):
    names = [field.name for field in dataclasses.fields(law) if field.init]
    assert list(inspect.signature(law).parameters) == names
    assert [name for name in names if name not in law.__doc__] == []
    with pytest.raises(TypeError, match=f"{law.__name__}: unknown parameter 'k'; .*it has {names[0]}"):
        law(k=1.0)


def test_there_are_parameter_sets():
    assert len(every_parameter_set()) == 32


@pytest.mark.parametrize(
    ("law", "name", "value"),
    [
        (ExudynNormal, "stiffness", 0.0),
        (ExudynNormal, "damping", -1.0),
        (ExudynNormal, "exponent", 0.5),
        (RegularisedCoulomb, "mu", -0.1),
        (RegularisedCoulomb, "velocity_zone", 0.0),
    ],
)
def test_parameters_out_of_range_are_refused(law, name, value):
    good = {"stiffness": 1.0} if law is ExudynNormal else {"mu": 0.1}
    with pytest.raises(ValueError, match=name):
        law(**{**good, name: value})
