"""Statements of surfaces that run: case files, pairs of materials, refusals."""

import numpy as np
import pytest
from running_decks import UPRIGHT, apart, on_deck, solved

import elements as e
import nsgalpha as ns
from nsgalpha.case.case_file import parse_case


def test_case_files_state_it():
    text = """
    title = "a crate on a belt"
    gravity = [0, 0, -9.81]
    run = {t_end = 0.3, h = 2e-3}

    [[bodies]]
    type = "box"
    name = "crate"
    size = [0.2, 0.2, 0.1]
    mass = 2
    position = [0, 0, 0.05]

    [[bodies]]
    type = "box"
    name = "deck"
    size = [6, 4, 0.2]
    fixed = true
    position = [0, 0, -0.1]

    [[elements]]
    type = "Contact"
    between = ["deck", "crate"]
    mu = 0.3
    surface_velocity = [-1.5, -0.2, 0]
    """
    parsed = solved(parse_case(text).model)
    case = e.SolidSolid, "box", "box", UPRIGHT
    assert apart(parsed, solved(on_deck(case))) < 1e-12


def test_the_second_name_of_a_pair_of_materials_has_it():
    model = ns.Model()
    box = model.add_box((1, 1, 1), mass=1.0, position=(0, 0, 2))
    deck = model.add_cylinder(2.0, 0.2, mass=1.0, position=(0, 0, 0))
    law = {"mu": 0.3, "surface_velocity": (1, 0, 0)}
    for names in (("crate", "deck"), ("deck", "crate")):
        laws = {names: law, ("crate", "crate"): None, ("deck", "deck"): None}
        (part,) = e.Contact(among={"crate": [box], "deck": [deck]}, materials=laws).parts
        owner = part.sides[0 if part.law.owner == "first" else 1]
        assert owner[0].carrier is {"crate": box, "deck": deck}[names[1]]


def test_bad_surfaces_are_refused():
    for law, match in (
        ({"mu": 0.3, "surface_velocity": (1, 0)}, "surface_velocity"),
        ({"mu": 0.3, "surface_velocity": (1, 0, np.inf)}, "surface_velocity"),
        ({"surface_velocity": (1, 0, 0)}, "mu = 0.0: must be positive beside surface_velocity"),
        ({"mu": 0.3, "owner": "first"}, "owner = 'first': must be left out"),
        ({"mu": 0.3, "surface_velocity": (1, 0, 0), "owner": "deck"}, "owner = 'deck': must be"),
    ):
        with pytest.raises(ValueError, match=match):
            ns.ContactLaw(**law)
    model = ns.Model()
    boxes = [model.add_box((1, 1, 1), mass=1.0, position=(2 * k, 0, 0)) for k in range(2)]
    balls = [model.add_sphere(radius=0.1, mass=1.0, position=(2 * k, 3, 0)) for k in range(2)]
    law = {"mu": 0.3, "surface_velocity": (1, 0, 0)}
    refused = r"surface_velocity = .*: must be left out in contacts among one set; it belongs to the second"
    for make in (
        lambda: model.add(e.SolidSolid(among=boxes, **law)),
        lambda: model.add(e.SphereSphere(balls, **law)),
        lambda: e.Contact(among=[*boxes, *balls], **law),
        lambda: e.Contact(among={"all": boxes}, materials={("all", "all"): law}),
    ):
        with pytest.raises(ValueError, match=refused):
            make()
    assert not model.elements
    e.Contact(among=[boxes[0], model.add_plane(normal=(0, 0, 1))], **law)
