"""Meshes in motion: trajectories of spheres, momentum, pull-off, tangents, files."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from rounded_scenes import S1, SQUARE, ball, resultants
from tangent_checks import assert_tangents

import elements as e
import nsgalpha as ns
from nsgalpha.arrays import copy_motion
from nsgalpha.forces.compliant_forces import CompliantForces
from nsgalpha.system.system import System

TABLES = Path(__file__).parents[1] / "laws" / "data" / "mpacts_adhesion_tables.json"
ADHESION = json.loads(TABLES.read_text())["maugisDugdale"]
VERLET = {"scheme": ns.VelocityVerlet()}
LAW = {"normal": e.Hertz(modulus=1e5, damping=1e-4), "tangential": e.HaffWerner(damping=20.0, mu=0.3)}
FALL = {"position": (0.0, 0.0, 1.001), "velocity": (0.3, 0.2, -0.5), "angular_velocity": (0.5, -0.4, 0.3)}


def fallen(level, scheme, t_end=0.3):
    """A meshed sphere, or (level None) a sphere, that falls and rolls."""
    model = ns.Model(gravity=(0, 0, -9.8))
    if level is None:
        model.add_sphere(radius=1.0, **({"mass": 1.0, "inertia": 0.4} | FALL))
        model.add(e.CompliantSpherePlane(model.spheres, model.add_plane(normal=(0, 0, 1)), **LAW))
    else:
        _, mesh = ball(model, level, turn=S1["turns"][1], **FALL)
        corners = np.array([(0.3, 0.4, 0.0), *SQUARE])  # edges between the triangles of the floor
        floor = model.add_mesh(corners, [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 1)])
        model.add(e.RoundedTriangles(mesh, floor, **LAW))
    return ns.simulate(model, t_end=t_end, h=2e-3, **scheme)


@pytest.mark.parametrize("scheme", [VERLET, {}], ids=["explicit", "implicit"])
def test_a_meshed_sphere_falls_and_rolls_like_a_sphere(scheme):
    mesh, sphere = (fallen(level, scheme, t_end=0.2) for level in (2, None))
    assert np.abs(sphere.angular_velocity[-1, 0] - FALL["angular_velocity"]).max() > 0.05
    np.testing.assert_allclose(mesh.position, sphere.position, atol=1e-10)
    np.testing.assert_allclose(mesh.angular_velocity, sphere.angular_velocity, atol=1e-8)


def ellipsoids():
    model = ns.Model()
    spin = (1.0, 2.0, -1.0)
    _, one = ball(model, 2, turn=S1["turns"][0], shape=(1, 0.9, 0.8), angular_velocity=spin)
    _, two = ball(
        model, 2, turn=S1["turns"][1], shape=(0.8, 1, 0.9), position=(0.2, 0.1, 1.7), velocity=(0, 0, -0.6)
    )
    model.add(e.RoundedTriangles(one, two, **LAW))
    return model


def test_ellipsoids_keep_momentum_and_spin():
    result = ns.simulate(ellipsoids(), t_end=0.2, h=1e-3, **VERLET)
    assert result.stats.contacts.max() > 0
    x, v, w = result.position, result.velocity, result.angular_velocity
    momentum = v.sum(axis=1)
    spin = (np.cross(x, v) + 0.4 * w).sum(axis=1)
    assert np.abs(v[-1] - v[0]).max() > 0.1
    np.testing.assert_allclose(momentum, np.broadcast_to(momentum[0], momentum.shape), atol=1e-12)
    np.testing.assert_allclose(spin, np.broadcast_to(spin[0], spin.shape), atol=1e-12)


@pytest.mark.parametrize("row", ADHESION, ids=lambda row: f"lambda {row['lam']}")
def test_pull_off_of_an_adhesive_mesh(row):
    """That has touched, and is lifted to the largest pull."""
    law, R = e.MaugisDugdale(modulus=row["Estar"], work=row["W"], range=row["h0"]), row["R"]
    model, reach = ns.Model(), 1.2 * law.detachment(R)
    body, mesh = ball(model, 2, radius=R, turn=S1["turns"][2], position=(0, 0, R - 1e-12))
    model.add(e.RoundedTriangles(mesh, model.add_primitive(10 * R * SQUARE), normal=law, reach=reach))
    touched = ns.simulate(model, t_end=1e-12, h=1e-12, scheme=ns.VelocityVerlet()).state()
    assert touched.contacts is not None
    at = row["loadControlledPullOff"]
    position = touched.position.copy()
    position[int(body)] = (0.0, 0.0, R - at["delta"])
    contacts = ns.compliant_contacts(model, replace(touched, position=position))
    assert contacts.resultant()[0, 2] == pytest.approx(at["F"], rel=1e-8)
    untouched = ns.compliant_contacts(model, replace(touched, position=position, contacts=None))
    assert not untouched.resultant().any()


def nodes_and_ball(law):
    """A dent of deforming triangles under a meshed sphere that slides and turns."""
    model = ns.Model()
    x = np.array(
        [(0, 0, 0), (1, 0, 0.02), (0.4, 0.9, 0.01), (-0.5, 0.8, 0), (-0.8, -0.2, 0.01), (0.3, -0.9, 0)]
    )
    nodes = [model.add_point(mass=0.5, position=0.2 * p, velocity=(0, 0, 0.1 * p[0])) for p in x]
    faces = [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5), (0, 5, 1)]
    skin = model.add_mesh(nodes, faces)
    _, mesh = ball(
        model,
        1,
        turn=S1["turns"][0],
        position=(0.01, 0.02, 0.995),
        velocity=(0.1, -0.05, -0.4),
        angular_velocity=(0.3, 0.2, 0.5),
    )
    model.add(e.RoundedTriangles(mesh, skin, **law))
    return model


@pytest.mark.parametrize("law", [{"normal": e.LinearPressure(stiffness=1e6, damping=1e2)}, LAW])
def test_tangents_are_the_derivatives_of_the_forces(law):
    assert_tangents(nodes_and_ball(law))
    assert_tangents(ellipsoids_pressed(law))


def ellipsoids_pressed(law):
    model = ns.Model()
    _, one = ball(model, 1, turn=S1["turns"][0], shape=(1, 0.9, 0.8), angular_velocity=(1.0, 2.0, -1.0))
    at = {"position": (0.2, 0.1, 1.65), "velocity": (0.3, 0, -0.6)}
    _, two = ball(model, 1, turn=S1["turns"][1], shape=(0.8, 1, 0.9), **at)
    model.add(e.RoundedTriangles(one, two, **law))
    return model


def test_spheres_of_deforming_triangles_are_those_at_the_start_of_a_step():
    """Spheres at the end of a step are no start of the next one."""
    system = System(nodes_and_ball(LAW))
    before = system.motion(system.model.initial_state())
    after = copy_motion(before)
    after.x[:6, 2] += [0.0, 3e-3, 0.0, 2e-3, 0.0, 0.0]
    starts = []
    for steps in ((before, after), (after,)):
        compliant = CompliantForces(system)
        compliant.find(before, np.inf)
        for start in steps:
            compliant.begin(start)
            compliant.evaluate(after, np.zeros((system.size, 6)), 1e-4)
            starts.append(compliant.surfaces[0].last.measured.overlap.copy())
        starts[-1] = compliant.surfaces[0].started().overlap
    assert starts[0].max() != starts[1].max()
    np.testing.assert_array_equal(starts[1], starts[2])


def test_a_deforming_triangle_keeps_momentum_and_moment():
    """All but the moment of friction about the normal, at the patch's centroid."""
    for tangential in (None, LAW["tangential"]):
        model = ns.Model()
        nodes = [
            model.add_point(mass=0.5, position=p, velocity=(0, 0, 0.1 * p[0]))
            for p in ((-0.1, -0.05, 0), (0.12, -0.02, 0), (0.03, 0.1, 0))
        ]
        at = {
            "position": (0.02, 0.01, 0.995),
            "velocity": (1.0, -0.5, 0),
            "angular_velocity": (0.3, 0.2, 0.5),
        }
        _, mesh = ball(model, 1, turn=S1["turns"][0], **at)
        model.add(
            e.RoundedTriangles(
                mesh, model.add_mesh(nodes, [(0, 1, 2)]), normal=LAW["normal"], tangential=tangential
            )
        )
        wrench = resultants(model)
        x = np.array([body.position for body in model.bodies])
        moment = (np.cross(x, wrench[:, :3]) + wrench[:, 3:]).sum(axis=0)
        size = np.abs(wrench[:, :3]).max()
        assert size > 1.0
        np.testing.assert_allclose(wrench[:, :3].sum(axis=0) / size, 0.0, atol=1e-13)
        np.testing.assert_allclose(moment[:2] / size, 0.0, atol=1e-13)
        assert (abs(moment[2]) / size < 1e-13) == (tangential is None)


def test_printed_friction_reaches_the_corners_by_thirds():
    corners, whole = [(-0.1, -0.05, 0), (0.12, -0.02, 0), (0.03, 0.1, 0)], []
    for way in ("centroid", "thirds"):
        model = ns.Model()
        nodes = [model.add_point(mass=0.5, position=p) for p in corners]
        at = {"position": (0.02, 0.01, 0.995), "velocity": (1.0, -0.5, 0)}
        _, other = ball(model, 3, turn=S1["turns"][0], **at)
        triangle = model.add_primitive(nodes)
        model.add(e.RoundedTriangles(triangle, other, friction_by=way, **LAW))
        whole.append(resultants(model)[:3, :2])
    np.testing.assert_allclose(whole[1], np.tile(whole[1].mean(axis=0), (3, 1)), rtol=1e-12)
    np.testing.assert_allclose(whole[0].sum(axis=0), whole[1].sum(axis=0), rtol=1e-12)
    assert np.ptp(whole[0], axis=0).min() > 1e-3 * np.abs(whole[0]).max()


def test_models_of_rounded_triangles_are_kept_in_files(tmp_path):
    model = ns.Model()
    _, mesh = ball(model, 0, position=(0, 0, 0.99))
    given = {"radius": np.ones(20), "centre": np.zeros((20, 3))}
    model.add(e.RoundedTriangles(mesh, model.add_primitive(SQUARE), **given, **LAW))
    recording = ns.Recording(file=tmp_path / "mesh.h5")
    whole = ns.simulate(model, t_end=4e-3, h=1e-3, recording=recording, **VERLET)
    again = ns.resume(tmp_path / "mesh.h5", t_end=8e-3)
    longer = ns.simulate(model, t_end=8e-3, h=1e-3, **VERLET)
    assert len(again.t) > len(whole.t)
    np.testing.assert_array_equal(again.position[-1], longer.position[-1])
