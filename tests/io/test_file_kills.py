"""Runs that are killed, and files whose last writes are torn. file_kills.py makes more."""

import os
from collections import Counter

import pytest

from tests.io.file_kills import DAMAGE, GOOD, outcomes


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a process that can be copied")
@pytest.mark.parametrize("each", [1, pytest.param(10, marks=pytest.mark.long)])
def test_a_file_opens_after_a_kill_or_is_repaired_and_the_run_goes_on(tmp_path, each):
    records = list(outcomes(tmp_path, each * len(DAMAGE), seed=5))
    assert [record for record in records if record["outcome"] not in GOOD] == []
    assert set(Counter(record["kind"] for record in records).values()) == {each}
