"""Remarks on bodies that pass meshes of one side from behind."""

import numpy as np
import pytest

import nsgalpha as ns
from elements import CompliantContact, Contact, Rigid, SolidMesh, SphereMesh, SpringDashpot
from tests.solids.mesh_scenes import CORNERS, FACES, G, random_floor, roof
from tests.solids.test_sides_of_meshes import SHAPES, SQUARE, add_contact, ball, box, capsule, cone, on_ground

WORDS = "passes through the mesh of 'ground' from behind"
FLAT = random_floor(30)


def message(model, t_end=0.5, h=2e-3, **settings):
    """The sentence of the status of a run that ends well."""
    result = ns.simulate(model, t_end=t_end, h=h, **settings)
    assert result.status, result.status
    return result.status.message


def thrown(add, mesh=FLAT, position=(0.1, 0.03, -0.5), velocity=(0, 0, 3), gravity=(0, 0, 0), **law):
    """A model with one body and a mesh."""
    model, ground = on_ground(mesh, gravity)
    body = add(model, False, position=position, velocity=velocity)
    add_contact(model, [body], ground, **law)
    return model, body


# --- said ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("add", SHAPES)
def test_a_body_that_passes_from_behind_is_named_with_mesh_time_and_remedy(add):
    model, body = thrown(add)
    said = message(model)
    assert f"{body.name!r} {WORDS}" in said
    assert "turn its polygons" in said
    assert "two_sided=True" in said
    first = float(said.split("first seen at t = ")[1].split()[0])
    assert 0.0 < first < 0.3


@pytest.mark.parametrize("add", SHAPES)
def test_a_body_that_starts_behind_within_its_extent_is_named(add):
    model, body = thrown(add, position=(0.1, 0.03, -0.13 if add is cone else -0.05), velocity=(0, 0, 0))
    assert f"{body.name!r} {WORDS}, first seen at t = 0 s" in message(model, t_end=0.01)


@pytest.mark.parametrize("every", [1, 10])
def test_a_fast_body_is_named_that_no_state_shows_within_the_mesh(every):
    """It moves by more than its size from state to state."""
    model, _ = thrown(ball, position=(0.1, 0.03, -1.0), velocity=(0, 0, 20), mesh=WIDE)
    assert WORDS in message(model, t_end=0.1, h=2e-3, record_every=every)


WIDE = ([(-20, -20, 0), (20, -20, 0), (20, 20, 0), (-20, 20, 0)], [(0, 1, 2, 3)])


def test_several_bodies_are_counted():
    model, ground = on_ground(FLAT, (0, 0, 0))
    bodies = [box(model, False, position=(x, 0, -0.3), velocity=(0, 0, 2)) for x in (-1, 0, 1)]
    add_contact(model, bodies, ground)
    assert f"(and 2 others) {WORDS}" in message(model)


def test_a_mesh_that_comes_over_bodies_from_before_them_is_named():
    """Its back is below, and it moves down over a box at rest."""
    model = ns.Model()
    ground = model.add_body(mass=1.0, inertia=1.0, position=(0, 0, 0.5), velocity=(0, 0, -2), name="ground")
    model.add_mesh(*FLAT, carrier=ground)
    crate = box(model, False, position=(0.1, 0.03, 0))
    model.add(SolidMesh(crate, ground))
    assert WORDS in message(model)


def test_a_vessel_that_is_inside_out_is_named():
    """Its normals point outwards, and a ball in it falls out."""
    model, ground = on_ground((1.0 * CORNERS, FACES))
    grain = ball(model, False, position=(0.1, 0, 0))
    model.add(SphereMesh(grain, ground))
    assert f"{grain.name!r} {WORDS}" in message(model)


def test_soft_grains_that_pass_are_named_in_place_of_the_step():
    """A ball that comes through overlaps by its radius, and gains energy at any step."""
    for two_sided in (False, True):
        model, ground = on_ground(FLAT, (0, 0, 0))
        grain = ball(model, False, position=(0.1, 0.03, -0.4), velocity=(0, 0, 2))
        spring = SpringDashpot(stiffness=1e4, damping=1.0)
        model.add(CompliantContact(among=[ground, grain], normal=spring, two_sided=two_sided))
        said = message(model, h=5e-4)
        assert (f"{grain.name!r} {WORDS}" in said) is not two_sided
        assert "energy" not in said


# --- not said -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("add", SHAPES)
@pytest.mark.parametrize("two_sided", [False, True])
def test_bodies_at_rest_in_front_far_below_and_beside_are_not_named(add, two_sided):
    model, ground = on_ground(SQUARE)
    bodies = [add(model, False, position=(0.3, 0, 0.3))]
    bodies.append(add(model, False, position=(0, 0, -0.5)))
    bodies.append(add(model, False, position=(1.4, 0, 1.0)))
    bodies.append(add(model, False, position=(1.3, 0.5, -1.0), velocity=(0, 0, 8)))  # up, and down
    bodies.append(add(model, False, position=(-0.2, 0.3, -0.9), velocity=(0.2, 0, 0)))
    add_contact(model, bodies, ground, mu=0.3, two_sided=two_sided)
    assert WORDS not in message(model, t_end=1.2)


def test_two_sides_hold_what_one_lets_pass():
    for add in SHAPES:
        model, body = thrown(add, two_sided=True)
        result = ns.simulate(model, t_end=0.5, h=2e-3)
        assert WORDS not in result.status.message
        assert result.position[:, body, 2].max() < -0.05


def test_bodies_in_a_vessel_and_outside_of_a_closed_mesh_are_not_named():
    inwards = [tuple(reversed(face)) for face in FACES]
    model, ground = on_ground((1.0 * CORNERS, inwards))
    bodies = [add(model, False, position=(0.35 * k - 0.7, 0, -0.5)) for k, add in enumerate(SHAPES[:5])]
    add_contact(model, bodies, ground, mu=0.3)
    assert WORDS not in message(model, t_end=0.8)
    model, ground = on_ground((0.5 * CORNERS, FACES))
    places = [(0.2, 0, 0.8), (0.9, 0, 0.2), (0, 0.1, -0.9), (0, -0.75, 0.1), (-0.9, 0, 0)]
    bodies = [add(model, False, position=x) for add, x in zip(SHAPES, places, strict=False)]
    add_contact(model, bodies, ground, mu=0.3)
    assert WORDS not in message(model, t_end=0.8)


@pytest.mark.parametrize("add", SHAPES)
@pytest.mark.parametrize("every", [1, 20])
def test_a_body_that_hops_over_a_ridge_between_states_is_not_named(add, every):
    """The straight line between two states goes through both slopes."""
    place = (-0.8, 0.1, -0.25)
    model, _ = thrown(add, roof(0.7), place, (4, 0, 3.5), (0, 0, -G), mu=0.3)
    assert WORDS not in message(model, t_end=0.5, record_every=every)


@pytest.mark.parametrize("every", [1, 25])
def test_a_ball_that_swings_around_a_border_is_not_named(every):
    """A spring draws it to a point of the sheet, from both sides in turn."""
    model, ground = on_ground(SQUARE, (0, 0, 0))
    grain = model.add_sphere(radius=0.05, mass=1.0, position=(0.9, 0, -0.4), velocity=(3, 0, 0))
    model.add(SphereMesh(grain, ground, e_n=1.0))
    k, centre = 100.0, np.array((1.0, 0, 0))
    model.add_load(lambda t, state: np.array([(0, 0, 0), k * (centre - state.position[1])]))
    result = ns.simulate(model, t_end=0.4, h=1e-3, record_every=every)
    assert result.status, result.status
    assert result.position[-1, grain, 2] > 0.0
    assert WORDS not in result.status.message


def test_bodies_that_joints_hold_and_fixed_ones_are_not_named():
    """A post stands in the ground, and a pier is fixed in it."""
    model, ground = on_ground(FLAT)
    post = capsule(model, False, position=(0.1, 0.03, -0.05))
    model.add(Rigid(ground, post, point=(0, 0, 0)))
    pier = model.add_box((0.4, 0.3, 0.5), fixed=True, position=(0.8, 0.5, -0.1))
    crate = box(model, False, position=(-0.5, 0.3, 0.1))
    model.add(Contact(among=[ground, post, pier, crate], mu=0.3))
    assert WORDS not in message(model, t_end=0.2)
