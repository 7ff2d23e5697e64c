"""Forces on one side of a contact, and forces that are taken away (AssembleForces_1, ResetForceData)."""

import numpy as np
import pytest
from two_bodies import pair

import elements as e
import nsgalpha as ns
from nsgalpha.forces.compliant_forces import CompliantForces
from nsgalpha.forces.contact_outputs import evaluated
from nsgalpha.system.system import System

SCHEMES = {
    "alpha": ns.GeneralizedAlpha(),
    "Verlet": ns.VelocityVerlet(),
    "semi": ns.SemiImplicit(implicitness=0.5),
}
KINDS = "sphere", "shell", "plane", "points", "fixed points"
LAWS = {
    "normal": e.SpringDashpot(stiffness=1e4, damping=3.0),
    "tangential": e.HaffWerner(damping=0.1, mu=0.4),
}


def tangents(model, rng):
    """Wrenches, tangents, and damping of a random motion, after one step."""
    system = System(model)
    motion, forces = system.motion(model.initial_state()), CompliantForces(system)
    forces.find(motion, 1.0)
    forces.begin(motion)
    increment = 1e-4 * rng.normal(size=(system.size, 6))
    wrench = forces.evaluate(motion, increment, 1e-3)
    pattern, values = forces.tangents(1.0, 0.1)
    return wrench, pattern.matrix(values).toarray(), forces.damping(np.ones_like(wrench))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("side", [0, 1])
def test_one_side_has_what_it_has_of_both_and_the_other_nothing(kind, side):
    laws = {"normal": e.LinearSpring(stiffness=1e4, length=0.7)} if "points" in kind else LAWS
    both, one = (
        tangents(pair(kind, np.random.default_rng(3), acts_on=on, **laws), np.random.default_rng(4))
        for on in ("both", "ab"[side])
    )
    felt, silent = np.split(np.arange(12), 2)[:: 1 - 2 * side]
    assert np.abs(one[0]).max() > 0.0
    assert np.array_equal(one[0][side], both[0][side])
    assert not one[0][1 - side].any()
    assert np.array_equal(one[1][felt], both[1][felt])
    assert not one[1][silent].any()
    assert np.array_equal(one[2][side], both[2][side])
    assert not one[2][1 - side].any()


@pytest.mark.parametrize("side", [0, 1])
def test_one_side_of_primitives(side):
    def stated(on):
        model = ns.Model()
        ends = [(-1, 0, 0), (1, 0, 0)], [(0, -1, 0), (0.1, 1, 0)]
        corners = [
            [model.add_point(position=x, mass=1.0, velocity=(0, x[0], 0.1)) for x in two] for two in ends
        ]
        body = model.add_body(mass=1.0, inertia=1.0, position=(0, 0, 0.19), velocity=(0, 0.1, 0))
        rods = [
            model.add_primitive(corners[0], radius=0.1),
            model.add_primitive(ends[1], radius=0.1, carrier=body),
        ]
        model.add(e.CompliantCapsules(between=(rods[:1], rods[1:]), acts_on=on, **LAWS))
        return model

    both, one = (tangents(stated(on), np.random.default_rng(4)) for on in ("both", "ab"[side]))
    bodies = [0, 1] if side == 0 else [4]
    others = np.setdiff1d(np.arange(5), bodies)
    rows = np.concatenate([np.arange(6 * b, 6 * b + 6) for b in bodies])
    assert np.abs(one[0]).max() > 0.0
    for k in (0, 2):
        assert np.array_equal(one[k][bodies], both[k][bodies])
        assert not one[k][others].any()
    assert np.array_equal(one[1][rows], both[1][rows])
    assert not np.delete(one[1], rows, axis=0).any()


@pytest.mark.parametrize("scheme", SCHEMES.values(), ids=SCHEMES)
def test_a_ball_that_one_side_feels_is_a_wall_that_moves(scheme):
    """B flies through at its speed; in its frame A is thrown back as from a wall: v = 2 V."""
    model = ns.Model()
    a = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0))
    b = model.add_sphere(radius=0.1, mass=1.0, position=(0.21, 0, 0), velocity=(-0.5, 0, 0))
    model.add(e.CompliantSphereSphere(among=[a, b], acts_on="a", normal=e.SpringDashpot(stiffness=1e3)))
    result = ns.simulate(model, t_end=0.15, h=2e-4, scheme=scheme)
    assert result.status, result.status
    assert np.array_equal(result.velocity[-1, b], [-0.5, 0, 0])
    assert result.velocity[-1, a, 0] == pytest.approx(-1.0, rel=2e-3)


def test_outputs_tell_the_force_and_who_feels_it():
    model = pair("sphere", np.random.default_rng(1), acts_on="b", **LAWS)
    contacts = ns.compliant_contacts(model, model.initial_state())
    assert np.abs(contacts.force).max() > 1.0
    assert not contacts.resultant()[0].any()
    assert np.allclose(contacts.resultant()[1, :3], -contacts.force[0], rtol=1e-15)
    assert np.allclose(contacts.resultant(), evaluated(System(model), model.initial_state())[2])


def test_a_resistance_on_one_side_without_inertia():
    """Gamma v_a = -gamma (v_a - v_b), Gamma v_b = f: a is dragged along, b does not feel it."""
    drag, gamma, f = 2.0, 3.0, 0.1
    model = ns.Model(gravity=(0, f, 0))
    bodies = [
        model.add_sphere(radius=0.1, mass=m, position=(0.2 * i, 0, 0)) for i, m in enumerate((1e-12, 1.0))
    ]
    law = e.Resistance(normal=gamma, tangential=gamma, distance=0.1)
    model.add(e.CompliantSphereSphere(pairs=[tuple(bodies)], acts_on="a", contact=law))
    scheme = ns.Overdamped(e.Drag(bodies, translational=drag))
    result = ns.simulate(model, t_end=0.01, h=1e-3, scheme=scheme)
    v_b = f / drag
    assert result.velocity[-1, 1, 1] == pytest.approx(v_b, rel=1e-10)
    assert result.velocity[-1, 0, 1] == pytest.approx(gamma * v_b / (drag + gamma), rel=1e-4)


@pytest.mark.parametrize("numpy_law", [False, True], ids=["compiled", "numpy"])
@pytest.mark.parametrize("scheme", SCHEMES.values(), ids=SCHEMES)
def test_what_is_reset_does_not_act(scheme, numpy_law):
    """A spring that is taken away, and a dashpot behind it that acts."""
    spring = e.SpringDashpot(stiffness=1e3)
    normal = [(lambda contact, response: spring(contact, response)) if numpy_law else spring]

    def end(**laws):
        model = ns.Model()
        a = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0))
        b = model.add_sphere(radius=0.1, mass=1.0, position=(0.19, 0, 0), velocity=(-0.1, 0, 0))
        model.add(e.CompliantSphereSphere(pairs=[(a, b)], **laws))
        result = ns.simulate(model, t_end=0.1, h=1e-3, scheme=scheme)
        assert result.energy("elastic").max() == 0.0
        return result.velocity[-1]

    law = e.Resistance(normal=2.0, tangential=0.0)
    expected = end(contact=law)
    assert np.ptp(expected[:, 0]) < 0.09
    assert np.allclose(end(normal=normal, contact=[e.Reset(), law]), expected, rtol=0, atol=1e-15)
    assert np.array_equal(end(normal=normal, contact=[law, e.Reset()])[:, 0], [0.0, -0.1])


def test_reset_keeps_what_laws_remember():
    model = ns.Model()
    a = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0), velocity=(0, 0.1, 0))
    b = model.add_sphere(radius=0.1, mass=1.0, position=(0.19, 0, 0))
    laws = {"normal": e.Hertz(modulus=1e6), "tangential": e.CundallStrack(stiffness=1e3, mu=0.5)}
    model.add(e.CompliantSphereSphere(pairs=[(a, b)], twisting=e.Reset(), **laws))
    result = ns.simulate(model, t_end=0.01, h=1e-3, scheme=ns.VelocityVerlet())
    contacts = result.compliant_contacts(-1)
    assert not contacts.force.any()
    assert contacts.history[0, 1] == pytest.approx(0.001, rel=0.1) or contacts.history[0, 0] != 0.0


def test_bad_sides_are_refused_by_name():
    laws = {"normal": e.LinearSpring(stiffness=1.0, length=1.0)}
    points = e.PointPairs([((0, 0, 0), ns.Model().add_point(position=(1, 0, 0)))])
    for wrong in ("A", "c", None, 1, ("a",)):
        with pytest.raises(ValueError, match=r"acts_on = .*'both', 'a' or 'b'"):
            e.Compliant(points, acts_on=wrong, **laws)
    model = ns.Model()
    skin = model.add_mesh(
        np.eye(3), [(0, 1, 2)], carrier=model.add_body(position=(0, 0, 0), mass=1, inertia=1)
    )
    ball = model.add_sphere(radius=1, mass=1, position=(3, 0, 0))
    with pytest.raises(ValueError, match=r"contact = .*without Reset"):
        e.RoundedTriangles(skin, [ball], normal=e.Hertz(modulus=1.0), contact=e.Reset())
