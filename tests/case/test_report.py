"""Reports without noise: rounding zeros, crowds, runs with remarks."""

import re
from dataclasses import replace

import numpy as np
import pytest

import nsgalpha as ns
from elements import SpherePlane, SphereSphere
from nsgalpha.case import html_report
from nsgalpha.case.file_summary import file_summary
from nsgalpha.commands import command_line
from nsgalpha.show.number_text import resolution


@pytest.fixture(scope="module")
def column(tmp_path_factory):
    """Five balls at rest on each other, and one that rolls, in a file."""
    model = ns.Model(gravity=(0, 0, -9.81))
    for k in range(5):
        model.add_sphere(radius=0.01, mass=0.01, position=(0, 0, 0.01 + 0.02 * k))
    model.add_sphere(radius=0.01, mass=0.01, position=(1, 0, 0.01), name="rolls", velocity=(0.5, 0, 0))
    model.add(SphereSphere(among=model.spheres))
    model.add(SpherePlane(model.spheres, model.add_plane(normal=(0, 0, 1)), mu=0.3))
    path = tmp_path_factory.mktemp("column") / "column.h5"
    ns.simulate(model, t_end=0.05, h=1e-3, recording=ns.Recording(file=path))
    return path


def test_what_the_tolerance_leaves_open_is_zero(column):
    result = ns.load(column)
    at_rest = np.abs(result.velocity[-1, :5])
    assert 0.0 < at_rest.max() < resolution(result, 1e-10).velocity  # noise is there, and not shown
    rows = html_report.bodies(result, resolution(result, 1e-10))
    assert {row[4] for row in rows[:5]} == {"0, 0, 0"}
    assert {row[5] for row in rows[:5]} == {"0, 0, 0"}
    x, v, w = (float(row.split(", ")[k]) for row, k in zip(rows[5][3:], (0, 0, 1), strict=True))
    assert (x, v) == (pytest.approx(result.position[-1, 5, 0], rel=1e-3), pytest.approx(0.357, rel=1e-2))
    assert w == pytest.approx(35.7, rel=1e-2)


def test_small_numbers_that_are_solved_for_are_shown(column):
    result = ns.load(column)
    limits = resolution(result, 1e-10)
    tiny = replace(result, velocity=np.full_like(result.velocity[:], 3.0 * limits.velocity))
    assert "0" not in html_report.bodies(tiny, limits)[0][4].split(", ")
    loose = resolution(result, 1e-3)
    assert loose.velocity == pytest.approx(1e7 * limits.velocity)


def test_figures_of_nothing_are_left_out(column):
    result = ns.load(column)
    limits = resolution(result, 1e-10)
    assert {"Speeds", "Spins"} < {caption for caption, _ in html_report.figures(result, limits)}
    still = replace(result, angular_velocity=0.0 * result.angular_velocity[:])
    captions = {caption for caption, _ in html_report.figures(still, limits)}
    assert "Speeds" in captions
    assert "Spins" not in captions


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (ns.Status(True, "finished at t = 1 s after 9 steps", 1.0), "ok"),
        (ns.Status(True, "finished; in 2 steps a residual stayed above the tolerance", 1.0), "noted"),
        (ns.Status(False, "ended at t = 1 s; why", 1.0), "FAILED"),
    ],
)
def test_a_run_with_remarks_is_not_green(column, status, kind, monkeypatch):
    monkeypatch.setattr(html_report, "figures", lambda result, limits: [])
    found = file_summary(str(column))
    page = html_report.as_page("column", replace(ns.load(column), status=status), found)
    assert f'<p class="{kind}">{status.message}</p>' in page
    colour = re.search(rf"\.{kind} {{ color: (#\w+)", page)[1]
    assert (colour == "#20713a") is (kind == "ok")
    assert colour in replace(ns.load(column), status=status)._repr_html_()
    assert page.count(status.message) == 1  # once is enough


def test_the_command_says_that_bodies_rest(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert command_line.main(["run", "column", "--t-end", "0.05", "--quiet"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("Ten balls upright on each other: 10 bodies, 1 plane, 2 elements\n")
    assert "all bodies rest at the end, but for " in out
