"""Case files that ask for too much, hang the reader or address terminals are refused.

The expected refusal stands beside each.
"""

import os
import time
import tracemalloc

import numpy as np
import pytest

from nsgalpha.case import CaseError, Limits, load_case, parse_case
from nsgalpha.geometry import box_broad_phase, broad_phase

BALL = '[[bodies]]\ntype = "sphere"\nradius = 1\nmass = 1\nposition = [0, 0, 0]\n'
RUN = "[run]\nt_end = 1\nh = 0.1\n"
COLUMN = '[[bodies]]\ntype = "column"\ncount = {}\nradius = 0.1\nmass = 1\n'
GRID = '[[bodies]]\ntype = "{}"\ncount = [1000, 1000, 1000]\nradius = 0.1\nmass = 1\n'
RING = '[[planes]]\ntype = "ring"\nname = "{}"\nsides = {}\nradius = 1\naxis = [0, 0, 1]\n'
CARRIED = "[[bodies.primitives]]\ncorners = [0, 0, 0]\nradius = 1\n"
AMONG = '[[elements]]\ntype = "SphereSphere"\namong = "all"\nmu = 0.1\n'
DOUBLED = '[groups]\ng0 = ["spheres"]\n' + "".join(f'g{k + 1} = ["g{k}", "g{k}"]\n' for k in range(60))

TOO_MUCH = {  # text; where, and words
    "one layout": (
        COLUMN.format(10**7),
        "line 3, bodies[0].count: 10000000 bodies in the whole case: must be",
    ),
    "several": (
        COLUMN.format(40_000) * 3,
        "line 13, bodies[2].count: 120000 bodies in the whole case: must be",
    ),
    "a grid": (GRID.format("grid") + "spacing = 1\n", "line 3, bodies[0].count: 1e+09 bodies"),
    "a packing": (GRID.format("hexagonal"), "line 3, bodies[0].count: 1e+09 bodies"),
    "a rack": (
        '[[bodies]]\ntype = "rack"\nrows = 9_000_000_000_000_000_000\nradius = 1\nmass = 1\n'
        "apex = [0, 0, 0]\n",
        "line 3, bodies[0].rows: 4.05e+37 bodies",
    ),
    "rings": (
        BALL + "".join(RING.format(k, 10_000) for k in range(11)),
        "planes[10]: 110000 planes and prim",
    ),
    "what they carry": (
        COLUMN.format(60_000) + CARRIED * 2,
        "line 6, bodies[0].primitives: 120000 planes and",
    ),
    "groups of groups": (
        COLUMN.format(9) + DOUBLED,
        "groups.g19: 7077879 things named by groups and elements",
    ),
    "one group often": (
        COLUMN.format(10_000) + "[groups]\ng = [" + '"spheres", ' * 600 + "]\n",
        "groups.g: 5010000 things named",
    ),
    "floors": (
        COLUMN.format(600) + RING.format("r", 9_000) + '[[elements]]\ntype = "SpherePlane"\n'
        'spheres = "all"\nplanes = "all"\n',
        "elements[0]: 5400000 pairs of a plane and a body",
    ),
    "lists": ("a = " + "[" * 10**6, "line 1: 31 tables and lists within each other: must be at most 30"),
    "tables": ("a = " + "{a = " * 10**6, "line 1: 31 tables and lists"),
    "dotted keys": ("a." * 10**6 + "a = 1", "line 1: 31 tables and lists"),
    "quoted keys": ('"\\"".' * 10**6 + "a = 1", "line 1: 31 tables and lists"),
    "dotted headers": ("[a" + ".a" * 10**6 + "]", "line 1: 31 tables and lists"),
    "values": ("a = [" + "0," * 10**6 + "]", "line 1: 500001 values or more: must be at most 500000"),
    "headers": ("[[bodies]]\n" * 10**6, "line 100001: 100001 tables or more: must be at most 100000"),
    "a long word": (f'title = "{"x" * 10**7}"', "line 1: a word of more than 20000 characters"),
    "an open string": ('title = """' + "\\n" * 10**7, "line 1: a word of more than 20000 characters"),
    "quotes": ('x = "' + '\\"' * 10**6, "line 1: a word of more than 20000 characters"),
    "digits": ("x = 1." + "1" * 10**7, "line 1: a word of more than 20000 characters"),
    "an integer": (
        BALL.replace("= 1", f"= 0x{'f' * 10_000}", 1),
        "radius: an integer of too many digits: must be",
    ),
}


@pytest.mark.parametrize("name", TOO_MUCH)
@pytest.mark.sampled(2)
def test_what_asks_for_too_much_is_refused_before_memory_is_taken(name):
    text, words = TOO_MUCH[name]
    parse_case(BALL + RUN)  # imports of a first case do not matter here
    clock = time.process_time()
    tracemalloc.start()
    with pytest.raises(CaseError) as caught:
        parse_case(text + "\n" + RUN, "big.toml")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert words in str(caught.value), str(caught.value)[:300]
    assert peak < 6e7 + 8 * len(text)
    assert time.process_time() - clock < 20.0


def test_data_are_bounded_as_texts_are():
    deep: list = []
    deep.append(deep)
    wide = {"a": [0] * 500_001}
    for data, words in (
        ({"a": deep}, "31 tables and lists"),
        (wide, "500002 values"),
        ({"a": [{}] * 10**5}, "100001 tab"),
    ):
        with pytest.raises(CaseError, match=words):
            parse_case(data)


def test_the_user_raises_a_limit_and_the_file_cannot(tmp_path):
    path = tmp_path / "many.toml"
    path.write_text(COLUMN.format(300) + "[limits]\nbodies = 300\n" + RUN)
    with pytest.raises(CaseError, match="limits: unknown key"):
        load_case(path)
    path.write_text(COLUMN.format(300) + RUN)
    with pytest.raises(CaseError, match=r"300 bodies .*at most 299; raise that with Limits\(bodies=\.\.\.\)"):
        load_case(path, limits=Limits(bodies=299))
    assert len(load_case(path, limits=Limits(bodies=300)).model.bodies) == 300


@pytest.mark.parametrize("wrong", [{"bodies": 0}, {"bodies": 1.5}, {"depth": 101}, {"size": "a"}])
def test_limits_are_counts(wrong):
    with pytest.raises(ValueError, match=f"{next(iter(wrong))} = .*: must be an integer"):
        Limits(**wrong)


def test_what_is_no_regular_file_is_not_read(tmp_path):
    pipe, link = tmp_path / "pipe.toml", tmp_path / "link.toml"
    os.mkfifo(pipe)
    link.symlink_to("/dev/zero")
    for path in (pipe, link, "/dev/null"):
        with pytest.raises(CaseError, match="cannot be read: is a pipe or a device; name a regular file"):
            load_case(path)


def test_a_large_file_is_refused_by_its_size(tmp_path):
    path = tmp_path / "large.toml"
    with path.open("wb") as stream:
        stream.truncate(10**12)  # it takes no space on the disk
    with pytest.raises(CaseError, match=r"cannot be read: has 1e\+06 MB: must be at most 20 MB"):
        load_case(path)
    path.write_text(BALL + RUN)
    with pytest.raises(CaseError, match="must be at most"):
        load_case(path, limits=Limits(size=50))


@pytest.mark.parametrize("name", ["a\\u001b[2J", "a\\nb", "a\\u0000", "a\\u009b1m", "a\\u2028b", "x" * 1001])
def test_names_and_titles_are_one_line_without_controls(name):
    for text in (
        BALL + f'name = "{name}"\n',
        BALL + f'group = "{name}"\n',
        f'title = "{name}"\n' + BALL,
        BALL + f'[groups]\n"{name}" = []\n',
    ):
        with pytest.raises(CaseError, match="a word of at most 1000 characters, in one line") as caught:
            parse_case(text + RUN)
        assert str(caught.value).isprintable()


def test_names_with_separators_and_markup_are_names():
    name = "../a/b: <i>'\\\\"
    case = parse_case(BALL + f'name = "{name}"\n' + RUN)
    assert [*case.names] == ["../a/b: <i>'\\"]


def test_keys_stay_in_their_line():
    with pytest.raises(CaseError) as caught:
        parse_case(BALL + '"a\\nb\\u001b[2J\\u202e" = 1\n' + RUN, "c.toml")
    assert str(caught.value).startswith('c.toml, line 6, bodies[0]."a\\nb\\u001b[2J\\u202e": unknown key')


def test_of_thousands_of_problems_the_first_are_told():
    text = BALL + '[[elements]]\ntype = "SphereSpere"\n' * 10_000 + RUN
    with pytest.raises(CaseError) as caught:
        parse_case(text, "c.toml")
    lines = str(caught.value).split("\n")
    assert len(lines) == 51
    assert lines[0].startswith("c.toml, line 7, elements[0].type: 'SphereSpere' is unknown; did you mean")
    assert lines[-1] == "c.toml: and 9950 more problems"


def test_bodies_in_one_place_are_refused_before_their_pairs_are_listed():
    n = 11_000
    x, radius = np.zeros((n, 3)), np.ones(n)
    tracemalloc.start()
    with pytest.raises(MemoryError, match=r"6\.05e\+07 pairs are near each other"):
        broad_phase.near_pairs(x, radius, np.arange(n), 0.1)
    with pytest.raises(MemoryError, match=r"6\.05e\+07 pairs"):
        broad_phase.near_pairs(x, radius, np.arange(n), np.inf)
    with pytest.raises(MemoryError, match=r"6\.05e\+07 pairs"):
        box_broad_phase.near_boxes(x, x, n)
    assert tracemalloc.get_traced_memory()[1] < 2e7
    tracemalloc.stop()
