"""Argument checks: numbers, integers, vectors, and values in messages."""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from nsgalpha import checks

HALVES = [
    0.5,
    Fraction(1, 2),
    Decimal("0.5"),
    np.float32(0.5),
    np.float16(0.5),
    np.array(0.5),
    np.longdouble(0.5),
]


@pytest.mark.parametrize("half", HALVES, ids=lambda half: type(half).__name__)
def test_numbers_of_all_kinds_are_floats(half):
    assert (checks.number("x", half), type(checks.number("x", half))) == (0.5, float)
    assert checks.vector("x", [half, 1, half]).tolist() == [0.5, 1.0, 0.5]


@pytest.mark.parametrize("five", [5, 5.0, np.int8(5), np.uint64(5), np.array(5), Fraction(5)])
def test_whole_numbers_of_all_kinds_are_integers(five):
    assert (checks.integer("n", five), type(checks.integer("n", five))) == (5, int)


@pytest.mark.parametrize(
    ("n", "allowed"),
    [(0, "an integer >= 1"), (1.5, "an integer >= 1"), ("1", "an integer >= 1"), (10**301, "at most 1e300")],
)
def test_counts_are_at_least_one(n, allowed):
    with pytest.raises(ValueError, match=rf"n = .*: must be .*{allowed}$"):
        checks.count("n", n)
    assert checks.count("n", 10**300) == 10**300


def test_the_places_of_a_list_count_from_both_ends():
    assert [checks.index("i", i, 3) for i in (-3, -1, 0, 2)] == [-3, -1, 0, 2]
    for i in (-4, 3, True):
        with pytest.raises(ValueError, match=r"i = .*: must be an integer from -3 to 2"):
            checks.index("i", i, 3)


def test_arrays_are_copies_in_double_precision():
    given = np.arange(3, dtype=np.float32)
    for made in (checks.floats("x", given, ""), checks.vector("x", given)):
        assert made.dtype == np.float64
        assert not np.shares_memory(made, given)
    table = np.arange(3)
    assert not np.shares_memory(checks.integers("x", table, ""), table)


@pytest.mark.parametrize("value", [[0.5], [2**63], [[0, 1], [2]], ["1"], [True], [1, True]])
def test_integers_are_no_other_numbers(value):
    with pytest.raises(ValueError, match=r"rows = .*: must be integers"):
        checks.integers("rows", value, "integers")


def test_arguments_that_do_not_go_together_are_named():
    with pytest.raises(ValueError, match=r"a, b: shapes \(2,\), \(3,\): must go together"):
        checks.together(a=[1, 2], b=[1, 2, 3])
    assert [each.tolist() for each in checks.together(a=1, b=[2, 3])] == [[1.0, 1.0], [2.0, 3.0]]


class Broken:
    def __repr__(self):
        raise RuntimeError


@pytest.mark.parametrize(
    "value",
    [
        [0.5] * 10**6,
        tuple(range(10**6)),
        "x" * 10**6,
        10**4000,
        10**10_000,
        np.zeros(10**6),
        np.eye(9),
        Broken(),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_shown_of_a_value_is_one_line_that_is_not_long(value):
    assert 0 < len(checks.shown(value)) <= 160
    assert "\n" not in checks.shown(value)


def test_what_is_shown_of_a_value_holds_no_command_for_a_terminal():
    class Red:
        def __repr__(self):
            return "\x1b[31mred"

    assert checks.shown(Red()) == "\\x1b[31mred"
    assert checks.shown("a\x1b  b") == "'a\\x1b  b'"
    with pytest.raises(TypeError, match=r"unknown parameter 'mo\\x1bss'; did you mean 'moss'\? it has moss"):
        raise checks.unknown("stone", "mo\x1bss", ["moss"])


@checks.typed
@dataclass(frozen=True, slots=True)
class Pendulum:
    length: float
    swings: int = 1
    damped: bool = False
    name: str | None = None

    def __post_init__(self):
        checks.positive("length", self.length)


def test_fields_are_kept_as_their_types_say():
    made = Pendulum(np.float32(2.0), swings=3.0, damped=np.True_)
    assert [type(each) for each in (made.length, made.swings, made.damped)] == [float, int, bool]
    assert made == Pendulum(length=2, swings=3, damped=True, name=None)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"length": "2"}, "length = '2': must be a number"),
        ({"length": -2}, "length = -2: must be positive and finite"),  # as it was given
        ({"length": 2, "swings": 1.5}, "swings = 1.5: must be an integer"),
        ({"length": 2, "damped": "no"}, "damped = 'no': must be True or False"),
        ({"length": 2, "damped": None}, "damped = None: must be True or False"),
        ({"length": 2, "name": 5}, "name = 5: must be a text"),
    ],
)
def test_fields_of_another_type_are_refused(given, words):
    with pytest.raises(ValueError, match=f"^{words}"):
        Pendulum(**given)


def test_a_record_refuses_what_a_call_of_python_would():
    with pytest.raises(TypeError, match=r"^Pendulum: unknown parameter 'lenght'; did you mean 'length'\?"):
        Pendulum(lenght=1.0)
    with pytest.raises(TypeError, match="length"):
        Pendulum(1.0, length=1.0)
    with pytest.raises(TypeError, match="length"):
        Pendulum()
    with pytest.raises(TypeError, match="positional"):
        Pendulum(1.0, 1, False, None, 5)
