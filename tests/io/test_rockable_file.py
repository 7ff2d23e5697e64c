"""Input files of Rockable: spheres, driven faces, laws by pairs of groups, errors by line."""

import numpy as np
import pytest

import nsgalpha as ns
from elements.rockable_file import read_rockable

SHAPES = """<
name Plan
radius 0.05
preCompDone y
nv 4
2 0 0.5
2 0 -0.5
-2 0 -0.5
-2 0 0.5
ne 4
0 1
1 2
2 3
3 0
nf 1
4 0 1 2 3
obb.extent 2.0 0.05 0.5
volume 1
I/m 1 1 1
>
<
name Ball
radius 1
preCompDone y
nv 1
0 0 0
ne 0
nf 0
>
"""
CONF = """Rockable 29-11-2018
#### time ####
t 0
tmax 0.2
dt 1e-5
interVerlet 0.01
density 0 2700
density 1 2700
gravity 0 -9.81 0
forceLaw Default
knContact 0 1 1e8
en2Contact 0 1 0.25 # of energy
ktContact 0 1 1e8
muContact 0 1 0.5
knContact 1 1 2e6
iconf 0
nDriven 1
shapeFile shapes.shp
Particles 3
Plan 0 0 1  0 -0.05 0  0 0 0  0 0 0  1 0 0 0  0 0 0  0 0 0
Ball 1 0 0.1  0 0.11 0  0 0 0  0 0 0  0.707 0 0.707 0  0 0 0  0 0 0
Ball 1 1 0.1  0.5 0.11 0  0 -1 0  0 0 0  1 0 0 0  0 0 3  0 0 0
"""


def written(folder, conf=CONF, shapes=SHAPES):
    (folder / "shapes.shp").write_text(shapes)
    path = folder / "input.txt"
    path.write_text(conf)
    return path


def test_spheres_fall_on_a_driven_face(tmp_path):
    read = read_rockable(written(tmp_path))
    plan, ball, other = read.bodies
    assert read.driven == [plan]
    assert plan.fixed
    assert read.groups == {1: [ball, other]}
    assert (read.h, read.t_end) == (1e-5, 0.2)
    assert ball.radius == pytest.approx(0.1)
    assert ball.mass == pytest.approx(2700 * 4 / 3 * np.pi * 1e-3)
    state = read.model.initial_state()
    assert state.velocity[other.index] == pytest.approx([0, -1, 0])
    assert state.angular_velocity[other.index] == pytest.approx([0, 0, 3])
    assert state.rotation[ball.index] == pytest.approx(np.array([1, 0, 1, 0]) / np.sqrt(2))
    result = ns.simulate(read.model, t_end=0.0125, h=1e-5, scheme=ns.VelocityVerlet())
    # the face of half the thickness 0.05 at -0.05: its surface is at 0
    impact = result.velocity[:, other.index, 1]
    assert impact.min() < -0.9
    assert impact.max() == pytest.approx(0.5502830 * -impact.min(), rel=1e-2)  # clamped, see test_rockable
    assert result.velocity[-1, other.index, 0] < -0.01  # the spin drives it along the face


def test_what_was_not_taken_is_listed_by_line(tmp_path):
    read = read_rockable(written(tmp_path))
    assert read.left_out == [
        "input.txt, line 6: interVerlet 0.01",
        "input.txt, line 16: iconf 0",
        "input.txt, line 20: edges and corners of 'Plan', whose faces are polygons",
    ]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("Rockable 29-11-2018", "Granular 1", "line 1: the first word must be 'Rockable'"),
        ("knContact 0 1 1e8", "knContact 0 1 stiff", "line 11: knContact = 'stiff': must be a finite number"),
        ("knContact 0 1 1e8", "knContact 0 x 1e6", "line 11: group of knContact = 'x'"),
        ("knContact 0 1 1e8", "knContact 0 1 -1", r"input.txt, groups 0 1: k_n = -1"),
        ("forceLaw Default", "forceLaw StickedLinks", "line 10: forceLaw = 'StickedLinks': must be one of"),
        ("shapeFile shapes.shp", "shapeFile none.shp", "line 18: shapeFile = 'none.shp'"),
        ("Ball 1 0 0.1", "Rice 1 0 0.1", r"line 21: shape = 'Rice': must be one of \['Ball', 'Plan'\]"),
        ("nDriven 1", "nDriven 0", "line 20: shape 'Plan' of 4 vertices: free bodies must be spheres"),
        ("density 1 2700\n", "\n", "line 21: group 1 has no density"),
        ("Ball 1 0 0.1", "Ball 1 0 -0.1", "homothety = -0.1: must be positive"),
        ("Particles 3", "Particles 4", "line 22: the file ends, and the shape of a particle is missing"),
    ],
)
def test_errors_name_the_line(tmp_path, old, new, words):
    assert old in CONF
    with pytest.raises(ValueError, match=words):
        read_rockable(written(tmp_path, CONF.replace(old, new, 1)))


def test_errors_of_shapes_name_their_file(tmp_path):
    for old, new, words in (
        ("4 0 1 2 3", "4 0 1 2 9", "shapes.shp, line 16: nf: a number of a vertex is beyond the 4"),
        ("radius 1", "radius 0", "shapes.shp, line 29: a shape must have a name, a radius > 0"),
        ("<", "name", "shapes.shp, line 1: 'name': must be '<'"),
    ):
        with pytest.raises(ValueError, match=words):
            read_rockable(written(tmp_path, shapes=SHAPES.replace(old, new, 1)))
