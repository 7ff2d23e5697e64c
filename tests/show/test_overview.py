import numpy as np
import pytest
from PIL import Image
from shown_runs import rack, shapes, slide

import nsgalpha as ns
from elements import Revolute, SpherePlane
from nsgalpha import show
from nsgalpha.commands import command_line
from nsgalpha.run.initial_result import start_of


def falling():
    model = ns.Model(gravity=(0, 0, -9.81))
    model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 1))
    model.add(SpherePlane(model.spheres, model.add_plane(normal=(0, 0, 1)), e_n=0.5))
    return ns.simulate(model, t_end=0.5, h=1e-2)


def swinging():
    model = ns.Model(gravity=(0, 0, -9.81))
    bob = model.add_sphere(radius=0.1, mass=1.0, position=(1, 0, 0))
    model.add(Revolute(None, bob, point=(0, 0, 0), axis=(0, 1, 0)))
    return ns.simulate(model, t_end=0.3, h=1e-2)


@pytest.mark.parametrize(("run", "axes"), [(rack, ("x", "y")), (slide, ("x", "y")), (falling, ("x", "z"))])
def test_loose_balls_leave_paths_in_the_plane_in_which_they_move(run, axes):
    (axis,) = show.overview(run()).axes
    assert (axis.get_xlabel(), axis.get_ylabel()) == tuple(f"{each} [m]" for each in axes)


@pytest.mark.parametrize("run", [shapes, swinging])
def test_other_shapes_and_mechanisms_are_shown_at_the_start_and_the_end(run):
    result = run()
    figure = show.overview(result)
    first, last = (axis.images[0].get_array() for axis in figure.axes)
    assert [axis.get_title(loc="left") for axis in figure.axes] == ["t = 0 s", f"t = {result.t[-1]:g} s"]
    camera = show.look(result)
    for picture, t in ((first, 0.0), (last, result.t[-1])):
        np.testing.assert_array_equal(picture, show.still(result, t=t, camera=camera))
    assert not np.array_equal(first, last)


def test_one_state_is_one_picture():
    assert len(show.overview(start_of(swinging().model)).axes) == 1


def test_the_middle_of_a_short_axis_is_zero_but_for_rounding():
    result = falling()
    result.position[:, :, 0] += 1e-12
    (axis,) = show.overview(result).axes
    assert [each.get_text() for each in axis.get_xticklabels()] == ["0"]


def test_the_command_draws_cells_and_capsules(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert (
        command_line.main(["run", "capsule_packing", "--t-end", "0.01", "--quiet", "--picture", "a.png"]) == 0
    )
    assert len(np.unique(np.asarray(Image.open("a.png")).reshape(-1, 4), axis=0)) > 500  # no empty axes


def test_the_command_says_that_what_spins_does_not_rest(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert command_line.main(["run", "top", "--t-end", "0.05", "--quiet"]) == 0
    assert "bodies only turn at the end: " in capsys.readouterr().out
