"""Surfaces that run on bodies: belts and tracks, against planes that move."""

import numpy as np
import pytest
from running_decks import (
    DECKS,
    LYING,
    MU,
    OBLIQUE,
    QUARTER,
    RUN,
    UPRIGHT,
    M,
    add_deck,
    add_mover,
    apart,
    on_deck,
    on_plane,
    quaternion,
    solved,
)
from scenes import G
from scipy.integrate import solve_ivp

import elements as e
import nsgalpha as ns

SPEED = float(np.hypot(*RUN[:2]))
SCHEMES = {
    "generalized-alpha": {},
    "Moreau-Jean": {"scheme": ns.MoreauJean()},
    "augmented Lagrangian": {"scheme": ns.GeneralizedAlpha(formulation="augmented Lagrangian")},
}


decks = pytest.mark.parametrize("case", DECKS.values(), ids=DECKS)


@decks
@pytest.mark.parametrize("turn", [UPRIGHT, OBLIQUE], ids=["upright", "oblique"])
def test_a_deck_carries_as_a_plane_that_moves(case, turn):
    belt = solved(on_plane(case[1], turn))
    deck = solved(on_deck(case, turn))
    assert apart(belt, deck) < 1e-12
    assert np.linalg.norm(deck.velocity[-1, 0]) > 0.3  # it is carried
    one, two = belt.budget(), deck.budget()
    for part in ("drives", "friction"):
        assert getattr(two, part) == pytest.approx(getattr(one, part), abs=1e-11)
    assert np.abs(two.residual).max() < np.abs(one.residual).max() + 1e-11


@pytest.mark.parametrize("how", SCHEMES.values(), ids=SCHEMES)
@pytest.mark.parametrize("name", ["SolidSolid", "SphereSolid", "CapsuleMesh"])
def test_all_schemes_feel_it(name, how):
    case = DECKS[name]
    belt, deck = (solved(model, **how) for model in (on_plane(case[1]), on_deck(case)))
    assert apart(belt, deck) < 1e-11


@pytest.mark.parametrize("name", ["SolidSolid", "SphereSolid"])
def test_steps_from_python_and_steps_to_an_accuracy_feel_it(name):
    case = DECKS[name]
    for model in (slow := [on_plane(case[1]), on_deck(case)]):
        model.add_load(lambda t, state: np.zeros_like(state.position))
    assert apart(*(solved(model) for model in slow)) < 1e-12
    law = {"mu": MU, "surface_velocity": RUN}
    models = on_plane(case[1]), on_plane(case[1], runs=False, law=law), on_deck(case)
    belt, plane, deck = (ns.simulate(model, t_end=0.8, accuracy=1e-6) for model in models)
    assert deck.status, deck.status
    assert apart(belt, plane) < 1e-12
    assert np.abs(deck.velocity[-1, 0] - belt.velocity[-1, 0]).max() < 1e-9
    assert np.abs(deck.position[-1, 0] - belt.position[-1, 0]).max() < 1e-6


FULL = {
    "superball": {"mu": MU, "e_n": 0.8, "e_t": 0.5},
    "Stribeck": {"mu": MU, "mu_static": 0.5, "stribeck_velocity": 0.6},
    "rolling and drilling": {"mu": MU, "e_n": 0.5, "rolling_radius": 0.01, "drilling_radius": 0.01},
    "ellipse": {"mu": MU, "mu_across": 0.1, "axis": (0.6, 0.8, 0)},
}


@pytest.mark.parametrize("law", FULL.values(), ids=FULL)
@pytest.mark.parametrize("how", [{}, {"scheme": ns.MoreauJean()}], ids=["alpha", "Moreau-Jean"])
def test_all_parts_of_a_law_feel_it(law, how):
    """Balls that drop onto the belt with spin, and slide."""
    start = {"height": 0.02, "velocity": (-0.5, 0.7, -0.3), "angular_velocity": (3.0, -2.0, 5.0)}
    belt = solved(on_plane("ball", law=law, **start), **how)
    deck = solved(on_deck(DECKS["SphereSolid"], law=law | {"surface_velocity": RUN}, **start), **how)
    assert apart(belt, deck) < 1e-12
    still = solved(on_deck(DECKS["SphereSolid"], law=law, **start), **how)
    assert apart(still, deck) > 0.1
    if not how:
        one, two = belt.budget(), deck.budget()
        for part in ("drives", "friction", "impacts"):
            assert getattr(two, part) == pytest.approx(getattr(one, part), abs=1e-11)


@pytest.mark.parametrize(
    "how",
    [
        {"accuracy": 1e-5, "t_end": 0.5},
        {"t_end": 0.3, "h": 2e-3, "scheme": ns.GeneralizedAlpha(impact_law="simultaneous")},
        {"t_end": 0.3, "h": 2e-3, "scheme": ns.GeneralizedAlpha(max_impacts=3)},
    ],
    ids=["located", "simultaneous", "bounded"],
)
def test_impacts_of_all_kinds_feel_it(how):
    """Three superballs in a row, which bounce and meet."""
    found = []
    for deck in (False, True):
        model = ns.Model(gravity=(0, 0, -G))
        balls = [
            model.add_sphere(
                radius=0.1,
                mass=M,
                position=(0.25 * k, 0, 0.1 + 0.03 * k),
                velocity=(-0.4 * k, 0.1 * k, -1.0),
                angular_velocity=(2.0, -4.0 * k, 1.0),
            )
            for k in range(3)
        ]
        motion = None if deck else ns.ConstantVelocity(velocity=RUN)
        law = FULL["superball"] | ({"surface_velocity": RUN} if deck else {})
        model.add(e.SpherePlane(balls, model.add_plane(normal=(0, 0, 1), motion=motion), **law))
        model.add(e.SphereSphere(among=balls, mu=0.2, e_n=0.7))
        result = ns.simulate(model, **how)
        assert result.status, result.status
        found.append(result)
    assert len(found[0].t) == len(found[1].t)
    assert found[1].stats.sub_impacts.max() > 0
    assert max(apart(*found, body) for body in range(3)) < 1e-10


def test_a_cart_that_turns_conserves_its_angular_momentum():
    """A ball on a belt at the side of a free cart."""
    turns, residuals = [], []
    for h in (4e-3, 2e-3, 1e-3):
        model = ns.Model(gravity=(0, 0, -G))
        ball = model.add_sphere(radius=0.1, mass=M, position=(0.3, 0.7, 0.3))
        wagon = model.add_box((4, 2, 0.2), mass=5.0, position=(0, 0, 0.1), angular_velocity=(0, 0, 0.5))
        model.add(e.SolidPlane(wagon, model.add_plane(normal=(0, 0, 1))))
        model.add(e.SphereSolid(ball, wagon, mu=MU, surface_velocity=2.0 * RUN))
        result = solved(model, t_end=0.2, h=h)
        x, v = result.position, result.velocity
        spin = 0.4 * M * 0.1**2 * result.angular_velocity[:, ball, 2]
        spin = spin + 5.0 / 12.0 * (4**2 + 2**2) * result.angular_velocity[:, wagon, 2]
        orbit = M * np.cross(x[:, ball], v[:, ball])[:, 2] + 5.0 * np.cross(x[:, wagon], v[:, wagon])[:, 2]
        assert np.abs(spin + orbit - (spin + orbit)[0]).max() < 1e-11
        momentum = M * v[:, ball] + 5.0 * v[:, wagon]
        assert np.abs(momentum[:, :2] - momentum[0, :2]).max() < 1e-10
        turns.append([*result.angular_velocity[-1, wagon], *v[-1, ball]])
        residuals.append(np.abs(result.budget().residual).max())
    steps = np.linalg.norm(np.diff(turns, axis=0), axis=1)
    assert steps[0] / steps[1] == pytest.approx(4.0, rel=0.05)
    assert residuals[0] / residuals[1] == pytest.approx(4.0, rel=0.05)
    assert residuals[-1] < 1e-6


def cart(turn=UPRIGHT, mass=5.0, h=2e-3, **how):
    """A box on a belt of a cart on a floor without friction."""
    up = turn.apply((0, 0, 1.0))
    model = ns.Model(gravity=-G * up)
    box, _ = add_mover(model, "box", turn, height=0.2)
    wagon = model.add_box((6, 4, 0.2), mass=mass, position=0.1 * up, rotation=quaternion(turn))
    model.add(e.SolidPlane(wagon, model.add_plane(normal=up)))
    model.add(e.SolidSolid(between=([box], [wagon]), mu=MU, surface_velocity=RUN))
    return solved(model, t_end=0.8, h=h, **how)


@pytest.mark.parametrize("turn", [UPRIGHT, OBLIQUE], ids=["upright", "oblique"])
@pytest.mark.parametrize("how", [{}, {"scheme": ns.MoreauJean()}], ids=["alpha", "Moreau-Jean"])
def test_a_free_cart_recoils(turn, how):
    """The box has mu g t, the cart m/M of it, until the box rides."""
    mass = 5.0
    result = cart(turn, mass, **how)
    along = turn.apply(RUN / SPEED)
    slides = SPEED / (MU * G * (1.0 + M / mass))
    v = MU * G * np.minimum(result.t, slides)
    assert np.abs(result.velocity[:, 0] @ along - v).max() < 1e-9
    assert np.abs(result.velocity[:, 1] @ along + M / mass * v).max() < 1e-9
    momentum = M * result.velocity[:, 0] + mass * result.velocity[:, 1]
    assert np.abs(momentum).max() < 1e-10
    if not how:
        budget = result.budget()
        assert budget.drives[-1] == pytest.approx(MU * M * G * SPEED * slides, rel=1e-9)
        assert budget.friction[-1] == pytest.approx(-0.5 * MU * M * G * SPEED * slides, rel=1e-9)
        assert np.abs(budget.residual).max() < 1e-9
        assert budget.kinetic[-1] == pytest.approx(0.5 * M * mass / (M + mass) * SPEED**2, rel=1e-9)


def test_tracks_drive_a_vehicle_up_a_slope():
    """Its lower face runs backwards: it gains g (mu cos - sin), up to that speed."""
    for kind in ("between", "exchanged"):
        s, c = np.sin(0.15), np.cos(0.15)
        model = ns.Model(gravity=(-G * s, 0, -G * c))
        tank = model.add_box((0.6, 0.3, 0.2), mass=M, position=(0, 0, 0.1))
        ground = model.add_plane(normal=(0, 0, 1))
        law = {"mu": 0.5, "surface_velocity": (-0.8, 0, 0)}
        if kind == "between":
            model.add(e.Contact(between=([ground], [tank]), **law))
        else:
            model.add(e.SolidPlane(tank, ground, owner="first", **law))
        result = solved(model, t_end=0.6)
        known = np.minimum(G * (0.5 * c - s) * result.t, 0.8)
        assert np.abs(result.velocity[:, tank, 0] - known).max() < 1e-9
        residual = np.asarray(result.budget().residual)
        assert np.abs(residual[: np.argmax(known == 0.8)]).max() < 1e-12
        assert np.abs(residual).max() < 3e-5  # the step in which it sticks, of second order in h


def test_different_tracks_steer():
    """Two tracks turn it about the middle, at their difference over the gauge."""
    model = ns.Model(gravity=(0, 0, -G))
    tank = model.add_body(mass=M, inertia=(0.05, 0.05, 0.05), position=(0.03, 0, 0.05))
    ground = model.add_plane(normal=(0, 0, 1))
    for y, run in ((0.2, 0.3), (-0.2, -0.3)):
        ball = model.add_primitive([(-0.03, y, 0)], radius=0.05, carrier=tank)
        model.add(e.CapsulePlane(ball, ground, mu=0.6, surface_velocity=(run, 0, 0), owner="first"))
    skid = model.add_primitive([(0.1, 0, 0)], radius=0.05, carrier=tank)
    model.add(e.CapsulePlane(skid, ground))
    result = solved(model, t_end=0.5, h=1e-3)
    assert result.angular_velocity[-1, tank, 2] == pytest.approx(0.3 / 0.2, rel=1e-6)
    assert np.linalg.norm(result.velocity[-1, tank]) == pytest.approx(0.03 * 0.3 / 0.2, rel=1e-6)


PAIRS = {
    "ball and box": ("ball", "box"),
    "box and box": ("box", "box"),
    "ball and mesh": ("ball", "mesh"),
    "box and mesh": ("box", "mesh"),
    "capsule and box": ("capsule", "box"),
    "box and cylinder": ("box", "cylinder"),
    "ball and cylinder": ("ball", "cylinder"),
    "capsule and mesh": ("capsule", "mesh"),
}


@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
def test_the_second_of_two_sets_has_it(pair):
    """The opposite velocity of a mover that does not turn is as good."""
    kind, deck = pair
    case, run = (None, kind, deck, UPRIGHT), RUN * ((1, 0, 0) if kind == "capsule" else (1, 1, 1))
    heavy = {"inertia": 1e9} if kind == "ball" else {}

    def of_deck(mover, body, law):
        return e.Contact(between=([mover], [body]), **law)

    def of_mover(mover, body, law):
        law["surface_velocity"] = -(LYING if kind == "capsule" else UPRIGHT).inv().apply(run)
        return e.Contact(between=([body], [mover]), **law)

    one, two = (solved(on_deck(case, contact=made, run=run, **heavy)) for made in (of_deck, of_mover))
    assert np.linalg.norm(one.velocity[-1, 0]) > 0.3
    assert apart(one, two) < 1e-10


@pytest.mark.parametrize("owner", ["first", "second"])
@pytest.mark.parametrize("kind", ["pairs", "between", "capsule", "Contact"])
def test_balls_that_collide_are_thrown(kind, owner):
    """A plastic head-on impact: friction is mu times the normal impulse."""
    model = ns.Model()
    a = model.add_sphere(radius=0.1, mass=M, inertia=1e9, position=(-0.1, 0, 0), velocity=(1.0, 0, 0))
    if kind == "capsule":
        b = model.add_body(mass=M, inertia=(1e9, 1e9, 1e9), position=(0.1, 0, 0))
        shape = model.add_primitive([(0, -0.1, 0), (0, 0.1, 0)], radius=0.1, carrier=b)
    else:
        b = shape = model.add_sphere(radius=0.1, mass=M, inertia=1e9, position=(0.1, 0, 0))
    sign = 1.0 if owner == "second" else -1.0
    law = {"mu": 0.2, "surface_velocity": (7.0, sign * 3.0, 0), "owner": owner}
    if kind == "pairs":
        model.add(e.SphereSphere(pairs=[(a, b)], **law))
    elif kind == "between":
        model.add(e.SphereSphere(between=([a], [b]), **law))
    else:
        model.add(e.Contact(between=([a], [shape]), **law))
    result = solved(model, t_end=0.01, h=0.01)
    impulse = 0.5 * M
    assert result.velocity[-1, a] == pytest.approx([0.5, 0.2 * impulse / M, 0], abs=1e-9)
    assert result.velocity[-1, b] == pytest.approx([0.5, -0.2 * impulse / M, 0], abs=1e-9)


def test_a_surface_turns_with_its_body():
    """A ball on a belt on a turntable, of second order in h."""
    rate, t_end = 3.0, 0.2

    def accelerated(t, y):
        c, s = np.cos(rate * t), np.sin(rate * t)
        runs = np.array([[c, -s], [s, c]]) @ RUN[:2] + rate * np.array([-y[1], y[0]])
        slip = y[2:] - runs
        return [*y[2:], *(-MU * G * slip / np.hypot(*slip))]

    exact = solve_ivp(accelerated, (0, t_end), [0.3, 0, 0, 0], method="DOP853", rtol=1e-12, atol=1e-12).y[
        :, -1
    ]
    errors = []
    for h in (1e-2, 5e-3, 2.5e-3):
        model = ns.Model(gravity=(0, 0, -G))
        ball = model.add_sphere(radius=0.1, mass=M, inertia=1e9, position=(0.3, 0, 0.1))
        table = model.add_plane(normal=(0, 0, 1), motion=ns.Rotation(axis=(0, 0, 1), rate=rate))
        model.add(e.SpherePlane(ball, table, mu=MU, surface_velocity=RUN))
        found = solved(model, t_end=t_end, h=h)
        errors.append(np.linalg.norm(found.velocity[-1, ball, :2] - exact[2:]))
    errors = np.array(errors)
    assert errors[:-1] / errors[1:] == pytest.approx([4.0, 4.0], rel=0.1)
    assert errors[-1] < 1e-5


def test_a_crate_against_a_stop_is_dragged_for_ever():
    """Its friction stays that of sliding, until the stop goes."""
    model = ns.Model(gravity=(0, 0, -G))
    box, _ = add_mover(model, "box", UPRIGHT)
    deck = add_deck(model, "box", UPRIGHT, UPRIGHT)
    model.add(e.SolidSolid(between=([box], [deck]), mu=MU, surface_velocity=(1.0, 0, 0)))
    held = model.add(e.SolidPlane(box, model.add_plane(normal=(-1, 0, 0), offset=-0.1)))
    result = solved(model, t_end=1.0, h=1e-2)
    assert np.abs(result.velocity[-1, box]).max() < 1e-9
    on_stop = result.contacts.at(-1)
    push = on_stop.wrench[np.asarray(on_stop.plane) >= 0, 0].sum()
    assert push == pytest.approx(-MU * M * G, rel=1e-9)
    assert result.budget().friction[-1] == pytest.approx(-MU * M * G, rel=1e-6)
    model.elements.remove(held)
    more = solved(model, t_end=1.2, h=1e-2, state=result.state(-1))
    assert more.velocity[-1, box, 0] == pytest.approx(0.2 * MU * G, rel=1e-9)


def test_jointed_bodies_and_crowds_ride_as_on_a_plane():
    def linked(deck):
        model = ns.Model(gravity=(0, 0, -G))
        balls = [
            model.add_sphere(
                radius=0.1,
                mass=M,
                position=(0.3 * k, 0, 0.1),
                velocity=(0, 0.6 * k, 0),
                angular_velocity=(0, 0, 2.0),
            )
            for k in range(2)
        ]
        model.add(e.Revolute(*balls, point=(0.15, 0, 0.1), axis=(0, 0, 1)))
        return model, balls, deck(model)

    def row(deck):
        model = ns.Model(gravity=(0, 0, -G))
        balls = [
            model.add_sphere(radius=0.05, mass=0.1, position=(0.1 * i, 0.1 * j, 0.05))
            for i in range(7)
            for j in range(7)
        ]
        model.add(e.SphereSphere(among=balls, mu=0.1))
        return model, balls, deck(model)

    def belt(model):
        return model.add_plane(normal=(0, 0, 1), motion=ns.ConstantVelocity(velocity=RUN))

    def plane(model):
        return model.add_plane(normal=(0, 0, 1))

    def box(model):
        return model.add_box((6, 6, 0.2), fixed=True, position=(0, 0, -0.1))

    for made in (linked, row):
        found = []
        runs = {"surface_velocity": RUN}
        for deck, law in ((belt, {}), (plane, runs), (box, runs)):
            model, bodies, ground = made(deck)
            model.add(e.Contact(between=(bodies, [ground]), mu=MU, **law))
            found.append(solved(model, t_end=0.1).velocity[:, : len(bodies)])
        assert np.linalg.norm(found[0][-1] - found[0][0], axis=1).min() > 0.1
        assert np.abs(found[0] - found[1]).max() < 1e-12
        assert np.abs(found[0] - found[2]).max() < 1e-12


def test_a_continued_run_has_the_same_bits(tmp_path):
    case = DECKS["SphereSolid"]
    whole = solved(on_deck(case, OBLIQUE), t_end=0.4)
    half = solved(on_deck(case, OBLIQUE), t_end=0.2)
    half.save(tmp_path / "half.h5")
    read = ns.load(tmp_path / "half.h5")
    law = read.model.elements[0].law
    assert law.owner == "second"
    assert law.surface_velocity == pytest.approx(QUARTER.inv().apply(RUN))
    rest = solved(read.model, t_end=0.4, state=read.state(-1))
    assert np.array_equal(whole.velocity[-1], rest.velocity[-1])


def test_no_growth_of_energy_is_reported():
    result = solved(on_deck(DECKS["SolidSolid"]), t_end=0.8)
    assert "energy" not in str(result.status)
