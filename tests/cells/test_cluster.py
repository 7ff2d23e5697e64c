"""Clusters: lineages, cell halves, growth and division in one run, and refusals."""

from pathlib import Path

import numpy as np
import pytest

import nsgalpha as ns
from elements import Cycles, DividingContact, add_cluster, icosphere
from elements.cells.cell_cluster import lineage
from elements.cells.cell_halves import halves, volume_of
from nsgalpha.case import parse_case
from nsgalpha.schemes.implicit.implicit_stepper import ImplicitStepper
from nsgalpha.stepping.step_outcome import SMOOTH
from verification import cases

MESH = icosphere(2)
SIZES = {"radius": 1.0, "cycle": 4.0, "tension": 1.0, "volume_stiffness": 500.0, "stiffness": 100.0}
GIVEN = SIZES | {"work": 0.6, "reach": 0.1, "viscosity": 1.0, "thickness": 1.0, "subdivisions": 1}


def clustered(count=3, **given):
    """A model and its cluster."""
    model = ns.Model()
    return model, add_cluster(model, count=count, **(GIVEN | given))


def run(model, made, t_end, **given):
    return ns.simulate(model, t_end=t_end, h=0.1, scheme=ns.Overdamped(made.drag(1.0)), **given)


def test_lineages_follow_from_the_seed_and_no_cell_is_born_before_its_mother():
    times, mothers = lineage(20, 10.0, 0.3, 7)
    assert lineage(20, 10.0, 0.3, 7)[0] == times != lineage(20, 10.0, 0.3, 8)[0]
    births = np.array([each[0] for each in times])
    assert mothers[0] == -1
    assert (births[mothers[1:]] < births[1:]).all()
    assert (np.diff(births) >= 0).all()
    turns = np.concatenate([np.diff(each) for each in times])
    assert ((turns >= 7.0) & (turns <= 13.0)).all()
    for k in range(1, 20):
        assert births[k] in times[mothers[k]][1:-1]


def test_volumes_that_cells_strive_for_add_up_through_divisions():
    times, _ = lineage(8, 10.0, 0.3, 7)
    cycles = [Cycles(volume=2.0, times=each) for each in times]
    for birth in (each[0] for each in times[1:]):
        before, after = (sum(cell(birth + dt) for cell in cycles) for dt in (-1e-9, 1e-9))
        assert np.isclose(before, after, rtol=1e-8)
    assert np.isclose(cycles[0](0.0), 2.0)
    assert cycles[0](1e6) == 4.0


@pytest.mark.parametrize("stretch", [(1, 1, 1.5), (2, 1, 1), (1, 1, 1)])
def test_halves_share_the_volume_and_the_face_between_them(stretch):
    x, triangles = MESH[0] * stretch + (3, -2, 1), MESH[1]
    chance = np.array([0.0, 3.0, 0.0])
    whole, centre = volume_of(x, triangles)
    one, two = halves(x, triangles, MESH[0], chance)
    sizes, middles = zip(*(volume_of(part, triangles) for part in (one, two)), strict=True)
    assert np.allclose(sizes, 0.5 * whole, rtol=1e-12)
    across = middles[0] - middles[1]
    axis = np.eye(3)[np.argmax(stretch)] if max(stretch) > 1 else chance / 3
    assert abs(across @ axis) > 0.999 * np.linalg.norm(across)
    assert np.allclose(np.mean(middles, axis=0), centre, atol=0.01)
    side = np.sign(across @ axis)
    assert (side * ((one - centre) @ axis)).min() > -0.05
    assert (side * ((two - centre) @ axis)).max() < 0.05
    assert np.ptp(one @ axis) < 0.55 * np.ptp(x @ axis) + 0.05


def test_a_cluster_grows_holds_together_and_keeps_its_volume():
    model, made = clustered(4, scatter=0.2, seed=2)
    result = run(model, made, 11.0, record_every=5)
    assert result.status.ok, result.status.message
    assert made.births[-1] < 10.0
    for i, t in enumerate(result.t):
        there = made.present(t) | (made.mothers < 0)
        outputs = [result.surface(surface, i) for surface in np.array(made.surfaces)[there]]
        wanted = sum(each.volume(t) for each in cycles_of(model)[: there.sum()])
        assert np.isclose(sum(float(each.volume[0]) for each in outputs), wanted, rtol=0.02)
        if there.sum() > 1:
            assert all(each.contact_area.sum() > 0.04 * each.area.sum() for each in outputs)
    x = result.position[-1]
    centres = np.array([volume_of(x[each.bodies], each.triangles)[1] for each in made.surfaces])
    apart = np.linalg.norm(centres[:, None] - centres, axis=2)[np.triu_indices(4, 1)]
    assert apart.min() > 1.0
    assert apart.max() < 4.5


def test_a_planned_division_is_no_step_that_failed(monkeypatch):
    model, made = clustered(2, seed=2)
    end = float(made.births[1]) + 0.2
    result = run(model, made, end)
    assert result.status.ok
    assert "failed" not in result.status.message
    assert not result.stats.divided.any()
    step, long = ImplicitStepper._step, 0.1 / 20  # longer than a part after the division

    def refusing(self, t, h, frames, stats):
        return SMOOTH if 1e-5 < h < 0.05 and h > long else step(self, t, h, frames, stats)

    monkeypatch.setattr(ImplicitStepper, "_step", refusing)
    halved = run(*clustered(2, seed=2), end)
    assert "; 1 step failed and was taken in parts" in halved.status.message
    assert np.count_nonzero(halved.stats.divided) == 1
    assert halved.stats.divided.max() > 17


class Wanted:
    """The volume that an element strives for."""

    def __init__(self, element):
        self.volume = element.stated.arguments["volume"]


def cycles_of(model):
    return [Wanted(each) for each in model.elements if type(each).__name__ == "Volume"]


def test_runs_are_the_same_again_and_go_on_from_a_file(tmp_path):
    whole = run(*clustered(), 9.0)
    assert np.array_equal(run(*clustered(), 9.0).position[-1], whole.position[-1])
    assert not np.allclose(run(*clustered(seed=1), 9.0).position[-1], whole.position[-1])
    model, made = clustered()
    path = tmp_path / "run.h5"
    run(model, made, float(made.births[1]), recording=ns.Recording(file=path))
    again = ns.resume(path, t_end=9.0)
    assert again.status.ok
    assert np.allclose(again.position[-1], whole.position[-1], atol=1e-10)


def test_the_shipped_case_runs_in_small(tmp_path):
    text = (Path(cases.__path__[0]) / "growing_cluster.toml").read_text()
    small = text.replace("count = 12", "count = 2\nsubdivisions = 1").replace("1.5e5", "4e4")
    result = parse_case(small).run(tmp_path / "run.h5")
    assert result.status.ok
    assert len(result.model.surfaces) == 2
    assert result.surface(result.model.surfaces[1], -1).volume[0] > 4e-16


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"count": 0}, "count"),
        ({"count": 2.5}, "count"),
        ({"radius": -1.0}, "radius"),
        ({"cycle": 0.0}, "cycle"),
        ({"scatter": 1.0}, "scatter"),
        ({"seed": -1}, "seed"),
        ({"tension": -1.0}, "tension"),
        ({"thickness": None}, "thickness"),
        ({"viscosity": -1.0}, "viscosity"),
        ({"volume_stiffness": 0.0}, "volume_stiffness"),
        ({"stiffness": 0.0}, "stiffness"),
        ({"reach": 0.0}, "reach"),
        ({"subdivisions": -1}, "subdivisions"),
        ({"planes": 3}, "planes"),
        ({"shown": 1}, "shown"),
        ({"name": 3}, "name"),
    ],
)
def test_what_cannot_be_is_refused_and_adds_nothing(given, words):
    model = ns.Model()
    with pytest.raises(ValueError, match=words):
        add_cluster(model, **({"count": 2} | GIVEN | given))
    assert not [*model.bodies, *model.surfaces, *model.elements, *model.primitives]


def test_families_that_cannot_be_and_other_schemes_are_refused():
    model, made = clustered(2)
    law = {"stiffness": 1.0}
    for births, mothers, words in (
        ((0, 1, 2), (-1, 0), "births"),
        ((0, 1), (-1, 1), "mothers"),
        ((0, 1), (-1, 5), "mothers"),
        ((0, np.nan), (-1, 0), "births"),
        ((0, 1), (1, 0), "after"),
    ):
        with pytest.raises(ValueError, match=words):
            DividingContact(made.surfaces, births=births, mothers=mothers, **law)
    for scheme in (ns.GeneralizedAlpha(), ns.SemiImplicit(resistance=made.drag(1.0))):
        with pytest.raises(ValueError, match="Overdamped for cells that divide"):
            ns.simulate(model, t_end=1.0, h=0.1, scheme=scheme)
    for times in ((0.0,), (1.0, 1.0), "now"):
        with pytest.raises(ValueError, match="times"):
            Cycles(volume=1.0, times=times)
