"""Any text is a case or refused as one, in bounded time and memory.

The mutations, of texts and of data, are in case_mutations.py; each has its number as a seed.
"""

import json
from pathlib import Path

import pytest

from tests.fresh_python import run_python

SCRIPT = Path(__file__).with_name("case_mutations.py")
BATCH = 1500
LONG = [pytest.param(first, BATCH, marks=pytest.mark.long) for first in (0, BATCH, 2 * BATCH)]


@pytest.mark.parametrize(("first", "count"), [(0, 100), *LONG])
def test_mutations_are_cases_or_refused(first, count):
    found = json.loads(run_python(SCRIPT, first, first + count, timeout=250).stdout)
    assert found["wrong"] == {}
    assert found["cases"] > count / 6
    assert found["refused"] > count / 3
