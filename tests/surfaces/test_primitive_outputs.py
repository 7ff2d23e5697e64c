"""Outputs of primitive contacts: forces on sides, and on carriers."""

import numpy as np
import pytest
from surface_scenes import ROD, SCENES

import elements as e
import nsgalpha as ns
from nsgalpha.forces.compliant_forces import CompliantForces
from nsgalpha.system.system import System

G = 9.81


def evaluated(model, state):
    """Wrenches (N, 6) that a run has at `state`."""
    system = System(model)
    motion, compliant = system.motion(state), CompliantForces(system)
    compliant.find(motion, 0.1)
    compliant.begin(motion)
    return compliant.evaluate(motion, np.zeros((system.size, 6)), 1e-300)


def test_a_floor_carries_the_weight_of_a_capsule():
    model = ns.Model(gravity=(0, 0, -G))
    floor = model.add_primitive([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)])
    rod = model.add_body(position=(0.1, 0.2, 0.01), **ROD)
    capsule = model.add_primitive([(-0.04, 0, 0), (0.04, 0, 0)], radius=0.01, carrier=rod)
    law = e.SpringDashpot(stiffness=1e4, damping=20.0)
    element = model.add(e.CompliantPolygonCapsule(floor, capsule, normal=law))
    result = ns.simulate(model, t_end=1.0, h=1e-3, record_every=100)
    assert result.status
    c = result.compliant_contacts()
    assert len(c.gap) == len(c.of(element).gap) == 3  # two ends and the hull
    assert (c.body_a == -1).all()
    assert (c.body_b == rod.index).all()
    assert (c.plane == -1).all()
    assert (c.primitive_a == floor.index).all()
    assert (c.primitive_b == capsule.index).all()
    assert -c.force.sum(axis=0) == pytest.approx([0, 0, ROD["mass"] * G], rel=1e-6, abs=1e-9)
    assert c.resultant()[rod] == pytest.approx([0, 0, ROD["mass"] * G, 0, 0, 0], rel=1e-6, abs=1e-8)
    assert c.torque_b.sum(axis=0) == pytest.approx(np.zeros(3), abs=1e-8)
    assert c.point[:, 2] == pytest.approx(0.5 * c.gap, rel=1e-6)
    x = result.position[-1, rod]
    assert c.point == pytest.approx(x + c.lever_b, abs=1e-15)
    assert np.sort(c.point[:, 0] - x[0]) == pytest.approx([-0.04, 0.0, 0.04], abs=0.011)
    assert c.gap == pytest.approx(x[2] - 0.01, rel=1e-4)
    assert c.energy.sum() == pytest.approx(0.5 * ROD["mass"] * G * -x[2] + 0.005 * ROD["mass"] * G, rel=1e-4)


def segment_under_a_ball():
    """A ball on a quarter of a segment, one point pulled by a spring."""
    model = ns.Model()
    ends = [model.add_point(mass=0.1, position=(x, 0, 0)) for x in (0.0, 0.2)]
    ball = model.add_sphere(radius=0.02, mass=0.1, position=(0.15, 0, 0.029), velocity=(0, 0, -1.0))
    link = model.add_primitive(ends, radius=0.01)
    pull = model.add(e.Spring([(ends[0], (-0.1, 0, 0))], stiffness=10.0, length=0.05))
    model.add(e.CompliantCapsuleSphere(link, ball, normal=e.SpringDashpot(stiffness=1e4)))
    return model, ends, ball, link, pull


def test_points_have_their_shares_of_a_segment():
    model, ends, ball, link, pull = segment_under_a_ball()
    c = ns.compliant_contacts(model, model.initial_state())
    assert list(c.element) == [0, 1]
    assert (c.body_a[1], c.body_b[1], c.primitive_a[1], c.primitive_b[1]) == (-1, ball.index, link.index, -1)
    assert c.force[1] == pytest.approx([0, 0, -10.0])
    assert c.displacement[1] == pytest.approx([0, 0, -0.029])
    assert c.velocity[1] == pytest.approx([0, 0, 1.0])
    assert c.share[1] == pytest.approx([0.25, 0.75, 1.0])
    assert list(c.bodies[1]) == [ends[0].index, ends[1].index, ball.index]
    touch = c.of(model.elements[1])
    assert touch.resultant()[:, 2] == pytest.approx([-2.5, -7.5, 10.0])
    area = np.pi * (0.01 * 0.02 / 0.03) * 1e-3
    assert c.contact_area() == pytest.approx(area * np.array([0.25, 0.75, 1.0]))
    assert c.line_tension() == pytest.approx([0.25, 0.0, 0.0])  # the spring alone
    x, volume = model.initial_state().position, np.array([1.0, 2.0, 4.0])
    stress = np.einsum("n,nij->ij", volume, touch.virial_stress(volume))
    virial = -np.einsum("ni,nj->ij", touch.resultant()[:, :3], x)
    assert stress == pytest.approx(virial, abs=1e-15)
    assert stress[2, 2] == pytest.approx(-0.29)
    with pytest.raises(ValueError, match="volume"):
        c.virial_stress()  # points have none
    assert len(c.of(pull).gap) == 1


def a_state(model, seed):
    """The start of `model` with velocities drawn at random."""
    state, rng = model.initial_state(), np.random.default_rng(seed)
    turns = np.array([body.turns for body in model.bodies])[:, None]
    v, w = state.velocity, state.angular_velocity
    v, w = v + 0.1 * rng.normal(size=v.shape), w + turns * rng.normal(size=w.shape)
    return ns.State(0.0, state.position, state.rotation, v, w)


@pytest.mark.parametrize("torque", [True, False])
@pytest.mark.parametrize("scene", SCENES.values(), ids=SCENES)
def test_sums_by_body_are_the_wrenches_of_a_run(scene, torque):
    model = scene(torque)
    state = a_state(model, 3)
    c = ns.compliant_contacts(model, state)
    expected = evaluated(model, state)
    assert len(c.gap) >= 1
    assert np.abs(expected).max() > 0.1
    assert c.resultant() == pytest.approx(expected, abs=1e-12 * np.abs(expected).max())
    by_side = np.zeros_like(expected)
    for body, sign, arm in ((c.body_a, 1.0, c.torque_a), (c.body_b, -1.0, c.torque_b)):
        carried = body >= 0
        np.add.at(by_side, body[carried], np.hstack([sign * c.force, arm])[carried])
    rigid = np.array([body.turns for body in model.bodies])
    assert by_side[rigid] == pytest.approx(expected[rigid], abs=1e-12 * np.abs(expected).max())


@pytest.mark.parametrize("scene", ["rods", "triangle"])
def test_corners_take_up_force_and_moment_of_their_side(scene):
    """Of a segment all but the moment about its axis."""
    model = SCENES[scene](True)
    state = a_state(model, 5)
    c = ns.compliant_contacts(model, state)
    points = [body.index for body in model.bodies if not body.turns]
    sides = [(-1.0, c.body_b, c.primitive_b), (1.0, c.body_a, c.primitive_a)]
    rows = [(k, sign) for sign, body, shape in sides for k in np.flatnonzero((body < 0) & (shape >= 0))]
    assert rows
    for k, sign in rows:
        mine = np.isin(c.bodies[k], points)
        force, x = c.wrench[k, mine, :3], state.position[c.bodies[k, mine]]
        moment = np.cross(x - c.point[k], force).sum(axis=0)
        if len(x) == 2:
            moment -= moment @ (x[1] - x[0]) / ((x[1] - x[0]) @ (x[1] - x[0])) * (x[1] - x[0])
        assert force.sum(axis=0) == pytest.approx(sign * c.force[k], abs=1e-12)
        assert moment == pytest.approx(np.zeros(3), abs=1e-12)
        assert c.share[k, mine].sum() == pytest.approx(1.0)


def test_areas_and_forces_of_faces_are_those_that_they_share():
    model = ns.Model()
    square = np.array([(-0.05, -0.05, 0), (0.05, -0.05, 0), (0.05, 0.05, 0), (-0.05, 0.05, 0)])
    plate = model.add_body(position=(0.06, 0.02, -1e-4), **ROD)
    up, down = model.add_primitive(square), model.add_primitive(square[::-1], carrier=plate)
    model.add(e.CompliantPolygons(between=(up, down), normal=e.LinearPressure(stiffness=1e9)))
    c = ns.compliant_contacts(model, model.initial_state())
    assert c.area == pytest.approx([0.04 * 0.08], rel=1e-9)
    assert c.resultant()[plate, 2] == pytest.approx(1e9 * 1e-4 * 0.04 * 0.08, rel=1e-6)
    assert c.contact_area() == pytest.approx([0.04 * 0.08], rel=1e-9)


def resisted(low, high):
    """Forces [N] that rods with these numbers meet: high on low, and low on the floor."""
    model = ns.Model()
    model.add_point(mass=1.0, position=(5, 5, 5))  # bodies are counted otherwise than the primitives
    floor = model.add_primitive([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)])
    rods = [
        model.add_body(position=(0, 0, z), velocity=(0, 0, v), **ROD)
        for z, v in ((0.0099, -2.0), (0.0297, -3.0))
    ]
    shapes = [model.add_primitive([(-0.04, 0, 0), (0.04, 0, 0)], radius=0.01, carrier=rod) for rod in rods]
    law = e.Resistance(normal=[low, high], tangential=0.0, bodies=rods)
    model.add(e.CompliantCapsules(between=(shapes[1], shapes[0]), contact=law))
    model.add(e.CompliantPolygonCapsule(floor, shapes[0], parts="hull", contact=law))
    c = ns.compliant_contacts(model, model.initial_state())
    between = c.of(model.elements[0]).force[:, 2]
    return between.sum(), -c.of(model.elements[1]).force[:, 2].sum()


def test_resistances_take_the_numbers_of_the_bodies_that_carry():
    """Between the rods their mean times 1 m/s; with the floor twice the rod's."""
    assert resisted(1.0, 3.0) == pytest.approx((2.0 * 3.0 / 4.0, 2.0), rel=1e-6)
    assert resisted(3.0, 1.0) == pytest.approx((2.0 * 3.0 / 4.0, 6.0), rel=1e-6)


def test_resistances_by_body_are_refused_where_sides_deform():
    model = ns.Model()
    points = [model.add_point(mass=0.1, position=(x, 0, 0)) for x in (0.0, 0.1, 0.2)]
    ball = model.add_sphere(radius=0.02, mass=0.1, position=(0.05, 0, 0.029))
    link = model.add_primitive(points[:2], radius=0.01)
    law = e.Resistance(normal=[1.0, 1.0, 2.0], tangential=1.0, bodies=[*points[:2], ball])
    with pytest.raises(ValueError, match="bodies: Resistance has numbers for each body, and 'primitive 0'"):
        e.CompliantCapsuleSphere(link, ball, contact=law)
    one = e.Resistance(normal=1.0, tangential=1.0)
    assert e.CompliantCapsuleSphere(link, ball, contact=one).handles() == [link, ball]
