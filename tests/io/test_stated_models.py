"""Every element, law, load, motion and scheme returns from a file as stated."""

import json

import numpy as np
import pytest

import elements as e
import nsgalpha as ns
from elements.catalogue import CATALOGUE as ELEMENTS
from nsgalpha.case.builtin_catalogue import CATALOGUE as BUILTIN
from nsgalpha.case.named_loads import Force, SpringToPoint
from nsgalpha.io.file_vocabulary import word_of
from nsgalpha.io.model_description import describe, missing, plain
from nsgalpha.io.model_reader import value_of
from nsgalpha.model.constructor_record import constructor_call, recorded
from nsgalpha.model.frame_motions import Rotation, Shaking


def hard():
    model = ns.Model(gravity=(0, 0, -9.81))
    balls = [
        model.add_sphere(
            radius=0.05,
            mass=0.1,
            position=(0.101 * k, 0.01 * k, 0.06 + 0.02 * k),
            velocity=(-0.1 * k, 0.1, 0),
            name=f"ball {k}",
        )
        for k in range(4)
    ]
    shell = model.add_sphere(radius=2.0, mass=50.0, position=(5, 0, 2.0), name="shell")
    inner = model.add_sphere(radius=0.1, mass=0.2, position=(5, 0, 0.15))
    floor = model.add_plane(normal=(0, 0, 2), offset=0.0)
    shaking = Shaking(amplitude=(0, 0, 0.01), frequency=5.0)
    shaken = model.add_plane(normal=(0.3, 0, 1), offset=-1.0, motion=shaking)
    turned = model.add_plane(normal=(0, 1, 0), offset=-3.0, motion=Rotation(axis=(0, 1, 0), rate=0.5))
    model.add(e.SphereSphere(among=balls[:3], mu=0.2, e_n=0.5, without=[(balls[0], balls[1])]))
    model.add(e.SphereSphere(pairs=[(balls[0], balls[1])], mu=0.3))
    model.add(e.SphereSphere(between=([balls[3]], balls[:3]), mu=0.1))
    model.add(e.SpherePlane([*balls, shell], floor, mu=0.3, rolling_radius=0.001))
    model.add(e.SpherePlane(balls, [shaken, turned], e_n=0.4))
    model.add(e.SphereInShell(inner, shell, mu=0.2))
    model.add_load(Force(balls[0], force=(0.1, 0, 0), start=0.005))
    model.add_load(Force(balls[1], force=(0.1, 0, 0), end=0.03))
    model.add_load(SpringToPoint(balls[2], point=(0, 0, 1), stiffness=5.0, length=0.1))
    model.add_load(e.Drag(balls, translational=0.05, rotational=1e-5))
    return model, None


def soft(scheme=None):
    model = ns.Model(gravity=(0, 0, -9.81))
    balls = [
        model.add_sphere(radius=0.01, mass=0.01, position=(0.019 * k, 0.001 * k, 0.02), velocity=(0, 0, -0.2))
        for k in range(5)
    ]
    floor = model.add_plane(normal=(0, 0, 1))
    shaking = Shaking(amplitude=(0.01, 0, 0), frequency=3.0)
    wall = model.add_plane(normal=(1, 0, 0), offset=-0.5, motion=shaking)
    sand = e.LudingMaterial(
        plastic_ratio=0.5,
        adhesive_ratio=0.1,
        plastic_depth=0.05,
        gamma_n=0.01,
        sliding_ratio=0.2,
        tan_phi_t=0.3,
    )
    model.add(e.CompliantSphereSphere(among=balls, **e.luding(sand, stiffness=1e4)))
    spring = e.SpringDashpot(stiffness=1e4, damping=1.0)
    friction = e.CundallStrack(stiffness=2e3, mu=0.3)
    model.add(e.CompliantSpherePlane(balls, floor, normal=spring, tangential=friction))
    ends = [(balls[0], balls[1]), (balls[2], (0, 0, 0.1)), (balls[3], wall)]
    model.add(e.Spring(ends, stiffness=[5.0, 6.0, 7.0], damping=0.01))
    model.add(e.Maxwell([(balls[1], balls[2])], stiffness=5.0, dashpot=0.3))
    model.add(e.Dashpot([(balls[3], balls[4])], damping=0.02))
    return model, scheme


def overdamped():
    model = ns.Model(gravity=(0, 0, -1))
    balls = [model.add_sphere(radius=0.1, mass=1.0, position=(0.19 * k, 0, 0)) for k in range(3)]
    model.add(e.CompliantSphereSphere(among=balls, normal=e.ExudynNormal(stiffness=1e3)))
    drags = [e.Drag(balls, translational=2.0, rotational=1.0), e.Drag.stokes(balls, 0.5)]
    return model, ns.Overdamped(drags)


def primitives():
    model = ns.Model(gravity=(0, 0, -9.81))
    rods = [
        model.add_body(mass=0.1, inertia=(1e-4, 1e-4, 2e-5), position=(0, 0.03 * k, 0.05 + 0.02 * k))
        for k in range(2)
    ]
    ends = [(-0.05, 0, 0), (0.05, 0, 0)]
    capsules = [model.add_primitive(ends, radius=0.01, carrier=rod) for rod in rods]
    ball = model.add_sphere(radius=0.01, mass=0.01, position=(0.02, 0, 0.2))
    corners = (0, 0.2, 0.1), (0.1, 0.2, 0.1), (0, 0.3, 0.1)
    points = [model.add_point(mass=0.01, position=corner) for corner in corners]
    triangle = model.add_primitive(points)
    square = [(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)]
    mesh = model.add_mesh(square, [[0, 1, 2], [0, 2, 3]])
    law = {"normal": e.SpringDashpot(stiffness=1e4, damping=1.0)}
    model.add(e.CompliantCapsules(among=capsules, **law))
    model.add(e.CompliantPolygonCapsule(mesh, capsules, parts="ends", **law))
    model.add(e.CompliantCapsuleSphere(capsules, ball, **law))
    model.add(e.CompliantPolygonSphere(mesh, ball, flip_normals=True, **law))
    model.add(e.CompliantPolygonSphere(triangle, ball, **law))
    model.add(e.CompliantCylinderSphere(capsules[0], points[0], **law))
    model.add(e.CompliantDiskSphere(capsules[0], points[0], **law))
    model.add(e.CompliantPolygons(between=(triangle, mesh), normal=e.SpringDashpot(stiffness=1e3)))
    return model, None


#: model and scheme, and the step
MODELS = {
    "hard": (hard, 1e-3),
    "soft_alpha": (soft, 1e-4),
    "soft_verlet": (lambda: soft(ns.VelocityVerlet()), 1e-4),
    "soft_semi": (lambda: soft(ns.SemiImplicit(1.0)), 1e-4),
    "overdamped": (overdamped, 0.05),
    "primitives": (primitives, 5e-4),
}


@pytest.mark.parametrize("name", MODELS)
def test_a_model_is_described_completely_and_comes_back(tmp_path, name):
    build, h = MODELS[name]
    model, scheme = build()
    assert not missing(describe(model))
    path = tmp_path / "run.h5"
    ns.simulate(model, t_end=3 * h, h=h, scheme=scheme, recording=ns.Recording(file=path))
    found = ns.load(path).model
    assert json.dumps(describe(found)) == json.dumps(describe(model))
    if scheme is not None:
        assert plain(value_of(plain(scheme), found, ("schemes",), "scheme")) == plain(scheme)


@pytest.mark.parametrize("catalogue", [ELEMENTS, BUILTIN])
def test_all_that_case_files_name_result_files_name_too(catalogue):
    for kind in (
        "elements",
        "joints",
        "drives",
        "laws",
        "loads",
        "resistances",
        "motions",
        "schemes",
        "parts",
    ):
        for name, maker in catalogue.of(kind).items():
            found = word_of(maker)
            assert found is not None, name
            assert found.name == name


def test_a_statement_does_not_change_with_the_lists_of_the_script():
    model = ns.Model()
    balls = [model.add_sphere(radius=0.1, mass=1.0, position=(k, 0, 0)) for k in range(3)]
    some, drag = balls[:2], np.ones(2)
    element, load = e.SphereSphere(some, mu=0.3), e.Drag(some, translational=drag)
    some.append(balls[2])
    drag[:] = 7.0
    assert constructor_call(element).arguments == {"among": (balls[0], balls[1]), "mu": 0.3}
    assert constructor_call(load).arguments["translational"].tolist() == [1.0, 1.0]


def test_a_class_that_is_derived_states_itself_or_is_missing():
    class Mine(e.SphereSphere):
        pass

    model = ns.Model()
    balls = [model.add_sphere(radius=0.1, mass=1.0, position=(k, 0, 0)) for k in range(2)]
    assert constructor_call(Mine(balls)) is None
    assert "Mine" in missing(plain(Mine(balls)))[0]
    mine = recorded(Mine)(balls)
    assert constructor_call(mine).maker is Mine
    assert "Mine" in missing(plain(mine))[0]  # no package offers it


def test_what_a_file_states_passes_the_checks_of_its_constructor():
    model = ns.Model()
    model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0))
    described = plain(e.Spring([(model.bodies[0], (0, 0, 1))], stiffness=20.0))
    assert isinstance(value_of(described, model, ("elements",), "it"), e.Compliant)
    described["arguments"]["stiffness"] = -20.0
    with pytest.raises(ValueError, match=r"it: Spring: stiffness.*-20"):
        value_of(described, model, ("elements",), "it")
    described["record"] = "Hertz"
    with pytest.raises(ValueError, match=r"it: Hertz: name = 'Hertz': must be .* one of the elements"):
        value_of(described, model, ("elements",), "it")
    described["record"] = "os.system"
    with pytest.raises(ValueError, match=r"'os.system'"):
        value_of(described, model, ("elements",), "it")
