"""Pictures of a run that lies in a file are those of the run."""

import numpy as np
import pytest
from shown_runs import slide, soft

import nsgalpha as ns
from elements import SpherePlane, SphereSphere
from nsgalpha import show


@pytest.fixture(scope="module", params=[slide, soft])
def pair(request, tmp_path_factory):
    """A run in memory, and the same from a file."""
    made = request.param()
    path = tmp_path_factory.mktemp("run") / "run.h5"
    t, h = made.t[-1], made.t[-1] / len(made.stats.contacts)
    every = round((made.t[1] - made.t[0]) / h)
    recording = ns.Recording(every=every, file=path)
    ns.simulate(made.model, t_end=t, h=h, recording=recording)
    return made, ns.load(path)


def data(figure):
    """Data of the lines of a figure."""
    return [line.get_xydata() for axis in figure.axes for line in axis.lines if len(line.get_xdata()) > 2]


@pytest.mark.parametrize(
    "draw",
    [
        show.speeds, show.energies, show.gaps, show.statuses, show.contact_bars, show.iterations, show.paths,
        show.network,
    ],
)  # fmt: skip
def test_figures_are_the_same(pair, draw):
    one, other = (draw(result) for result in pair)
    for a, b in zip(data(one), data(other), strict=True):
        assert np.array_equal(a, b, equal_nan=True)
    assert len(one.axes[0].collections) == len(other.axes[0].collections)


def test_stills_pages_and_series_are_the_same(pair, tmp_path):
    made, stored = pair
    for colour in ("body", "speed", "status"):
        pictures = [show.still(result, size=(120, 90), colour=colour) for result in pair]
        assert np.array_equal(*pictures)
    pages = [show.viewer(result, tmp_path / "run.html", contacts=True).read_bytes() for result in pair]
    assert pages[0] == pages[1]
    folders = [
        show.paraview(result, tmp_path / name, every=7) for result, name in zip(pair, "ab", strict=True)
    ]
    for file in folders[0].iterdir():
        assert file.read_bytes() == (folders[1] / file.name).read_bytes()
    assert made.t[-1] == stored.t[-1]


class OfAScript(SphereSphere):
    """An element that no package offers, so that files cannot hold it."""


def test_runs_with_an_element_that_is_not_in_the_file_are_drawn(tmp_path):
    model = ns.Model(gravity=(0, 0, -9.81))
    balls = [model.add_sphere(radius=0.1, mass=1.0, position=(0.3 * k, 0, 0.1)) for k in range(2)]
    model.add(OfAScript(among=balls))
    model.add(SpherePlane(balls, model.add_plane(normal=(0, 0, 1))), colour="#ff0000")
    ns.simulate(model, t_end=0.01, h=1e-3).save(tmp_path / "run.h5")
    stored = ns.load(tmp_path / "run.h5")
    show.still(stored, colour="status", size=(120, 90))
    show.viewer(stored, tmp_path / "run.html", contacts=True)
    assert len(show.network(stored).axes[0].collections[1].get_colors()) == 2
    with pytest.raises(ValueError, match=r"OfAScript, which no .* cannot be kept in a file; take the model"):
        stored.energy("elastic")
