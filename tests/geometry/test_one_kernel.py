"""One geometry kernel under set-valued and compliant contact of the same bodies."""

import numpy as np
import pytest

import elements as e
import nsgalpha as ns
from elements.geometry import (
    measure_capsule_capsule,
    measure_capsule_parts,
    measure_capsule_sphere,
    measure_cylinder_sphere,
    measure_disk_sphere,
    measured,
)
from elements.geometry.capsule_geometry import AXIS
from nsgalpha.forces.shape_arrays import coordinates, placed, side_of
from nsgalpha.model.contact_keys import key_parts
from nsgalpha.system.primitive_measures import Primitives
from tests.kernel_calls import measured_candidates

KERNELS = {
    "capsule and sphere": (e.CapsuleSphere, measure_capsule_sphere, 1),
    "cylinder and sphere": (e.CapsuleSphere, measure_cylinder_sphere, 1),
    "disk and sphere": (e.CapsuleSphere, measure_disk_sphere, 1),
    "two capsules": (e.CapsuleCapsule, measure_capsule_parts, 5),
    "crowned capsules": (e.CapsuleCapsule, measure_capsule_capsule.with_options(0.2), 1),
}


def of_capsules(kind, seed):
    """A capsule of one body with a capsule or sphere: element, and two shapes."""
    rng = np.random.default_rng(seed)
    model = ns.Model()
    bodies = [
        model.add_sphere(radius=0.2, mass=1.0, position=0.3 * rng.normal(size=3), rotation=rng.normal(size=4))
        for _ in range(2)
    ]
    ends = rng.normal(size=(2, 2, 3))
    rods = [
        model.add_primitive(ends_of, radius=0.1, carrier=b) for ends_of, b in zip(ends, bodies, strict=True)
    ]
    if kind is e.CapsuleCapsule:
        return model.add(e.CapsuleCapsule(between=rods)), rods
    return model.add(e.CapsuleSphere(rods[0], bodies[1])), (rods[0], bodies[1])


@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_measures_the_same_for_hard_and_compliant_contact(name):
    """Gap, normal, and the levers to the surfaces on either side of the contact point."""
    kind, kernel, contacts = KERNELS[name]
    compared = 0
    for seed in range(120):
        element, shapes = of_capsules(kind, seed)
        element.geometry = kernel
        model = shapes[0].model
        system, motion, hard = measured_candidates(model)
        at = placed([[shape] for shape in shapes], system.points(), system)
        A, B = (side_of([shape], at, system.count) for shape in shapes)
        X = coordinates(at.points, motion)
        A, B = (Primitives(X, side.corners, side.radius) for side in (A, B))
        soft = measured(kernel, A, B, contacts=contacts)
        shapes_and_features = np.column_stack(key_parts(hard.feature))
        assert shapes_and_features[:, ::2].tolist() == contacts * [[1, int(kind is e.CapsuleCapsule)]]
        assert shapes_and_features[:, 1::2].tolist() == [[*each] for each in kernel.features or [(0, 0)]]
        assert (np.isinf(hard.gap) == soft.rejected).all()
        here = ~soft.rejected
        surface = np.stack([motion.x[hard.a], motion.x[hard.b]], axis=1) + hard.lever
        half = 0.5 * soft.overlap[:, None] * soft.normal
        assert hard.gap[here] == pytest.approx(-soft.overlap[here], abs=1e-13)
        assert hard.normal[here] == pytest.approx(soft.normal[here], abs=1e-12)
        for side, sign in ((0, -1.0), (1, 1.0)):
            assert surface[here, side] == pytest.approx((soft.point + sign * half)[here], abs=1e-12)
        compared += here.sum()
    assert compared > 5


SHIFT, HALF, RADIUS, MASS, G = 0.3, 1.0, 0.1, 2.0, 10.0


def stacked(rest):
    """A rod on the floor and a parallel one on it, shifted; `rest` makes elements."""
    model = ns.Model(gravity=(0, 0, -G))
    rods = []
    for x, z in ((0.0, RADIUS), (SHIFT, 3.0 * RADIUS)):
        body = model.add_body(mass=MASS, inertia=(1.0, 1.0, 1.0), position=(x, 0, z))
        rods.append(model.add_primitive([(-HALF, 0, 0), (HALF, 0, 0)], radius=RADIUS, carrier=body))
    model.add(e.CapsulePlane(rods[0], model.add_plane(normal=(0, 0, 1))))
    model.add(rest(rods))
    return model


def test_parallel_capsules_rest_on_the_same_ends_hard_or_soft():
    """An end of either, on the axis of the other, with the shares of statics."""
    law = e.SpringDashpot(stiffness=1e6, damping=2e3)
    hard = ns.simulate(stacked(lambda rods: e.CapsuleCapsule(between=(rods[1], rods[0]))), t_end=0.05, h=1e-3)
    soft = ns.simulate(
        stacked(
            lambda rods: e.CompliantSurfaces(
                measure_capsule_parts, [rods[1]], [rods[0]], parts=range(5), normal=law
            )
        ),
        t_end=0.05,
        h=1e-3,
    )
    assert hard.status.ok
    assert soft.status.ok
    share = MASS * G * np.array([HALF - SHIFT, HALF]) / (2.0 * HALF - SHIFT)
    of_rods = hard.contacts.record == hard.contacts.record[-1]
    of_rods &= hard.contacts.plane < 0
    assert hard.contacts.features[of_rods].tolist() == [[0, 0, 0, AXIS], [0, AXIS, 0, 1]]
    assert hard.contacts.wrench[of_rods, 2] == pytest.approx(share, rel=1e-9)
    contacts = soft.compliant_contacts()
    assert contacts.force[:, 2] == pytest.approx(share, rel=1e-6)
    assert contacts.point[:, 0] == pytest.approx([SHIFT - HALF, HALF], abs=1e-6)


def test_a_ball_starts_from_the_centre_of_a_shell():
    """There its contact has no direction and is open; later it obeys Newton's law."""
    model = ns.Model()
    ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0), velocity=(0, 1, 0))
    shell = model.add_sphere(radius=1.0, mass=2.0, position=(0, 0, 0), inertia=4.0 / 3.0)
    model.add(e.SphereInShell([ball], shell, mu=0.3, e_n=0.8))
    result = ns.simulate(model, t_end=1.0, h=1e-3)
    assert result.status.ok
    assert result.velocity[-1, :, 1] == pytest.approx([-0.2, 0.6], abs=1e-12)
