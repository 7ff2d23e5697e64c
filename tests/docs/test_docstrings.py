"""Examples in docstrings run and print their shown output; the main functions have one."""

import doctest
import importlib
import inspect
import pkgutil

import numpy as np
import pytest

import elements
import nsgalpha as ns
from nsgalpha.contact import ContactProblem, solve

MAIN = [
    ns.Model,
    ns.simulate,
    ns.step,
    ns.Result,
    ns.State,
    ns.GeneralizedAlpha,
    ns.MoreauJean,
    ns.VelocityVerlet,
    ns.Overdamped,
    ns.equilibrium,
    ns.compliant_contacts,
    ns.sweep,
    ns.sample_points,
    elements.SphereSphere,
    elements.SpherePlane,
    elements.CompliantSpherePlane,
    elements.Spring,
    elements.Drag,
    elements.Hertz,
    ContactProblem,
    solve,
]


def modules():
    """Names of all modules of both packages, except programs."""
    found = []
    for package in (ns, elements):
        walk = pkgutil.walk_packages(package.__path__, package.__name__ + ".")
        found += [package.__name__, *(each.name for each in walk if not each.name.endswith("__main__"))]
    return found


class Unwrapped(doctest.DocTestFinder):
    """A finder that sees through wrappers, such as checks of keywords."""

    def _from_module(self, module, object):
        return super()._from_module(module, inspect.unwrap(object) if callable(object) else object)


def examples():
    """Docstrings with examples, by name, of modules that name them in their source."""
    finder = Unwrapped(exclude_empty=True)
    for name in modules():
        spec = importlib.util.find_spec(name)
        with open(spec.origin, encoding="utf-8") as stream:
            if ">>>" in stream.read():
                yield from (each for each in finder.find(importlib.import_module(name)) if each.examples)


@pytest.mark.parametrize("example", list(examples()), ids=lambda example: example.name)
def test_an_example_prints_what_it_says(example, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    example.globs |= {"ns": ns, "np": np, "ContactProblem": ContactProblem, "__name__": "__main__"}
    if example.name.startswith("elements"):
        example.globs |= {name: getattr(elements, name) for name in elements.__all__}
    report = []
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE, verbose=False)
    assert runner.run(example, out=report.append).failed == 0, "".join(report)


@pytest.mark.parametrize("thing", MAIN, ids=lambda thing: thing.__name__)
def test_the_main_functions_have_an_example(thing):
    assert ">>> " in thing.__doc__
