"""Public names and their arguments are those of public_names.txt; docs/deprecation.md rules a change.

python -m tests.interface.test_public_names      writes the file again
"""

import inspect
from pathlib import Path

import pytest

import elements
import nsgalpha as ns
from nsgalpha import contact, show
from nsgalpha.commands.command_line import commands
from tests.fresh_python import run_python

FILE = Path(__file__).with_name("public_names.txt")
PLACES = {"ns": ns, "ns.show": show, "ns.contact": contact, "elements": elements}
KEYWORD = inspect.Parameter.KEYWORD_ONLY
HEAD = "# Rules: docs/deprecation.md. Written by python -m tests.interface.test_public_names\n"


def arguments(thing):
    """The arguments by name, `(a, b=, *, c=)`; `=` stands for a default."""
    words, starred = [], False
    for each in inspect.signature(thing).parameters.values():
        if each.kind is KEYWORD and not starred:
            words.append("*")
        starred = starred or each.kind in (KEYWORD, each.VAR_POSITIONAL)
        mark = {each.VAR_POSITIONAL: "*", each.VAR_KEYWORD: "**"}.get(each.kind, "")
        words.append(f"{mark}{each.name}{'' if each.default is each.empty else '='}")
    return f"({', '.join(word for word in words if word != 'self')})"


def described(name, thing):
    """Lines for a public name, of a class with its public methods and attributes."""
    if not callable(thing):
        yield name
        return
    protocol = isinstance(thing, type) and getattr(thing, "_is_protocol", False)
    yield name if protocol or thing in (ns.StepFailed,) else f"{name}{arguments(thing)}"
    if not isinstance(thing, type) or name.startswith("elements."):
        return
    for own in sorted(each for each in dir(thing) if not each.startswith("_")):
        attribute = inspect.getattr_static(thing, own)
        if isinstance(attribute, staticmethod | classmethod):
            yield f"{name}.{own}{arguments(getattr(thing, own))}"
        elif inspect.isfunction(attribute):
            yield f"{name}.{own}{arguments(attribute)}"
        elif not hasattr(tuple, own):
            yield f"{name}.{own}"


def public_names():
    """All lines of the list."""
    for place, module in PLACES.items():
        for name in sorted(module.__all__):
            yield from described(f"{place}.{name}", getattr(module, name))
    for name in sorted(commands()):
        yield f"nsgalpha {name}"


def test_public_names_and_arguments_change_only_on_purpose():
    listed = FILE.read_text(encoding="utf-8").splitlines()[1:]
    assert list(public_names()) == listed


@pytest.mark.parametrize("name", ["parts", "regions", "layouts", "case", "show", "mesh_report"])
def test_a_name_is_there_where_nothing_else_has_been_used(name):
    found = run_python("-c", f"import nsgalpha as ns; print(ns.{name}.__name__)")
    assert found.stdout.strip().rpartition(".")[2] == name


def test_the_list_has_arguments_and_defaults():
    listed = FILE.read_text(encoding="utf-8")
    assert "\nns.Result.save(path, what=, *, overwrite=)\n" in listed
    assert "\nns.Result.position\n" in listed
    assert "\nelements.Revolute(a, b, *, point=, axis=, contact=, name=)\n" in listed


if __name__ == "__main__":
    FILE.write_text(HEAD + "".join(f"{line}\n" for line in public_names()), encoding="utf-8")
