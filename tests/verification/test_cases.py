"""Every case passes, and a case with a row that is off fails."""

import dataclasses

import pytest

from nsgalpha.show.figure_style import png
from verification import LONG, case_names, load_case, title_of
from verification.run import run_case


@pytest.fixture(scope="module", params=case_names())
def verdict(request):
    with pytest.MonkeyPatch.context() as patch:
        if request.param in LONG:
            patch.setattr(load_case(request.param), *LONG[request.param])
        return run_case(request.param)


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
