"""Names in a case are those of packages; keys and types those of signatures."""

import inspect

import pytest

import elements
from nsgalpha.case import CaseError, Catalogue, case_schema, parse_case, plugin_catalogue
from nsgalpha.case.case_schema import Schema
from nsgalpha.case.plugin_catalogue import installed, merged, packages, parameters
from nsgalpha.model.handles import Body
from nsgalpha.testing import check_catalogue

TEXT = """
[[bodies]]
type = "sphere"
radius = 0.1
mass = 1
position = [0, 0, 0]

[run]
t_end = 0.1
h = 1e-2
"""

NAMED = [kind for kind in plugin_catalogue.KINDS if kind != "parts"]  # in case files


class Wind:
    """A force in proportion to the speed of the air, on one body."""

    def __init__(self, body: Body, *, speed: float, gusts: bool = False) -> None:
        self.body, self.speed, self.gusts = body, speed, gusts

    def __call__(self, t, state):
        """Forces (N, 3) [N]."""
        force = 0.0 * state.position
        force[self.body.index, 0] = self.speed
        return force


def odd(thing: object) -> None:
    """Cannot be written in TOML."""


def typed(type: str) -> None:
    """Takes the substitute for the name of a table."""


def unread(thing: "NoSuchType", speed: "float" = 1.0) -> None:  # noqa: F821
    """Has a type that is there for type checkers alone."""


@pytest.fixture
def with_wind(monkeypatch):
    """As if a package were installed that offers Wind."""
    found = merged({"all": installed(), "mine": Catalogue(loads=(Wind,))})
    monkeypatch.setattr(plugin_catalogue, "installed", lambda: found)
    monkeypatch.setattr("nsgalpha.case.case_file.schema", lambda: Schema(found))


def test_a_package_of_ones_own_adds_to_the_files(with_wind):
    case = parse_case(TEXT + '[[loads]]\ntype = "Wind"\nbody = "sphere 0"\nspeed = 2\n')
    (load,) = case.model.loads
    assert (load.body.name, load.speed, load.gusts) == ("sphere 0", 2.0, False)
    assert case.run().velocity[-1, 0, 0] == pytest.approx(0.2, rel=1e-12)


def test_its_keys_are_those_of_its_signature(with_wind):
    with pytest.raises(CaseError, match=r"line 13, .*did you mean 'speed'.*type, body, speed, gusts"):
        parse_case(TEXT + '[[loads]]\ntype = "Wind"\nspeeed = 2\n')
    with pytest.raises(CaseError, match="gusts: 1: must be true or false"):
        parse_case(TEXT + '[[loads]]\ntype = "Wind"\nbody = "sphere 0"\nspeed = 2\ngusts = 1\n')


def test_one_name_of_two_packages_is_refused():
    with pytest.raises(ValueError, match="'Wind' is offered by 'one' and by 'two'"):
        merged({"one": Catalogue(loads=(Wind,)), "two": Catalogue(loads=(Wind,))})


def test_what_has_no_form_is_told_when_a_package_is_tested_and_when_it_is_named(monkeypatch):
    mine = Catalogue(loads=(odd, typed, unread, Wind))
    with pytest.raises(AssertionError) as told:
        check_catalogue(mine)
    assert str(told.value).split("\n") == [
        "odd.thing: object: has no form in a case file",
        "typed.type: is the key that names the table",
        "unread.thing: its type cannot be read: NameError: name 'NoSuchType' is not defined",
    ]
    check_catalogue(mine, without=["odd.thing", "typed.type", "unread.thing"])
    with pytest.raises(ValueError, match=r"without: 'Wind.speed' has a form"):
        check_catalogue(mine, without=["Wind.speed"])
    found = merged({"all": installed(), "mine": mine})
    monkeypatch.setattr("nsgalpha.case.case_file.schema", lambda: Schema(found))
    with pytest.raises(CaseError, match=r"'odd': cannot be stated in a case file: .*'thing': object"):
        parse_case(TEXT + '[[loads]]\ntype = "odd"\nthing = 2\n')
    case = parse_case(TEXT + '[[loads]]\ntype = "Wind"\nbody = "sphere 0"\nspeed = 2\n')
    assert len(case.model.loads) == 1


@pytest.mark.parametrize("package", packages())
def test_all_that_is_offered_here_can_be_stated(package):
    check_catalogue(packages()[package])


def test_what_models_and_runs_leave_to_scripts():
    found = Schema(Catalogue()).tables.without_form  # of a catalogue without motions of cells
    assert set(found) == {"Model.add_body.markers", "Model.cell_motion"}


def test_all_elements_and_laws_of_the_catalogue_are_offered():
    found = installed()
    offered = {name for kind in NAMED for name in found.of(kind)}
    # functions of arrays and helpers of scripts, parts of other laws, and results of `Spring` and the like
    others = {"Compliant", "CompliantSurfaces", "PointPairs", "by_group", "dissipation", "capsule_moment"}
    others |= {"contact_modulus", "plane_modulus", "mesh_weight", "Bond", "LudingMaterial"}
    others |= {"contact_shear_modulus", "tangential_modulus", "hertz_mindlin"}
    others |= {"bar_stiffness", "contact_time", "plastic_restitution", "viscous_restitution"}
    others |= {"LinearSpring", "LinearDashpot", "MaxwellSpring", "Marker", "icosphere", "contact_patches"}
    others |= {"Cell", "Growth", "Pipette", "add_cell", "ring_of"}
    others |= {"ServoWall", "add_servo_wall"}
    others |= {"Cluster", "Cycles", "StepFunction", "add_cluster", "read_rockable"}
    assert set(elements.__all__) - offered == others


@pytest.mark.parametrize("kind", NAMED)
def test_every_argument_has_a_key(kind):
    tables = case_schema.schema().tables
    for name, maker in installed().of(kind).items():
        of_kind = {"elements": {"name", "active", "colour", "show"}, "joints": {"colour", "show"}}
        of_all = {"type", "law", "laws"} | (of_kind.get(kind, set()) - {*parameters(maker)})
        keys = set(tables.keys[f"{kind}:{name}"]) - of_all
        without = {"model"} if kind in ("starts", "cells", "walls") else set()
        assert keys == parameters(maker).keys() - without, name


def test_signatures_show_the_parameters_of_laws():
    shown = inspect.signature(elements.SphereSphere).parameters
    assert [*shown] == [
        "among",
        "pairs",
        "between",
        "without",
        "mu",
        "e_n",
        "e_t",
        "rolling_radius",
        "drilling_radius",
        "mu_static",
        "stribeck_velocity",
        "mu_across",
        "axis",
        "surface_velocity",
        "owner",
    ]
    assert "normal" in inspect.signature(elements.CompliantSphereSphere).parameters


def test_names_of_cases_are_loaded_when_they_are_used():
    import nsgalpha.case as package

    for name in package.__all__:
        found = getattr(package, name)  # a module, or a name of one
        assert getattr(found, "__module__", found.__name__).startswith("nsgalpha.case.")
    assert set(package.__all__) <= set(dir(package))
    with pytest.raises(AttributeError, match="nothing"):
        _ = package.nothing
