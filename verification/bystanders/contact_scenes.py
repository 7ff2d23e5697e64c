"""Scenes of contact: bodies that meet, slide and part within 60 ms. SI units."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import elements as e
import nsgalpha as ns
from verification.bystanders.stage import Stage

LAW: dict[str, Any] = {
    "normal": e.SpringDashpot(stiffness=8e3, damping=3.0),
    "tangential": e.CundallStrack(stiffness=4e3, mu=0.3, damping=1.0),
}
WALL = (0.0, -0.15, 1.0), (0.0, 0.0, -0.155)  # normal of a floor, and a point of it
ROWS = (  # three balls: the first strikes the second one, off its centre, the third one the floor
    {"radius": 0.05, "mass": 0.5, "position": (-0.12, 0.01, 0.02), "velocity": (1.6, 0.1, -0.2)},
    {"radius": 0.06, "mass": 0.8, "position": (0.0, 0.0, 0.0), "angular_velocity": (3.0, 7.0, -2.0)},
    {"radius": 0.04, "mass": 0.3, "position": (0.2, 0.1, -0.09), "velocity": (-0.4, 0.2, -1.0)},
)
SQUARE = [(-0.2, -0.2, 0.0), (0.1, -0.2, 0.0), (0.1, 0.15, 0.0), (-0.2, 0.15, 0.0)]


def hard_spheres(s: Stage) -> None:
    """Impacts and sliding of hard spheres on each other and on a floor."""
    balls = s.balls(*ROWS)
    floor = s.plane(*WALL)
    s.add(e.SphereSphere(among=balls, mu=0.2, e_n=0.6), e.SpherePlane(balls, floor, mu=0.3, e_n=0.4))


def soft_spheres(s: Stage) -> None:
    """The same of compliant contact, with springs of friction."""
    balls = s.balls(*ROWS)
    floor = s.plane(*WALL)
    s.add(e.CompliantSphereSphere(among=balls, **LAW), e.CompliantSpherePlane(balls, floor, **LAW))


def adhesive_spheres(s: Stage) -> None:
    """Spheres that stick until they are pulled apart."""
    balls = s.balls(*ROWS)
    floor = s.plane(*WALL)
    law: dict[str, Any] = {"normal": e.JKR(modulus=2e5, work=2.0), "reach": 5e-3}
    s.add(e.CompliantSphereSphere(among=balls, **law), e.CompliantSpherePlane(balls, floor, **law))


def luding_spheres(s: Stage) -> None:
    """Plastic overlaps, rolling and twisting resistance."""
    balls = s.balls(*ROWS)
    floor = s.plane(*WALL)
    material = e.LudingMaterial(
        plastic_ratio=0.5, sliding_ratio=0.3, tan_phi_t=0.4, gamma_n=2.0, gamma_t=0.5, plastic_depth=0.2
    )
    law = e.luding(material, stiffness=8e3)
    s.add(e.CompliantSphereSphere(among=balls, **law), e.CompliantSpherePlane(balls, floor, **law))


def bonded_spheres(s: Stage) -> None:
    """A bond that breaks and one that holds."""
    balls = s.balls(
        {"radius": 0.05, "mass": 0.5, "position": (0, 0, 0), "velocity": (-0.8, 0.1, 0)},
        {"radius": 0.06, "mass": 0.7, "position": (0.1101, 0, 0), "velocity": (0.7, 0.4, 0)},
        {"radius": 0.04, "mass": 0.3, "position": (0.1101, 0.1002, 0), "velocity": (0.7, 0.4, 0.2)},
    )
    bond = e.Bond(k_n=1e4, k_t=5e3, f_n0=60.0, f_t0=60.0, M_0=3.0)
    law = e.StickedLinks(touching=e.RockableDefault(k_n=1e4, k_t=5e3, mu=0.5), inner=bond)
    s.add(e.CompliantSphereSphere(among=balls, contact=law))
    s.bonded.append(balls)


def spheres_in_shell(s: Stage, hard: bool = True) -> None:
    """A ball within a hollow one."""
    ball, shell = s.balls(
        {"radius": 0.05, "mass": 0.5, "position": (0.13, 0.02, 0.0), "velocity": (1.5, 0.3, 0.4)},
        {"radius": 0.2, "mass": 2.0, "position": (0.0, 0.0, 0.0), "angular_velocity": (1.0, -2.0, 3.0)},
    )
    s.add(
        e.SphereInShell(ball, shell, mu=0.2, e_n=0.5)
        if hard
        else e.CompliantSphereInShell(ball, shell, **LAW)
    )


def _rods(s: Stage) -> tuple[list[ns.Body], list[ns.Primitive]]:
    bodies = s.placed(
        s.model.add_body,
        {
            "mass": 0.5,
            "inertia": (3e-4, 2e-3, 2.1e-3),
            "position": (0, 0, 0.06),
            "velocity": (0.3, 0, -1.2),
            "rotation": (0.1, 0.3, 0.2),
        },
        {
            "mass": 0.4,
            "inertia": (3e-4, 2e-3, 2.1e-3),
            "position": (0.02, 0.01, -0.02),
            "rotation": (0.0, 0.02, 1.5),
            "angular_velocity": (0.5, 1.0, -1.0),
        },
    )
    return bodies, [s.capsule(each, [(-0.1, 0.01, 0), (0.12, 0, 0)], 0.03) for each in bodies]


def hard_capsules(s: Stage) -> None:
    """Capsules on a floor, on each other and beside a ball."""
    _, rods = _rods(s)
    ball = s.balls(
        {"radius": 0.04, "mass": 0.3, "position": (0.13, 0.08, -0.03), "velocity": (-1.4, -0.1, 0.1)}
    )
    floor = s.plane((0.0, 0.1, 1.0), (0, 0, -0.09))
    s.add(
        e.CapsuleCapsule(among=rods, mu=0.3, e_n=0.3),
        e.CapsulePlane(rods, floor, mu=0.3),
        e.CapsuleSphere(rods, ball, mu=0.2, e_n=0.5),
    )


def soft_capsules(s: Stage) -> None:
    """Compliant capsules on each other and on a polygon."""
    _, rods = _rods(s)
    table = s.face(np.array(SQUARE) - np.array((0.0, 0.0, 0.07)))
    s.add(e.CompliantCapsules(among=rods, **LAW), e.CompliantPolygonCapsule(table, rods, **LAW))


def _thrown(s: Stage) -> list[ns.Body]:
    return s.balls(
        {"radius": 0.05, "mass": 0.5, "position": (0.08, 0, 0.06), "velocity": (0.6, 0.1, -1.0)},
        {"radius": 0.04, "mass": 0.3, "position": (-0.1, -0.05, 0.07), "velocity": (0.3, 1.2, -0.3)},
    )


def hard_polygon(s: Stage) -> None:
    """Balls over the edge of a table of a fixed body."""
    balls = _thrown(s)
    (table,) = s.placed(s.model.add_body, {"position": (0, 0, 0), "fixed": True, "rotation": (0.05, 0.1, 0)})
    s.add(e.SpherePolygon(balls, s.face(SQUARE, carrier=table), mu=0.3, e_n=0.4))


def soft_polygon(s: Stage) -> None:
    """Balls over the edge of a compliant table."""
    s.add(e.CompliantPolygonSphere(s.face(SQUARE), _thrown(s), **LAW))


def rounded_mesh(s: Stage) -> None:
    """A mesh of a ball that strikes a floor, and rolls."""
    vertices, triangles = e.icosphere(1)
    row = {"mass": 0.5, "inertia": (2e-3, 2.2e-3, 2.1e-3), "position": (0.03, 0, 0.105)}
    bodies = s.placed(s.model.add_body, row | {"velocity": (0.5, 0.1, -1.0), "rotation": (0.3, 0.2, 0.1)})
    skin = s.model.add_mesh(s.on(0.1 * vertices), s.mesh(triangles), carrier=bodies[0])
    floor = s.face(3.0 * np.array(SQUARE))
    s.add(
        e.RoundedTriangles(
            skin,
            floor,
            normal=e.Hertz(modulus=1e5, damping=1e-3),
            tangential=e.HaffWerner(damping=5.0, mu=0.3),
        )
    )


def hard_solids(s: Stage) -> None:
    """Boxes that fall on a floor and on a box of a fixed body."""
    box = {"size": (0.2, 0.12, 0.08), "mass": 0.9}
    bodies = s.placed(
        s.model.add_box,
        box | {"position": (0, 0, 0.0), "velocity": (0.2, 0.1, -0.8), "rotation": (0.2, 0.3, 0.1)},
        {"size": (0.2, 0.2, 0.06), "position": (0.4, 0, 0), "rotation": (0.0, 0.0, 0.3), "fixed": True},
        box | {"position": (0.43, 0.02, 0.12), "velocity": (0.3, 0, -0.5), "rotation": (0.3, 0.1, 0)},
    )
    s.add(
        e.SolidPlane(bodies[0], s.plane((0, 0.1, 1), (0, 0, -0.12)), mu=0.3, e_n=0.3),
        e.SolidSolid(among=bodies[::-1] if s.reverse else bodies, mu=0.3, e_n=0.3),
    )


def hard_round_solids(s: Stage) -> None:
    """A ball and a capsule that fall on a fixed box, over its edges."""
    (box,) = s.placed(
        s.model.add_box,
        {"size": (0.3, 0.2, 0.06), "position": (0, 0, 0), "rotation": (0.0, 0.1, 0.3), "fixed": True},
    )
    (rod,) = s.placed(
        s.model.add_body,
        {
            "mass": 0.5,
            "inertia": (3e-4, 2e-3, 2.1e-3),
            "position": (-0.05, 0.06, 0.09),
            "velocity": (0.3, 0, -1.2),
            "rotation": (0.1, 0.1, 0.9),
        },
    )
    balls = s.balls(
        {"radius": 0.04, "mass": 0.3, "position": (0.12, -0.05, 0.09), "velocity": (0.6, -0.2, -0.8)}
    )
    s.add(
        e.SphereSolid(balls, box, mu=0.3, e_n=0.3),
        e.CapsuleSolid([s.capsule(rod, [(-0.1, 0.01, 0), (0.12, 0, 0)], 0.03)], box, mu=0.3, e_n=0.3),
    )


def hard_running_surface(s: Stage) -> None:
    """A crate and a ball fall on the belt of a free body."""
    deck, crate = s.placed(
        s.model.add_box,
        {"size": (0.4, 0.3, 0.06), "mass": 3.0, "position": (0, 0, 0), "rotation": (0.0, 0.1, 0.3)},
        {
            "size": (0.08, 0.06, 0.05),
            "mass": 0.4,
            "position": (-0.08, 0.03, 0.09),
            "velocity": (0.3, 0, -1.2),
            "rotation": (0.1, 0.2, 0.3),
        },
    )
    balls = s.balls({"radius": 0.04, "mass": 0.3, "position": (0.1, -0.05, 0.09), "velocity": (0, 0.2, -0.8)})
    law: dict[str, Any] = {
        "mu": 0.4,
        "mu_across": 0.2,
        "axis": s.on((1, 0, 0)),
        "surface_velocity": s.on((0.8, 0.3, 0)),
    }
    s.add(
        e.SphereSolid(balls, deck, e_n=0.3, **law),
        e.SolidSolid(between=(crate, deck), e_n=0.3, **law),
    )


def solids(s: Stage) -> None:
    """A box falls on an edged floor, a cylinder on it; bricks at rest."""
    add: dict[str, Callable[..., ns.Body]] = {"box": s.model.add_box, "cylinder": s.model.add_cylinder}
    box = {"of": "box", "size": (0.2, 0.12, 0.08), "mass": 0.9, "position": (0, 0, 0.0)}
    can = {"of": "cylinder", "radius": 0.04, "length": 0.08, "mass": 0.4, "position": (0.02, 0.0, 0.12)}
    brick = {"of": "box", "size": (0.1, 0.1, 0.06)}
    bodies = s.placed(
        lambda of, **row: add[of](**row),
        box | {"velocity": (0.2, 0.1, -0.8), "rotation": (0.2, 0.3, 0.1)},
        can | {"velocity": (0.1, 0.0, -1.6), "rotation": (0.5, 0.2, 0.0)},
        brick | {"position": (0.4, 0, 0), "rotation": (0.0, 0.0, 0.3), "fixed": True},
        brick
        | {
            "mass": 0.7,
            "position": (0.43, 0.02, 0.07),
            "velocity": (0.3, 0, -0.5),
            "rotation": (0.3, 0.1, 0),
        },
    )
    s.add(
        e.CompliantSolidPlane(bodies[:2], s.plane((0, 0.1, 1), (0, 0, -0.12)), **LAW),
        e.CompliantSolids(among=bodies[::-1] if s.reverse else bodies, **LAW),
    )


def cell(s: Stage) -> None:
    """A deformable cell that is pushed on a plane and on a ball."""
    vertices, triangles = e.icosphere(1)
    made = e.add_cell(
        s.model,
        (s.to(vertices), s.mesh(triangles)),
        radius=0.1,
        position=s.at((0, 0, 0)),
        tension=2.0,
        volume_stiffness=2e3,
        viscosity=20.0,
        thickness=0.01,
        mass=0.4,
        shown=False,
    )
    s.bodies += made.nodes
    ball = s.balls({"radius": 0.05, "mass": 0.3, "position": (0.155, 0.03, 0.01), "velocity": (-0.6, 0, 0)})
    plate = s.plane((0, 0.1, 1), (0, 0, -0.1))
    s.add(e.SurfaceContact(made.surface, planes=plate, spheres=ball, stiffness=1e6, work=1.0, reach=0.004))


def membrane(s: Stage) -> None:
    """A net of points that springs into shape, as a membrane."""
    vertices, triangles = e.icosphere(1)
    nodes = s.points(
        *(
            {"mass": 0.01, "position": x, "velocity": 0.3 * x[[1, 2, 0]]}
            for x in 0.1 * vertices * (1.0, 1.1, 0.9)
        )
    )
    surface = s.model.add_surface(nodes, s.mesh(triangles))
    s.add(e.NeoHookeanMembrane(surface, shear=20.0, shape=s.to(0.1 * vertices)))


def springs(s: Stage) -> None:
    """A breaking spring, a dashpot, a Maxwell element; off centres and to a fixed point."""
    a, b, c = s.balls(*ROWS)
    s.add(
        e.Spring([(a, b), ((b, s.on((0.02, 0.03, 0.0))), c)], stiffness=900.0, damping=2.0, strain=0.03),
        e.Spring([((c, s.on((0.0, 0.02, 0.01))), s.at((0.3, 0.2, 0.1)))], stiffness=500.0),
        e.Dashpot([(a, c)], damping=4.0),
        e.Maxwell([(b, s.at((0.0, -0.2, 0.0)))], stiffness=800.0, dashpot=8.0),
    )
