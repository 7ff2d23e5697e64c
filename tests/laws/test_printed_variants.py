"""Variants printed in the documentation of mpacts, and areas of contact."""

import numpy as np
import pytest

import elements as e
import nsgalpha as ns
from nsgalpha.forces import CompliantLaw, evaluate

PRINTED = e.CundallStrack(stiffness=1e4, mu=0.5, dynamic_mu=0.4, damping=2.0, along="velocity")


def sheared(law, history=(2e-5, -1e-5), rate=(0.03, 0.04), increment=(1e-6, 0.0), normal=5.0):
    return evaluate(law, history=[history], rate=[rate], increment=[increment], normal=normal)


def test_printed_friction_is_along_the_velocity_with_static_and_dynamic_cap():
    sticks = sheared(PRINTED)
    size = 1e4 * np.hypot(2.1e-5, 1e-5) + 2.0 * 0.05
    assert size < 0.5 * 5.0
    assert sticks.force[0] == pytest.approx(-size * np.array([0.6, 0.8]), rel=1e-12)
    slips = sheared(PRINTED, history=(5e-4, 0.0))
    assert slips.force[0] == pytest.approx(-0.4 * 5.0 * np.array([0.6, 0.8]), rel=1e-12)
    assert slips.history[0] == pytest.approx([5.01e-4, 0.0])  # the spring is not cut
    assert not sheared(PRINTED, rate=(0.0, 0.0)).force.any()
    along_spring = sheared(e.CundallStrack(stiffness=1e4, mu=0.5, dynamic_mu=0.4, damping=2.0))
    assert abs(along_spring.force[0] - sticks.force[0]).max() > 0.1


@pytest.mark.parametrize("history", [(2e-5, -1e-5), (5e-4, 1e-4)])
def test_printed_friction_has_its_tangents(history):
    at = {"history": history, "rate": (0.03, 0.04), "increment": (1e-6, 2e-6), "normal": 5.0}
    found = sheared(PRINTED, **at)
    for name, step, slope in (("rate", 1e-7, found.by_rate), ("increment", 1e-11, found.by_increment)):
        for j in range(2):
            ends = []
            for sign in (1, -1):
                moved = np.array(at[name])
                moved[j] += sign * step
                ends.append(sheared(PRINTED, **{**at, name: tuple(moved)}).force[0])
            assert (ends[0] - ends[1]) / (2 * step) == pytest.approx(slope[0, :, j], rel=1e-5, abs=1e-6)
    ends = [sheared(PRINTED, **{**at, "normal": 5.0 + step}).force[0] for step in (1e-6, -1e-6)]
    assert (ends[0] - ends[1]) / 2e-6 == pytest.approx(found.by_normal[0], abs=1e-8)


def test_an_unknown_direction_is_refused():
    with pytest.raises(ValueError, match=r"along = 'surface': must be 'spring' or 'velocity'"):
        e.CundallStrack(stiffness=1.0, mu=0.5, along="surface")


def forces(element, model):
    model.add(element)
    return ns.compliant_contacts(model, model.initial_state()).force


def beside_a_disk(x, **option):
    """Forces on a ball 0.05 above a disk of radius 1, at `x`."""
    model = ns.Model()
    ball = model.add_sphere(radius=0.1, mass=1.0, position=(x, 0, 0.05))
    disk = model.add_primitive([(0, 0, 0), (0, 0, -1)], radius=1.0)
    return forces(
        e.CompliantDiskSphere([disk], [ball], normal=e.SpringDashpot(stiffness=1e3), **option), model
    )


def test_a_disk_without_rim_touches_within_its_edge_only():
    assert beside_a_disk(0.99, rim=False) == pytest.approx(beside_a_disk(0.99))
    assert len(beside_a_disk(1.01)) == 1
    assert len(beside_a_disk(1.01, rim=False)) == 0


def at_height(z, **option):
    """Force along z on a ball of radius 0.1 at `z` over a square."""
    model = ns.Model()
    ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, z))
    square = model.add_primitive([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)])
    found = forces(
        e.CompliantPolygonSphere([square], [ball], normal=e.SpringDashpot(stiffness=1e3), **option), model
    )
    return -found[0, 2] if len(found) else 0.0


@pytest.mark.parametrize(
    ("z", "plain", "flipped", "submerged"),
    [(0.05, 50.0, 50.0, 50.0), (-0.05, 150.0, -50.0, 150.0), (-0.0999, 199.9, -0.1, 199.9)],
)
def test_normals_flip_behind_the_centre_or_behind_the_whole_sphere(z, plain, flipped, submerged):
    assert at_height(z) == pytest.approx(plain)
    assert at_height(z, flip_normals=True) == pytest.approx(flipped)
    assert at_height(z, flip_submerged=True) == pytest.approx(submerged)


def test_both_kinds_of_flipping_are_refused():
    with pytest.raises(ValueError, match="give one of them"):
        at_height(0.05, flip_normals=True, flip_submerged=True)


R, E, W = 1e-6, 1e6, 1e-3
NECKS = {"JKR": e.JKR(modulus=E, work=W), "Maugis": e.MaugisDugdale(modulus=E, work=W, range=2e-9)}


def neck(law, d):
    """Area that the laws behind see at the overlap `d` of a contact that is attached."""
    history = np.zeros((1, law.history))
    first = evaluate(law, overlap=1e-9, radius=R, history=history)
    seen = []

    def behind(contact, response):
        seen.append(contact.area[0])

    chain = CompliantLaw(normal=law, contact=behind, reach=1e-6)
    evaluate(chain, overlap=d, radius=R, history=first.history, rate=np.zeros((1, 6)))
    return seen[0]


@pytest.mark.parametrize("d", [5e-8, 0.0, -1e-8])
@pytest.mark.parametrize("law", NECKS.values(), ids=NECKS)
def test_laws_behind_an_adhesive_one_see_the_area_of_its_neck(law, d):
    found = law.contact_radius(d, R, attached=True)
    a = float(np.ravel(found[0] if isinstance(found, tuple) else found)[0])
    assert a > 0.0
    assert neck(law, d) == pytest.approx(np.pi * a * a, rel=1e-9)
    if d <= 0.0:
        assert evaluate(e.SpringDashpot(stiffness=1.0), overlap=d, radius=R).force[0, 0] == 0.0


def stuck(*, gap, **laws):
    """Two spheres of 2 um radius that have touched and are drawn apart."""
    model = ns.Model()
    for x, v in ((0.0, 0.0), (4e-6 + gap, 1e-6)):
        model.add_sphere(radius=2e-6, mass=1e-9, position=(x, 0, 0), velocity=(v, 0, 0))
    model.add(e.CompliantSphereSphere(among=model.spheres, normal=NECKS["JKR"], reach=1e-6, **laws))
    state = model.initial_state()
    start = ns.compliant_contacts(model, state)
    return model, start


def test_outputs_have_the_area_of_a_neck():
    _, contacts = stuck(gap=-2e-8)
    a = float(np.ravel(NECKS["JKR"].contact_radius(2e-8, R, attached=True))[0])
    assert contacts.area == pytest.approx([np.pi * a * a])
    assert contacts.contact_area() == pytest.approx([np.pi * a * a] * 2)


def test_resistance_by_area_and_torsion_take_the_neck():
    per_area = e.Resistance(normal=1e6, tangential=0.0, weight="area")
    law = CompliantLaw(normal=NECKS["JKR"], contact=per_area, reach=1e-6)
    rate = np.zeros((1, 6))
    rate[0, 0] = 1e-3
    history = np.zeros((1, law.history))
    history[0, 0] = 1.0
    d = -1e-8
    slow, fast = (
        evaluate(law, overlap=d, radius=R, rate=v * rate, history=history).force[0, 0] for v in (0, 1)
    )
    assert slow - fast == pytest.approx(1e6 * neck(NECKS["JKR"], d) * 1e-3, rel=1e-9)
    twist = CompliantLaw(
        normal=NECKS["JKR"], twisting=e.TorsionalCoulomb(damping=1.0, mu=1e9, magnitude=True), reach=1e-6
    )
    rate = np.zeros((1, 6))
    rate[0, 5] = 2.0
    found = evaluate(twist, overlap=d, radius=R, rate=rate, history=history).force[0, 5]
    assert found == pytest.approx(-1.0 * neck(NECKS["JKR"], d) * 2.0 / (2 * np.pi), rel=1e-9)


def test_primitives_have_the_area_of_their_necks_too():
    model = ns.Model()
    a, b = (model.add_sphere(radius=2e-6, mass=1e-9, position=(x, 0, 0)) for x in (0, 4e-6 - 2e-8))
    law = NECKS["JKR"]
    model.add(e.CompliantPrimitiveSpheres(between=([a], [b]), normal=law, reach=1e-6))
    contacts = ns.compliant_contacts(model, model.initial_state())
    assert contacts.area == pytest.approx([neck(law, 2e-8)])


SQUARE = np.array([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)], float)


def test_polygons_at_an_angle_overlap_by_the_printed_tangent():
    """2 tan(alpha) in place of 2 tan(alpha/2); parallel ones by 2."""
    for alpha in (0.0, 0.1, 0.5):
        gaps = []
        for printed in (False, True):
            model = ns.Model()
            c, s = np.cos(alpha), np.sin(alpha)
            turned = SQUARE[::-1] @ np.array([(c, 0, s), (0, 1, 0), (-s, 0, c)]) - (0, 0, 0.05)
            pair = (
                [model.add_primitive(SQUARE)],
                [
                    model.add_primitive(
                        turned, carrier=model.add_body(mass=1.0, inertia=1.0, position=(0, 0, 0))
                    )
                ],
            )
            model.add(
                e.CompliantPolygons(between=pair, printed=printed, normal=e.SpringDashpot(stiffness=1.0))
            )
            gaps.append(ns.compliant_contacts(model, model.initial_state()).gap[0])
        ratio = np.tan(alpha) / np.tan(alpha / 2) if alpha else 2.0
        assert gaps[0] < 0.0
        assert gaps[1] == pytest.approx(ratio * gaps[0], rel=1e-12)


def test_the_printed_force_of_delile_returns_beyond_its_end():
    at = {"overlap": np.array([-0.3, -0.5, -0.7]), "radius": 1.0, "branch": 4.0}
    law = {"weight": 2.0, "end": 1.1, "rest": 0.9}
    r = 4.0 - at["overlap"]
    printed = -2.0 * (r - 4.4) ** 2 * (r - 3.6)
    assert evaluate(e.Delile(**law, ends=False), **at).force[:, 0] == pytest.approx(printed, rel=1e-12)
    ours = evaluate(e.Delile(**law), **at).force[:, 0]
    assert ours == pytest.approx([printed[0], 0.0, 0.0])


def on_walls(radius, **law):
    """Forces and areas of a ball on plane, polygon, disk, and in a tube."""
    made = []
    for kind in range(4):
        model = ns.Model()
        ball = model.add_sphere(radius=radius, mass=1.0, position=(0, 0, 0.99 * radius))
        if kind == 0:
            element = e.CompliantSpherePlane(ball, model.add_plane(normal=(0, 0, 1)), **law)
        elif kind == 1:
            element = e.CompliantPolygonSphere([model.add_primitive(SQUARE)], [ball], **law)
        elif kind == 2:
            disk = model.add_primitive([(0, 0, 0), (0, 0, -1)], radius=5 * radius)
            element = e.CompliantDiskSphere([disk], [ball], **law)
        else:
            tube = model.add_primitive([(-1, 0, 10 * radius), (1, 0, 10 * radius)], radius=-10 * radius)
            element = e.CompliantCylinderSphere([tube], [ball], **law)
        model.add(element)
        found = ns.compliant_contacts(model, model.initial_state())
        made.append((np.linalg.norm(found.force), found.area[0]))
    return np.array(made).T


def test_a_wall_has_the_radius_of_the_sphere_whatever_it_is_made_of():
    """Luding's K = pi a E/2 of two bars, and the circle of intersection."""
    force, _ = on_walls(0.1, **e.luding(e.LudingMaterial(young=1e7)))
    assert force == pytest.approx(np.full(4, 0.5 * np.pi * 0.1 * 1e7 * 1e-3), rel=1e-12)
    _, area = on_walls(0.1, normal=[e.SpringDashpot(stiffness=1.0), e.GeometricArea()])
    assert area[:3] == pytest.approx(np.full(3, np.pi * 1e-3 * (0.2 - 1e-3)), rel=1e-12)
    assert area[3] > area[0]


def test_a_preset_force_is_shared_by_faces_or_printed_on_each():
    """Half of the contact circle on a face: the printed force is whole."""
    half = {"overlap": 1e-3, "fraction": 0.5}
    assert evaluate(e.PresetForce(force=3.0, distance=0.0), **half).force[0, 0] == 1.5
    assert evaluate(e.PresetForce(force=3.0, distance=0.0, weighted=False), **half).force[0, 0] == 3.0


@pytest.mark.parametrize("overlap", [-2e-9, 0.0, 1e-8])
def test_the_adhesive_part_of_maugis_and_dugdale(overlap):
    """Printed alone: -2 s_0 (c^2 acos(a/c) + a sqrt(c^2 - a^2)); with Hertz's part it is the force."""
    E, W, h_0, R = 1e6, 1e-3, 1e-8, 1e-5
    law = e.MaugisDugdale(modulus=E, work=W, range=h_0)
    a, c = law.radii(overlap, R)
    printed = -2.0 * W / h_0 * (c**2 * np.arccos(a / c) + a * np.sqrt(c**2 - a**2))
    assert law.adhesion(overlap, R) == pytest.approx(printed, rel=1e-14)
    force = law.branch(a, R).force
    assert law.adhesion(overlap, R) == pytest.approx(force - 4.0 * E * a**3 / (3.0 * R), rel=1e-9)
    assert law.adhesion(overlap, R, attached=False) == (0.0 if overlap < 0.0 else law.adhesion(overlap, R))
