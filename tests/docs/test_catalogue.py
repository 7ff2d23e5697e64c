"""docs/catalogue.md follows its table, and its expressions can be evaluated."""

import re
from collections import Counter

import numpy as np
import pytest

import elements
import elements.geometry
import nsgalpha as ns
from verification import catalogue

ROWS = [row for _, group in catalogue.groups() for row in group]
EXPRESSIONS = sorted({expression for row in ROWS for expression in row.get("use", ())})
ALLOWED = {"names", "state", "function", "use", "formula", "source", "deviation", "missing"}


@pytest.fixture(scope="module")
def namespace():
    """Names of the page's expressions, from its text."""
    model = ns.Model()
    spheres = [model.add_sphere(radius=1e-5, mass=1e-9, position=(3e-5 * i, 0, 0)) for i in range(3)]
    names = {name: getattr(elements, name) for name in elements.__all__}
    names |= {name: getattr(elements.geometry, name) for name in elements.geometry.__all__}
    primitives = elements.geometry.primitives
    square = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], float)
    segment = [[[0.2, 0.2, 0.05], [0.8, 0.8, 0.05]]]
    return names | {
        **catalogue.values(),
        "ns": ns,
        "law": elements.LinearAdhesion(force=1e-3, distance=1e-7),
        "spheres": spheres,
        "shell": model.add_sphere(radius=1.0, mass=1.0, position=(0, 0, 0)),
        "pairs": [(spheres[0], spheres[1])],
        **_in_model(model),
        **_network(),
        "axis": [1, 0, 0],
        "other": [1, 1, 0],
        "points": primitives([[[0.3, 0.4, 0.01]]]),
        "balls": primitives([[[0.5, 0.5, 0.05]]], 0.1),
        "capsules": primitives(segment, 0.1),
        "disks": primitives(segment, 0.1),
        "polygons": primitives([square]),
        "facing": primitives([square[::-1] - [0, 0, 0.01]]),
    }


def _in_model(model):
    """Bodies and primitives of `model`."""
    points = [model.add_point(position=(1 + i, 0, 0), mass=1) for i in range(4)]
    body = model.add_body(position=(0, 2, 0), mass=1, inertia=1)
    nodes = [model.add_point(position=corner) for corner in ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1))]
    triangles = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)]
    square = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
    axis = [(0, 0, 0), (1, 0, 0)]
    return {
        "model": model,
        "nodes": nodes,
        "triangles": triangles,
        "surface": model.add_surface(nodes, triangles),
        "body": body,
        "centres": [model.add_primitive([(0, 0, z)], carrier=body) for z in (0, 1)],
        "rods": [model.add_primitive(axis, radius=0.1, carrier=carrier) for carrier in (body, None)],
        "links": [model.add_primitive(points[i : i + 2], radius=0.1) for i in (0, 2)],
        "tubes": [model.add_primitive(axis, radius=-0.1)],
        "skin": model.add_mesh(np.eye(3), [(0, 1, 2)], carrier=body),
        "membrane": model.add_mesh(nodes[:3], [(0, 2, 1)]),
        "plates": [model.add_primitive(square, carrier=carrier) for carrier in (body, None)],
    }


def _network():
    """A model of springs, a run of it, and its contacts."""
    model = ns.Model()
    beads = [model.add_sphere(radius=0.1, mass=1.0, position=x) for x in ((0, 0, 0), (1, 0, 0), (0, 1, 0))]
    sides = [(beads[i], beads[j]) for i, j in ((0, 1), (1, 2), (2, 0))]
    corners = [(bead, bead.position + np.array([0, 0, z])) for bead in beads for z in (-1, 1)]
    model.add(elements.Spring(sides + corners, stiffness=1.0))
    contacts = ns.compliant_contacts(model, model.initial_state())
    return {"network": model, "contacts": contacts, "result": ns.simulate(model, t_end=1e-3, h=1e-3)}


def test_the_page_is_what_the_table_says():
    text = catalogue.PAGE.read_text(encoding="utf-8")
    assert text == catalogue.page(), "python -m verification.catalogue"


def test_names_and_tables_are_those_that_are_registered():
    for path, text in ((catalogue.LAWS, catalogue.laws()), (catalogue.STUB, catalogue.stub())):
        assert path.read_text(encoding="utf-8") == text, "python -m verification.catalogue"


def test_every_name_is_there_once():
    names = Counter(name for row in ROWS for name in row["names"])
    assert len(names) == 128
    assert set(names.values()) == {1}
    assert all(re.fullmatch(r"[A-Z]\w+", name) for name in names)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["names"][0])
def test_a_row_says_what_its_state_asks(row):
    assert row["state"] in catalogue.STATES
    assert set(row) <= ALLOWED
    assert row["formula"]
    assert row.get("use") or row["state"] != "here"
    assert ("missing" in row) == (row["state"] in ("partly", "not"))
    assert not row.get("use") or row["state"] != "not"
    assert not row.get("function") or row["state"] == "here"
    assert "missing" not in row or "deviation" not in row, "only one of them is shown"


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_an_expression_can_be_evaluated(expression, namespace):
    positions = [body.position for body in namespace["model"].bodies]  # expressions add bodies
    assert eval(expression, {**namespace, "positions": positions}) is not None


def test_functions_are_marked(namespace):
    functions = {id(elements.geometry.measured), id(elements.capsule_moment)}
    for row in ROWS:
        if row["state"] != "here":
            continue
        called = [namespace[re.match(r"\w+", use)[0]] for use in row["use"] if "(" in use]
        assert bool(row.get("function")) == bool(
            called and all(each in functions for each in map(id, called))
        ), row["names"]


def test_an_expression_that_went_stale_is_seen(namespace):
    with pytest.raises(TypeError):
        eval("Hertz(modulus=E, dampening=A)", dict(namespace))
    with pytest.raises(NameError):
        eval("Herz(modulus=E)", dict(namespace))


def test_numbers_of_the_table_are_used():
    words = {word for expression in EXPRESSIONS for word in re.findall(r"\w+", expression)}
    assert set(catalogue.values()) <= words
