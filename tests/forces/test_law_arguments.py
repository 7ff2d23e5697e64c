"""Arguments of elements and laws, their representation, and refusals."""

import dataclasses
import inspect

import pytest

import elements
import elements as e
import nsgalpha as ns
from nsgalpha.checks import either
from nsgalpha.model.compliant_law import ROWS, CompliantLaw
from tests.interface.public_laws import parameter_sets


def spring(contact, response):
    response.force[:, 0] = 1e5 * contact.overlap
    response.by_overlap[:, 0] = 1e5


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({}, "normal"),
        ({"normal": 3.0}, "normal"),
        ({"normal": e.ExudynNormal}, "normal"),
        ({"normal": spring, "reach": True}, "reach = True: must be a number"),
        ({"normal": spring, "reach": -1.0}, "reach"),
    ],
)
def test_a_law_that_cannot_be_is_refused(arguments, name):
    model = ns.Model()
    model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0))
    with pytest.raises(ValueError, match=name):
        e.CompliantSphereSphere(among=model.spheres, **arguments)


@pytest.mark.parametrize("kind", [e.CompliantSphereSphere, e.CompliantSpherePlane, e.CompliantSphereInShell])
def test_elements_show_the_laws_that_they_take(kind):
    shown = inspect.signature(kind).parameters
    senses = ["normal", "tangential", "rolling", "twisting", "contact", "bond", "reach", "acts_on"]
    assert list(shown)[-8:] == senses
    assert all(sense in kind.__doc__ for sense in senses)
    model = ns.Model()
    ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0))
    around = model.add_sphere(radius=1.0, mass=1.0, position=(0, 0, 0))
    sides = {
        e.CompliantSphereSphere: ([ball],),
        e.CompliantSpherePlane: (ball, model.add_plane(normal=(0, 0, 1))),
        e.CompliantSphereInShell: (ball, around),
    }
    wrong = f"{kind.__name__}: unknown parameter 'tangental'; did you mean 'tangential'"
    with pytest.raises(TypeError, match=wrong):
        kind(*sides[kind], normal=spring, tangental=None)


#: Places of CompliantLaw for which the laws of the catalogue are made; all others are for the normal.
FRICTION, WHOLE = {"tangential", "rolling", "twisting"}, {"contact"}
PLACES = {
    "CundallStrack": FRICTION,
    "HaffWerner": FRICTION,
    "RegularisedCoulomb": FRICTION,
    "TorsionalCoulomb": {"twisting"},
    "CapsuleMoment": {"twisting"},
    "Reset": set(ROWS),
    "Resistance": WHOLE,
    "SPH": WHOLE,
    "RockableDefault": WHOLE,
    "RockableAvalanche": WHOLE,
    "StickedLinks": {"contact", "bond"},
    "LudingFriction": {"tangential"},
    "Mindlin": {"tangential"},
    "LayerFriction": {"tangential"},
    "LudingFriction of couples": {"rolling", "twisting"},
}


def every_law():
    """Laws of the catalogue by name."""
    laws = {name: make(**given) for name, (make, given) in parameter_sets().items()}
    couple = {"LudingFriction of couples": dataclasses.replace(laws["LudingFriction"], couple=True)}
    return {name: law for name, law in (laws | couple).items() if callable(law)}


@pytest.mark.parametrize(("name", "law"), every_law().items(), ids=lambda each: str(each)[:20])
def test_a_law_is_refused_wherever_it_is_not_made_for(name, law):
    places = PLACES.get(name, {"normal"})
    assert set(law.senses) == places
    for place in ROWS:
        given = {"normal": spring, "reach": 1.0} | {place: law}
        if place in places:
            CompliantLaw(**given)
            continue
        with pytest.raises(ValueError, match=f"{place} = .*: must be a law for {place}; .* is for ") as error:
            CompliantLaw(**given)
        assert str(error.value).endswith(either(law.senses))


def test_a_ball_does_not_fall_through_a_floor_whose_normal_law_is_one_of_friction():
    """It did, with the status of a success: friction without a normal force is none."""
    model = ns.Model(gravity=(0, 0, -9.81))
    ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0.1))
    floor = model.add_plane(normal=(0, 0, 1))
    with pytest.raises(ValueError, match="CundallStrack is for tangential, rolling or twisting"):
        e.CompliantSpherePlane(ball, floor, normal=e.CundallStrack(stiffness=1e4, mu=0.5))


@pytest.mark.parametrize("place", ROWS)
def test_functions_and_laws_that_do_not_say_where_they_belong_are_taken_anywhere(place):
    class Mine:
        def __call__(self, contact, response):
            pass

    for law in (spring, Mine()):
        assert CompliantLaw(**{place: law}).parts[0][0] is law


@pytest.mark.parametrize("senses", ["normal", ("normal", "sliding"), (1,)])
def test_a_law_that_says_it_wrongly_is_refused(senses):
    def law(contact, response):
        pass

    law.senses = senses
    if senses == "normal":
        CompliantLaw(normal=law)
    else:
        with pytest.raises(ValueError, match="senses of law = "):
            CompliantLaw(normal=law)


MADE = "Cell", "Cluster", "ServoWall"


def every_parameter_set():
    """All of the public dataclasses but those that functions make."""
    laws = [getattr(elements, name) for name in elements.__all__ if name not in MADE]
    return [law for law in laws if isinstance(law, type) and dataclasses.is_dataclass(law)]


@pytest.mark.parametrize("law", every_parameter_set())
def test_laws_document_their_parameters_and_know_no_others(law):
    names = [field.name for field in dataclasses.fields(law) if field.init]
    assert list(inspect.signature(law).parameters) == names
    assert [name for name in names if name not in law.__doc__] == []
    known = f"it has {names[0]}" if names else ""
    with pytest.raises(TypeError, match=f"{law.__name__}: unknown parameter 'k'; .*{known}"):
        law(k=1.0)


def test_there_are_parameter_sets():
    assert len(every_parameter_set()) == 43


@pytest.mark.parametrize(
    ("law", "name", "value"),
    [
        (e.ExudynNormal, "stiffness", 0.0),
        (e.ExudynNormal, "damping", -1.0),
        (e.ExudynNormal, "exponent", 0.0),
        (e.RegularisedCoulomb, "mu", -0.1),
        (e.RegularisedCoulomb, "velocity_zone", 0.0),
    ],
)
def test_parameters_out_of_range_are_refused(law, name, value):
    good = {"stiffness": 1.0} if law is e.ExudynNormal else {"mu": 0.1}
    with pytest.raises(ValueError, match=name):
        law(**{**good, name: value})
