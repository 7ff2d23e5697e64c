import io
from dataclasses import replace

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from PIL import Image
from shown_runs import rack, shapes, slide, soft

from nsgalpha import show
from nsgalpha.show import plots
from nsgalpha.show.colours import body_colours
from nsgalpha.show.figure_style import COLOURS, in_unit, label, new_figure
from tests.fresh_python import run_python


class Counted:
    """An array as one in a file: it keeps the read rows."""

    def __init__(self, values):
        self.values, self.keys = values, []
        self.shape, self.dtype = values.shape, values.dtype

    def __len__(self):
        return len(self.values)

    def __getitem__(self, key):
        self.keys.append(key)
        return self.values[key]


def lines(figure, axis=0):
    """Drawn lines by label."""
    return {line.get_label(): line.get_xydata() for line in figure.axes[axis].lines}


def test_nothing_heavy_is_imported_before_something_is_drawn():
    code = "import sys, nsgalpha; from nsgalpha import show; print({'matplotlib', 'numba'} & {*sys.modules})"
    assert run_python("-c", code).stdout == "set()\n"


def test_figures_are_drawn_without_the_global_state_of_pyplot():
    code = (
        "import sys, nsgalpha as ns; from nsgalpha import show\n"
        "m = ns.Model(); m.add_sphere(radius=1, mass=1, position=(0, 0, 0), velocity=(1, 0, 0))\n"
        "f = show.speeds(ns.simulate(m, t_end=1, h=0.1)); f.savefig('/dev/null', format='png')\n"
        "print([f'matplotlib{each}' in sys.modules for each in ('', '.pyplot')])"
    )
    assert run_python("-c", code).stdout == "[True, False]\n"


def test_speeds_are_those_of_the_chosen_bodies_alone():
    result = slide()
    ball = result.model.bodies[1]
    for chosen in (ball, 1, "second", [ball]):
        drawn = lines(show.speeds(result, chosen))
        assert list(drawn) == ["second"]
        assert np.array_equal(drawn["second"][:, 0], result.t)
        assert np.array_equal(drawn["second"][:, 1], np.linalg.norm(result.velocity[:, 1], axis=1))
    spin = lines(show.speeds(result, ball, spin=True))["second"]
    assert np.array_equal(spin[:, 1], np.linalg.norm(result.angular_velocity[:, 1], axis=1))


def test_only_the_column_of_the_chosen_body_is_read():
    result = slide()
    velocity = Counted(result.velocity)
    show.speeds(replace(result, velocity=velocity), 1)
    assert velocity.keys == [(slice(None), 1)]


def test_of_many_bodies_the_spread_is_drawn():
    result = rack()
    drawn = lines(show.speeds(result))
    speed = np.linalg.norm(result.velocity, axis=2)
    assert np.allclose(drawn["largest"][:, 1], speed.max(axis=1))
    assert np.allclose(drawn["root mean square"][:, 1], np.sqrt((speed**2).mean(axis=1)))
    assert np.allclose(drawn["smallest"][:, 1], speed.min(axis=1))


def test_bodies_have_one_colour_in_all_figures():
    axis = show.speeds(slide()).axes[0]
    assert [
        line.get_color() if isinstance(line.get_color(), str) else to_hex(line.get_color())
        for line in axis.lines
    ] == list(COLOURS[:2])
    many = body_colours(200)
    apart = np.linalg.norm(many[:, None] - many[None], axis=2) + np.eye(200)
    assert apart.min() > 1e-3


def test_energies_add_up_to_the_total():
    drawn = lines(show.energies(soft()))
    assert set(drawn) == {"kinetic", "potential", "elastic", "total"}
    total = sum(drawn[kind][:, 1] for kind in ("kinetic", "potential", "elastic"))
    assert np.allclose(drawn["total"][:, 1], total)
    assert drawn["elastic"][:, 1].max() > 0.0
    assert set(lines(show.energies(slide()))) == {"kinetic", "potential", "total"}


def test_gap_of_a_pair_is_its_distance():
    result = slide()
    first, second = result.model.bodies
    (gap,) = [xy for name, xy in lines(show.gaps(result, first, second)).items() if len(xy) > 2]
    apart = np.linalg.norm(result.position[:, 0] - result.position[:, 1], axis=1) - 0.2
    assert np.allclose(gap[:, 1], apart)
    floor = next(xy for xy in lines(show.gaps(result, first, result.model.planes[0])).values() if len(xy) > 2)
    assert np.allclose(floor[:, 1], result.position[:, 0, 2] - 0.1, atol=1e-15)
    smallest = next(xy for xy in lines(show.gaps(result)).values() if len(xy) > 2)
    assert np.abs(smallest[:, 1]).max() < 1e-12


def test_gap_follows_planes_that_move():
    result = shapes()
    inner, moving, carried = result.model.bodies[-1], *result.model.planes
    gap = next(xy for xy in lines(show.gaps(result, inner, moving)).values() if len(xy) > 2)[:, 1]
    assert np.allclose(gap, result.position[:, inner.index, 0] - (result.t - 0.9) - 0.1)
    gap = next(xy for xy in lines(show.gaps(result, inner, carried)).values() if len(xy) > 2)[:, 1]
    s, x, y, z = result.rotation[:, 0].T
    normal = np.stack([2 * (x * z + s * y), 2 * (y * z - s * x), 1 - 2 * (x * x + y * y)], axis=1)
    arm = result.position[:, inner.index] - result.position[:, 0]
    assert np.allclose(gap, (normal * arm).sum(axis=1) + 0.3 - 0.1)


def test_smallest_gap_of_compliant_contacts_is_the_overlap():
    result = soft()
    drawn = next(xy for xy in lines(show.gaps(result)).values() if len(xy) > 2)
    apart = np.linalg.norm(result.position[:, 0] - result.position[:, 1], axis=1) - 0.2
    closed = apart < 0.0
    assert closed.any()
    assert np.allclose(drawn[closed, 1], apart[closed])


def test_statuses_count_the_closed_contacts():
    result = slide()
    axis = show.statuses(result).axes[0]
    names = [part.get_label() for part in axis.collections]
    assert set(names) == set(result.contacts.status) >= {"stick", "slip"}
    top = max(part.get_datalim(axis.transData).y1 for part in axis.collections)
    assert top == np.diff(result.contacts.start).max()


def test_bars_are_as_long_as_contacts_are_closed():
    result = slide()
    axis = show.contact_bars(result, "first").axes[0]
    names = [text.get_text() for text in axis.get_yticklabels()]
    assert names == ["first, floor", "first, second"]
    slip = sum(
        path.get_extents().width
        for bars in axis.collections
        for path in bars.get_paths()
        if path.get_extents().y0 < 0.0 and to_hex(bars.get_facecolor()[0]) == "#c0504d"
    )
    rolls = 2 * 2.0 / (7 * 0.2 * 9.81)  # [s] from then on it rolls, until it hits the other
    contacts = result.contacts
    mine = (contacts.plane == 0) & (contacts.body_a == 0) & (contacts.status == "slip")
    assert slip == pytest.approx(2e-3 * mine.sum())
    assert slip > rolls


def test_iterations_have_a_value_for_every_step():
    result = slide()
    figure = show.iterations(result)
    assert len(figure.axes) == 4
    impacts = figure.axes[1].lines[0].get_xydata()
    assert np.allclose(impacts[:, 0], 2e-3 * np.arange(1, 501))
    assert np.array_equal(impacts[:, 1], result.stats.sub_impacts)


def test_paths_are_seen_along_the_third_axis():
    result = slide()
    drawn = show.paths(result, "second", plane="yz").axes[0].lines[0].get_xydata()
    assert np.array_equal(drawn, result.position[:, 1][:, [1, 2]])
    edges = [line for line in show.paths(result, plane="xz").axes[0].lines if len(line.get_xdata()) == 2]
    assert len(edges) == 1  # the floor


def test_network_is_as_wide_as_the_forces():
    result = slide()
    figure = show.network(result, 0.1)
    (drawn,) = [part for part in figure.axes[0].collections if len(part.get_linewidths()) == 2]
    weight = 9.81
    assert np.allclose(drawn.get_linewidths(), 6.0)  # both carry the weight of one ball
    assert f"widest {weight:.3g} N" in figure.axes[0].get_title(loc="left")
    ends = np.array(drawn.get_segments())
    assert np.allclose(ends[:, 0, 1], 0.1)
    assert np.allclose(ends[:, 1, 1], 0.0, atol=1e-12)


def test_network_has_the_forces_of_compliant_contacts():
    result = soft()
    force = result.compliant_contacts(-1).force
    title = show.network(result).axes[0].get_title(loc="left")
    assert f"widest {np.linalg.norm(force):.3g} N" in title


def test_of_a_crowd_the_places_are_drawn_and_no_paths(monkeypatch):
    monkeypatch.setattr(plots, "CROWD", 5)
    result = rack()
    lines_of = {len(line.get_xdata()) for line in show.paths(result).axes[0].lines}
    assert lines_of <= {2, 49}  # edges of planes, circles
    chosen = show.paths(result, range(len(result.model.bodies))).axes[0].lines
    assert len(result.t) in {len(line.get_xdata()) for line in chosen}


def test_saved_figures_end_where_the_drawing_does(tmp_path):
    figure = show.paths(slide(), plane="xz")  # much wider than high
    figure.savefig(tmp_path / "a.png", dpi=50)
    with Image.open(tmp_path / "a.png") as image:
        dark = np.asarray(image.convert("L")) < 200
    assert image.height < 0.6 * 50 * figure.get_figheight()
    rows, columns = dark.any(axis=1), dark.any(axis=0)
    assert min(rows.argmax(), rows[::-1].argmax(), columns.argmax(), columns[::-1].argmax()) < 6
    for suffix in ("svg", "pdf"):
        figure.savefig(tmp_path / f"a.{suffix}")
        assert (tmp_path / f"a.{suffix}").stat().st_size > 1000


@pytest.mark.parametrize(
    ("draw", "words"),
    [
        (lambda r: show.speeds(r, 7), "bodies = 7"),
        (lambda r: show.speeds(r, "ball"), "bodies = 'ball'"),
        (lambda r: show.speeds(r, r.model.planes), "bodies"),
        (lambda r: show.speeds(r, []), "bodies"),
        (lambda r: show.paths(r, plane="xx"), "plane = 'xx'"),
        (lambda r: show.network(r, 2.0), r"t = 2.0: must be in \[0, 1\]"),
        (lambda r: show.gaps(r, r.model.bodies[0]), "a, b: give both"),
        (lambda r: show.gaps(r, r.model.bodies[0], slide().model.planes), "b"),
        (lambda r: show.gaps(r, soft().model.bodies[0], r.model.bodies[0]), "another model"),
    ],
)
def test_wrong_arguments_are_named(draw, words):
    with pytest.raises(ValueError, match=words):
        draw(slide())


def test_every_plot_is_a_figure_that_can_be_saved(tmp_path):
    result = slide()
    draw = (show.speeds, show.energies, show.gaps, show.statuses, show.contact_bars, show.iterations)
    for k, plot in enumerate((*draw, show.paths, show.network)):
        figure = plot(result)
        assert isinstance(figure, Figure)
        figure.savefig(tmp_path / f"{k}.png", dpi=40)


def ticks(axis):
    """Texts of the ticks of an axis within its limits."""
    axis.axes.figure.canvas.draw()
    low, high = sorted(axis.get_view_interval())
    places, texts = axis.get_majorticklocs(), axis.get_majorticklabels()
    return [each.get_text() for place, each in zip(places, texts, strict=True) if low <= place <= high]


@pytest.mark.parametrize(
    ("largest", "unit", "written", "last"),
    [
        (5.08e-6, "m", "µm", "5"),
        (2e4, "J", "kJ", "20"),
        (0.5, "m", "m", "0.5"),
        (3e-5, "rad", "rad", None),
    ],
)
def test_units_of_small_and_large_numbers_have_a_prefix(largest, unit, written, last):
    _, axis = new_figure()
    axis.set_xlim(0.0, 2.0)
    axis.set_ylim(0.0, largest)
    label(axis, "t [s]", f"size [{unit}]")
    assert axis.get_xlabel() == "t [s]"
    assert axis.get_ylabel() == f"size [{written}]"
    if last is not None:
        assert float(ticks(axis.yaxis)[-1]) == float(last)


def test_the_network_of_small_forces_says_its_unit():
    assert in_unit(5.08e-8, "N") == "50.8 nN"
    assert in_unit(0.0, "N") == "0 N"
    assert in_unit(12345.0, "N") == "12.3 kN"
    assert in_unit(3.0, "N") == "3 N"


@pytest.mark.parametrize("draw", [show.energies, show.speeds, show.paths, show.overview])
def test_figures_show_themselves_in_notebooks(draw):
    picture = draw(slide())._repr_png_()
    with Image.open(io.BytesIO(picture)) as image:
        assert image.format == "PNG"
        assert min(image.size) > 100
