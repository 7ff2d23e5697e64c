"""Laws by pairs of groups, and contact between two sets of spheres."""

from itertools import combinations

import numpy as np
import pytest

import nsgalpha as ns
from elements import ExudynNormal, RockableDefault, SpherePlane, SphereSphere, by_group
from nsgalpha.system.shared_pairs import sharing
from nsgalpha.system.system import System


def scene():
    """Five spheres in two groups of two and one alone, and a floor."""
    model = ns.Model()
    for k in range(5):
        model.add_sphere(radius=0.1, mass=1.0, position=(0.19 * k, 0, 0.1), name=f"ball {k}")
    floor = model.add_plane(normal=(0, 0, 1))
    balls = model.spheres
    return model, {"red": balls[:2], "blue": balls[2:4], "black": balls[4], "floor": floor}


def stiff(k):
    return {"normal": ExudynNormal(stiffness=k)}


TABLE = {
    ("red", "red"): stiff(1.0),
    ("blue", "blue"): stiff(2.0),
    ("blue", "red"): stiff(3.0),
    ("red", "black"): None,
    ("black", "blue"): RockableDefault(k_n=4.0),
    ("floor", "red"): stiff(5.0),
    ("blue", "floor"): stiff(6.0),
    ("black", "floor"): None,
}


def stiffness_of_pairs(model, elements):
    """Pairs of every element: (a, b or "floor") -> k_n."""
    for element in elements:
        model.add(element)
    system = System(model)
    x = np.array([body.position for body in model.bodies])
    found = {}
    for element in system.compliant:
        a, b, plane = element.pairs.candidates(x, system.bodies.radius, system.planes, np.inf)
        law = element.law.parts[0][0]
        for i, j, p in zip(a, b, plane, strict=True):
            pair = (int(i), "floor") if p >= 0 else frozenset((int(i), int(j)))
            assert pair not in found
            found[pair] = law.k_n if isinstance(law, RockableDefault) else law.stiffness
    return found


def test_every_pair_gets_the_law_of_its_groups():
    model, groups = scene()
    expected = {
        frozenset((0, 1)): 1.0,
        frozenset((2, 3)): 2.0,
        frozenset((2, 4)): 4.0,
        frozenset((3, 4)): 4.0,
    }
    expected |= {frozenset((i, j)): 3.0 for i in (0, 1) for j in (2, 3)}
    expected |= {(0, "floor"): 5.0, (1, "floor"): 5.0, (2, "floor"): 6.0, (3, "floor"): 6.0}
    assert stiffness_of_pairs(model, by_group(groups, TABLE)) == expected


def test_the_order_of_groups_and_names_is_of_no_influence():
    model, groups = scene()
    turned = {name: groups[name] for name in reversed(groups)}
    table = {pair[::-1]: law for pair, law in TABLE.items()}
    one = stiffness_of_pairs(model, by_group(turned, table))
    model, groups = scene()
    assert one == stiffness_of_pairs(model, by_group(groups, TABLE))


@pytest.mark.parametrize("pair", [("red", "blue"), ("blue", "red")])
def test_sides_are_as_in_the_table(pair):
    _, groups = scene()
    groups = {name: groups[name] for name in ("red", "blue")}
    table = {("red", "red"): None, ("blue", "blue"): None, pair: stiff(1.0)}
    (element,) = by_group(groups, table)
    x = np.array([(0.19 * k, 0, 0.1) for k in range(5)])
    a, _, _ = element.pairs.candidates(x, np.full(5, 0.1), None, np.inf)
    assert {*a} == {body.index for body in groups[pair[0]]}


def test_set_valued_contact_by_groups():
    model, groups = scene()
    table = {pair: {"mu": 0.1 * k} for k, pair in enumerate(TABLE)}
    elements = by_group(groups, table, spheres=SphereSphere, planes=SpherePlane)
    for element in elements:
        model.add(element)
    assert sorted(element.law.mu for element in System(model).elements) == pytest.approx(0.1 * np.arange(8))


@pytest.mark.parametrize("missing", TABLE)
def test_a_missing_pair_is_refused_by_name(missing):
    _, groups = scene()
    table = {pair: law for pair, law in TABLE.items() if pair != missing}
    with pytest.raises(ValueError, match="no entry") as error:
        by_group(groups, table)
    assert all(repr(name) in str(error.value) for name in missing)


@pytest.mark.parametrize(
    ("groups", "table", "words"),
    [
        ({}, {("red", "blue"): None}, ("red", "blue", "two entries")),
        ({}, {("red", "green"): None}, ("green", "two of the groups")),
        ({"green": []}, {}, ("green", "empty")),
        ({"green": "red 0"}, {}, ("green", "handle")),
    ],
)
def test_groups_and_tables_that_cannot_be_are_refused(groups, table, words):
    _, known = scene()
    with pytest.raises(ValueError, match=words[0]) as error:
        by_group({**known, **groups}, {**TABLE, **table})
    assert all(word in str(error.value) for word in words)


def test_a_handle_belongs_to_one_group():
    _, groups = scene()
    with pytest.raises(ValueError, match=r"'ball 4' is in 'black' and in 'green'"):
        by_group({**groups, "green": [groups["black"]]}, TABLE)
    with pytest.raises(ValueError, match="red"):
        by_group({**groups, "red": [*groups["red"], groups["floor"]]}, TABLE)


@pytest.mark.parametrize("count", [30, 60])  # all pairs, and by cells
def test_between_lists_pairs_of_one_of_each_set(count):
    model = ns.Model()
    rng = np.random.default_rng(3)
    for x in rng.uniform(0, 0.6, size=(count, 3)):
        model.add_sphere(radius=0.1, mass=1.0, position=x)
    first, second = model.spheres[::3], model.spheres[1::3]
    element = SphereSphere(between=(first, second))
    x = np.array([body.position for body in model.bodies])
    a, b, _ = element.candidates(x, np.full(count, 0.1), None, 0.05)
    found = {frozenset((int(i), int(j))) for i, j in zip(a, b, strict=True)}
    assert len(found) == len(a)
    near = {
        frozenset((i, j))
        for i, j in combinations(range(count), 2)
        if np.linalg.norm(x[i] - x[j]) < 0.25 and {i % 3, j % 3} == {0, 1}
    }
    assert near
    assert set(a) <= {body.index for body in first}
    every = {frozenset((i.index, j.index)) for i in first for j in second}
    assert near <= found <= every
    assert element.handles() == [*first, *second]


@pytest.mark.parametrize(
    ("one", "two", "shared"),
    [
        ({"among": [0, 1]}, {"among": [1, 2]}, False),
        ({"among": [0, 1, 2]}, {"among": [3, 1, 2]}, True),
        ({"among": [0, 1]}, {"between": ([0], [2])}, False),
        ({"among": [0, 1]}, {"between": ([1], [2, 0])}, True),
        ({"between": ([0, 1], [2])}, {"between": ([2], [1, 3])}, True),
        ({"between": ([0, 1], [2])}, {"between": ([0, 2], [3])}, False),
        ({"between": ([0, 1], [2])}, {"pairs": [(2, 1)]}, True),
        ({"between": ([0, 1], [2])}, {"pairs": [(0, 1)]}, False),
        ({"pairs": [(0, 1)]}, {"pairs": [(1, 0)]}, True),
    ],
)
def test_pairs_of_two_elements_are_found(one, two, shared):
    model = ns.Model()
    balls = [model.add_sphere(radius=0.1, mass=1.0, position=(k, 0, 0)) for k in range(4)]

    def element(arguments):
        ((kind, value),) = arguments.items()
        taken = [balls[i] for i in value] if kind == "among" else [[balls[i] for i in side] for side in value]
        return SphereSphere(**{kind: taken})

    assert bool(element(one).shared_pair(element(two))) == shared
    assert bool(element(two).shared_pair(element(one))) == shared


def test_two_sets_that_cannot_be_are_refused():
    model = ns.Model()
    a, b = (model.add_sphere(radius=0.1, mass=1.0, position=(k, 0, 0), name=f"ball {k}") for k in range(2))
    with pytest.raises(ValueError, match=r"'ball 0' is in both"):
        SphereSphere(between=([a], [b, a]))
    with pytest.raises(ValueError, match="between"):
        SphereSphere(between=([a],))
    with pytest.raises(ValueError, match="exactly one"):
        SphereSphere(among=[a, b], between=([a], [b]))


def test_elements_that_share_a_floor_alone_have_no_pair_in_common():
    model = ns.Model()
    floor = model.add_plane(normal=(0, 0, 1))
    balls = [model.add_sphere(radius=0.1, mass=1.0, position=(k, 0, 0.1)) for k in range(5)]
    elements = [SpherePlane(ball, floor) for ball in balls]
    assert sharing(elements) == []
    assert sharing([*elements, SphereSphere(among=balls[2:4])]) == [(2, 5), (3, 5)]
    assert sharing([*elements, SpherePlane(balls[4], floor)]) == [(4, 5)]
    for element in [*elements, SpherePlane(balls[4], floor)]:
        model.add(element)
    with pytest.raises(ValueError, match=f"'{balls[4].name}' and '{floor.name}' are a pair of two elements"):
        ns.simulate(model, t_end=1e-3, h=1e-3)
