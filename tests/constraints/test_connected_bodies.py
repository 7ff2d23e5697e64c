"""Bodies that a joint holds together have no contact with each other unless it is asked for."""

import numpy as np
import pytest

import elements as e
import nsgalpha as ns
from nsgalpha.model.system import System

POINT = (0.1, 0.0, 0.1)


def three_balls(join, contact):
    """Balls in a row that touch; `join` is put between the first two, `contact` makes the element."""
    model = ns.Model(gravity=(0, 0, -9.81))
    balls = [model.add_sphere(radius=0.1, mass=1.0, position=(0.2 * k, 0, 0.1)) for k in range(3)]
    if join is not None:
        model.add(join(balls[0], balls[1]))
    model.add(contact(balls))
    return model


def pairs(model):
    system = System(model)
    found = system.candidates(system.motion(model.initial_state()).x, 1.0)
    return sorted(zip(found.a.tolist(), found.b.tolist(), strict=True))


def hinge(a, b):
    return e.Revolute(a, b, point=POINT, axis=(0, 1, 0))


JOINED = {
    "hinge": (hinge, False),
    "ball joint": (lambda a, b: e.Spherical(a, b, point=POINT), False),
    "weld": (lambda a, b: e.Rigid(b, a, point=POINT), False),
    "hinge that asks": (lambda a, b: e.Revolute(a, b, point=POINT, axis=(0, 1, 0), contact=True), True),
    "rod": (lambda a, b: e.Distance(a, b, points=((0, 0, 0.2), (0.2, 0, 0.2))), True),
    "strut": (lambda a, b: e.Telescope(a, b, points=((0, 0, 0.2), (0.2, 0, 0.2))), True),
    "hinge on the ground": (lambda a, b: e.Revolute(None, b, point=POINT, axis=(0, 1, 0)), True),
    "nothing": (None, True),
}


@pytest.mark.parametrize("joined", JOINED)
def test_pairs_of_a_set_are_without_those_that_joints_hold(joined):
    join, meet = JOINED[joined]
    expected = [(0, 1)] * meet + [(0, 2), (1, 2)]
    assert pairs(three_balls(join, lambda balls: e.SphereSphere(among=balls))) == expected
    sets = pairs(three_balls(join, lambda balls: e.SphereSphere(between=(balls[:1], balls[1:]))))
    assert sets == [(0, 1)] * meet + [(0, 2)]


def test_a_pair_that_is_named_has_contact():
    assert pairs(three_balls(hinge, lambda balls: e.SphereSphere(pairs=[(balls[0], balls[1])]))) == [(0, 1)]


def test_a_joint_and_a_contact_that_contradict_each_other_are_named():
    """Balls that turn about the point in which they touch come nearer to each other."""
    model = ns.Model()
    left = model.add_sphere(
        radius=0.1, mass=1.0, position=(0, 0, 0.1), angular_velocity=(0, 0, 1), name="left"
    )
    right = model.add_sphere(radius=0.1, mass=1.0, position=(0.2, 0, 0.1), velocity=(0, 0.1, 0), name="right")
    model.add(e.Spherical(left, right, point=POINT, name="pin"))
    model.add(e.SphereSphere(pairs=[(left, right)]))
    result = ns.simulate(model, t_end=0.2, h=2e-3)
    assert not result.status
    says = "the contact of 'left' and 'right' and pin, which joins them, do not hold both"
    assert says in result.status.message
    assert result.status.contact == ("left", "right")


def test_touching_balls_that_a_joint_holds_roll_on_and_fall():
    """Without their contact, as by default: two balls on a hinge where they touch fold."""
    model, inertias = ns.Model(gravity=(0, 0, -9.81)), np.array((0.02, 0.004))
    balls = [
        model.add_sphere(radius=0.1, mass=1.0, inertia=(j, j, j), position=(0.2 * k, 0, 1.0))
        for k, j in enumerate(inertias)
    ]
    model.add(e.Revolute(None, balls[0], point=(0, 0, 1.0), axis=(0, 1, 0)))
    hinge = model.add(e.Spherical(*balls, point=(0.1, 0, 1.0)))
    model.add(e.SphereSphere(among=balls))
    result = ns.simulate(model, t_end=0.5, h=2e-3)
    assert result.status, result.status
    apart = np.linalg.norm(result.position[:, 1] - result.position[:, 0], axis=1)
    assert apart.min() < 0.19
    assert not result.stats.contacts.any()
    energy = 0.5 * (result.velocity**2).sum(axis=(1, 2)) + 9.81 * result.position[:, :, 2].sum(axis=1)
    energy += 0.5 * (result.angular_velocity**2).sum(axis=2) @ inertias
    assert np.abs(energy - energy[0]).max() < 1e-3
    assert result.reaction(hinge).force.shape == (251, 3)


def test_compliant_contacts_are_left_out_too():
    law = e.SpringDashpot(stiffness=1e3)
    for joined, count in ((hinge, 1), (None, 2)):
        model = ns.Model()
        balls = [model.add_sphere(radius=0.1, mass=1.0, position=(0.19 * k, 0, 0.1)) for k in range(3)]
        if joined is not None:
            model.add(joined(balls[0], balls[1]))
        model.add(e.CompliantSphereSphere(among=balls, normal=law))
        contacts = ns.compliant_contacts(model, model.initial_state())
        assert len(contacts.force) == count


def test_capsules_of_links_overlap_at_their_hinge():
    model = ns.Model(gravity=(0, 0, -9.81))
    bars = []
    for k in range(2):
        bars.append(model.add_body(mass=1.0, inertia=(1e-3, 0.1, 0.1), position=(0.5 + k, 0, 0)))
    rods = [model.add_primitive([(-0.5, 0, 0), (0.5, 0, 0)], radius=0.05, carrier=bar) for bar in bars]
    model.add(e.Revolute(None, bars[0], point=(0, 0, 0), axis=(0, 1, 0)))
    joint = e.Revolute(*bars, point=(1, 0, 0), axis=(0, 1, 0))
    model.add(joint)
    model.add(e.CapsuleCapsule(rods))
    result = ns.simulate(model, t_end=0.2, h=2e-3)
    assert result.status, result.status
    assert not result.stats.contacts.any()
    assert np.isfinite(result.position).all()


def test_what_a_joint_asks_for_is_true_or_false():
    model = ns.Model()
    bars = [model.add_body(mass=1.0, inertia=(1, 1, 1), position=(k, 0, 0)) for k in range(2)]
    with pytest.raises(ValueError, match="contact = 1: must be True or False"):
        e.Revolute(*bars, point=(1, 0, 0), axis=(0, 1, 0), contact=1)
