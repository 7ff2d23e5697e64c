"""The mean stress of a cell against closed forms."""

import itertools

import numpy as np
import pytest

import elements as e
import nsgalpha as ns
from nsgalpha.model.body_volumes import body_volumes
from nsgalpha.model.mass_properties import box_properties

R, M, G = 0.1, 2.0, 10.0


def layers(count, across=3, **options):
    """A simple cubic packing of `count` layers on a floor, periodic along x and y."""
    model = ns.Model(gravity=(0, 0, -G), periodic=(2 * R * across, 2 * R * across, None))
    for k, i, j in itertools.product(range(count), range(across), range(across)):
        place = 2 * R * i - 0.3, 2 * R * j + 5.0, R + 2 * R * k
        model.add_sphere(radius=R, mass=M, position=place, **options)
    return model, model.add_plane(normal=(0, 0, 1))


@pytest.mark.parametrize("count", [1, 3, 5])
def test_a_packing_on_a_floor_has_the_mean_of_its_weight(count):
    """sigma_zz = -n m g/(8 R^2): the floor carries n m g on (2 R)^2, and the mean is half of that."""
    model, floor = layers(count)
    model.add(e.SphereSphere(among=model.spheres, mu=0.3))
    model.add(e.SpherePlane(model.spheres, floor, mu=0.3))
    result = ns.simulate(model, t_end=0.02, h=1e-3)
    stress = ns.mean_stress(result, volume=(6 * R) ** 2 * 2 * R * count)
    exact = -count * M * G / (8 * R * R)
    assert abs(stress.total[1:, 2, 2] / exact - 1.0).max() < 1e-9
    rest = stress.total - exact * np.diag([0, 0, 1.0])
    assert abs(rest[1:, :2, :2]).max() < 1e-7 * abs(exact)
    assert abs(stress.solid_fraction - np.pi / 6).max() < 1e-12
    last = result.contacts.at(-1)
    assert abs(last.wrench[last.plane >= 0, 2].sum() - 9 * count * M * G) < 1e-7


def test_a_compressed_lattice_has_the_force_of_its_contacts_on_their_area():
    """sigma = -k d/a^2 along each axis, with the lattice constant a = 2 R - d, and none across."""
    k, d = 1e4, (1e-3, 2e-3, 3e-3)
    a = 2 * R - np.array(d)
    model = ns.Model(periodic=tuple(4 * a))
    for place in itertools.product(range(4), repeat=3):
        model.add_sphere(radius=R, mass=M, position=a * place + 0.7)
    model.add(e.CompliantSphereSphere(among=model.spheres, normal=e.SpringDashpot(stiffness=k)))
    result = ns.simulate(model, t_end=0.01, h=1e-4, scheme=ns.VelocityVerlet())
    stress = ns.mean_stress(result)
    exact = -np.diag(k * np.array(d) * a / np.prod(a))
    assert abs(stress.total - exact).max() < 1e-9 * abs(exact).max()
    assert abs(stress.pressure + np.trace(exact) / 3.0).max() < 1e-9 * abs(exact).max()


def test_a_sheared_lattice_has_the_shear_of_its_friction():
    """Two layers between walls that move apart along x: tau is the friction over the area."""
    model = ns.Model(periodic=(6 * R, 6 * R, None), gravity=(0, 0, 0))
    k = 1e4
    for i, j in itertools.product(range(3), repeat=2):
        model.add_sphere(radius=R, mass=M, position=(2 * R * i, 2 * R * j, R))
    floor = model.add_plane(normal=(0, 0, 1), offset=1e-3)
    lid = model.add_plane(
        normal=(0, 0, -1),
        offset=-2 * R,
        motion=ns.ConstantVelocity(velocity=(0.1, 0, 0), position=(0, 0, -1e-3)),
    )
    law = {"normal": e.SpringDashpot(stiffness=k), "tangential": e.CundallStrack(stiffness=k, mu=0.5)}
    model.add(e.CompliantSpherePlane(model.spheres, [floor, lid], **law))
    result = ns.simulate(model, t_end=1e-3, h=1e-5, scheme=ns.VelocityVerlet())
    stress = ns.mean_stress(result, volume=(6 * R) ** 2 * 2 * R)
    found = result.compliant_contacts()
    at_lid = found.plane == 1
    shear = found.force[at_lid, 0].sum() / (6 * R) ** 2
    assert abs(found.force[at_lid, 0]).min() > 1e-3
    lever = (R - 0.5e-3) / R  # contact points are in the middle of the overlaps
    at_floor = -found.force[~at_lid, 0].sum() / (6 * R) ** 2
    assert abs(stress.contact[-1, 0, 2] - 0.5 * (shear + at_floor) * lever) < 1e-9 * abs(shear)


def test_motion_alone_is_the_pressure_of_an_ideal_gas():
    rng = np.random.default_rng(0)
    v = rng.normal(size=(50, 3)) + np.array([5.0, 0, 0])
    model = ns.Model(periodic=(1.0, 2.0, 3.0))
    for x, each in zip(rng.uniform(0, 1, (50, 3)), v, strict=True):
        model.add_sphere(radius=0.01, mass=M, position=x, velocity=each)
    result = ns.simulate(model, t_end=0.01, h=1e-2)
    fluctuation = v - v.mean(axis=0)
    stress = ns.mean_stress(result)
    assert abs(stress.kinetic[-1] + M * fluctuation.T @ fluctuation / 6.0).max() < 1e-12
    assert not stress.contact.any()
    about_zero = ns.mean_stress(result, velocity=(0, 0, 0))
    assert abs(about_zero.total[-1] + M * v.T @ v / 6.0).max() < 1e-12
    assert (ns.mean_stress(result, velocity=v).kinetic == 0.0).all()


def test_impacts_give_the_momentum_that_they_carry_across_the_cell():
    """A bead between two images of a fixed one: 2 m v per impact."""
    model = ns.Model(periodic=(1.0, 1.0, 1.0))
    model.add_sphere(radius=R, position=(0, 0, 0), fixed=True)
    model.add_sphere(radius=R, mass=M, position=(0.5, 0, 0), velocity=(1.0, 0, 0))
    model.add(e.SphereSphere(among=model.spheres, e_n=1.0))
    result = ns.simulate(model, t_end=1.2, h=1e-3)  # two impacts of 2 m v at arms of 2 R in 1.2 s
    stress = ns.mean_stress(result, velocity=(0, 0, 0))
    assert abs(stress.contact[1:, 0, 0].mean() + 2 * 2 * M * 2 * R / 1.2) < 1e-6
    assert abs(stress.kinetic[1:, 0, 0].mean() + M) < 1e-9


def test_what_has_no_mean_stress_is_refused():
    model, floor = layers(1)
    model.add(e.SpherePlane(model.spheres, floor))
    result = ns.simulate(model, t_end=1e-3, h=1e-3)
    with pytest.raises(ValueError, match="volume = None: must be given for a cell that is not periodic"):
        ns.mean_stress(result)
    with pytest.raises(ValueError, match="volume = -1"):
        ns.mean_stress(result, volume=-1)
    with pytest.raises(ValueError, match=r"velocity = .*of the shape"):
        ns.mean_stress(result, volume=1.0, velocity=(1.0, 2.0))


def test_springs_do_not_count():
    model = ns.Model(periodic=(1.0, 1.0, 1.0))
    for x in (0.2, 0.7):
        model.add_sphere(radius=R, mass=M, position=(x, 0, 0))
    model.add(e.CompliantSphereSphere(among=model.spheres, normal=e.SpringDashpot(stiffness=1e4)))
    model.add(e.Spring([tuple(model.spheres)], stiffness=1e3, length=0.4))
    result = ns.simulate(model, t_end=1e-3, h=1e-4)
    assert not ns.mean_stress(result).contact.any()
    assert result.compliant_contacts().force.any()


def test_bodies_of_all_shapes_count_for_the_solid_fraction():
    """Their masses over the density. A vessel around them, inside out, has none."""
    model, density = ns.Model(periodic=(9.0, 9.0, 9.0)), 1000.0
    model.add_box((0.1, 0.2, 0.3), density=density, position=(1, 0, 0))
    model.add_box((0.1, 0.2, 0.3), density=density, radius=0.02, position=(2, 0, 0))
    model.add_cylinder(radius=0.1, length=0.3, density=density, position=(3, 0, 0))
    model.add_cone(radius=0.1, height=0.2, density=density, position=(4, 0, 0))
    model.add_capsule(radius=0.1, length=0.3, density=density, position=(5, 0, 0))
    points = np.random.default_rng(0).normal(size=(30, 3))
    model.add_solid(points, hull=True, scale=0.1, density=density, position=(6, 0, 0))
    balls = [(0, 0, 0, 0.1), (0.1, 0, 0, 0.12), (0.05, 0.1, 0, 0.08)]
    for y in (1, 2):
        model.add_clump(balls, density=density, position=(1, y, 0))
    parts = [ns.parts.box((0.1, 0.1, 0.1)), ns.parts.cylinder(0.05, 0.2, position=(0.5, 0, 0))]
    ball = ns.parts.sphere(0.05, position=(0, 0.5, 0))
    model.add_compound([*parts, ball], density=density, position=(1, 4, 0))
    result = ns.simulate(model, t_end=1e-3, h=1e-3)
    wanted = sum(body.mass for body in model.bodies) / density / 9.0**3
    assert ns.mean_stress(result).solid_fraction == pytest.approx(wanted, rel=1e-14)
    vessel = model.add_body(fixed=True, position=(0, 0, 0))
    inwards = [face[::-1] for face in box_properties((1.0, 1.0, 1.0)).faces]
    model.add_mesh(box_properties((1.0, 1.0, 1.0)).vertices, inwards, carrier=vessel)
    assert body_volumes(model).sum() == pytest.approx(wanted * 9.0**3, rel=1e-14)
    assert body_volumes(model)[vessel] == 0.0
