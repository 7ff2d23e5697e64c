"""Numbered mutations of the texts and data of shipped cases, and their outcomes.

    python case_mutations.py FIRST LAST

reads the mutations FIRST to LAST - 1, in 1 GiB of memory more than it has after the first case and 10 s for
each. It prints as JSON the numbers of cases and of refusals, and all forbidden outcomes.
"""

import datetime
import json
import re
import resource
import signal
import sys
import tomllib
import traceback
from copy import deepcopy
from pathlib import Path

import numpy as np

from nsgalpha.case import CaseError, Limits, parse_case
from nsgalpha.case.case_commands import shipped

MEMORY = 1 << 30  # bytes
SECONDS = 10
LIMITS = Limits(bodies=20_000, shapes=20_000, named=200_000)  # so that allowed contents are quickly made
CASES = {name: path.read_text(encoding="utf-8") for name, path in sorted(shipped().items())}

ODD = [
    True, -1, 0, 3, 19_999, 10**6, 2**31, 2**62, 2**63, 2**64, -(2**63) - 1, 10**30, 10**400, 16**5000,
    0.5, -0.0, 1e-320, 1e308, -1e308, float("nan"), float("-inf"),
    "", ".", "..", "../../etc/passwd", "/dev/zero", "all", "spheres", "sphere 0", "ball", "x" * 300,
    "x" * 5000, "\x1b[2J\x07", "a\nb", "\u202eabc", "</script><!--", "$\\frac{", "a\x00b", "law:Hertz",
    "<none>bodies",
    [], [[]], [0, 0, 0], [1e300, 1e300, 1e300], [10**6] * 3, ["cue", "cue"], ["all"] * 400, [[0, 1, 2]] * 50,
    {}, [{}], {"law": "Hertz", "modulus": 1.0}, {"law": {}}, {"type": ["sphere"]}, {"type": 16**5000},
    {"type": "Rotation", "axis": [0, 0, 0], "rate": 1}, {"\x1b[31m": {"\n": 1}},
    {"type": "grid", "count": [1000, 1000, 1000], "spacing": 1, "radius": 0.1, "mass": 1},
    {"type": "rack", "rows": 10**9, "radius": 1, "mass": 1, "apex": [0, 0, 0]},
    {"type": "ring", "sides": 10_000, "radius": 1, "axis": [0, 0, 1]},
    datetime.date(1979, 5, 27), datetime.time(7, 32),
]  # fmt: skip
SNIPPETS = [
    *"[]{}\"'=,.#\\\n\r\t-_", "[[", "]]", '"' * 3, "'" * 3, "\x00", "\x1b[2J", "\ufeff", "\u2028", "\u202e",
    "1e999", "nan", "0x" + "f" * 5000, "1" * 5000, "9" * 300, "1979-05-27", "a.b.c = 1\n",
    "a" + ".a" * 200 + " = 1\n", "[" * 200, "{a=" * 60, '"\\"', '"\\uD800"', '"\\U00110000"',
    "x = [" + "0," * 3000 + "]\n", '[groups]\ng = ["all", "all", "all"]\n', "[run]\n", "[[bodies]]\n",
    '[groups]\na = ["spheres"]\nb = ["a", "a", "a"]\n', "[[bodies]]\n" * 500, '"\\u001b[2J" = 1\n',
    '[[planes]]\ntype = "ring"\nsides = 10000\nradius = 1\naxis = [0, 0, 1]\n',
    '[[elements]]\ntype = "SphereSphere"\namong = "all"\n',
    '[[bodies]]\ntype = "column"\ncount = 9000\nradius = 0.1\nmass = 1\n',
]  # fmt: skip


def places(data):
    """All containers of the data, with the keys into them."""
    for key, value in list(data.items() if isinstance(data, dict) else enumerate(data)):
        yield data, key
        if isinstance(value, dict | list):
            yield from places(value)


def alike(value, spots, rng):
    """Another value of the same kind as `value`, which readers do not see at once."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        if abs(value) > 1e100 or rng.integers(2):
            return type(value)(rng.choice([-1, 0, 1, 2, 7, 300, 40_000, 2**31]))
        return type(value)(
            value * rng.choice([-1, 0.5, 3, 1e3, 1e-9, 1e200 if isinstance(value, float) else 99])
        )
    kin = [each[k] for each, k in spots if type(each[k]) is type(value)]
    return deepcopy(kin[rng.integers(len(kin))])


def disturb(data, rng):
    """Replace, remove, add or move something."""
    spots = list(places(data))
    if not spots:
        return
    container, key = spots[rng.integers(len(spots))]
    if rng.integers(5) < 3:
        container[key] = alike(container[key], spots, rng)
        return
    odd = deepcopy(ODD[rng.integers(len(ODD))])
    what = rng.integers(6)
    if what == 0:
        del container[key]
    elif what == 1 and isinstance(container, dict):
        container[odd if isinstance(odd, str) else f"{key}_"] = odd
    elif what == 2 and isinstance(container, list):
        container.append(odd)
    elif what == 3:
        other, there = spots[rng.integers(len(spots))]
        container[key] = deepcopy(other[there])
    else:
        container[key] = odd


def disturb_text(text, rng):
    """Cut, double, swap or insert something."""
    lines = text.split("\n")
    i, j = (int(k) for k in rng.integers(len(lines), size=2))
    at = int(rng.integers(len(text) + 1))
    numbers = list(re.finditer(r"(?<![\w.])-?[\d.]+(?:e-?\d+)?|\"[\w ]+\"", text))
    if numbers and rng.integers(5) < 3:
        one, other = (numbers[k] for k in rng.integers(len(numbers), size=2))
        new = (
            other[0]
            if rng.integers(2)
            else str(rng.choice(["0", "-1", "7", "0.3", "1e30", "1e-30", "40000", "true"]))
        )
        return text[: one.start()] + new + text[one.end() :]
    what = rng.integers(8)
    if what == 0:
        del lines[i]
    elif what == 1:
        lines[i:i] = lines[min(i, j) : max(i, j)] * int(rng.integers(1, 5))
    elif what == 2:
        lines[i], lines[j] = lines[j], lines[i]
    elif what == 3:
        return text[:at]
    elif what == 4:
        return text[:at] + text[at + int(rng.integers(1, 20)) :]
    elif what == 5:
        return text[:at] + chr(int(rng.integers(0x250))) + text[at + 1 :]
    elif what == 6:
        key, _, _ = lines[i].partition("=")
        lines[i] = f"{key}= {SNIPPETS[rng.integers(len(SNIPPETS))]}"
    else:
        return text[:at] + SNIPPETS[rng.integers(len(SNIPPETS))] * int(rng.choice([1, 1, 3, 50])) + text[at:]
    return "\n".join(lines)


def mutation(number):
    """Name and content, a text or data, of the mutation `number`."""
    rng = np.random.default_rng([17, number])
    name = list(CASES)[rng.integers(len(CASES))]
    content, change = (CASES[name], disturb_text) if number % 2 else (tomllib.loads(CASES[name]), disturb)
    for _ in range(rng.choice([1, 1, 2, 3])):
        content = change(content, rng) or content
    return name, content


def trouble(name, content):
    """Validity of a case, and the error of its reading or refusal."""
    try:
        case = parse_case(content, name, limits=LIMITS)
    except CaseError as error:
        lines = str(error).split("\n")
        bad = [
            line for line in lines if not (line.startswith(name) and line.isprintable()) or len(line) > 3000
        ]
        return False, bad[:1] or (["too many lines"] if len(lines) > 51 else [])
    except BaseException:
        return False, [traceback.format_exc(limit=-4)]
    named = [each for each in case.names if not each.isprintable()]
    return True, named or ([] if len(case.model.bodies) <= LIMITS.bodies else ["too many bodies"])


def out_of_time(*_):
    raise TimeoutError(f"more than {SECONDS} s")


def main(first, last):
    parse_case(CASES["break"])
    parse_case(CASES["shaken_box"])
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))
    signal.signal(signal.SIGALRM, out_of_time)
    cases, found = 0, {}
    for number in range(first, last):
        signal.alarm(SECONDS)
        good, wrong = trouble(*mutation(number))
        signal.alarm(0)
        cases += good
        if wrong:
            found[number] = wrong[0]
    print(json.dumps({"cases": cases, "refused": last - first - cases, "wrong": found}))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
