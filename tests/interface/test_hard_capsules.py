"""Hard capsules in models, files and cases: restarts, several shapes, refusals."""

import numpy as np
import pytest

import elements as e
import nsgalpha as ns
from nsgalpha import case
from nsgalpha.show.gap_series import smallest_gap
from tests.case.case_texts import body, table

ENDS, RADIUS = [(-0.3, 0, 0), (0.2, 0, 0)], 0.05


def dumbbells():
    """Two bodies, each a ball with crossed capsules, and a rod, on a floor."""
    model = ns.Model(gravity=(0, 0, -9.81))
    floor = model.add_plane(normal=(0, 0, 1))
    balls, capsules = [], []
    for z in (0.05, 0.6):
        balls.append(
            model.add_sphere(
                radius=0.05,
                mass=1.0,
                position=(0, 0.01, z),
                inertia=(0.01, 0.02, 0.03),
                velocity=(0.3, 0.1, 0),
            )
        )
        for ends in (ENDS, [(0, -0.2, 0), (0, 0.3, 0)]):
            capsules.append(model.add_primitive(ends, radius=RADIUS, carrier=balls[-1]))
    rod = model.add_body(mass=1.0, inertia=(1e-3, 1e-2, 1e-2), position=(0, 0, 0.3), name="rod")
    capsules.append(model.add_primitive(ENDS, radius=RADIUS, carrier=rod))
    law = {"mu": 0.3, "e_n": 0.3}
    model.add(e.SpherePlane(balls, floor, **law))
    model.add(e.SphereSphere(among=balls, **law))
    model.add(e.CapsulePlane(capsules, floor, **law))
    model.add(e.CapsuleSphere(capsules[-1], balls, **law))
    model.add(e.CapsuleCapsule(among=capsules, **law))
    return model


def same(one, two, last=20):
    """Both end with the same states and contacts, to the last digit."""
    for name in ("position", "rotation", "velocity", "angular_velocity"):
        assert np.array_equal(getattr(one, name)[-last:], getattr(two, name)[-last:]), name
    for name in ("body_a", "body_b", "plane", "feature", "wrench"):
        values = [getattr(r.contacts, name)[r.contacts.record == r.contacts.record[-1]] for r in (one, two)]
        assert np.array_equal(*values), name


def test_a_run_goes_on_from_a_state_and_from_a_file_to_the_last_digit(tmp_path):
    model, file = dumbbells(), tmp_path / "run.h5"
    whole = ns.simulate(model, t_end=0.5, h=2e-3)
    assert whole.status.ok
    contacts = whole.contacts
    names = np.column_stack(
        [contacts.record, contacts.body_a, contacts.body_b, contacts.plane, contacts.feature]
    )
    assert len(np.unique(names, axis=0)) == len(names)
    assert len(np.unique(names[:, 1:], axis=0)) > 8
    same(ns.simulate(model, t_end=0.5, h=2e-3, state=whole.state(120)), whole)
    ns.simulate(model, t_end=0.24, h=2e-3, recording=ns.Recording(file=file))
    same(ns.resume(file, t_end=0.5), whole)


CASE = "gravity = [0, 0, -9.81]\n"
CASE += body("rod", [0, 0, 0.1], inertia=[1e-3, 0.1, 0.1], velocity=[2, 0, 0])
CASE += table("planes", name="floor", normal=[0, 0, 1])
CASE += table("primitives", name="capsule", corners=[[-0.5, 0, 0], [0.5, 0, 0]], radius=0.1, carrier="rod")
CASE += table("elements", type="CapsulePlane", capsules="capsule", planes="floor", mu=0.2)
CASE += "[run]\nt_end = 0.5\nh = 0.01\n"


def test_a_case_file():
    result = case.parse_case(CASE).run()
    assert result.velocity[-1, 0, 0] == pytest.approx(2.0 - 0.2 * 9.81 * 0.5, abs=1e-9)
    assert smallest_gap(result) == pytest.approx(0.0, abs=1e-12)


def test_what_is_refused():
    model = dumbbells()
    ball, rod = model.bodies[0], model.bodies[2]
    capsule, plane = model.primitives[0], model.planes[0]
    point = model.add_primitive([(0, 0, 0)], radius=0.0, carrier=rod)
    thin = model.add_primitive(ENDS, carrier=rod)
    space = model.add_primitive(ENDS, radius=0.1)
    for wrong in (point, thin, space):
        with pytest.raises(
            ValueError, match=rf"capsules = '{wrong.name}': must be a capsule of a rigid body"
        ):
            e.CapsulePlane(wrong, plane)
    with pytest.raises(ValueError, match="a Primitive handle"):
        e.CapsulePlane(ball, plane)
    with pytest.raises(ValueError, match="exactly one"):
        e.CapsuleCapsule()
    with pytest.raises(ValueError, match="both sets"):
        e.CapsuleCapsule(between=([capsule], [capsule]))
    with pytest.raises(ValueError, match="carries one of them"):
        e.CapsulePlane(capsule, model.add_plane(normal=(0, 0, 1), body=ball))
    for again in (
        e.CapsuleCapsule(between=([model.primitives[2]], [capsule])),
        e.CapsulePlane(capsule, plane),
        e.CapsuleSphere(model.primitives[4], ball),
    ):
        model.elements.append(again)
        with pytest.raises(ValueError, match="a pair of two elements"):
            ns.simulate(model, t_end=0.1, h=0.1)
        model.elements.pop()


def test_a_capsule_that_overlaps_at_the_start_is_named():
    model = ns.Model()
    rod = model.add_body(mass=1.0, inertia=1.0, position=(0, 0, 0.04), name="rod")
    capsule = model.add_primitive(ENDS, radius=RADIUS, carrier=rod)
    model.add(e.CapsulePlane(capsule, model.add_plane(normal=(0, 0, 1), name="floor")))
    with pytest.raises(ValueError, match=r"'rod' and 'floor' overlap by 0\.01 m at the start: .* of 0\.05 m"):
        ns.simulate(model, t_end=0.1, h=0.1)


def test_pairs_of_capsules_are_no_pairs_of_round_bodies():
    """A law would read the radius of the body, which a rod has not."""
    model = dumbbells()
    rods = [primitive for primitive in model.primitives if primitive.carrier.name == "rod"]
    floor = model.add_plane(normal=(0, 0, 1))
    with pytest.raises(ValueError, match=r"pairs .*CompliantSurfaces"):
        e.Compliant(e.CapsulePlane(rods, floor), normal=e.SpringDashpot(stiffness=1e4))
