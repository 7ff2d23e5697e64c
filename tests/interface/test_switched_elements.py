"""Elements that act at some times only, and elements with names."""

import numpy as np
import pytest

import elements as e
import nsgalpha as ns
from nsgalpha.case import parse_case

K, M = 40.0, 2.0
SCHEMES = {"alpha": ns.GeneralizedAlpha(1.0), "Verlet": ns.VelocityVerlet(), "semi": ns.SemiImplicit()}
schemes = pytest.mark.parametrize("scheme", SCHEMES.values(), ids=SCHEMES)


def bead_on_a_spring(make=e.Spring, **numbers):
    model = ns.Model()
    bead = model.add_sphere(radius=0.1, mass=M, position=(1.2, 0, 0))
    return model, bead, model.add(make([(bead, (0, 0, 0))], stiffness=K, length=1.0, **numbers), name="rope")


@schemes
def test_a_spring_that_is_let_go_lets_the_mass_fly(scheme):
    """A quarter of a period pulls, then nothing does: x' = -0.2 omega sin(omega t), constant from then on."""
    omega = (K / M) ** 0.5
    end = 0.5 * np.pi / omega
    model, bead, spring = bead_on_a_spring()
    spring.active = lambda t: t < end
    result = ns.simulate(model, t_end=2 * end, h=end / 400, scheme=scheme)
    assert result.status, result.status
    assert result.velocity[-1, bead, 0] == pytest.approx(-0.2 * omega, rel=4e-3)
    flying = result.velocity[402:, bead, 0]
    assert np.ptp(flying) < 1e-14
    assert result.energy("elastic")[402:].max() == 0.0
    assert result.energy("elastic")[0] == pytest.approx(0.5 * K * 0.04)


@schemes
def test_a_spring_switched_between_runs_and_steps(scheme):
    model, bead, spring = bead_on_a_spring()
    spring.active = False
    rest = ns.simulate(model, t_end=0.1, h=1e-3, scheme=scheme)
    assert np.array_equal(rest.position[-1], rest.position[0])
    spring.active = True
    moved = ns.simulate(model, t_end=0.2, h=1e-3, scheme=scheme, state=rest.state())
    exact = 1.0 + 0.2 * np.cos((K / M) ** 0.5 * 0.1)
    assert moved.position[-1, bead, 0] == pytest.approx(exact, abs=5e-4)
    state = model.initial_state()
    for k in range(20):
        spring.active = k >= 10
        state = ns.step(model, state, 1e-3, scheme=scheme)
        assert (state.velocity[bead, 0] != 0.0) == (k >= 10)


@schemes
def test_what_does_not_act_forgets(scheme):
    """A series dashpot has flowed; switched on again the spring has its first length."""
    model, bead, spring = bead_on_a_spring(e.Maxwell, dashpot=4.0)
    spring.active = lambda t: not 0.0495 < t < 0.0595
    result = ns.simulate(model, t_end=0.0601, h=1e-3, scheme=scheme, record_every=1)
    assert result.status, result.status
    before, after = (result.compliant_contacts(k) for k in (48, 60))
    assert len(result.compliant_contacts(55).gap) == 0
    assert before.tension[0] < 0.8 * K * (result.position[48, bead, 0] - 1.0)
    x = result.position[60, bead, 0]
    assert after.tension[0] == pytest.approx(K * (x - 1.0), rel=0.03)


def test_contacts_and_surfaces_that_do_not_act():
    """Of spheres with spheres and planes, and a shell under all its springs."""
    model = ns.Model(gravity=(0, 0, -10))
    balls = [model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0.2 * k + 0.1)) for k in range(2)]
    law = e.SpringDashpot(stiffness=1e4, damping=20.0)
    floor = model.add(e.CompliantSpherePlane(balls, model.add_plane(normal=(0, 0, 1)), normal=law))
    model.add(e.CompliantSphereSphere(balls, normal=law))
    floor.active = lambda t: t > 0.05
    for scheme in SCHEMES.values():
        result = ns.simulate(model, t_end=0.1, h=1e-4, scheme=scheme)
        late, soon = (np.searchsorted(result.t, t) for t in (0.049, 0.04))
        assert result.position[soon, 0, 2] == pytest.approx(0.1 - 5.0 * result.t[soon] ** 2, abs=3e-5)
        assert result.velocity[late, 0, 2] < -0.4 < 0.0 < result.velocity[-1, 0, 2]


def test_a_shell_without_its_springs_does_not_resist():
    vertices, triangles = e.icosphere(0)
    model = ns.Model()
    nodes = [model.add_point(position=1.1 * x) for x in vertices]
    cell = model.add_surface(nodes, triangles, thickness=0.1)
    springs = model.add(e.ShellSprings(cell, modulus=1.0, length=1.0))
    springs.active = lambda t: t > 0.5
    scheme = ns.Overdamped(e.Drag(nodes, translational=1.0), implicitness=0.0)
    result = ns.simulate(model, t_end=1.0, h=0.1, scheme=scheme)
    assert np.array_equal(result.position[5], result.position[0])
    assert np.abs(result.position[-1] - result.position[0]).max() > 1e-4
    assert ns.simulate(model, t_end=0.4, h=0.1, scheme=ns.Overdamped(e.Drag(nodes, translational=1.0)))


def test_what_is_refused():
    model, bead, spring = bead_on_a_spring()
    with pytest.raises(ValueError, match=r"active = 'yes'.*True, False, or a function"):
        spring.active = "yes"
    spring.active = lambda t: 1
    with pytest.raises(ValueError, match=r"active\(.*\) = 1"):
        ns.simulate(model, t_end=1e-3, h=1e-3)
    spring.active = True
    floor = model.add(e.SpherePlane(bead, model.add_plane(normal=(0, 0, 1), offset=-1.0)))
    floor.active = False
    with pytest.raises(ValueError, match="active: SpherePlane is set-valued contact"):
        ns.simulate(model, t_end=1e-3, h=1e-3)


def test_elements_have_names():
    model, bead, spring = bead_on_a_spring()
    assert model.element("rope") is spring
    other = model.add(e.Spring([(bead, (0, 1, 0))], stiffness=1.0))
    found = ns.compliant_contacts(model, model.initial_state())
    assert found.of("rope").gap == pytest.approx([1.2])
    assert found.of(other).gap == pytest.approx([(1.44 + 1.0) ** 0.5])
    with pytest.raises(ValueError, match=r"name = 'robe'.*names are 'rope'"):
        model.element("robe")
    with pytest.raises(ValueError, match="rope"):
        model.add(e.Spring([(bead, (0, 2, 0))], stiffness=1.0), name="rope")
    assert len(model.elements) == 2


def test_names_and_switches_in_files(tmp_path):
    path = tmp_path / "run.h5"
    model, bead, spring = bead_on_a_spring()
    model.add(e.Spring([(bead, (0, 1, 0))], stiffness=1.0)).active = False
    ns.simulate(model, t_end=0.01, h=1e-3, recording=ns.Recording(file=path))
    stored = ns.load(path).model
    assert [each.active for each in stored.elements] == [True, False]
    assert stored.element("rope") is stored.elements[0]
    whole = ns.simulate(model, t_end=0.02, h=1e-3)
    assert np.array_equal(ns.resume(path, t_end=0.02).position[-1], whole.position[-1])
    spring.active = lambda t: t < 1.0
    timed = tmp_path / "timed.h5"
    ns.simulate(model, t_end=0.01, h=1e-3, recording=ns.Recording(file=timed))
    with pytest.raises(ValueError, match=r"is not in the file; give resume\(path, model=...\)"):
        ns.resume(timed, t_end=0.02)
    assert ns.resume(timed, t_end=0.02, model=model).position[-1] == pytest.approx(whole.position[-1])


def test_names_and_switches_in_cases():
    text = '[[bodies]]\ntype = "sphere"\nname = "ball"\nradius = 0.1\nmass = 1\nposition = [1, 0, 0]\n'
    text += '[[elements]]\ntype = "Spring"\nname = "rope"\nactive = false\n'
    text += 'pairs = [["ball", [0, 0, 0]]]\nstiffness = 3\n[run]\nt_end = 1\nh = 0.1\n'
    model = parse_case(text).model
    assert model.element("rope").active is False
