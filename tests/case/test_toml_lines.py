"""Every key of a TOML text has the line on which it stands."""

import json
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nsgalpha.case.case_commands import shipped
from nsgalpha.case.toml_lines import line_numbers

NASTY = '''# a comment = 1
title = "a # b = [ { 'x' ]" # and another
gravity = [0, 0,
  -9.8, # three
]
a.b."c d" = 1.5e3
when = 1979-05-27 07:32:00
'lit = eral' = \'\'\'
[no.table]
x = 1\'\'\'
[[bodies]]
type = "sphere"
p = {x = 1, y = [{z = 2}, 3], q.r = {}}
[[bodies]]
text = """
[[bodies]] \\"""
"quotes" """
[bodies.normal]
law = 'x\\'
[[bodies.parts]]
n = 1
[[bodies.parts]]
n = +inf
[run] # the end
t_end = 1_000.5
e = []
[x.y]
'''


def paths(data, before=()):
    """All paths of parsed data."""
    items = data.items() if isinstance(data, dict) else enumerate(data)
    for key, value in items:
        yield (*before, key)
        if isinstance(value, dict | list):
            yield from paths(value, (*before, key))


def test_nothing_is_missed_and_nothing_invented():
    assert set(line_numbers(NASTY)) == set(paths(tomllib.loads(NASTY)))


@pytest.mark.parametrize("name", sorted(shipped()))
def test_shipped_cases_are_scanned_as_they_are_parsed(name):
    text = shipped()[name].read_text(encoding="utf-8")
    assert set(line_numbers(text)) == set(paths(tomllib.loads(text)))


def test_lines_are_those_of_the_keys():
    lines = line_numbers(NASTY)
    text = NASTY.splitlines()
    for path, words in {
        ("title",): "title =",
        ("gravity", 2): "-9.8",
        ("a", "b", "c d"): "a.b.",
        ("lit = eral",): "'lit = eral'",
        ("bodies", 0, "p", "y", 0, "z"): "p = {",
        ("bodies", 1, "normal"): "[bodies.normal]",
        ("bodies", 1, "parts", 1, "n"): "n = +inf",
        ("run", "t_end"): "t_end",
    }.items():
        assert text[lines[path] - 1].strip().startswith(words)
    assert lines[("bodies", 1)] > lines[("bodies", 0)]


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\x7f"), max_size=12), max_size=5))
def test_strings_with_any_characters_hide_nothing(strings):
    text = "".join(
        f"{json.dumps(word, ensure_ascii=False)} = {k}\n" for k, word in enumerate(dict.fromkeys(strings))
    )
    try:
        data = tomllib.loads(text + "end = 1\n")
    except tomllib.TOMLDecodeError:  # a key that is a prefix of none, but written twice: end
        assert "end" in strings
        return
    lines = line_numbers(text + "end = 1\n")
    assert set(lines) == set(paths(data))
    assert lines[("end",)] == len(data)
