"""Ropes, limits and friction of joints in pictures, pages and files for ParaView."""

import numpy as np
from test_paraview import read, series

import elements as e
import nsgalpha as ns
from nsgalpha import show
from nsgalpha.show.scene import scene_of
from tests.constraints.test_marker_files import H, excavator


def test_pictures_and_paraview_show_ropes_as_rods_and_no_contact_between_markers(tmp_path):
    result = ns.simulate(excavator(), t_end=0.1, h=H)
    assert (np.asarray(result.contacts.plane) < -1).any()
    folder = show.paraview(result, tmp_path / "series", every=50)
    assert not len(read(series(folder / "contacts.pvd")[1][-1]).points)
    assert len(read(series(folder / "joints.pvd")[1][-1]).points) == len(result.model.joints)
    assert not show.network(result).axes[0].lines
    assert not any(np.any(line.get_ydata()) for line in show.contact_bars(result).axes[0].lines)
    show.still(result, tmp_path / "still.png")
    assert (tmp_path / "still.png").read_bytes().startswith(b"\x89PNG")
    show.viewer(result, tmp_path / "page.html")
    assert "<canvas" in (tmp_path / "page.html").read_text()
    without = excavator()
    without.elements[:] = [each for each in without.elements if not isinstance(each, e.Rope)]
    bare = scene_of(ns.simulate(without, t_end=2 * H, h=H))
    assert len(scene_of(result).rods) > len(bare.rods)
