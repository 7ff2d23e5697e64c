"""Solids in motion: sticking, sliding, rolling, tipping; tangents against differences; files."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from solid_scenes import BOX, SPRING, G, contacts, quaternion

import elements as e
import nsgalpha as ns
from tests.surfaces.tangent_checks import assert_tangents

VERLET = ns.VelocityVerlet()
MU = 0.4
HARD = {"normal": e.SpringDashpot(stiffness=1e5, damping=200.0)}
SIDES = [(0, 4, 5, 1), (1, 5, 6, 2), (2, 6, 7, 3), (3, 7, 4, 0)]


def slope(angle, add, laws, t_end=0.2, h=5e-4, scheme=VERLET, velocity=0.0):
    """A body on the floor under gravity that is turned by `angle`, and its result."""
    model = ns.Model(gravity=(G * np.sin(angle), 0, -G * np.cos(angle)))
    body = add(model, velocity)
    model.add(e.CompliantSolidPlane(body, model.add_plane(normal=(0, 0, 1)), **laws))
    result = ns.simulate(model, t_end=t_end, h=h, scheme=scheme)
    assert result.status.ok, result.status
    return result


def brick(model, velocity=0.0):
    depth = G / 1e5  # nearly that at rest
    return model.add_box((0.2, 0.1, 0.06), mass=1.0, position=(0, 0, 0.03 - depth), velocity=(velocity, 0, 0))


@pytest.mark.parametrize("scheme", [VERLET, None], ids=["explicit", "implicit"])
def test_a_box_slides_down_a_steep_slope_and_sticks_on_a_gentle_one(scheme):
    friction = {"tangential": e.CundallStrack(stiffness=1e5, mu=MU, damping=100.0)}
    given = {"scheme": scheme or ns.GeneralizedAlpha(), "h": 5e-4 if scheme else 1e-3}
    steep = slope(0.6, brick, HARD | friction, t_end=0.1, **given)
    late = steep.t > 0.02
    rate = np.polyfit(steep.t[late], steep.velocity[late, 0, 0], 1)[0]
    assert rate == pytest.approx(G * (np.sin(0.6) - MU * np.cos(0.6)), rel=5e-3)
    gentle = slope(0.3, brick, HARD | friction, t_end=0.1, **given)
    assert np.abs(gentle.velocity[-1, 0]).max() < 2e-3
    assert np.ptp(gentle.position[late][:, 0, 0]) < 1e-4


def test_a_cylinder_rolls_down_with_two_thirds_of_the_acceleration():
    def roller(model, velocity):
        lying = quaternion(Rotation.from_rotvec((0.5 * np.pi, 0, 0)))
        return model.add_cylinder(0.1, 0.3, mass=1.0, position=(0, 0, 0.1 - 1.44e-4), rotation=lying)

    # dashpots under it would resist rolling, as those of a mattress do
    law = SPRING | {"tangential": e.CundallStrack(stiffness=5e4, mu=0.5, damping=50.0)}
    result = slope(0.2, roller, law, t_end=0.3, h=3e-4)
    late = result.t > 0.05
    rate = np.polyfit(result.t[late], result.velocity[late, 0, 0], 1)[0]
    assert rate == pytest.approx(2.0 / 3.0 * G * np.sin(0.2), rel=5e-3)
    assert result.angular_velocity[-1, 0, 1] == pytest.approx(result.velocity[-1, 0, 0] / 0.1, rel=5e-3)
    assert np.abs(result.angular_velocity[:, 0, [0, 2]]).max() < 1e-6
    assert np.ptp(result.position[late][:, 0, 2]) < 2e-6  # no corners are felt


@pytest.mark.parametrize(("angle", "falls"), [(0.15, False), (0.36, True)])
def test_a_tall_box_tips_over_where_its_weight_leaves_the_face(angle, falls):
    def tower(model, velocity):  # tips at tan(angle) = 1/3
        return model.add_box((0.1, 0.1, 0.3), mass=1.0, position=(0, 0, 0.15 - G / 1e5))

    law = HARD | {"tangential": e.CundallStrack(stiffness=1e5, mu=1.0, damping=100.0)}
    result = slope(angle, tower, law, t_end=0.3)
    assert bool(result.angular_velocity[-1, 0, 1] > 0.2) is falls


def test_energy_is_kept_when_a_box_falls_on_its_corner():
    model = ns.Model(gravity=(0, 0, -G))
    turn = quaternion(Rotation.from_rotvec((0.4, 0.5, 0.6)))
    box = model.add_box((0.2, 0.2, 0.2), mass=1.0, position=(0, 0, 0.2), rotation=turn)
    law = {"normal": e.LinearPressure(stiffness=1e9)}
    model.add(e.CompliantSolidPlane(box, model.add_plane(normal=(0, 0, 1)), **law))
    result = ns.simulate(model, t_end=0.16, h=1e-4, scheme=VERLET)
    energy = result.energy("kinetic") + result.energy("potential")
    assert result.velocity[:, box, 2].min() < -0.4
    assert np.abs(result.angular_velocity[-1]).max() > 1.0
    assert energy[-1] == pytest.approx(energy[0], rel=2e-3)


KINDS = {
    "boxes": ("box", "box"),
    "cylinder on box": ("box", "cylinder"),
    "capsule on box": ("box", "capsule"),
    "ball on cylinder": ("cylinder", "ball"),
    "hull on box": ("box", "hull"),
}


def stacked(kinds):
    """Two solids that overlap in a general position, in motion."""
    rng = np.random.default_rng(5)
    model = ns.Model()
    heights = {"box": 0.1, "cylinder": 0.1, "capsule": 0.1, "ball": 0.1, "hull": 0.1}
    for number, kind in enumerate(kinds):
        turn = Rotation.from_rotvec((0.02 + 0.3 * (kind == "hull")) * rng.normal(size=3))
        if kind == "capsule":
            turn = turn * Rotation.from_rotvec((0, 0.5 * np.pi, 0))
        z = number * (heights[kinds[0]] + heights[kind] - 1e-3 - 0.004 * (kind == "hull"))
        given = {"mass": 1.0, "position": (0.02 * number, 0.03 * number, z)}
        given |= {"velocity": 0.1 * rng.normal(size=3), "angular_velocity": 0.3 * rng.normal(size=3)}
        if kind != "ball":
            given["rotation"] = quaternion(turn)
        if kind == "box":
            model.add_box((0.4, 0.3, 0.2), **given)
        elif kind == "cylinder":
            model.add_cylinder(0.15, 0.2, **given)
        elif kind == "capsule":
            model.add_capsule(0.1, 0.3, **given)
        elif kind == "ball":
            model.add_sphere(radius=0.1, **given)
        else:
            x, _ = e.icosphere(1)
            model.add_solid((0.1 * x, e.icosphere(1)[1]), hull=True, **given)
    law = {"normal": e.SpringDashpot(stiffness=1e5, damping=100.0)}
    law["tangential"] = e.RegularisedCoulomb(mu=0.3, velocity_zone=1.0)
    model.add(e.CompliantSolids(among=model.bodies, **law))
    return model


@pytest.mark.parametrize("name", KINDS)
def test_tangents_are_the_derivatives_of_the_forces(name):
    assert_tangents(stacked(KINDS[name]))


@pytest.mark.parametrize("scheme", [VERLET, None], ids=["explicit", "implicit"])
def test_a_run_goes_on_from_its_file_to_the_bit(tmp_path, scheme):
    def model():
        made = ns.Model(gravity=(0.5, 0, -G))
        table = made.add_plane(normal=(0, 0, 1), motion=ns.Shaking(amplitude=(1e-3, 0, 0), frequency=30))
        for k in range(2):
            made.add_box((0.2, 0.2, 0.06), mass=1.0, position=(0.01 * k, 0, 0.03 + 0.06 * k - 1e-4))
        made.add_cylinder(0.05, 0.1, mass=0.5, position=(0, 0, 0.17))
        law = HARD | {"tangential": e.CundallStrack(stiffness=5e4, mu=0.3, damping=20.0)}
        made.add(e.CompliantSolids(among=made.bodies, **law))
        made.add(e.CompliantSolidPlane(made.bodies[0], table, **law))
        return made

    given = {"h": 5e-4, "scheme": scheme or ns.GeneralizedAlpha()}
    whole = ns.simulate(model(), t_end=0.04, **given)
    assert whole.status.ok, whole.status
    path = tmp_path / "solids.h5"
    ns.simulate(model(), t_end=0.02, recording=ns.Recording(file=path), **given)
    ns.resume(path, t_end=0.04)
    found = ns.load(path)
    np.testing.assert_array_equal(found.position[-1], whole.position[-1])
    np.testing.assert_array_equal(found.velocity[-1], whole.velocity[-1])
    assert len(found.compliant_contacts().gap) >= 8


def test_both_schemes_come_to_the_same_contacts_at_rest():
    found = []
    for scheme in (VERLET, ns.GeneralizedAlpha()):
        model = ns.Model(gravity=(0, 0, -G))
        box = brick(model)
        model.add(e.CompliantSolidPlane(box, model.add_plane(normal=(0, 0, 1)), **HARD))
        found.append(ns.simulate(model, t_end=0.1, h=5e-4, scheme=scheme).compliant_contacts())
    assert found[0].force == pytest.approx(found[1].force, abs=1e-6)
    assert found[0].force[:, 2] == pytest.approx([G / 4] * 4, rel=1e-6)


def test_the_contacts_of_a_stack_carry_its_weight():
    model = ns.Model(gravity=(0, 0, -G))
    boxes = [model.add_box((0.2, 0.2, 0.1), mass=1.0, position=(0, 0, 0.05 + 0.1 * k)) for k in range(3)]
    model.add(e.CompliantSolidPlane(boxes[0], model.add_plane(normal=(0, 0, 1)), **HARD))
    model.add(e.CompliantSolids(among=boxes, **HARD))
    result = ns.simulate(model, t_end=0.4, h=1e-3)
    assert result.status.ok, result.status
    gaps = contacts_of(model, result.state())
    assert gaps == pytest.approx(-G * np.array([3, 2, 1]) / 1e5, rel=5e-4)


def contacts_of(model, state):
    """Gaps of the three contacts of a stack, from below."""
    made = ns.compliant_contacts(model, state)
    order = np.argsort(made.point[:, 2])
    return made.gap[order].reshape(3, 4).mean(axis=1)


def test_a_spring_and_a_pressure_on_a_face_store_what_they_took():
    model = ns.Model()
    box = model.add_box((0.2, 0.1, 0.1), mass=1.0, position=(0, 0, 0.049))
    model.add(e.CompliantSolidPlane(box, model.add_plane(normal=(0, 0, 1)), **SPRING))
    assert contacts(model).energy.sum() == pytest.approx(0.5 * 1e5 * 1e-6, rel=1e-9)


def bounced(shape, on, h):
    """Energies of a tilted die through two impacts without damping."""
    model = ns.Model(gravity=(0, 0, -G))
    motion = {"position": (0, 0, 0.03), "rotation": (0.9, 0.3, 0.2, 0.1), "angular_velocity": (0, 20, 6)}
    if shape == "box":
        die = model.add_box((0.03, 0.02, 0.025), density=1200, **motion)
    else:
        die = model.add_cylinder(0.012, 0.03, density=1200, **motion)
    law = e.LinearPressure(stiffness=1e9)
    if on == "plane":
        model.add(e.CompliantSolidPlane(die, model.add_plane(normal=(0, 0, 1)), normal=law))
    else:
        table = model.add_mesh(0.1 * BOX - (0, 0, 0.1), [(0, 1, 2, 3), (7, 6, 5, 4), *SIDES])
        model.add(e.CompliantSolids(between=([die], table), normal=law))
    result = ns.simulate(model, t_end=0.06, h=h, scheme=VERLET, record_every=round(1.6e-4 / h))
    energy = np.asarray(result.energy())
    assert result.energy("elastic").max() > 0.05 * energy[0]
    return np.abs(energy / energy[0] - 1.0).max()


@pytest.mark.parametrize(("shape", "on"), [("box", "plane"), ("cylinder", "plane"), ("box", "solid")])
@pytest.mark.sampled(2)
def test_a_die_that_bounces_on_its_corners_keeps_its_energy_under_linear_pressure(shape, on):
    coarse, fine = (bounced(shape, on, h) for h in (4e-5, 2e-5))
    assert coarse < 3e-4
    assert fine == pytest.approx(coarse / 4.0, rel=0.1)


def test_a_result_knows_the_energy_of_edges_that_cross():
    """A tetrahedron is common: V goes with the depth cubed, work k V depth/4."""
    model, depth, k = ns.Model(), 2e-3, 1e9
    on_edge = Rotation.from_rotvec((0.25 * np.pi, 0, 0))
    crossing = Rotation.from_rotvec((0, 0, 0.5 * np.pi)) * on_edge
    high = 0.1 * np.sqrt(2.0) - depth
    one = model.add_box((0.5, 0.1, 0.1), mass=1.0, position=(0, 0, 0), rotation=quaternion(on_edge))
    two = model.add_box((0.5, 0.1, 0.1), mass=1.0, position=(0, 0, high), rotation=quaternion(crossing))
    model.add(e.CompliantSolids(between=([one], [two]), normal=e.LinearPressure(stiffness=k)))
    made = contacts(model)
    volume = 2.0 / 3.0 * depth**3
    assert made.resultant()[1, 2] == pytest.approx(k * volume, rel=1e-9)
    assert made.energy.sum() == pytest.approx(0.25 * k * volume * depth, rel=1e-9)
