"""Surfaces and their force elements in result files and in case files."""

import numpy as np
import pytest
from shell_meshes import icosphere, modelled, octahedron

import nsgalpha as ns
from elements import Bending, Drag, GlobalArea, LocalArea, MaxwellShell, ShellBending, ShellViscosity, Volume
from nsgalpha.case import parse_case
from tests.case.case_texts import table


def every():
    """A model with all force elements of surfaces."""
    model, nodes, surface = modelled(*icosphere(0), thickness=0.1)
    model.add(MaxwellShell(surface, modulus=20.0, time=0.5))
    model.add(ShellViscosity(surface, viscosity=0.1, weight="cotangent"))
    model.add(Bending(surface, stiffness=0.05, cosine=True, curvature=1.0))
    model.add(ShellBending(surface, modulus=2.0, poisson=0.3))
    model.add(LocalArea(surface, stiffness=1.0, tension=np.linspace(0.1, 0.2, 20)))
    model.add(GlobalArea(surface, stiffness=1.0))
    model.add(Volume(surface, stiffness=5.0, time=1.0, pressure=0.3))
    return model, ns.Overdamped(Drag(nodes, translational=0.3))


def test_a_run_in_a_file_is_read_and_goes_on(tmp_path):
    model, scheme = every()
    whole = ns.simulate(model, t_end=1.0, h=0.05, scheme=scheme)
    path = tmp_path / "cell.h5"
    ns.simulate(model, t_end=0.5, h=0.05, scheme=scheme, recording=ns.Recording(file=path))
    ns.resume(path, t_end=1.0)
    read = ns.load(path)
    assert read.position[-1] == pytest.approx(whole.position[-1], abs=1e-13)
    (surface,), (known,) = read.model.surfaces, model.surfaces
    assert surface.triangles.tolist() == known.triangles.tolist()
    assert surface.name == known.name
    assert surface.thickness.tolist() == known.thickness.tolist()
    assert surface.at(read.position[-1]).volume == pytest.approx(known.at(whole.position[-1]).volume)
    assert ns.resume(path, t_end=1.1, model=model)


def test_a_function_of_time_is_missing_in_a_file(tmp_path):
    model, nodes, surface = modelled(*octahedron())
    model.add(Volume(surface, stiffness=5.0, volume=lambda t: 1.0 + t))
    path = tmp_path / "cell.h5"
    scheme = ns.Overdamped(Drag(nodes, translational=0.3))
    ns.simulate(model, t_end=0.5, h=0.05, scheme=scheme, recording=ns.Recording(file=path))
    with pytest.raises(ValueError, match="is not in the file; give resume"):
        ns.resume(path, t_end=1.0)
    assert ns.resume(path, t_end=1.0, model=model).status


PLACES = {"a": [0, 0, 0], "b": [1, 0, 0], "c": [0, 1, 0], "d": [0, 0, 1]}
TRIANGLES = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]
CASE = "".join(
    table("bodies", type="point", name=name, position=place, group="cell") for name, place in PLACES.items()
)
CASE += table("surfaces", name="skin", nodes="cell", triangles=TRIANGLES, thickness=0.1)
CASE += table("elements", type="ShellSprings", surface="skin", modulus=10.0)
CASE += table("elements", type="Volume", surface="skin", stiffness=1.0, pressure=0.1)
CASE += """
[scheme]
type = "Overdamped"
resistance = {type = "Drag", bodies = "cell", translational = 1.0}
[run]
t_end = 1.0
h = 0.1
"""


def test_a_case_file_states_a_cell():
    case = parse_case(CASE)
    (surface,) = case.model.surfaces
    assert [node.name for node in surface.nodes] == ["a", "b", "c", "d"]
    result = case.run()
    assert result.status, result.status.message
    assert surface.at(result.position[-1]).volume[0] > surface.reference.volume[0]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (('surface = "skin"', 'surface = "skim"'), "skin"),
        (('surface = "skin"', 'surface = "a"'), "'a' is a body: must be a surface"),
        (("[0, 3, 2]]", "[0, 2, 3]]"), "go the same way along the edge"),
    ],
)
def test_what_a_case_file_gets_wrong_is_named(given, message):
    with pytest.raises(ValueError, match=message):
        parse_case(CASE.replace(*given))
