"""Tables of full grids as arrays with axes, and as maps."""

import numpy as np
import pytest
from swept import product, third_fails

import nsgalpha as ns
from nsgalpha import show


def three(a, b, kind="x"):
    return {"height": a + 10.0 * b, "pair": [a, len(kind)], "word": kind}


@pytest.fixture(scope="module")
def table():
    return ns.sweep(three, {"a": [3, 1, 2], "b": [0.1, 0.7]}, workers=1)


def test_a_grid_has_an_axis_for_each_parameter_in_the_order_of_the_points(table):
    grid = table.grid()
    assert grid.shape == (3, 2)
    assert grid["a"].tolist() == [3, 1, 2]
    assert np.array_equal(grid["height"], np.add.outer([3, 1, 2], [1.0, 7.0]))
    assert grid["pair"].shape == (3, 2, 2)
    assert grid["word"].tolist() == 3 * [["x", "x"]]
    assert repr(grid).startswith("<Grid: 3 a x 2 b; height, pair, word, outcome")
    assert np.array_equal(table.grid("b", "a")["height"], grid["height"].T)


def test_points_may_come_in_any_order_and_with_what_does_not_vary():
    points = [{"a": a, "b": b, "kind": "all"} for b in (5, 1) for a in (2, 1)]
    grid = ns.sweep(three, points, workers=1).grid("a", "b", "kind")
    assert np.array_equal(grid["height"][..., 0], [[52.0, 12.0], [51.0, 11.0]])


def test_a_point_without_a_value_is_a_hole():
    grid = ns.sweep(third_fails, {"a": range(5)}, workers=1).grid()
    assert np.isnan(grid["value"]).tolist() == [False, False, False, True, False]
    assert grid["outcome"][3] == "failed"


def test_a_part_of_a_sweep_over_three_parameters_is_a_grid_of_two():
    table = ns.sweep(three, {"a": [1, 2], "b": np.linspace(0.0, 0.3, 4), "kind": ["x", "yy"]}, workers=1)
    assert table.where(b=0.1, kind="yy").grid()["pair"].tolist() == [[1, 2], [2, 2]]  # 0.1 + 1e-17
    assert table.where(kind="x").grid().shape == (2, 4)
    with pytest.raises(ValueError, match=r"must be all that vary, kind too; or take a part: table.where"):
        table.grid("a", "b")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda t: t.grid("c"), "names = 'c': must be a or b, each once"),
        (lambda t: t.grid("a", "a"), "names = 'a'"),
        (lambda t: t.grid("a"), r"names = \['a'\]: must be all that vary, b too"),
        (lambda t: t.where(c=1), "fixed = 'c': must be a or b"),
        (lambda t: t.where(a=4), "a = 4: must be a value of its points; such as 3"),
        (lambda t: t.where(a="1"), "a = '1'"),
        (lambda t: t.where(a=True), "a = True"),
        (lambda t: show.heat_map(t, "word"), "value = 'word': must be 'height', 'pair"),
        (lambda t: show.heat_map(t), "value = None: must be given where there are 3"),
        (lambda t: show.heat_map(t, "height", x="a", y="a"), "y = 'a': must be another parameter than x"),
        (lambda t: show.heat_map(t, "height", lines=[[1.0]]), "lines = "),
        (lambda t: show.heat_map(t.where(a=1).grid()), "table = <Grid"),
    ],
)
def test_what_is_not_there_is_refused(table, call, message):
    with pytest.raises(ValueError, match=message):
        call(table)


def test_points_that_make_no_full_grid_are_refused():
    for points in (ns.sample_points(200, a=(0, 1), b=(0, 1)), [{"a": 1, "b": 2}] * 2, [{"a": 1, "b": 2}] * 4):
        with pytest.raises(ValueError, match="are no full grid of"):
            ns.sweep(product, points, workers=1).grid()
    with pytest.raises(KeyError, match="no array 'c'; it has"):
        ns.sweep(product, {"a": [1]}, workers=1).grid()["c"]


def test_a_heat_map_has_each_value_at_its_place(table):
    axis, bar = show.heat_map(table, "height", x="b", y="a", centre=5.0).axes
    (mesh,) = axis.collections
    edges = mesh.get_coordinates()
    assert np.allclose(edges[0, :, 0], [-0.2, 0.4, 1.0])
    assert np.allclose(edges[:, 0, 1], [0.5, 1.5, 2.5, 3.5])
    assert np.allclose(mesh.get_array(), [[2.0, 8.0], [3.0, 9.0], [4.0, 10.0]])
    assert mesh.get_clim() == (0.0, 10.0)
    assert (axis.get_xlabel(), axis.get_ylabel(), bar.get_ylabel()) == ("b", "a", "height")


def test_a_heat_map_shows_words_along_an_axis_entries_of_arrays_and_holes():
    values = {"a": [1, 3], "kind": ["hard", "soft", "none"]}
    table = ns.sweep(lambda a, kind: [a, np.nan if kind == "none" else 1.0], values, workers=1)
    axis = show.heat_map(table, "value[1]", lines=[1.0]).axes[0]
    assert [tick.get_text() for tick in axis.get_yticklabels()] == ["hard", "soft", "none"]
    assert axis.collections[0].get_array().mask[2].all()
    assert show.heat_map(ns.sweep(product, {"a": [1], "b": [2]}, workers=1), "product").axes


def test_noise_has_one_colour():
    table = ns.sweep(lambda a, b: 0.1 + 1e-16 * a * b, {"a": [1, 2], "b": [1, 3]}, workers=1)
    low, high = show.heat_map(table).axes[0].collections[0].get_clim()
    assert high - low == pytest.approx(0.02)
