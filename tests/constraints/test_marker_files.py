"""Ropes, limits and friction in files, cases, sensors and pictures."""

import numpy as np
import pytest

import elements as e
import nsgalpha as ns
from nsgalpha.case import CaseError, parse_case
from nsgalpha.io.model_description import describe, missing
from nsgalpha.model.frame_motions import Shaking
from nsgalpha.show.joint_shapes import add_joints
from tests.case.case_texts import RUN, body, table

H = 2e-3
END = 320 * H


def excavator(motion=None):
    """A boom with stop, friction and motor; a bucket on a rope; a cart."""
    model = ns.Model(gravity=(0, 0, -9.81))
    shaking = Shaking(amplitude=(0.1, 0, 0), frequency=2.0)
    frame = model.add_plane(normal=(0, 0, 1), motion=motion or shaking, name="frame")
    post = model.add_body(mass=2.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, 0), name="post")
    boom = model.add_body(mass=1.0, inertia=(1e-2, 0.1, 0.1), position=(0.5, 0, 0), name="boom")
    bucket = model.add_sphere(radius=0.1, mass=0.3, position=(1, 0, -0.3), name="bucket")
    cart = model.add_sphere(radius=0.1, mass=0.3, position=(0, 3, 0), name="cart")
    slew = model.add(e.Revolute(None, post, point=(0, 0, 0), axis=(0, 0, 1), name="slew"))
    lift = model.add(e.Revolute(post, boom, point=(0, 0, 0), axis=(0, 1, 0), name="lift"))
    model.add(e.SpeedMotor(slew, speed=[(0.0, 0.0), (0.5, 2.0)], strength=3.0, name="motor"))
    model.add(e.JointFriction(lift, bound=0.2, mu=0.1, radius=0.02, name="rub"))
    model.add(e.Limit(lift, low=-0.3, high=0.4, e_n=0.5, name="stop"))
    model.add(e.Rope(boom, bucket, points=((1, 0, 0), (1, 0, -0.3)), length=0.35, e_n=0.3, name="rope"))
    model.add(e.Rope(frame, cart, points=((0, 3, 0), (0, 3, 0)), length=0.2, name="tether"))
    model.add(e.SphereSphere([bucket, cart]))
    return model


def same(a, b):
    for name in ("position", "rotation", "velocity", "angular_velocity", "joints"):
        assert np.array_equal(getattr(a, name), getattr(b, name)), name
    for name in ("start", "plane", "feature", "impulse", "wrench", "multipliers", "gap", "body_b"):
        assert np.array_equal(getattr(a.contacts, name), getattr(b.contacts, name)), name


def test_a_file_holds_the_model_and_what_it_did_and_a_run_goes_on_from_it_to_the_bit(tmp_path):
    path = tmp_path / "run.h5"
    whole = ns.simulate(excavator(), t_end=END, h=H, record_every=5)
    ns.simulate(excavator(), t_end=0.375 * END, h=H, recording=ns.Recording(file=path, every=5, seconds=1e-9))
    rest = ns.resume(path, t_end=END)
    same(whole, rest)
    again = ns.load(path)
    assert describe(again.model) == describe(excavator())
    assert not missing(describe(again.model))
    assert again.model.elements[0].joint is again.model.joints[0]
    for name in ("stop", "rope", "rub", "motor", "tether"):
        for one, two in zip(whole.reaction(name), again.reaction(name), strict=True):
            assert np.array_equal(one, two)
    assert whole.joints.shape[1] == 10 + 3  # an angle each for the motor, the friction and the limit
    assert set(whole.contacts.plane) == {-2, -3, -5}


def test_what_hangs_on_a_frame_whose_motion_no_file_holds_is_missing(tmp_path):
    def still(t):
        return np.zeros(3), np.zeros(3)

    path = tmp_path / "run.h5"
    whole = ns.simulate(excavator(still), t_end=20 * H, h=H)
    ns.simulate(excavator(still), t_end=10 * H, h=H, recording=ns.Recording(file=path))
    with pytest.raises(ValueError, match=r"the function .*still.* is not in"):
        ns.resume(path, t_end=20 * H)
    rest = ns.resume(path, t_end=20 * H, model=excavator(still))
    assert np.array_equal(rest.position, whole.position)


def test_sensors_see_what_results_do():
    seen = {
        name: ns.Sensor(name, lambda now, name=name: now.reaction(name))
        for name in ("rope", "stop", "rub", "lift")
    }
    struck = ns.Sensor("struck", lambda now: now.reaction_impulse("stop").torque)
    result = ns.simulate(
        excavator(), t_end=END, h=H, watch=[*seen.values(), struck, ns.OnImpact(lambda impact: None)]
    )
    for name in seen:
        both = np.stack(result.reaction(name), axis=1)
        assert np.array_equal(result.sensors[name].value, both)
    assert np.array_equal(result.sensors["struck"].value, result.reaction_impulse("stop").torque)
    assert np.abs(result.sensors["struck"].value).max() > 0.01


def test_names_that_several_have_are_asked_for_by_themselves():
    model = excavator()
    twin = model.add(e.Rope(None, model.bodies[3], points=((1, 0, 0), (1, 0, 0)), length=9.0, name="rope"))
    result = ns.simulate(model, t_end=2 * H, h=H)
    with pytest.raises(ValueError, match="joint = 'rope': must be"):
        result.reaction("rope")
    assert not result.reaction(twin).force.any()
    with pytest.raises(ValueError, match="joint = 'rop': must be a joint of the model"):
        result.reaction("rop")


def test_ropes_are_seen_between_their_points():
    class Build:
        def __init__(self):
            self.points, self.rods, self.begun = [], [], set()

        def begin(self, name, kind, colour):
            self.begun.add(kind)

        def mover(self, carrier):
            return -1 if carrier is None else int(carrier)

        def point(self, owner, place):
            self.points.append((owner, tuple(place)))
            return len(self.points) - 1

        def rod(self, a, b, radius):
            self.rods.append((a, b))

    def seen(ropes):
        model = ns.Model()
        ball = model.add_sphere(radius=0.1, mass=1.0, position=(1, 0, 0))
        for _ in range(ropes):
            model.add(e.Rope(None, ball, points=((0, 0, 1), (1, 0, 0)), length=3.0))
        build = Build()
        return add_joints(model, build, lambda: 1.0), build

    assert seen(0)[0] == 0
    count, build = seen(2)
    assert count == len(build.rods) == 6  # a ball at either end, and itself
    assert build.begun == {"rope"}
    ends = [(build.points[a], build.points[b]) for a, b in build.rods]
    assert ends.count(((-1, (0, 0, 1)), (0, (0, 0, 0)))) == 2


BODIES = body("rod", [0.5, 0, 0], inertia=[0.1, 0.1, 0.1])
BODIES += table("bodies", type="sphere", name="bob", radius=0.1, mass=1, position=[1, 0, -0.5])
BODIES += table("joints", type="Revolute", name="pin", b="rod", point=[0, 0, 0], axis=[0, 1, 0])
ENDS = {"a": "rod", "b": "bob", "points": [[1, 0, 0], [1, 0, -0.5]]}


def case(kind, values):
    text = BODIES + table("elements", type=kind, **values) + RUN
    return parse_case(text, "it.toml").model.elements[0]


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("Limit", {"joint": "pin", "low": -1, "high": 1, "e_n": 0.5, "name": "stop"}),
        ("JointFriction", {"joint": "pin", "bound": 1, "mu": 0.1, "radius": 0.02}),
        ("SpeedMotor", {"joint": "pin", "speed": [[0, 1], [1, 2]], "strength": 3}),
        ("Rope", {**ENDS, "length": 2, "e_n": 0.2}),
    ],
)
def test_case_files_state_them(kind, values):
    ours = case(kind, values)
    model = ours.handles()[0].model
    named = {"joint": model.joints[0], "a": model.bodies[0], "b": model.bodies[1]}
    theirs = getattr(e, kind)(**values | {key: named[key] for key in named if key in values})
    assert (ours.geometry, ours.law, ours.name) == (theirs.geometry, theirs.law, theirs.name)
    assert ours.friction() == theirs.friction()


@pytest.mark.parametrize(
    ("kind", "values", "says"),
    [
        (
            "Rope",
            {"a": "rod", "b": {"carrier": "bob"}, "length": 2, "e_n": 0.2},
            "points: give both of them in space, or two markers",
        ),
        ("Limit", {"joint": "pn", "high": 1}, r"elements\[0\].joint: 'pn' is unknown; did you mean 'pin'"),
        ("Limit", {"joint": 3, "high": 1}, r"elements\[0\].joint: 3: must be the name of a joint"),
        ("Limit", {"joint": "pin", "low": 1, "high": 0}, r"elements\[0\].high: 0.0: must be in"),
        ("Limit", {"joint": "pin"}, r"low, high: give at least one of them"),
        ("JointFriction", {"joint": "pin", "bound": -1}, r"elements\[0\].bound: -1.0: must be in"),
        (
            "Rope",
            {**ENDS, "length": 0.4},
            r"elements\[0\].length: length of Rope of 'rod' and 'bob' = 0.4: must be at least",
        ),
    ],
)
def test_what_is_wrong_in_a_case_is_told_with_its_key(kind, values, says):
    with pytest.raises(CaseError, match=says):
        case(kind, values)
