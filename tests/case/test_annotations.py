"""Types of arguments are read through aliases, and ArrayLike whether NumPy states a union or an alias."""

from collections.abc import Sequence
from typing import Annotated, Any, NewType, TypeVar

import pytest
from numpy.typing import ArrayLike
from typing_extensions import TypeAliasType

from nsgalpha.case import Catalogue, argument_annotations
from nsgalpha.case.argument_annotations import NoForm, Numbers, resolved
from nsgalpha.case.table_types import Tables

ITEM = TypeVar("ITEM")
SPEED = TypeAliasType("SPEED", float | None)
PAIR = TypeAliasType("PAIR", tuple[ITEM, ITEM] | Sequence[ITEM], type_params=(ITEM,))
ALIAS: Any = TypeAliasType("ArrayLike", ArrayLike)  # as NumPy 2.4 has it with Python 3.12


@pytest.mark.parametrize(
    ("alias", "plain"),
    [
        (SPEED, float | None),
        (TypeAliasType("SPEEDS", Sequence[SPEED]), Sequence[float | None]),
        (PAIR[float], tuple[float, float] | Sequence[float]),
        (Sequence[PAIR[int]], Sequence[tuple[int, int] | Sequence[int]]),
        (Annotated[SPEED, "of a ball"], float | None),
        (NewType("Length", float), float),
        (tuple[SPEED, ...], tuple[float | None, ...]),
    ],
)
def test_an_alias_stands_for_its_type(alias, plain):
    assert resolved(alias) == plain


@pytest.mark.parametrize("stated", [ArrayLike, ALIAS])
def test_array_like_stands_for_numbers(stated, monkeypatch):
    monkeypatch.setattr(argument_annotations, "ArrayLike", stated)
    assert resolved(stated) is Numbers
    assert resolved(stated | None) == Numbers | None
    assert resolved(float | stated | Sequence[str]) == Numbers | Sequence[str]
    assert resolved(Sequence[stated]) == Sequence[Numbers]
    assert resolved(TypeAliasType("GIVEN", float | stated)) is Numbers


class Circle:
    """As `type circle = Sequence[circle]`, which Python 3.11 cannot read."""

    @property
    def __value__(self):
        return Sequence[self]


def test_a_type_that_is_part_of_itself_has_no_form(monkeypatch):
    monkeypatch.setattr(argument_annotations, "ALIASES", (Circle,))
    with pytest.raises(NoForm, match="is part of itself"):
        resolved(Circle())


def test_gravity_is_numbers_where_array_like_is_an_alias(monkeypatch):
    """The first command of a user, with NumPy 2.4 and Python 3.12, ended in a KeyError."""

    def model(gravity: ALIAS = (0.0, 0.0, 0.0)) -> None:
        """A model."""

    monkeypatch.setattr(argument_annotations, "ArrayLike", ALIAS)
    assert "gravity" in Tables(Catalogue()).arguments(model)
