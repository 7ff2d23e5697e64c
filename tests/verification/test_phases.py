"""Errors over the arrival within the step: fractions, means, fitted orders, their table."""

import importlib
import json
import math

import numpy as np
import pytest

from nsgalpha.commands import command_line
from verification import phased_names, phases
from verification.command import Verify
from verification.phases import Study, fitted_order, fractions, phase_table, study, study_record

STEPS = (1e-2, 1e-3, 1e-4)


def power(h, phase):
    """An error of first order that depends on the phase: mean 5 h, largest (10 - 5/N) h over N phases."""
    return 10.0 * h * phase


def test_fractions_lie_within_the_step_and_evenly():
    found = fractions(4)
    assert found == pytest.approx([0.125, 0.375, 0.625, 0.875])


def test_there_must_be_a_phase():
    with pytest.raises(ValueError, match="phases = 0"):
        fractions(0)


def test_mean_largest_and_order_of_an_error_of_first_order():
    found = study("x", "m", power, steps=STEPS, phases=8)
    assert found.errors.shape == (3, 8)
    assert found.mean == pytest.approx([5.0 * h for h in STEPS])
    assert found.largest == pytest.approx([9.375 * h for h in STEPS])
    assert found.order == pytest.approx(1.0)


@pytest.mark.parametrize("order", [0.5, 1.0, 2.0])
def test_the_fitted_order_is_that_of_a_power(order):
    assert fitted_order(STEPS, [3.0 * h**order for h in STEPS]) == pytest.approx(order)


def test_a_plateau_has_no_order():
    assert fitted_order(STEPS, [0.9, 0.9, 0.9]) == pytest.approx(0.0)


def test_rounding_takes_no_part_in_the_order():
    errors = [1e-3, 1e-4, 3e-13]
    assert fitted_order(STEPS, errors, rounding=1e-12) == pytest.approx(1.0)
    assert math.isnan(fitted_order(STEPS, [1e-3, 1e-13, 1e-14], rounding=1e-12))


def test_the_table_has_a_line_for_each_step_and_the_order_in_the_last():
    lines = phase_table([study("x", "m", power, steps=STEPS, phases=2)]).splitlines()
    assert [line.split()[0] for line in lines] == ["study", "x", "0.001", "0.0001"]
    assert lines[1].split() == ["x", "m", "0.01", "2", "5.00e-02", "7.50e-02"]
    assert lines[3].split()[-1] == "1.00"


def test_a_study_is_a_record():
    record = study_record(Study("x", "m", STEPS, np.zeros((3, 2))))
    assert record["order"] is None
    assert json.loads(json.dumps(record)) == record


@pytest.fixture
def one_study(monkeypatch):
    """Stand-in for the studies of a case; the command as it would be found."""
    monkeypatch.setattr(command_line, "commands", lambda: {"verify": Verify()})
    monkeypatch.setattr(
        phases, "studies_of", lambda name, count: [study(name, "m", power, steps=STEPS, phases=count)]
    )


def test_verify_shows_phases_of_the_cases_that_have_them(one_study, capsys):
    assert command_line.main(["verify", "--phases"]) == 0
    shown = capsys.readouterr().out
    assert all(f"\n{name}\n" in shown for name in phased_names())
    assert shown.count(" 8  ") == 3 * len(phased_names())


def test_verify_takes_the_number_of_phases_and_writes_them(one_study, tmp_path, capsys):
    file = tmp_path / "phases.json"
    assert command_line.main(["verify", "throw_angle", "--phases", "5", "--json", str(file)]) == 0
    content = json.loads(file.read_text())
    assert np.shape(content["throw_angle"][0]["errors"]) == (3, 5)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["throw_angle", "--phases", "0"], "at least 1"),
        (["convergence", "--phases", "2"], "no phases of convergence"),
    ],
)
def test_phases_that_cannot_be_shown_are_refused(one_study, arguments, complaint, capsys):
    try:
        code = command_line.main(["verify", *arguments])
    except SystemExit as end:
        code = end.code
    assert code == 2
    message = capsys.readouterr().err
    assert complaint in message
    assert message.count("\n") == 1


JUDGED = {"impact_phases", "mechanisms"}  # cases whose rows have the orders over the arrivals


@pytest.mark.parametrize("name", [name for name in phased_names() if name not in JUDGED])
def test_a_case_with_phases_converges_over_them(name, monkeypatch):
    """The first study of each case, its two longest steps, two arrivals."""
    module = importlib.import_module(f"verification.{name}.phases")
    monkeypatch.setattr(module, "STEPS", module.STEPS[:2])
    found = module.studies(2)[0]
    assert found.errors.shape == (2, 2)
    if name == "throw_angle":  # a full hit: the line of centres does not turn
        assert found.largest.max() < 1e-12
    else:
        order = 2.0 if name == "persistent_contact" else 1.0
        assert found.order == pytest.approx(order, abs=0.1)
