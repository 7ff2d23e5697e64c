"""Small runs whose attacked files have every kind of content."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import elements as e
import nsgalpha as ns
from nsgalpha.case.named_loads import Force, SpringToPoint
from nsgalpha.io import hdf5_tables
from nsgalpha.model.frame_motions import Rotation, Shaking
from tests.constraints.jointed_models import chain

SMALL_CHUNK = 256  # bytes: files of some kB whose tables have many chunks


def hard(path: Path) -> None:
    """Set-valued contact, loads, motions, a sensor, in many parts."""
    model = ns.Model(gravity=(0, 0, -9.81))
    balls = [
        model.add_sphere(radius=0.05, mass=0.1, position=(0.1 * k, 0, 0.05), velocity=(-0.1 * k, 0.1, 0))
        for k in range(4)
    ]
    floor = model.add_plane(normal=(0, 0, 2))
    shaken = model.add_plane(
        normal=(0.3, 0, 1), offset=-1.0, motion=Shaking(amplitude=(0, 0, 0.01), frequency=5.0)
    )
    turned = model.add_plane(normal=(0, 1, 0), offset=-3.0, motion=Rotation(axis=(0, 1, 0), rate=0.5))
    model.add(e.SphereSphere(among=balls, mu=0.2, e_n=0.5))
    model.add(e.SpherePlane(balls, [floor, shaken, turned], mu=0.3, rolling_radius=0.001))
    model.add_load(Force(balls[0], force=(0.1, 0, 0), end=0.03))
    model.add_load(SpringToPoint(balls[2], point=(0, 0, 1), stiffness=5.0, length=0.1))
    model.add_load(e.Drag(balls, translational=0.05, rotational=1e-5))
    height = ns.Sensor("height", lambda now: now.state.position[0, 2], every=10)
    ns.simulate(model, t_end=0.07, h=1e-3, recording=_into(path, 1), watch=[height])


def soft(path: Path) -> None:
    """Compliant contact with histories, springs."""
    model = ns.Model(gravity=(0, 0, -9.81))
    balls = [
        model.add_sphere(
            radius=0.01, mass=0.01, position=(0.019 * k, 0.001 * k, 0.0099), velocity=(0, 0, -0.2)
        )
        for k in range(4)
    ]
    floor = model.add_plane(normal=(0, 0, 1))
    friction = e.CundallStrack(stiffness=2e3, mu=0.3)
    normal = e.LudingNormal(
        stiffness=5e3, plastic_stiffness=1e3, adhesive_stiffness=1e2, plastic_depth=1e-3, damping=0.01
    )
    model.add(e.CompliantSphereSphere(among=balls, normal=normal, tangential=friction))
    spring = e.SpringDashpot(stiffness=1e4, damping=1.0)
    model.add(e.CompliantSpherePlane(balls, floor, normal=spring, tangential=friction))
    model.add(e.Spring([(balls[0], balls[1]), (balls[2], (0, 0, 0.1))], stiffness=[5.0, 6.0], damping=0.01))
    ns.simulate(model, t_end=0.002, h=1e-4, scheme=ns.VelocityVerlet(), recording=_into(path, 2))


def primitives(path: Path) -> None:
    """Capsules, a mesh, polygons of points."""
    model = ns.Model(gravity=(0, 0, -9.81))
    rods = [
        model.add_body(mass=0.1, inertia=(1e-4, 1e-4, 2e-5), position=(0, 0.03 * k, 0.05 + 0.02 * k))
        for k in range(2)
    ]
    capsules = [model.add_primitive([(-0.05, 0, 0), (0.05, 0, 0)], radius=0.01, carrier=rod) for rod in rods]
    ball = model.add_sphere(radius=0.01, mass=0.01, position=(0.02, 0, 0.2))
    points = [model.add_point(mass=0.01, position=p) for p in ((0, 0.2, 0.1), (0.1, 0.2, 0.1), (0, 0.3, 0.1))]
    triangle = model.add_primitive(points)
    mesh = model.add_mesh([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)], [[0, 1, 2], [0, 2, 3]])
    law = {"normal": e.SpringDashpot(stiffness=1e4, damping=1.0)}
    model.add(e.CompliantCapsules(among=capsules, **law))
    model.add(e.CompliantPolygonCapsule(mesh, capsules, parts="ends", **law))
    model.add(e.CompliantPolygonSphere(mesh, ball, flip_normals=True, **law))
    model.add(e.CompliantPolygonSphere(triangle, ball, **law))
    ns.simulate(model, t_end=0.01, h=5e-4, recording=_into(path, 2))


def overdamped(path: Path) -> None:
    """A scheme that names bodies."""
    model = ns.Model(gravity=(0, 0, -1))
    balls = [model.add_sphere(radius=0.1, mass=1.0, position=(0.19 * k, 0, 0)) for k in range(3)]
    model.add(e.CompliantSphereSphere(among=balls, normal=e.ExudynNormal(stiffness=1e3)))
    scheme = ns.Overdamped([e.Drag(balls, translational=2.0, rotational=1.0), e.Drag.stokes(balls, 0.5)])
    ns.simulate(model, t_end=0.5, h=0.05, scheme=scheme, recording=_into(path, 1))


def jointed(path: Path) -> None:
    """Joints of bodies, with the ground and with a frame that moves."""
    ns.simulate(chain(), t_end=0.02, h=1e-3, recording=_into(path, 2))


def driven(path: Path) -> None:
    """Elements on joint coordinates: drives, gear, motors, spring, limits, friction; a rope."""
    model = ns.Model(gravity=(0, 0, -9.81))
    wheels = [model.add_body(mass=1.0, inertia=(0.1, 0.1, 0.1), position=(x, 0, 0)) for x in range(6)]
    axes = [model.add(e.Revolute(None, each, point=each.position, axis=(0, 1, 0))) for each in wheels[:5]]
    model.add(e.Drive(axes[0], [[0, 0, 0], [0.01, 0.001, 0.1], [1, 0.1, 0]]))
    model.add(e.Gear(axes[0], axes[1], ratio=-2.0))
    model.add(e.Motor(axes[2], [[0, 0.1], [1, 0.2]]))
    model.add(e.Limit(axes[2], low=-0.1, high=1e-4))
    model.add(e.JointFriction(axes[2], bound=0.01))
    model.add(e.PD(axes[3], [[0, 0], [1, 1.5]], stiffness=2.0, damping=0.1))
    model.add(e.JointSpring(axes[3], stiffness=1.0, rest=0.2))
    model.add(e.SpeedMotor(axes[4], speed=[[0, 0], [1, 2.0]], strength=0.1))
    model.add(e.Rope(wheels[5], None, points=((0, 0, 0), (5, 0, 1))))
    ns.simulate(model, t_end=0.02, h=1e-3, recording=_into(path, 2))


def gated(path: Path) -> None:
    """Bodies that come and go, in a periodic cell."""
    model = ns.Model(gravity=(0, 0, -9.81), periodic=(2.0, 2.0, None))
    balls = [model.add_sphere(radius=0.01, mass=0.01, position=(0.1 * k, 0, 0.1)) for k in range(5)]
    model.add(e.SphereSphere(among=balls, mu=0.2))
    model.add(e.SpherePlane(balls, model.add_plane(normal=(0, 0, 1)), mu=0.3))
    model.add(ns.Feeder(balls[:2], ns.regions.Box(low=(0, 0, 1), high=(1, 1, 2)), rate=200.0, seed=3))
    model.add(ns.Outlet(ns.regions.HalfSpace(normal=(0, 0, 1), offset=0.0999), bodies=balls[2:4], name="pit"))
    ns.simulate(model, t_end=0.02, h=1e-3, recording=_into(path, 2))


def cells(path: Path) -> None:
    """Surfaces with nodes and their elements: histories, breaking and contact."""
    model, surfaces = ns.Model(), []
    x, triangles = e.icosphere(0)
    for k in range(2):
        nodes = [model.add_point(mass=1e-3, position=0.1 * each + (0.19 * k, 0, 0)) for each in x]
        surface = model.add_surface(nodes, triangles, thickness=1e-3)
        model.add(e.GlobalArea(surface, stiffness=1.0, tension=0.01))
        model.add(e.Volume(surface, stiffness=10.0, time=0.1))
        surfaces.append(surface)
    model.add(e.MaxwellShell(surfaces[0], modulus=1e3, time=0.1))
    model.add(e.ShellSprings(surfaces[1], modulus=1e3, strain=0.1))
    model.add(e.ShellBending(surfaces[1], modulus=1e3, poisson=0.3))
    model.add(e.NeoHookeanMembrane(surfaces[1], shear=1.0))
    wall = model.add_plane(normal=(0, 0, 1), offset=-0.09)
    model.add(e.SurfaceContact(surfaces, planes=wall, stiffness=1e3, work=1e-4, reach=0.01))
    ns.simulate(model, t_end=0.01, h=1e-3, recording=_into(path, 2))


def solids(path: Path) -> None:
    """Boxes and cylinders, bonds."""
    model = ns.Model(gravity=(0, 0, -9.81))
    box = model.add_box((0.1, 0.1, 0.1), mass=1.0, position=(0, 0, 0.0499))
    can = model.add_cylinder(0.05, 0.1, mass=1.0, position=(0.3, 0, 0.0499))
    floor = model.add_plane(normal=(0, 0, 1))
    friction = e.CundallStrack(stiffness=1e4, mu=0.3)
    model.add(
        e.CompliantSolidPlane([box, can], floor, normal=e.LinearPressure(stiffness=1e7), tangential=friction)
    )
    touching = e.RockableDefault(k_n=1e5, k_t=1e4, mu=0.3, en2=0.5)
    bond = e.Bond(k_n=1e5, k_t=5e4, k_r=3.0, f_n0=10.0, f_t0=8.0, M_0=0.02)
    balls = [model.add_sphere(radius=0.01, mass=0.01, position=(0.02 * k, 1, 0.1)) for k in range(3)]
    model.add(e.CompliantSphereSphere(among=balls, bond=e.StickedLinks(touching=touching, inner=bond)))
    ns.simulate(model, t_end=0.005, h=5e-4, recording=_into(path, 2))


KINDS = hard, soft, primitives, overdamped, jointed, driven, gated, cells, solids
RUNS: dict[str, Callable[[Path], None]] = {run.__name__: run for run in KINDS}


def make_runs(folder: Path, *, small: bool = True) -> dict[str, Path]:
    """Files of all runs; `small` ones have short chunks, with two-level indices."""

    make_tables = hdf5_tables.make_tables

    def tables_of_states(file: Any, bodies: int, rows: int, states: int) -> None:
        make_tables(file, bodies, rows, 1 if small else states)

    size = SMALL_CHUNK if small else hdf5_tables.CHUNK_BYTES
    with (
        mock.patch.object(hdf5_tables, "CHUNK_BYTES", size),
        mock.patch.object(hdf5_tables, "make_tables", tables_of_states),
    ):
        for name, run in RUNS.items():
            run(folder / f"{name}.h5")
    return {name: folder / f"{name}.h5" for name in RUNS}


def _into(path: Path, every: int) -> ns.Recording:
    return ns.Recording(file=path, every=every, seconds=1e-9)
