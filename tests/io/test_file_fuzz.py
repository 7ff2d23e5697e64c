"""Randomly damaged files: refused, or read as the original (file_fuzz.py makes more)."""

import shutil
from collections import Counter

import pytest

from tests.io.file_fuzz import GOOD, outcomes


@pytest.mark.timeout(600)
@pytest.mark.parametrize(("count", "step"), [(10, 4), pytest.param(60, 1, marks=pytest.mark.long)])
def test_files_damaged_or_edited_at_random_are_refused_or_read_right(originals, tmp_path, count, step):
    for path in [*originals.values()][::step]:
        shutil.copy(path, tmp_path)
    records = list(outcomes(tmp_path, range(count), seed=12))
    assert [record["number"] for record in records] == list(range(count))
    assert [record for record in records if record["outcome"] not in GOOD] == []
    counts = Counter(record["outcome"] for record in records)
    assert min(counts[outcome] for outcome in GOOD) > count // 20, counts
