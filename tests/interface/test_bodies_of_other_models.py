"""What refers to bodies of another model is refused, where it used to act on those of the same numbers."""

import pytest

import nsgalpha as ns
from elements import CompliantSpherePlane, Drag, Resistance, glued
from nsgalpha.case.named_loads import Force, SpringToPoint
from nsgalpha.show.user_choices import chosen_bodies
from tests.interface.test_bad_input import BALL, refused, small_model

LOADS = {
    "Drag": lambda bodies: Drag(bodies, translational=1.0),
    "Force": lambda bodies: Force(bodies, force=(0, 0, 1)),
    "SpringToPoint": lambda bodies: SpringToPoint(bodies, point=(0, 0, 9), stiffness=1.0),
}


@pytest.mark.parametrize(("name", "load"), LOADS.items())
def test_loads_on_bodies_of_another_model_are_refused(name, load):
    """They acted on bodies of the same number without a word."""
    model, a, b, _ = small_model()
    _, _, other_b, _ = small_model()
    with refused(f"load {name}", "'b' belongs to another model"):
        model.add_load(load([a, other_b]))
    assert model.loads == []
    model.add_load(load([a, b]))


@pytest.mark.parametrize("scheme", [ns.Overdamped, lambda drag: ns.SemiImplicit(resistance=drag)])
def test_resistances_of_another_model_are_refused_when_a_run_begins(scheme):
    ours, theirs = ns.Model(), ns.Model()
    (a,), (b,) = ([model.add_sphere(**BALL)] for model in (ours, theirs))
    drag, stranger = (Drag(ball, translational=1.0) for ball in (a, b))
    assert ns.simulate(ours, t_end=0.1, h=0.1, scheme=scheme(drag)).status
    for resistance in (stranger, [drag, stranger]):
        with refused("resistance Drag", "'sphere 0' belongs to another model"):
            ns.simulate(ours, t_end=0.1, h=0.1, scheme=scheme(resistance))
        with refused("resistance Drag", "another model"):
            ns.step(ours, ours.initial_state(), 0.1, scheme=scheme(resistance))


def test_laws_with_numbers_of_bodies_of_another_model_are_refused():
    model, a, b, plane = small_model()
    _, other_a, other_b, _ = small_model()
    for known in ([a, other_b], [other_a, other_b]):
        law = Resistance(normal=[1.0, 2.0], tangential=0.0, bodies=known)
        with refused("Resistance", "belongs to another model"):
            model.add(CompliantSpherePlane([a, b], plane, contact=law))
    law = Resistance(normal=[1.0, 2.0], tangential=0.0, bodies=[a, b])
    model.add(CompliantSpherePlane([a, b], plane, contact=[law]))


def test_bodies_of_another_model_are_not_glued():
    model, _, b, _ = small_model()
    _, other_a, *_ = small_model()
    with refused("clusters[1]", "another model"):
        glued(model, gap=1.0, clusters=[[b], [other_a]])


def test_what_says_whose_bodies_it_has_is_asked():
    """An object of a user's own with `handles()`; functions have none, and are taken as they are."""

    class Wind:
        def __init__(self, body):
            self.body = body

        def handles(self):
            return [self.body]

        def __call__(self, t, state):
            return 0.0 * state.position

    model, a, *_ = small_model()
    _, other_a, *_ = small_model()
    with refused("load Wind", "'sphere 0' belongs to another model"):
        model.add_load(Wind(other_a))
    model.add_load(Wind(a))
    model.add_load(lambda t, state: 0.0 * state.position)
    assert len(model.loads) == 2


def test_pictures_take_handles_of_the_model_that_was_built_again():
    """A result from a file has a model of its own; a body of another name is another one."""
    model, _, b, _ = small_model()
    result = ns.simulate(model, t_end=0.1, h=0.1)
    _, _, same, _ = small_model()
    assert chosen_bodies(result, same) == [b]
    other = ns.Model()
    other.add_sphere(**BALL)
    stranger = other.add_sphere(**BALL, name="somebody else")
    with refused("bodies = 'somebody else'", "its body 1 is 'b'"):
        chosen_bodies(result, [stranger])
    larger = ns.Model().add_sphere(**BALL | {"radius": 2.0})
    with refused("bodies = 'sphere 0'", "of the model of the result"):
        chosen_bodies(result, [larger])
    with refused("bodies = 'bb'", "did you mean 'b'"):
        chosen_bodies(result, ["bb"])
