"""Located impacts and an accuracy for solids, whose contacts have other features at other poses."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from solid_scenes import run

import nsgalpha as ns
from elements import SolidMesh, SolidPlane, SolidSolid
from nsgalpha.schemes.generalized_alpha.located_stepper import LocatedStepper
from nsgalpha.schemes.stepper_interface import Advance
from nsgalpha.stepping.step_outcome import LOCATE
from nsgalpha.system.step_candidates import StepCandidates

G = 9.81
STEPS = 8e-3, 4e-3, 2e-3
CLOSE = 2.5e-4  # [s] step of the reference
TURN = Rotation.from_rotvec((0.3, -0.5, 0.2))


def quaternion(rotation):
    return np.roll(rotation.as_quat(), 1)


def scene(solid, laws, *, turn=None, last=False, fixed=False, **state):
    """A `solid`, as `shape(model, **state)`, above a plate on the floor; it is stated `last`, or first."""
    turn = Rotation.identity() if turn is None else turn
    model = ns.Model(gravity=turn.apply((0, 0, -G)))
    q = Rotation.from_quat(np.roll(state.pop("rotation", (1, 0, 0, 0)), -1))
    state = {key: turn.apply(value) for key, value in state.items()}

    def add_plate():
        place, mass = turn.apply((0, 0, 0.1)), None if fixed else 50.0
        return model.add_box((1, 1, 0.2), mass=mass, position=place, rotation=quaternion(turn), fixed=fixed)

    plate = None if last else add_plate()
    body = solid(model, rotation=quaternion(turn * q), **state)
    plate = plate or add_plate()
    if not fixed:
        model.add(SolidPlane([plate], model.add_plane(normal=turn.apply((0, 0, 1))), mu=0.9))
    model.add(SolidSolid(among=[body, plate] if last else [plate, body], **laws))
    return model, body


def box(size):
    return lambda model, **state: model.add_box(size, mass=1.0, **state)


def can(model, **state):
    return model.add_cylinder(radius=0.1, length=0.3, mass=1.0, **state)


def cone(model, **state):
    return model.add_cone(radius=0.15, height=0.25, mass=1.0, **state)


def tumbling(seed, solid, height=0.55, **laws):
    """It falls on the plate at random rotations, and bounces some times."""
    rotation = Rotation.random(None, np.random.default_rng(seed))
    state = {"position": (0.03, 0.02, height), "velocity": (0.1, 0.2, -0.3), "angular_velocity": (1, 2, -1)}
    return lambda **more: scene(solid, laws, rotation=quaternion(rotation), **state, **more)


def over_the_edge(**more):
    """A box slides off the plate, and tips."""
    state = {"position": (0.3, 0.05, 0.25), "velocity": (1.2, 0, 0)}
    return scene(box((0.2, 0.2, 0.1)), {"mu": 0.1, "e_n": 0.3}, **state, **more)


def rocking(**more):
    """A slender block falls from 8 degrees on its other edge, and so on."""
    tilt = Rotation.from_euler("y", 8, degrees=True)
    place = (0.1, 0, 0.2) - tilt.apply((0.1, 0, -0.3))
    state = {"position": place, "rotation": quaternion(tilt)}
    return scene(box((0.2, 0.2, 0.6)), {"mu": 0.8, "e_n": 0.5}, **state, **more)


SCENES = {
    "box": (tumbling(4, box((0.3, 0.2, 0.1)), mu=0.3, e_n=0.5), 0.35),
    "frictionless box": (tumbling(3, box((0.3, 0.2, 0.1)), e_n=0.5), 0.35),
    "can": (tumbling(5, can, mu=0.3, e_n=0.4), 0.4),
    "cone": (tumbling(6, cone, mu=0.3, e_n=0.4), 0.35),
    "over the edge": (over_the_edge, 0.6),
    "rocking": (rocking, 0.8),
}


def pose(make, t, turn=None, **settings):
    """Position and rotation [as columns] of the body at `t`, turned back, and the result."""
    model, body = make(turn=turn)
    result = ns.simulate(model, t_end=t, **settings)
    assert result.status.ok or "overlap" in str(result.status), result.status
    turn = Rotation.identity() if turn is None else turn
    at = result.at(t)
    q = Rotation.from_quat(np.roll(np.reshape(at.rotation, (-1, 4))[int(body.index)], -1))
    x = turn.inv().apply(np.reshape(at.position, (-1, 3))[int(body.index)])
    return np.concatenate([x, 0.1 * (turn.inv() * q).as_matrix().ravel()]), result


@pytest.mark.parametrize("name", SCENES)
def test_errors_are_of_second_order_through_impacts_and_changes_of_features(name):
    make, t = SCENES[name]
    exact = pose(make, t, h=CLOSE, impacts="located")[0]
    errors = []
    for h in STEPS:
        found, result = pose(make, t, h=h, impacts="located")
        errors.append(np.abs(found - exact).max())
        assert result.stats.penetration.max() < 1e-10
        assert not (result.stats.located < 0).any()
    bound = np.square(STEPS) * (40.0 if name == "over the edge" else 2.5)
    assert (errors < bound).all(), errors / bound
    if name not in ("over the edge", "can"):
        fixed = pose(make, t, h=STEPS[-1])[0]
        assert np.abs(fixed - exact).max() > 20.0 * errors[-1]


def test_flat_falls_are_exact():
    """A box bounces between its impacts as a point does."""
    drop, e_n = 0.2, 0.5
    fall = np.sqrt(2 * drop / G)
    model, body = scene(box((0.3, 0.2, 0.1)), {"e_n": e_n}, fixed=True, position=(0.1, 0.2, 0.25 + drop))
    result = run(model, 0.5, 0.03, impacts="located")
    struck = result.t[1:][result.stats.located > 0]
    assert struck[:2] == pytest.approx((fall, (1 + 2 * e_n) * fall), abs=1e-12)
    assert np.abs(result.angular_velocity[:, body]).max() < 1e-12


@pytest.mark.parametrize("name", ["box", "cone", "over the edge"])
@pytest.mark.parametrize("more", [{"turn": TURN}, {"last": True}], ids=["turned", "exchanged"])
def test_a_turned_scene_and_exchanged_bodies_have_the_same_impacts(name, more):
    make, t = SCENES[name]
    settings = {"h": 4e-3, "impacts": "located"}
    one = pose(make, t, **settings)[0]
    other = pose(lambda turn: make(**{"turn": turn, **more}), t, more.get("turn"), **settings)[0]
    assert other == pytest.approx(one, abs=1e-8)


@pytest.mark.parametrize("name", SCENES)
def test_an_accuracy_is_met(name):
    make, t = SCENES[name]
    exact = pose(make, t, h=CLOSE, impacts="located")[0]
    for accuracy in (1e-3, 1e-5):
        found, result = pose(make, t, accuracy=accuracy)
        assert np.abs(found - exact).max() < 3.0 * accuracy + 2.5e-6
        assert len(result.t) < 600


@pytest.mark.parametrize("name", ["box", "over the edge", "rocking"])
def test_a_run_goes_on_to_the_bit(name, tmp_path):
    make, t = SCENES[name]
    whole = pose(make, t, h=4e-3, impacts="located")[1]
    kept = ns.Recording(file=tmp_path / "run.h5")
    ns.simulate(make()[0], t_end=0.6 * t, h=4e-3, impacts="located", recording=kept)
    result = ns.resume(kept.file, t_end=t)
    assert np.array_equal(result.stats.h, whole.stats.h)
    for part in ("position", "rotation", "velocity", "angular_velocity"):
        assert np.array_equal(getattr(result, part)[-1], getattr(whole, part)[-1]), part


@pytest.mark.parametrize("name", ["box", "can", "over the edge"])
def test_steps_of_the_compiled_loop_are_those_from_python(name, monkeypatch):
    make, t = SCENES[name]
    one = pose(make, t, h=4e-3, impacts="located")[1]
    monkeypatch.setattr(LocatedStepper, "_fly", lambda self, steps, *_: Advance(steps.first, LOCATE))
    two = pose(make, t, h=4e-3, impacts="located")[1]
    for part in ("t", "position", "rotation", "velocity", "angular_velocity"):
        assert np.array_equal(getattr(one, part), getattr(two, part)), part


def test_a_box_falls_on_a_mesh():
    """Waves of triangles; the order is that of a box on a box."""

    def falls(turn=None):
        model = ns.Model(gravity=(0, 0, -G))
        x = np.linspace(-0.6, 0.6, 13)
        places = np.array([(a, b, 0.03 * np.sin(7 * a) * np.cos(5 * b)) for a in x for b in x])
        rows = [(13 * i + j, 13 * i + j + 13, 13 * i + j + 1) for i in range(12) for j in range(12)]
        rows += [(13 * i + j + 13, 13 * i + j + 14, 13 * i + j + 1) for i in range(12) for j in range(12)]
        ground = model.add_body(position=(0, 0, 0), fixed=True)
        model.add_mesh(places, rows, carrier=ground)
        q = quaternion(Rotation.random(None, np.random.default_rng(2)))
        body = model.add_box((0.3, 0.2, 0.1), mass=1.0, position=(0.02, 0.03, 0.4), rotation=q)
        model.add(SolidMesh(body, ground, mu=0.3, e_n=0.4))
        return model, body

    exact = pose(falls, 0.4, h=CLOSE, impacts="located")[0]
    for h in STEPS:
        found, result = pose(falls, 0.4, h=h, impacts="located")
        assert np.abs(found - exact).max() < h**2
        assert (result.stats.located > 0).sum() > 2


def test_a_body_that_is_fast_is_counted():
    """Half of the least width in a step, also where no feature is selected yet."""
    model, _ = scene(box((0.3, 0.2, 0.1)), {}, position=(0, 0, 0.45), velocity=(0, 0, -4))
    slow, _ = scene(box((0.3, 0.2, 0.1)), {}, position=(0, 0, 0.45), velocity=(0, 0, -2))
    assert ns.simulate(model, t_end=0.02, h=0.02).stats.fast.any()
    assert not ns.simulate(slow, t_end=0.02, h=0.02).stats.fast.any()


@pytest.mark.parametrize("later", [0.0, 0.001, 0.003, 0.005])
def test_moreau_penetrates_by_less_than_the_way_of_a_step(later):
    """Features are selected where the step is predicted."""
    h, speed, edge = 4e-3, 2.0, Rotation.from_euler("x", 0.7)
    model = ns.Model()
    plate = model.add_box((1, 1, 0.2), mass=5.0, position=(0, 0, 0))
    state = {"position": (0, 0, 0.4 + later), "velocity": (0, 0, -speed), "rotation": quaternion(edge)}
    body = model.add_box((0.3, 0.2, 0.1), mass=1.0, **state)
    model.add(SolidSolid(among=[plate, body]))
    result = ns.simulate(model, t_end=0.3, h=h, scheme=ns.MoreauJean())
    penetration = 0.05 * result.stats.penetration  # [m]
    first = penetration[penetration > 1e-9][0]
    assert first < 0.6 * h * speed


def test_an_undone_trial_has_the_offsets_of_its_candidates(monkeypatch):
    """Boxes that fall leave the reach within trials, whose candidates are given up with them."""
    found, plain, undone = [], StepCandidates.find, []

    def find(now, tries):
        found.append(now.system.kinds[-1] == len(now.candidates.a))
        plain(now, tries)

    def undo(stepper, start):
        undone.append(stepper.now.candidates is not start.candidates)
        back(stepper, start)

    back = LocatedStepper._undo
    monkeypatch.setattr(StepCandidates, "find", find)
    monkeypatch.setattr(LocatedStepper, "_undo", undo)
    model, rng = ns.Model(gravity=(0, 0, -G)), np.random.default_rng(0)
    for k in range(12):
        turn = quaternion(Rotation.from_rotvec(0.012 * rng.normal(size=3)))
        place, v = (0, 0, 0.06 + 0.108 * k), 0.3 * rng.normal(size=3)
        model.add_box((0.098, 0.098, 0.098), mass=1.0, position=place, velocity=v, rotation=turn)
    model.add(SolidSolid(among=model.bodies, mu=0.3))
    model.add(SolidPlane(model.bodies, model.add_plane(normal=(0, 0, 1)), mu=0.3))
    result = ns.simulate(model, t_end=0.08, accuracy=1e-3)
    assert result.status, result.status
    assert any(undone)
    assert all(found)
