"""Content of a table: columns, missing values, outcomes, text files."""

import csv

import numpy as np
import pytest
from swept import leaves, product, stops, third_fails
from swept_models import bounce, last_speed, stated

import nsgalpha as ns
from nsgalpha.sweeps.sweep_table import column_of


def test_values_stand_beside_their_parameters():
    table = ns.sweep(product, {"a": [1, 2], "b": [0.5, 1.5]}, workers=1)
    assert table["a"].tolist() == [1, 1, 2, 2]
    assert table["product"].tolist() == [0.5, 1.5, 1.0, 3.0]
    assert table["pair"].shape == (4, 2)
    assert len(table) == 4
    assert table.status == "4 points: 4 done"
    with pytest.raises(KeyError, match="no column 'x'; it has a, b, product, pair, outcome"):
        table["x"]


def test_an_error_is_the_outcome_of_its_point_alone():
    table = ns.sweep(third_fails, {"a": range(5)}, workers=1)
    assert table.outcome.tolist() == ["done", "done", "done", "failed", "done"]
    assert np.array_equal(table["value"], [0.0, 0.1, 0.2, np.nan, 0.4], equal_nan=True)
    assert table.message[3].startswith("ArithmeticError: three cannot be had (")
    assert "swept.py" in table.message[3]
    assert table.status.startswith("5 points: 4 done, 1 failed; the first says: ArithmeticError")
    assert table.done.tolist() == [True, True, True, False, True]


def test_a_function_that_leaves_the_program_has_failed_and_not_ended_it():
    table = ns.sweep(leaves, {"a": [1]}, workers=1)
    assert table.outcome.tolist() == ["failed"]
    assert table.message[0].startswith("SystemExit: 1")


def test_a_run_that_ends_early_is_seen_and_its_values_are_kept():
    table = ns.sweep(bounce, {"force": [0.0, np.nan]}, reduce=last_speed, workers=1)
    assert table.outcome.tolist() == ["done", "ended early"]
    assert table["t"][0] == pytest.approx(0.02)
    assert 0.004 < table["t"][1] < 0.008
    assert "not finite" in table.message[1]
    assert abs(table["speed"][0] - (1.0 - 0.2 * 9.8 * 0.02)) < 1e-12


def test_a_reduction_that_fails_after_a_run_that_ended_early_says_both():
    table = ns.sweep(bounce, {"force": [np.nan]}, reduce=lambda result: result.no_such_thing, workers=1)
    assert table.outcome.tolist() == ["failed"]
    assert "not finite" in table.message[0]
    assert "then AttributeError" in table.message[0]


def test_a_status_among_the_values_says_the_same():
    table = ns.sweep(stated, {"force": [0.0, np.nan]}, workers=1)
    assert table.outcome.tolist() == ["done", "ended early"]
    assert list(table.values) == ["steps"]
    assert table["steps"].dtype.kind == "i"


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda a: None, "value = None: must be a number, a text or an array"),
        (lambda a: {"a": 1}, "name = 'a': must be a text, no parameter"),
        (lambda a: {"tries": 1}, "name = 'tries'"),
        (lambda a: {"status": "good"}, "status = 'good': must be the status of a Result"),
        (lambda a: bounce(0.0), "give sweep a function reduce"),
        (lambda b: 1, "unexpected keyword argument 'a'"),
    ],
)
def test_what_does_not_go_into_a_table_is_said(build, message):
    table = ns.sweep(build, {"a": [1]}, workers=1)
    assert table.outcome.tolist() == ["failed"]
    assert message in table.message[0]


def test_an_interrupt_leaves_what_is_done():
    table = ns.sweep(stops, {"a": range(6)}, workers=1)
    assert table.outcome.tolist() == 3 * ["done"] + 3 * ["not run"]
    assert np.array_equal(table["value"], [0, 1, 2, np.nan, np.nan, np.nan], equal_nan=True)
    assert table.status == "6 points: 3 done, 3 not run"


def test_columns_have_the_type_of_what_is_in_them():
    assert column_of([1, 2]).dtype.kind == "i"
    assert column_of([True, False]).dtype == bool
    assert column_of([1, None]).dtype == float
    assert column_of([1, 2.5]).tolist() == [1.0, 2.5]
    assert column_of(["a", None, "bcd"]).tolist() == ["a", "", "bcd"]
    assert column_of([[1, 2], [3, 4]]).shape == (2, 2)
    assert np.isnan(column_of([[1, 2], None])[1]).all()
    mixed = column_of([[1, 2], [1, 2, 3], "x", None, (1, (2, 3))])
    assert mixed.dtype == object
    assert mixed[1] == [1, 2, 3]
    assert mixed[3] is None


def test_tables_are_the_same_to_the_bit_or_not():
    points = {"a": [1.0, 2.0]}
    table = ns.sweep(product, points, workers=1)
    assert table.same(ns.sweep(product, points, workers=1))
    assert not table.same(ns.sweep(product, {"a": [1.0, np.nextafter(2.0, 3.0)]}, workers=1))
    assert not table.same(ns.sweep(third_fails, points, workers=1))


def test_a_table_goes_to_a_text_file_with_all_digits(tmp_path):
    table = ns.sweep(third_fails, {"a": [1, 3]}, workers=1)
    table.to_csv(tmp_path / "failed.csv")
    with (tmp_path / "failed.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["value"] for row in rows] == ["0.1", "nan"]
    assert rows[1]["message"] == table.message[1]

    table = ns.sweep(product, {"a": [1 / 3]}, workers=1)
    table.to_csv(tmp_path / "arrays.csv")
    head, line = (tmp_path / "arrays.csv").read_text().splitlines()
    assert head == "a,product,pair[0],pair[1],outcome,message,seconds,tries"
    assert float(line.split(",")[2]) == 1 / 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"workers": 0}, "workers = 0: must be an integer >= 1"),
        ({"retries": -1}, "retries = -1"),
        ({"executor": 3}, "executor = 3: must be a concurrent.futures.Executor or a dask"),
        ({"reduce": 3}, "reduce = 3: must be a function"),
        ({"workers": 2, "executor": 3}, "workers = 2: must be left out where executor is given"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        ns.sweep(product, {"a": [1]}, **arguments)
    with pytest.raises(ValueError, match="build = 5: must be a function"):
        ns.sweep(5, {"a": [1]})
