"""Named markers of bodies, and joints stated by them."""

import numpy as np
import pytest

import nsgalpha as ns
from elements import Marker, Revolute, Spherical


def bar(model, **given):
    """A bar of 1 m along x with a hinge at one end, a point at the other."""
    markers = {"top": [(-0.5, 0, 0), (0, 1, 0)], "tip": (0.5, 0, 0), "all": [(0, 0, 0), (0, 0, 1), (1, 1, 0)]}
    return model.add_body(mass=1.0, inertia=(1e-3, 1 / 12, 1 / 12), markers=markers, **given)


def test_a_joint_by_named_markers_is_that_by_a_point_and_an_axis():
    def swinging(named):
        model = ns.Model(gravity=(0, 0, -9.81))
        one, two = bar(model, position=(0.5, 0, 0)), bar(model, position=(1.5, 0, 0))
        if named:
            model.add(Revolute(Marker(None, axis=(0, 1, 0)), Marker.of(one, "top")))
            model.add(Spherical(Marker.of(one, "tip"), Marker.of(two, "top")))
        else:
            model.add(Revolute(None, one, point=(0, 0, 0), axis=(0, 1, 0)))
            model.add(Spherical(one, two, point=(1, 0, 0)))
        return ns.simulate(model, t_end=0.2, h=2e-3).position

    assert np.abs(swinging(named=True) - swinging(named=False)).max() < 1e-12


def test_a_marker_has_the_axes_that_are_named():
    body = bar(ns.Model(), position=(0, 0, 0))
    marker = Marker.of(body, "all")
    assert (
        np.abs(marker.axes - [(0.5**0.5, 0.5**0.5, 0), (-(0.5**0.5), 0.5**0.5, 0), (0, 0, 1)]).max() < 1e-15
    )
    assert np.array_equal(Marker.of(body, "tip").position, (0.5, 0, 0))


def test_bad_markers_are_refused_by_name():
    model = ns.Model()
    for markers in (
        {"a": (1, 2)},
        {"a": [[0, 0, 0]] * 4},
        {"a": (0, 0, np.nan)},
        {"": (0, 0, 0)},
        {3: (0, 0, 0)},
    ):
        with pytest.raises(ValueError, match="markers"):
            model.add_body(mass=1.0, inertia=(1, 1, 1), position=(0, 0, 0), markers=markers)
    with pytest.raises(ValueError, match="'top', 'tip', 'all'"):
        Marker.of(bar(model, position=(0, 0, 0)), "bottom")
    flat = model.add_body(
        mass=1.0, inertia=(1, 1, 1), position=(0, 0, 0), markers={"a": [(0, 0, 0), (0, 0, 0)]}
    )
    with pytest.raises(ValueError, match="axis"):
        Marker.of(flat, "a")


def test_a_result_file_keeps_joints_stated_by_named_markers(tmp_path):
    model = ns.Model()
    model.add(
        Revolute(Marker(None, axis=(0, 1, 0)), Marker.of(bar(model, position=(0.5, 0, 0)), "top"), name="pin")
    )
    path = tmp_path / "bar.h5"
    ns.simulate(model, t_end=0.02, h=1e-3, recording=ns.Recording(file=path))
    loaded = ns.load(path)
    assert np.array_equal(loaded.model.joints[0].points, model.joints[0].points)
    assert ns.resume(path, t_end=0.03).status.ok
