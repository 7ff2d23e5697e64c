"""Whatever is written into a case file, it is a case or is refused as one, in bounded time and memory.

The mutations, of texts and of data, are in case_mutations.py; each has its number as a seed.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("case_mutations.py")
BATCH = 1500
LONG = [pytest.param(first, BATCH, marks=pytest.mark.long) for first in (0, BATCH, 2 * BATCH)]


@pytest.mark.parametrize(("first", "count"), [(0, 300), *LONG])
def test_mutations_are_cases_or_refused(first, count):
    done = subprocess.run(
        [sys.executable, SCRIPT, str(first), str(first + count)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=250,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout)
    assert found["wrong"] == {}
    assert found["cases"] > count / 6
    assert found["refused"] > count / 3
