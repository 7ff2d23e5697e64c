"""Outputs of compliant contacts in a state: `compliant_contacts`."""

import numpy as np
import pytest

import elements as e
import nsgalpha as ns

STIFFNESS, MU = 1e6, 0.3
SPIN = np.array([3.0, -2.0, 5.0])
MOVING = {"velocity": (0.2, -0.3, 0.1), "angular_velocity": SPIN}


def struck(t_end=6e-4):
    """A spinning ball in contact with one of another radius; the result."""
    model = ns.Model()
    a = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0), **MOVING)
    b = model.add_sphere(radius=0.05, mass=0.5, position=(0.15, 0, 0), velocity=(-1.0, 0, 0))
    law = e.ExudynImpact(stiffness=STIFFNESS, restitution=0.6)
    model.add(
        e.CompliantSphereSphere(
            pairs=[(a, b)], normal=law, tangential=e.RegularisedCoulomb(mu=MU, velocity_zone=1e-3)
        )
    )
    result = ns.simulate(model, t_end=t_end, h=1e-5)
    assert result.status, result.status
    return result


def test_forces_are_those_that_move_the_bodies():
    result = struck()
    i = -20
    c = ns.compliant_contacts(result.model, result.state(i))
    assert (c.body_a[0], c.body_b[0], c.plane[0], c.element[0]) == (0, 1, -1, 0)
    state, gap = result.state(i), np.linalg.norm(result.position[i, 0] - result.position[i, 1]) - 0.15
    assert c.gap[0] == pytest.approx(gap, rel=1e-9)
    assert c.displacement[0] == pytest.approx(state.position[0] - state.position[1])
    assert c.normal[0] == pytest.approx(c.displacement[0] / np.linalg.norm(c.displacement[0]))
    assert c.velocity[0] == pytest.approx(state.velocity[0] - state.velocity[1])
    # the smooth acceleration of the step is that of these forces: masses 1 and 1/2
    assert c.force[0] == pytest.approx(state.acceleration[0, :3], rel=1e-6)
    assert -c.force[0] / 0.5 == pytest.approx(state.acceleration[1, :3], rel=1e-6)
    assert c.torque_a[0] / (0.4 * 0.1**2) == pytest.approx(state.acceleration[0, 3:], rel=1e-6)
    assert c.torque_b[0] / (0.4 * 0.5 * 0.05**2) == pytest.approx(state.acceleration[1, 3:], rel=1e-6)
    assert np.linalg.norm(c.torque_a[0]) > 0.1


def test_torques_are_in_the_ratio_of_the_arms():
    result = struck()
    c = ns.compliant_contacts(result.model, result.state(5))  # it slides at first
    g = c.gap[0]
    assert c.torque_b[0] == pytest.approx(c.torque_a[0] * (0.05 + g / 2) / (0.1 + g / 2), rel=1e-9)
    assert np.hypot(*c.local[0, 1:3]) == pytest.approx(MU * c.local[0, 0], rel=1e-9)
    assert c.force[0] @ c.normal[0] == pytest.approx(c.local[0, 0], rel=1e-12)


def test_energy_and_history_are_there():
    result = struck()
    c = ns.compliant_contacts(result.model, result.state(-1))
    assert c.energy[0] == pytest.approx(0.5 * STIFFNESS * c.gap[0] ** 2, rel=1e-9)
    assert c.history[0, 0] == pytest.approx(1.2, rel=1e-12)  # the impact velocity


def test_open_contacts_have_no_row():
    result = struck(t_end=6e-3)
    c = ns.compliant_contacts(result.model, result.state(-1))
    assert [len(getattr(c, name)) for name in c.__dataclass_fields__ if name != "model"] == [0] * 25
    assert not c.resultant().any()
    assert not c.contact_area().any()
    assert not c.virial_stress().any()


def test_at_a_plane_the_displacement_is_from_the_foot():
    model = ns.Model()
    low = model.add_sphere(radius=0.1, mass=1.0, position=(3.0, 2.0, 0.099), **MOVING)
    high = model.add_sphere(radius=0.1, mass=1.0, position=(3.0, 2.0, 0.2985))
    law = e.ExudynNormal(stiffness=STIFFNESS)

    def wall(t):
        return (0.5 * t, 0, 0), (0.5, 0, 0)

    model.add(e.CompliantSphereSphere(pairs=[(low, high)], normal=law))
    model.add(e.CompliantSpherePlane(low, model.add_plane(normal=(0, 0, 1), motion=wall), normal=law))
    c = ns.compliant_contacts(model, model.initial_state())
    assert list(c.element) == [0, 1]
    assert (c.body_a[1], c.body_b[1], c.plane[1]) == (0, -1, 0)
    assert c.displacement[1] == pytest.approx([0, 0, 0.099], abs=1e-12)
    assert c.velocity[1] == pytest.approx(np.array([0.2, -0.3, 0.1]) - [0.5, 0, 0])
    assert c.force[1] == pytest.approx([0, 0, STIFFNESS * 1e-3])
    assert c.force[0] == pytest.approx([0, 0, -STIFFNESS * 0.5e-3])


def test_contacts_of_a_recorded_state_are_those_of_the_state():
    result = struck()
    for index in (3, -20):
        ours, expected = (
            result.compliant_contacts(index),
            ns.compliant_contacts(result.model, result.state(index)),
        )
        assert len(ours.gap) == 1
        for name in ours.__dataclass_fields__:
            assert np.array_equal(getattr(ours, name), getattr(expected, name)), name


@pytest.mark.parametrize("scheme", [ns.GeneralizedAlpha(1.0), ns.VelocityVerlet()])
def test_what_a_contact_stores_comes_back(scheme):
    model = ns.Model(gravity=(0, 0, -9.81))
    ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0.1005), velocity=(0, 0, -1.0))
    plane = model.add_plane(normal=(0, 0, 1))
    model.add(e.CompliantSpherePlane(ball, plane, normal=e.ExudynNormal(stiffness=STIFFNESS, exponent=1.5)))
    result = ns.simulate(model, t_end=0.02, h=2e-5, scheme=scheme)
    assert result.status, result.status
    elastic, kinetic, total = result.energy("elastic"), result.energy("kinetic"), result.energy()
    assert elastic[0] == elastic[-1] == 0.0
    lowest = elastic.argmax()
    assert kinetic[lowest] < 1e-3 * kinetic[0] < elastic[lowest]
    assert np.abs(total - total[0]).max() < 1e-3 * kinetic[0]
    assert np.array_equal(total, kinetic + result.energy("potential") + elastic)


def test_histories_are_part_of_the_stored_energy():
    """A tangential spring holds a ball on a slope; its history alone stores the energy."""
    model, k, mass = ns.Model(gravity=(3.0, 0, -9.0)), 1e5, 0.5
    ball = model.add_sphere(radius=0.1, mass=mass, position=(0, 0, 0.1 - 9.0 * mass / STIFFNESS))
    law = {"normal": e.ExudynNormal(stiffness=STIFFNESS), "tangential": e.CundallStrack(stiffness=k, mu=0.9)}
    model.add(e.CompliantSpherePlane(ball, model.add_plane(normal=(0, 0, 1)), **law))
    result = ns.simulate(model, t_end=2e-3, h=2e-5)
    assert result.status, result.status
    c = result.compliant_contacts()
    normal, sliding = c.local[0, 0], np.hypot(*c.local[0, 1:3])
    assert sliding > 0.1 * normal
    stored = 0.5 * normal**2 / STIFFNESS + 0.5 * sliding**2 / k
    assert result.energy("elastic")[-1] == pytest.approx(stored, rel=1e-12)


def test_hard_contacts_store_nothing():
    model = ns.Model()
    model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0), velocity=(1, 0, 0))
    result = ns.simulate(model, t_end=1e-2, h=1e-3)
    assert np.array_equal(result.energy("elastic"), np.zeros(11))
    with pytest.raises(ValueError, match="compliant"):
        result.compliant_contacts()


def test_a_model_without_compliant_contacts_is_refused():
    model = ns.Model()
    model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0))
    with pytest.raises(ValueError, match="compliant"):
        ns.compliant_contacts(model, model.initial_state())


def stacked():
    """Two different balls on each other, pressed to the floor; a spring holds the upper."""
    model = ns.Model()
    low = model.add_sphere(radius=0.2, mass=1.0, position=(0, 0, 0.2 - 1e-4))
    high = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0.5 - 3e-4))
    floor = e.CompliantSpherePlane(
        low, model.add_plane(normal=(0, 0, 1)), normal=e.ExudynNormal(stiffness=2e5)
    )
    model.add(floor)
    pair = model.add(e.CompliantSphereSphere(pairs=[(high, low)], normal=e.ExudynNormal(stiffness=1e5)))
    model.add(e.Spring([(high, (0, 0, 0.1))], stiffness=100.0, length=0.2))
    return model, floor, pair, ns.compliant_contacts(model, model.initial_state())


def test_stress_of_bodies_in_contact():
    """A force F on both sides of a ball: -F (p_1 + p_2)/V along it, with the shortened arms p."""
    _, floor, pair, c = stacked()
    assert c.of(floor).tension == pytest.approx([-20.0], rel=1e-9)
    assert c.of(pair).tension == pytest.approx([-20.0], rel=1e-9)
    stress = c.virial_stress()
    low = -20.0 * (0.2 - 0.5e-4 + 0.2 - 1e-4) / (4 / 3 * np.pi * 0.2**3)
    assert stress[0, 2, 2] == pytest.approx(low, rel=1e-3)  # at a plane the point is on it, not in the middle
    spring = 100.0 * (0.4 - 3e-4 - 0.2)
    high = (-20.0 * (0.1 - 1e-4) + spring * 0.5 * (0.4 - 3e-4)) / (4 / 3 * np.pi * 0.1**3)
    assert stress[1, 2, 2] == pytest.approx(high, rel=1e-12)
    assert np.count_nonzero(np.abs(stress) > 1e-9) == 2
    assert c.virial_stress(volume=[2.0, 0.5])[1, 2, 2] == pytest.approx(high * 4 / 3 * np.pi * 0.1**3 / 0.5)
    with pytest.raises(ValueError, match=r"volume = 0.0: must be positive for every body with contacts"):
        c.virial_stress(volume=0.0)


def test_areas_of_bodies_in_contact():
    """pi R d of each contact; springs have none."""
    _, _, _, c = stacked()
    shared = np.pi * (0.2 * 0.1 / 0.3) * 2e-4
    assert c.area == pytest.approx([np.pi * 0.2 * 1e-4, shared, 0.0], rel=1e-9)
    assert c.contact_area() == pytest.approx([np.pi * 0.2 * 1e-4 + shared, shared], rel=1e-9)


def test_contacts_of_another_element_are_refused():
    model, floor, _, c = stacked()
    assert list(c.of(floor).element) == [0]
    with pytest.raises(
        ValueError, match="must be a compliant element of the model; give the one that was added"
    ):
        c.of(e.Spring([(model.bodies[0], (0, 0, 1))], stiffness=1.0))


def test_stresses_of_springs_add_up_to_the_virial():
    rng = np.random.default_rng(4)
    model = ns.Model()
    a, b, d = (
        model.add_sphere(radius=0.1 + 0.1 * k, mass=1.0, position=rng.normal(size=3)) for k in range(3)
    )
    model.add(e.Spring([(a, b), (b, d), (d, a)], stiffness=[3.0, 5.0, 7.0], length=0.5))
    c = ns.compliant_contacts(model, model.initial_state())
    volume = 4 / 3 * np.pi * np.array([0.1, 0.2, 0.3]) ** 3
    x = np.array([body.position for body in model.bodies])
    virial = np.zeros((3, 3))
    for (i, j), k in zip([(0, 1), (1, 2), (2, 0)], [3.0, 5.0, 7.0], strict=True):
        r = np.linalg.norm(x[i] - x[j])
        virial += k * (r - 0.5) / r * np.outer(x[i] - x[j], x[i] - x[j])
    assert (volume[:, None, None] * c.virial_stress()).sum(axis=0) == pytest.approx(virial, rel=1e-12)


def test_tension_of_a_net_of_triangles():
    """Springs with the force f on a hexagonal net: sqrt(3) f/r; at its edge triangles are given."""
    angle = np.pi / 3 * np.arange(6)
    around = 0.5 * np.column_stack([np.cos(angle), np.sin(angle), 0 * angle])
    model = ns.Model()
    nodes = [model.add_sphere(radius=0.1, mass=1.0, position=x) for x in [(0, 0, 0), *around]]
    spokes = [(nodes[0], node) for node in nodes[1:]]
    rim = [(nodes[1 + k], nodes[1 + (k + 1) % 6]) for k in range(6)]
    model.add(e.Spring([*spokes, *rim], stiffness=10.0, length=0.3))
    c = ns.compliant_contacts(model, model.initial_state())
    assert c.tension == pytest.approx(2.0, rel=1e-12)
    tension = c.surface_tension()
    assert tension[0] == pytest.approx(np.sqrt(3.0) * 2.0 / 0.5, rel=1e-12)
    assert tension[1] == pytest.approx(3 * 2.0 / 0.5 / (3 * np.tan(np.pi / 3)), rel=1e-12)
    assert c.surface_tension(np.full(7, 6))[1] == pytest.approx(0.5 * tension[0], rel=1e-12)
    for wrong in (np.full(7, 2), np.full(6, 6)):
        with pytest.raises(
            ValueError, match=r"triangles = .*: must be \(7,\) and >= 3 at every node of a spring"
        ):
            c.surface_tension(wrong)


def meeting(law, t_end):
    """Two balls that meet at 0.3 m/s, and a third that touches the second under another law."""
    model = ns.Model()
    places, speeds = (0.0, 0.21, 0.409), (0.3, 0.0, 0.0)
    balls = [
        model.add_sphere(radius=0.1, mass=1.0, position=(x, 0, 0), velocity=(v, 0, 0))
        for x, v in zip(places, speeds, strict=True)
    ]
    model.add(e.CompliantSphereSphere(pairs=[balls[:2]], normal=law))
    model.add(e.CompliantSphereSphere(pairs=[balls[1:]], normal=e.SpringDashpot(stiffness=1.0)))
    return ns.simulate(model, t_end=t_end, h=1e-4)


def test_contacts_know_the_impact_velocity_and_the_plastic_overlap():
    """Two of the data of a node in the documentation of Exudyn."""
    result = meeting(e.ExudynImpact(stiffness=1e4, restitution=0.5), 0.04)
    speed = result.compliant_contacts(-1).history_variable("impact_velocity")
    assert speed[0] == pytest.approx(0.3, rel=1e-4)
    assert np.isnan(speed[1])
    result = meeting(e.ExudynPlastic(stiffness=1e4, plasticity=0.4), 0.05)
    gaps = [result.compliant_contacts(k).gap[0] for k in range(340, len(result.t))]
    assert gaps[-1] > min(gaps)  # it unloads
    plastic = result.compliant_contacts(-1).history_variable("plastic_overlap")[0]
    assert plastic == pytest.approx(-0.4 * min(gaps), rel=1e-4)
    with pytest.raises(ValueError, match="name = 'impact_velocity': must be plastic_overlap"):
        result.compliant_contacts(-1).history_variable("impact_velocity")


@pytest.mark.parametrize("carried", [False, True])
def test_the_sliding_speed_has_the_levers_to_the_middle_of_the_overlap(carried):
    """|v_A - v_B + (w_A r_A' + w_B r_B') x n| with r' = r - d/2, across the normal."""
    model, d, law = ns.Model(), 2e-3, e.SpringDashpot(stiffness=1.0)
    balls = [
        model.add_sphere(radius=r, mass=1.0, position=(x, 0, 0), velocity=v, angular_velocity=w)
        for r, x, v, w in (
            (0.1, 0.0, (0.1, 0.2, 0.0), (0.0, 1.0, 3.0)),
            (0.2, 0.3 - d, (0.0, 0.0, 0.5), (2.0, 0.0, -1.0)),
        )
    ]
    if carried:
        balls = [model.add_primitive([(0, 0, 0)], radius=b.radius, carrier=b) for b in balls]
        model.add(e.CompliantPrimitiveSpheres(between=([balls[0]], [balls[1]]), normal=law))
    else:
        model.add(e.CompliantSphereSphere(pairs=[balls], normal=law))
    found = ns.compliant_contacts(model, model.initial_state())
    n = np.array([1.0, 0.0, 0.0])  # from the first to the second
    v = np.array([0.1, 0.2, -0.5]) + np.cross([0, 1, 3], 0.099 * n) + np.cross([2, 0, -1], 0.199 * n)
    assert found.sliding_speed == pytest.approx([np.hypot(v[1], v[2])], rel=1e-12)
    assert found.rate[0, 0] == pytest.approx(-0.1)
    assert found.gap == pytest.approx([-d])
