"""Whatever is written into a case file, it is a case or is refused as one: no other error comes out."""

import datetime
import tomllib
from copy import deepcopy

import numpy as np
import pytest

from nsgalpha.case import CaseError, parse_case
from nsgalpha.case.command import shipped

ODD = [
    True,
    -1,
    0,
    3,
    2**62,
    1e308,
    float("nan"),
    float("-inf"),
    "",
    "all",
    "sphere 0",
    "x" * 300,
    [],
    [[]],
    [0, 0, 0],
    ["cue", "cue"],
    {},
    [{}],
    {"law": "Hertz", "modulus": 1.0},
    {"type": "Rotation", "axis": [0, 0, 0], "rate": 1},
    datetime.date(1979, 5, 27),
]
ROUNDS = 40


def places(data):
    """All containers of the data, with the keys into them."""
    for key, value in list(data.items() if isinstance(data, dict) else enumerate(data)):
        yield data, key
        if isinstance(value, dict | list):
            yield from places(value)


def disturb(data, rng):
    """Replace, remove or add something."""
    spots = list(places(data))
    container, key = spots[rng.integers(len(spots))]
    odd = deepcopy(ODD[rng.integers(len(ODD))])
    what = rng.integers(4)
    if what == 0:
        del container[key]
    elif what == 1 and isinstance(container, dict):
        container[f"{key}_"] = odd
    elif what == 2 and isinstance(container, list):
        container.append(odd)
    else:
        container[key] = odd


@pytest.mark.parametrize("name", sorted(shipped()))
def test_disturbed_cases_are_cases_or_refused(name):
    rng = np.random.default_rng(sum(map(ord, name)))
    whole = tomllib.loads(shipped()[name].read_text(encoding="utf-8"))
    messages = []
    for _ in range(ROUNDS):
        data = deepcopy(whole)
        for _ in range(rng.integers(1, 4)):
            disturb(data, rng)
        try:
            parse_case(data, name)
        except CaseError as error:
            messages += [str(error)]
    assert all(line.startswith(name) for message in messages for line in message.splitlines())
    assert len(messages) > ROUNDS / 3
