"""Randomly damaged files: refused, or read as the original (file_fuzz.py makes more)."""

from collections import Counter

import pytest

from tests.io.file_fuzz import GOOD, outcomes, prepare

COUNT = 60


@pytest.mark.timeout(600)
def test_files_damaged_or_edited_at_random_are_refused_or_read_right(tmp_path):
    prepare(tmp_path)
    records = list(outcomes(tmp_path, range(COUNT), seed=12))
    assert [record["number"] for record in records] == list(range(COUNT))
    assert [record for record in records if record["outcome"] not in GOOD] == []
    counts = Counter(record["outcome"] for record in records)
    assert min(counts[outcome] for outcome in GOOD) > COUNT // 20, counts
