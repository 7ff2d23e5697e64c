"""Every element, law, load, motion and scheme that packages offer comes back from a file as it was stated."""

import json

import numpy as np
import pytest

import elements as e
import nsgalpha as ns
from elements.catalogue import CATALOGUE as ELEMENTS
from nsgalpha.case.builtin_catalogue import CATALOGUE as BUILTIN
from nsgalpha.io.file_vocabulary import word_of
from nsgalpha.io.model_description import describe, missing, plain
from nsgalpha.io.model_reader import value_of
from nsgalpha.model.constructor_record import remembers, statement_of
from tests.io.former_models import FILES


@pytest.mark.parametrize("name", [name for name in FILES if name != "script"])
def test_a_model_is_described_completely_and_comes_back(tmp_path, name):
    build, h, _, _ = FILES[name]
    model, scheme = build()
    assert not missing(describe(model))
    path = tmp_path / "run.h5"
    ns.simulate(model, t_end=3 * h, h=h, scheme=scheme, recording=ns.Recording(file=path))
    found = ns.load(path).model
    assert json.dumps(describe(found)) == json.dumps(describe(model))
    if scheme is not None:
        assert plain(value_of(plain(scheme), found, ("schemes",), "scheme")) == plain(scheme)


@pytest.mark.parametrize("catalogue", [ELEMENTS, BUILTIN])
def test_all_that_case_files_name_result_files_name_too(catalogue):
    for kind in (
        "elements",
        "joints",
        "drives",
        "laws",
        "loads",
        "resistances",
        "motions",
        "schemes",
        "parts",
    ):
        for name, maker in catalogue.of(kind).items():
            found = word_of(maker)
            assert found is not None, name
            assert found.name == name


def test_a_statement_does_not_change_with_the_lists_of_the_script():
    model = ns.Model()
    balls = [model.add_sphere(radius=0.1, mass=1.0, position=(k, 0, 0)) for k in range(3)]
    some, drag = balls[:2], np.ones(2)
    element, load = e.SphereSphere(some, mu=0.3), e.Drag(some, translational=drag)
    some.append(balls[2])
    drag[:] = 7.0
    assert statement_of(element).arguments == {"among": (balls[0], balls[1]), "mu": 0.3}
    assert statement_of(load).arguments["translational"].tolist() == [1.0, 1.0]


def test_a_class_that_is_derived_states_itself_or_is_missing():
    class Mine(e.SphereSphere):
        pass

    model = ns.Model()
    balls = [model.add_sphere(radius=0.1, mass=1.0, position=(k, 0, 0)) for k in range(2)]
    assert statement_of(Mine(balls)) is None
    assert "Mine" in missing(plain(Mine(balls)))[0]
    mine = remembers(Mine)(balls)
    assert statement_of(mine).maker is Mine
    assert "Mine" in missing(plain(mine))[0]  # no package offers it


def test_what_a_file_states_passes_the_checks_of_its_constructor():
    model = ns.Model()
    model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0))
    described = plain(e.Spring([(model.bodies[0], (0, 0, 1))], stiffness=20.0))
    assert isinstance(value_of(described, model, ("elements",), "it"), e.Compliant)
    described["arguments"]["stiffness"] = -20.0
    with pytest.raises(ValueError, match=r"it: Spring: stiffness.*-20"):
        value_of(described, model, ("elements",), "it")
    described["record"] = "Hertz"
    with pytest.raises(ValueError, match=r"it: Hertz: name = 'Hertz': must be .* one of the elements"):
        value_of(described, model, ("elements",), "it")
    described["record"] = "os.system"
    with pytest.raises(ValueError, match=r"'os.system'"):
        value_of(described, model, ("elements",), "it")
