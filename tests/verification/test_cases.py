"""Every case passes, and a case with a row that is off fails."""

import dataclasses

import pytest

from nsgalpha.show.figure_style import png
from tests.verification.samples import LONG, MAIN, patched
from verification import case_names, load_case, title_of
from verification.run import run_case

RUNS = [pytest.param((name, MAIN.get(name, {})), id=name) for name in case_names()]
RUNS += [
    pytest.param((name, LONG.get(name, {})), id=f"{name}, long", marks=pytest.mark.long)
    for name in case_names()
    if name in MAIN
]


@pytest.fixture(scope="module", params=RUNS)
def verdict(request):
    name, values = request.param
    with pytest.MonkeyPatch.context() as patch:
        patched(patch, name, values)
        return run_case(name)


def test_every_row_passes(verdict):
    assert not verdict.failure
    assert verdict.outcome.rows
    assert [row for row in verdict.outcome.rows if not row.passed] == []


def test_every_row_names_its_source(verdict):
    assert all(row.provenance for row in verdict.outcome.rows)


def test_a_row_that_is_off_fails_the_case(verdict):
    rows = list(verdict.outcome.rows)
    off = next(row for row in rows if row.tolerance is not None)
    rows[rows.index(off)] = dataclasses.replace(
        off, reference=off.reference + 2.0 * off.tolerance + off.error
    )
    outcome = dataclasses.replace(verdict.outcome, rows=rows)
    assert not dataclasses.replace(verdict, outcome=outcome).passed


def test_every_figure_can_be_drawn(verdict):
    pytest.importorskip("matplotlib")
    for draw in verdict.outcome.figures.values():
        assert png(draw()).startswith(b"\x89PNG")


@pytest.mark.parametrize("name", case_names())
def test_a_case_opens_with_a_title(name):
    title = title_of(load_case(name))
    assert 10 < len(title) < 70
