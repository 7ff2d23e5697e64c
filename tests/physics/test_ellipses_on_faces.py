"""Friction within an ellipse about an axis of a body, against that of a plane."""

import numpy as np
import pytest
from running_decks import DECKS, OBLIQUE, UPRIGHT, M, apart, on_deck, on_plane, solved
from scenes import G
from scipy.spatial.transform import Rotation

import elements as e
import nsgalpha as ns

LAW = {"mu": 0.3, "mu_across": 0.1, "axis": (0.6, 0.8, 0.0)}
START = {"velocity": (1.5, 0.8, 0.0)}
HEAVY = {"inertia": 1e9}  # a ball that does not roll


@pytest.mark.parametrize("case", DECKS.values(), ids=DECKS)
@pytest.mark.parametrize("turn", [UPRIGHT, OBLIQUE], ids=["upright", "oblique"])
def test_faces_have_the_ellipse_of_a_plane(case, turn):
    start = START | (HEAVY if case[1] == "ball" else {})
    plane = solved(on_plane(case[1], turn, False, LAW | {"axis": turn.apply(LAW["axis"])}, **start))
    deck = solved(on_deck(case, turn, LAW, **start))
    assert apart(plane, deck) < 1e-11
    plain = solved(on_deck(case, turn, {"mu": 0.3}, **start))
    assert np.abs(plain.velocity[-1, 0] - deck.velocity[-1, 0]).max() > 0.05


@pytest.mark.parametrize("how", [{}, {"scheme": ns.MoreauJean()}], ids=["alpha", "Moreau-Jean"])
@pytest.mark.parametrize("name", ["SolidSolid", "SphereSolid", "SolidMesh"])
def test_all_directions_are_across_an_axis_along_the_normal(name, how):
    """Faces across the axis have the coefficient across it, also in a record."""
    start = START | (HEAVY if DECKS[name][1] == "ball" else {})
    end_grain = solved(on_deck(DECKS[name], law=LAW | {"axis": (0, 0, 1.0)}, **start), **how)
    plain = solved(on_deck(DECKS[name], law={"mu": 0.1}, **start), **how)
    assert apart(end_grain, plain) < 1e-12
    last, other = end_grain.contacts.at(-1), plain.contacts.at(-1)
    assert np.abs(last.multipliers - other.multipliers).max() < 1e-10
    assert list(last.status) == list(other.status)


def test_a_tilted_axis_is_projected():
    deck = DECKS["SolidSolid"]
    one = solved(on_deck(deck, law=LAW | {"axis": (0.6, 0.8, 5.0)}, **START))
    assert apart(one, solved(on_deck(deck, law=LAW, **START))) < 1e-12


@pytest.mark.parametrize("deck", ["box", "mesh", "cylinder"])
def test_the_axis_is_that_of_the_second_of_two_sets(deck):
    """The frame of the crate stands across the deck."""
    quarter = Rotation.from_rotvec((0, 0, 0.5 * np.pi))

    def of_deck(mover, body, law):
        return e.Contact(between=([mover], [body]), **law)

    def of_mover(mover, body, law):
        law["axis"] = quarter.inv().apply(law["axis"])
        return e.Contact(between=([body], [mover]), **law)

    x, y, z, w = quarter.as_quat()
    found = []
    for made in (of_deck, of_mover):
        model = on_deck((None, "box", deck, UPRIGHT), law=LAW, contact=made, **START)
        model.bodies[0].rotation[:] = w, x, y, z
        found.append(solved(model))
    assert apart(*found) < 1e-11


def test_an_axis_turns_with_a_free_body():
    """A ball slides on a plate that spins below it: as on a turntable."""
    found = []
    for plate in (False, True):
        model = ns.Model(gravity=(0, 0, -G))
        ball = model.add_sphere(
            radius=0.1, mass=1e-9, inertia=1e9, position=(0.3, 0, 0.1), velocity=START["velocity"]
        )
        if plate:
            pose = {"position": (0, 0, -0.1), "angular_velocity": (0, 0, 3.0)}
            ground = model.add_cylinder(2.0, 0.2, mass=M, gravity=0.0, **pose)
            model.add(e.SphereSolid(ball, ground, **LAW))
        else:
            motion = ns.Rotation(axis=(0, 0, 1), rate=3.0)
            model.add(e.SpherePlane(ball, model.add_plane(normal=(0, 0, 1), motion=motion), **LAW))
        found.append(solved(model, t_end=0.2))
    assert np.abs(found[0].velocity[:, 0] - found[1].velocity[:, 0]).max() < 1e-7
