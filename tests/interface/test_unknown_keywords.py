"""Unknown keywords of public classes and functions: the TypeError names the nearest known one."""

import inspect

import pytest

import elements
import nsgalpha as ns
from nsgalpha import contact, show
from nsgalpha.case import layouts, plane_groups
from tests.interface.public_calls import MADE_FOR_USERS

#: Made in every step, by functions, or with arguments of any name.
UNCHECKED = {"State", "Table", "Grid", "ContactSolution", "ContactStatus", "Wall", "Part", "sample_points"}
UNCHECKED |= {"joined", "placed", "part_list"}  # of no page
PLACES = (ns, elements, show, contact, layouts, plane_groups, ns.parts, ns.regions)


def public_names(place):
    """Public names of a module: its `__all__`, or the names that it defines."""
    if stated := getattr(place, "__all__", None):
        return list(stated)
    things = vars(place).items()
    return [n for n, each in things if n[0] != "_" and getattr(each, "__module__", "") == place.__name__]


def callables():
    """Public classes and functions, and methods of a model and a result, by name."""
    found = {}
    for place in PLACES:
        for name in public_names(place):
            thing = getattr(place, name)
            if name in MADE_FOR_USERS | UNCHECKED or inspect.ismodule(thing) or not callable(thing):
                continue
            if not (isinstance(thing, type) and (issubclass(thing, Exception) or is_protocol(thing))):
                found[f"{place.__name__}.{name}"] = thing
    for cls in (ns.Model, ns.Result):
        for name, _ in inspect.getmembers(cls, inspect.isfunction):
            if not name.startswith("_"):
                found[f"{cls.__name__}.{name}"] = getattr(cls, name)
    return found


def is_protocol(thing):
    return getattr(thing, "_is_protocol", False)


def keyword_of(thing):
    """The longest keyword that a callable takes, and how many arguments stand before it."""
    kinds = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    named = [p.name for p in inspect.signature(thing).parameters.values() if p.kind in kinds]
    return max((name for name in named if name != "self"), key=len, default=None)


CALLS = {name: thing for name, thing in callables().items() if keyword_of(thing)}


@pytest.mark.parametrize("name", CALLS)
def test_an_unknown_keyword_names_the_one_that_was_meant(name):
    meant = keyword_of(CALLS[name])
    with pytest.raises(TypeError, match=f": unknown parameter '{meant}e'; did you mean '{meant}'\\?"):
        CALLS[name](**{f"{meant}e": 1})


def test_all_kinds_of_public_names_are_tried():
    some = {"nsgalpha.simulate", "nsgalpha.Model", "Model.add_box", "Result.reaction", "elements.Contact"}
    assert some <= set(CALLS)
    assert len(CALLS) > 200
