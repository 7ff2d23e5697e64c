"""The woodpecker toy: a sleeve that alternately sticks to its pole and slips.

Two models. `linear` has the kinematics of the source (Glocker), linear in the height y and the angles phi_M
of the sleeve and phi_S of the bird. A mechanism has these equations. It has a mass for the height, two wheels
for the angles on one axis, the spring between them, and a mass, the bird. The height of the bird follows from
the three by a `Differential`. The beak and the edge of the sleeve are spheres that are guided without a turn,
and follow alike,

    beak     x = h_S phi_S,     height y + l_M phi_M + (l_G - l_S) phi_S
    edge     x = h_M phi_M,     height y + r_M phi_M

between walls. They have masses, by which the others are less. Together they have the six entries of the
source's mass matrix, exactly, and with them the loads of gravity.

`finite` has two rigid bodies: the sleeve, its centre on the axis of the pole, and the bird on a hinge.
Corners of both, ends of capsules of small radius, meet the pole. The bird swings by 0.5 rad, and rotations
count. The period is 10 % shorter than that of the linear kinematics, the way down in a cycle by 25 %, and the
upper edge does not strike. So it has a reference with its own kinematics.
"""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

import elements as e
import nsgalpha as ns
from nsgalpha.arrays import Floats
from nsgalpha.model.joint_interface import Joint
from verification.mechanisms import reference
from verification.mechanisms.arrivals import PHASES, Judged, judged, late, studied
from verification.mechanisms.rows import violation
from verification.mechanisms.smooth import HELD
from verification.mechanisms.toy import events, limit, start
from verification.outcome import Row, bound_row
from verification.run import simulate

LUMP = 1e-5  # [kg] of the beak, and of the edge; the sleeve has 3e-4 kg
CORNER = 1e-6  # [m] radius of the corners of rigid bodies
BALL = 1e-3  # [m] radius of the spheres that are guided
STILL = 1e-6  # [kg m^2] inertia of the parts that do not rotate
Y, Z, ORIGIN = (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.0, 0.0, 0.0)
STEPS = (2e-4, 1e-4, 5e-5)  # [s]
BEGUN = 0.05  # [s] from which on impacts count; before, the edge presses on the pole from the start on
UNTIL = 0.12  # [s] past the first impacts of all contacts
LONG = {
    "linear": 0.7,
    "finite": 0.9,
}  # [s] four cycles about their limit, which the second takes two to reach
SIZE = 0.01  # [m] hinge of the bird from the pole
GLOCKER = "Moreau's midpoint rule, h = 5e-7 (reference.json)"
MOREAU = "Moreau's midpoint rule (toy.py)"

BOUNDS = {"linear": (4.0, 1.2e4, 0.12), "finite": (4.0, 2.4e3, 0.15)}  # over h: [s/s], [rad/s/s], [N s/s]
CYCLE = {
    "period": ("mean period of 4 cycles", "s", 5e-4),
    "drop_per_cycle": ("mean drop in a cycle", "m", 3e-4),
    "phi_S_min": ("bird furthest out", "rad", 1e-3),
    "phi_S_max": ("bird at the pole", "rad", 2e-4),
}


class Lumps(NamedTuple):
    """Masses and inertias that have the source's mass matrix, besides those of beak and edge."""

    sleeve: float  # [kg] at the height y
    bird: float  # [kg] at y + ratios . (phi_M, phi_S)
    ratios: tuple[float, float]  # [m]
    inertia: tuple[float, float]  # [kg m^2] of the wheels phi_M, phi_S


def lumps(p: dict[str, float]) -> Lumps:
    """The bird's mass and ratios follow from the three products, the rest from the diagonal."""
    mass, weight = p["m_S"] + p["m_M"], p["m_S"] * np.array((p["l_M"], p["l_G"]))
    M = np.array(
        [[mass, *weight], [weight[0], 0, p["l_M"] * weight[1]], [weight[1], p["l_G"] * weight[0], 0]]
    )
    M[1, 1], M[2, 2] = p["J_M"] + p["l_M"] * weight[0], p["J_S"] + p["l_G"] * weight[1]
    for along, across in (
        ((0, 0, p["h_S"]), (1, p["l_M"], p["l_G"] - p["l_S"])),
        ((0, p["h_M"], 0), (1, p["r_M"], 0)),
    ):
        M -= LUMP * (np.outer(along, along) + np.outer(across, across))
    bird = M[0, 1] * M[0, 2] / M[1, 2]
    ratios = M[0, 1] / bird, M[0, 2] / bird
    return Lumps(
        M[0, 0] - bird,
        bird,
        ratios,
        (M[1, 1] - bird * ratios[0] ** 2, M[2, 2] - bird * ratios[1] ** 2),
    )


def linear() -> ns.Model:
    """The mechanism of the source's equations."""
    p, (q, u) = reference.case("woodpecker")["params"], start("linear")
    has = lumps(p)
    model = ns.Model(gravity=(0, -p["g"], 0))
    wheels = [
        model.add_body(
            mass=1.0,
            inertia=(inertia,) * 3,
            position=ORIGIN,
            angular_velocity=(0, 0, u[1 + k]),
            name=name,
        )
        for k, (name, inertia) in enumerate(zip(("wheel M", "wheel S"), has.inertia, strict=True))
    ]
    hinge = model.add(e.Revolute(None, wheels[0], point=ORIGIN, axis=Z))
    between = model.add(e.Revolute(*wheels, point=ORIGIN, axis=Z))
    model.add(e.JointSpring(between, stiffness=p["c_phi"], rest=q[1] - q[2]))
    sleeve = _guided(model, "sleeve", has.sleeve, q, u, (1, 0, 0))
    height = model.add(e.Prismatic(None, sleeve, point=sleeve.position, axis=Y))

    def follow(joint: Joint, coordinate: str, row: Sequence[float]) -> None:
        """A coordinate that is `row` times (y, phi_M, phi_S)."""
        terms = [
            (height, "displacement", row[0]),
            (hinge, "angle", row[1] + row[2]),
            (between, "angle", row[2]),
        ]
        joints, names, weights = zip((joint, coordinate, -1.0), *(t for t in terms if t[2]), strict=True)
        model.add(e.Differential(joints, weights, coordinates=names))

    row = (1, *has.ratios)
    bird = _guided(model, "bird", has.bird, q, u, row)
    follow(model.add(e.Prismatic(None, bird, point=bird.position, axis=Y)), "displacement", row)
    for name, row, side in (
        ("edge", (1, p["r_M"], 0), (0, p["h_M"], 0)),
        ("beak", (1, p["l_M"], p["l_G"] - p["l_S"]), (0, 0, p["h_S"])),
    ):
        ball = _guided(model, name, LUMP, q, u, row, side)
        guide = model.add(e.Planar(None, ball, point=ball.position, normal=Z))
        model.add(e.Drive(guide, 0.0, coordinate="angle"))
        follow(guide, "first", side)
        follow(guide, "second", row)
        workspace = p["r_M"] - p["r_O"] if name == "edge" else p["l_M"] + p["l_G"] - p["l_S"] - p["r_O"]
        walls = [model.add_plane(normal=(-1, 0, 0), offset=-workspace - BALL)]
        if name == "edge":
            walls.append(model.add_plane(normal=(1, 0, 0), offset=-workspace - BALL))
        model.add(e.SpherePlane(ball, walls, mu=p["mu"], e_n=p["e_N"][0 if name == "beak" else 1]))
    return model


def _guided(
    model: ns.Model,
    name: str,
    mass: float,
    q: Floats,
    u: Floats,
    row: Sequence[float],
    side: Sequence[float] = (0, 0, 0),
) -> ns.Body:
    """A sphere at the height `row` . q, and to the `side` . q, in a plane with itself."""
    place, speed = ((np.dot(side, each), np.dot(row, each)) for each in (q, u))
    z = float(len(model.bodies))
    x, v = (*place, z), (*speed, 0)
    return model.add_sphere(radius=BALL, mass=mass, inertia=STILL, name=name, position=x, velocity=v)


def _turned(
    model: ns.Model,
    name: str,
    mass: float,
    inertia: float,
    angle: float,
    rate: float,
    x: Floats,
    v: Floats,
) -> ns.Body:
    return model.add_body(
        mass=mass,
        inertia=(inertia,) * 3,
        position=x,
        rotation=(np.cos(0.5 * angle), 0, 0, np.sin(0.5 * angle)),
        velocity=v,
        angular_velocity=(0, 0, rate),
        name=name,
    )


def finite() -> ns.Model:
    """Two rigid bodies."""
    p, (q, u) = reference.case("woodpecker")["params"], start("finite")
    model = ns.Model(gravity=(0, -p["g"], 0))
    out = np.array([(np.cos(turn), np.sin(turn), 0) for turn in q[1:]])  # from the pole and from the hinge
    across = np.array([(-np.sin(turn), np.cos(turn), 0) for turn in q[1:]])
    arms, rates = np.array((p["l_M"], p["l_G"]))[:, None], u[1:, None]
    pin = arms[0] * out[0]
    fall = np.array((0, u[0], 0))
    sleeve = _turned(model, "sleeve", p["m_M"], p["J_M"], q[1], u[1], np.zeros(3), fall)
    x, v = pin + arms[1] * out[1], fall + (arms * rates * across).sum(axis=0)
    bird = _turned(model, "bird", p["m_S"], p["J_S"], q[2], u[2], x, v)
    axis = model.add(e.Planar(None, sleeve, point=ORIGIN, normal=Z))
    model.add(e.Drive(axis, 0.0, coordinate="first"))
    hinge = model.add(e.Revolute(sleeve, bird, point=pin, axis=Z))
    model.add(e.JointSpring(hinge, stiffness=p["c_phi"], rest=q[1] - q[2]))
    pole = model.add_plane(normal=(1, 0, 0), offset=p["r_O"] - CORNER)
    edges = [(p["r_M"], -p["h_M"], 0), (p["r_M"], p["h_M"], 0)]
    tip = (-p["l_S"], p["h_S"], 0)
    inner = model.add_primitive(edges, radius=CORNER, carrier=sleeve)
    beak = model.add_primitive([tip, (0, p["h_S"], 0)], radius=CORNER, carrier=bird)
    model.add(e.CapsulePlane(inner, pole, mu=p["mu"], e_n=p["e_N"][1]))
    model.add(e.CapsulePlane(beak, pole, mu=p["mu"], e_n=p["e_N"][0]))
    return model


MODELS = {"linear": linear, "finite": finite}


def motion(result: ns.Result) -> tuple[Floats, Floats, Floats]:
    """Coordinates, rates, and normal impulses of beak, lower and upper edge, (n, 3) each, of either model."""
    names = [body.name for body in result.model.bodies]
    turning = [
        names.index(name) for name in (("wheel M", "wheel S") if "beak" in names else ("sleeve", "bird"))
    ]
    turn = 2.0 * np.arctan2(result.rotation[:, turning, 3], result.rotation[:, turning, 0])
    if "beak" in names:
        turn += start("linear")[0][1:] - turn[0]
    sleeve = names.index("sleeve")
    rates = np.column_stack([result.velocity[:, sleeve, 1], result.angular_velocity[:, turning, 2]])
    contacts, impulses = result.contacts, np.zeros((len(result.t), 3))
    at_beak = contacts.body_a == names.index("beak" if "beak" in names else "bird")
    upper = contacts.normal[:, 0] < 0.0 if "beak" in names else contacts.features[:, 1] == 1
    which = np.where(at_beak, 0, np.where(upper, 2, 1))
    np.add.at(impulses, (contacts.record, which), contacts.multipliers[:, 0])
    return np.column_stack([result.position[:, sleeve, 1], turn]), rates, impulses


def errors(kind: str, h: float, phase: float) -> Floats:
    """Largest of times [s], rates after [rad/s], impulses [N s] of impacts to UNTIL; NaN if they differ."""
    given, model = reference.case("woodpecker")["toy"][kind]["first"], MODELS[kind]()
    run = simulate(model, t_end=UNTIL, h=h, state=late(model, phase * h))
    _, rates, impulses = motion(run)
    found = [each for each in events(run.t, rates, impulses) if each.t > BEGUN]
    contact, t, _, after, impulse = (list(each) for each in zip(*given, strict=True))
    if [each.contact for each in found] != contact:
        return np.full(3, np.nan)
    return np.array(
        [
            np.abs(np.array([each.t for each in found]) - t).max(),
            np.abs(np.array([each.after for each in found]) - after)[:, 1:].max(),
            np.abs(np.array([each.impulse for each in found]) - impulse).max(),
        ]
    )


def studies(phases: int = PHASES) -> list[Judged]:
    """The first impacts of both models over the arrival within the step."""
    return [
        (study, bound, MOREAU, True)
        for kind in MODELS
        for study, bound in zip(
            studied(
                [f"woodpecker, {kind}: {what}" for what in ("times of impacts", "rates after", "impulses")],
                ["s", "rad/s", "N s"],
                partial(errors, kind),
                STEPS,
                phases,
            ),
            BOUNDS[kind],
            strict=True,
        )
    ]


def run_all() -> tuple[list[Row], dict[str, ns.Result]]:
    """First impacts, limit cycles, joints; and the long runs."""
    rows = [row for each in studies() for row in judged(*each)]
    runs = {kind: simulate(build(), t_end=LONG[kind], h=STEPS[-1]) for kind, build in MODELS.items()}
    given = reference.case("woodpecker")
    for kind, run in runs.items():
        q, rates, impulses = motion(run)
        ours = limit(run.t, q, events(run.t, rates, impulses))
        sources = [(given["toy"][kind]["limit"], MOREAU)] + [(given["result"], GLOCKER)] * (kind == "linear")
        for expected, source in sources:
            for name, (title, unit, tolerance) in CYCLE.items():
                what = f"woodpecker, {kind}: {title}"
                rows.append(Row(what, unit, expected[name], ours[name], tolerance, source))
        g, what = violation(run)[0] / SIZE, f"woodpecker, {kind}: joints open, over the size"
        rows.append(bound_row(what, "-", g, HELD, "rounding"))
    return rows, runs
