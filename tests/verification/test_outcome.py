"""Rows, tables and the report."""

import dataclasses
import json
import math

import pytest

from verification.outcome import Outcome, Row, bound_row, merge
from verification.report import page
from verification.run import Verdict
from verification.table import case_table, summary, verdict_record

GOOD = Row(quantity="speed", unit="m/s", reference=1.0, ours=1.0 + 1e-9, tolerance=1e-8, provenance="by hand")


def verdict(*rows: Row, failure: str = "") -> Verdict:
    return Verdict("sample", "A sample", Outcome(rows=rows), 0.1, failure)


def test_a_row_passes_within_its_tolerance_only():
    assert GOOD.passed
    assert not dataclasses.replace(GOOD, ours=1.0 + 1e-7).passed


def test_a_number_that_is_not_finite_fails():
    assert not dataclasses.replace(GOOD, ours=math.nan).passed
    assert not dataclasses.replace(GOOD, ours=math.inf).passed


@pytest.mark.parametrize("tolerance", [0.0, -1.0, math.inf, math.nan])
def test_a_tolerance_must_be_positive(tolerance):
    with pytest.raises(ValueError, match="tolerance"):
        dataclasses.replace(GOOD, tolerance=tolerance)


def test_a_row_without_tolerance_is_shown_and_not_judged():
    row = dataclasses.replace(GOOD, ours=5.0, tolerance=None)
    assert row.passed
    assert "shown" in case_table(verdict(row))


def test_a_case_without_rows_or_with_a_failure_does_not_pass():
    assert not verdict().passed
    assert not verdict(GOOD, failure="ended early").passed
    assert verdict(GOOD).passed


def test_a_failure_is_plain_in_the_table_and_the_summary():
    bad = verdict(dataclasses.replace(GOOD, ours=2.0))
    assert "FAILED" in case_table(bad)
    assert "1 of 2 cases failed" in summary([bad, verdict(GOOD)])


def test_merging_keeps_all_rows_in_order():
    rows = [GOOD, bound_row("gap", "m", 0.0, 1e-9, "by hand")]
    assert merge(Outcome(rows=[row]) for row in rows).rows == rows


def test_records_are_valid_json():
    record = verdict_record(verdict(dataclasses.replace(GOOD, ours=math.nan)))
    assert json.loads(json.dumps(record, allow_nan=False))["rows"][0]["ours"] is None


def test_the_report_escapes_text_and_needs_no_other_file():
    pytest.importorskip("matplotlib")
    text = page([verdict(dataclasses.replace(GOOD, quantity="a < b & c"))])
    assert "a &lt; b &amp; c" in text
    assert not any(word in text for word in ("://", "<script", "<link"))
