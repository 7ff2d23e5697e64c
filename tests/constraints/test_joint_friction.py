"""Dry friction in joints and motors of limited strength: exact where it is constant, no creep at rest."""

import numpy as np
import pytest

import nsgalpha as ns
from elements import JointFriction, Limit, Prismatic, Revolute, SpeedMotor
from verification.mechanisms import slipping

ORIGIN = (0.0, 0.0, 0.0)


def wheel(speed=0.0, inertia=0.2, gravity=ORIGIN, mass=1.0):
    model = ns.Model(gravity=gravity)
    body = model.add_body(
        mass=mass, inertia=(inertia, inertia, inertia), position=ORIGIN, angular_velocity=(0, 0, speed)
    )
    return model, model.add(Revolute(None, body, point=ORIGIN, axis=(0, 0, 1), name="axle"))


def rod(model, x=(0.5, 0, 0), **given):
    return model.add_body(mass=1.0, inertia=(1e-2, 0.1, 0.1), position=x, **given)


def slope(angle, bound, speed=0.0):
    model = ns.Model(gravity=(10 * np.sin(angle), 0, -10 * np.cos(angle)))
    body = model.add_body(mass=2.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, 0.3), velocity=(speed, 0, 0))
    rail = model.add(Prismatic(None, body, point=ORIGIN, axis=(1, 0, 0)))
    return model, rail, model.add(JointFriction(rail, bound=bound))


@pytest.mark.parametrize("h", [0.01, 0.007])
def test_constant_friction_slows_a_wheel_down_evenly_and_it_stays(h):
    model, axle = wheel(1.0)
    brake = model.add(JointFriction(axle, bound=0.1))
    result = ns.simulate(model, t_end=3.0, h=h)
    angle, rate = result.coordinate(axle)
    assert np.abs(rate - np.maximum(1.0 - 0.5 * result.t, 0.0)).max() < 1e-13
    turning = result.t < 2.0
    assert np.abs(angle - result.t + 0.25 * result.t**2)[turning].max() < 0.26 * h * h
    after = result.t > 2.0 + h
    assert np.ptp(angle[after]) < 1e-15
    assert np.abs(rate[after]).max() < 1e-15
    torque = result.reaction(brake).torque
    assert np.abs(torque[turning][1:] - (0, 0, -0.1)).max() < 1e-13
    assert np.abs(torque[after]).max() < 1e-13
    status = result.contacts.status[result.contacts.plane == -5]
    assert status[0] == "slip"
    assert status[-1] == "idle"
    assert not result.stats.contacts.any()


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_friction_of_a_slider_holds_it_on_a_slope_or_lets_it_go_evenly(sign):
    held, rail, rub = slope(sign * 0.5, bound=10.0)  # the weight pulls with 9.6 N
    result = ns.simulate(held, t_end=10.0, h=0.01)
    s, v = result.coordinate(rail)
    assert np.abs(s).max() < 1e-12
    assert np.abs(v).max() < 1e-13
    assert abs(result.reaction(rub).force[-1, 0] + sign * 20 * np.sin(0.5)) < 1e-10
    assert set(result.contacts.status[1:]) == {"stick"}
    sliding, rail, _ = slope(sign * 0.5, bound=4.0)
    result = ns.simulate(sliding, t_end=1.0, h=0.01)
    s, v = result.coordinate(rail)
    pull = sign * (10 * np.sin(0.5) - 2.0)
    assert np.abs(v - pull * result.t).max() < 1e-12
    assert np.abs(s - 0.5 * pull * result.t**2).max() < 1e-12


def test_a_slider_comes_to_rest_where_its_energy_is_used_up():
    for h in (4e-3, 2e-3):
        model, rail, _ = slope(0.0, bound=4.0, speed=1.0)
        end = ns.simulate(model, t_end=1.0, h=h).coordinate(rail).value[-1]
        assert abs(end - 0.25) < 1.1 * h * h


@pytest.mark.parametrize("hinge", ["shaft", "pin"])
def test_friction_in_a_mechanism_is_of_second_order(hinge):
    far, near = (slipping.errors(hinge, h) for h in (2e-3, 1e-3))
    assert np.log2(far / near) == pytest.approx(2.0, abs=0.05)


def test_friction_that_slips_asks_the_joints_for_what_they_hold_against_it():
    """Reactions of a crank that slips, against those of finer steps."""
    coarse, fine, finest = (
        ns.simulate(slipping.model("pin"), t_end=0.2, h=h).reaction("shaft").force[-1]
        for h in (1e-3, 5e-4, 2.5e-4)
    )
    assert np.abs(fine - finest).max() < 0.7 * np.abs(coarse - fine).max()


def test_an_arm_holds_its_load_for_a_minute_without_creep():
    model = ns.Model(gravity=(0, 0, -10))
    one, two = rod(model), rod(model, (1.4, 0, 0.3), rotation=(np.cos(0.3), 0, -np.sin(0.3), 0))
    shoulder = model.add(Revolute(None, one, point=ORIGIN, axis=(0, 1, 0)))
    elbow = model.add(Revolute(one, two, point=(1, 0, 0), axis=(0, 1, 0)))
    model.add(JointFriction(shoulder, bound=30.0))
    model.add(JointFriction(elbow, bound=9.0))
    result = ns.simulate(model, t_end=60.0, h=2e-3, record_every=100)
    for joint in (shoulder, elbow):
        angle, rate = result.coordinate(joint)
        assert np.abs(angle - angle[0]).max() < 2e-9
        assert np.abs(rate).max() < 1e-12


def test_friction_in_proportion_to_a_constant_reaction_is_even():
    model, axle = wheel(2.0, gravity=(0, -10, 0), mass=3.0)
    model.add(JointFriction(axle, bound=0.05, mu=0.2, radius=0.01))
    rate = ns.simulate(model, t_end=1.0, h=0.01).coordinate(axle).rate
    assert abs(rate[-1] - (2.0 - (0.05 + 0.2 * 0.01 * 30.0) / 0.2)) < 1e-12


def test_friction_in_proportion_to_a_reaction_that_it_changes_is_of_first_order():
    """A rod that turns about its end: F^2 = (m s w^2)^2 + (m s a)^2, so that a = -c w^2/sqrt(1 - c^2)."""
    mass, arm, inertia, first = 1.0, 0.5, 0.35, 5.0
    part = 0.3 * 0.4
    c = part * mass * arm / inertia
    c /= np.sqrt(1.0 - c * c)
    errors = []
    for h in (4e-3, 2e-3, 1e-3):
        model = ns.Model()
        body = rod(model, velocity=(0, 2.5, 0), angular_velocity=(0, 0, first))
        pin = model.add(Revolute(None, body, point=ORIGIN, axis=(0, 0, 1)))
        model.add(JointFriction(pin, mu=0.3, radius=0.4))
        rate = ns.simulate(model, t_end=1.0, h=h).coordinate(pin).rate
        errors.append(abs(rate[-1] - first / (1.0 + c * first)))
    order = np.log2(np.array(errors[:-1]) / errors[1:])
    assert errors[0] < 0.02
    assert (order > 0.9).all()


def test_friction_has_no_part_in_impacts():
    def bounced(bound):
        model, axle = wheel(2.0)
        model.add(Limit(axle, high=0.1, e_n=1.0))
        if bound:
            model.add(JointFriction(axle, bound=bound))
        return ns.simulate(model, t_end=0.1, h=1e-3).coordinate(axle)

    free, braked = bounced(0.0), bounced(0.2)
    assert abs(free.rate[-1] + 2.0) < 1e-13
    # by 1 rad/s^2 in all steps but that of the impact, in which the stop keeps the rebound against loads
    assert abs(braked.rate[-1] + 2.0 - 0.099) < 1e-10


@pytest.mark.parametrize("speed", [2.0, -2.0])
def test_a_motor_accelerates_with_all_its_strength_and_then_keeps_its_speed(speed):
    model, axle = wheel()
    motor = model.add(SpeedMotor(axle, speed=speed, strength=0.1))
    result = ns.simulate(model, t_end=6.0, h=0.01)
    rate = result.coordinate(axle).rate
    assert np.abs(rate - np.sign(speed) * np.minimum(0.5 * result.t, 2.0)).max() < 1e-12
    assert np.abs(result.reaction(motor).torque[1:399] - (0, 0, 0.1 * np.sign(speed))).max() < 1e-12
    assert np.abs(result.reaction(motor).torque[-100:]).max() < 1e-12


def test_sides_of_a_joint_with_friction_by_reaction_may_be_exchanged():
    """Two rods that fall, with friction by reactions that friction changes: but for an error of order h^2."""

    def fallen(exchanged, h):
        model = ns.Model(gravity=(0, 0, -9.81))
        last = None
        for k in range(2):
            rod = model.add_body(mass=1.0, inertia=(1e-3, 1 / 12, 1 / 12), position=(k + 0.5, 0, 0))
            sides = (rod, last) if exchanged else (last, rod)
            pin = model.add(Revolute(*sides, point=(k, 0, 0), axis=(0, 1, 0)))
            model.add(JointFriction(pin, mu=0.3, radius=0.05))
            last = rod
        result = ns.simulate(model, t_end=1.0, h=h)
        assert result.status, result.status
        return result.position[-1]

    rough, fine = (np.abs(fallen(False, h) - fallen(True, h)).max() for h in (4e-3, 2e-3))
    assert fine < 8e-9
    assert rough / fine > 3.0


def test_a_motor_follows_a_table_of_speeds_while_it_can():
    model, axle = wheel()
    model.add(SpeedMotor(axle, speed=[(1.0, 0.0), (2.0, 3.0), (3.0, -1.0)], strength=1.0))
    result = ns.simulate(model, t_end=4.0, h=0.01)
    told = np.interp(result.t, (1.0, 2.0, 3.0), (0.0, 3.0, -1.0))
    assert np.abs(result.coordinate(axle).rate - told).max() < 1e-12


def test_a_motor_follows_a_function_of_time_and_its_budget_closes():
    model, axle = wheel()
    model.add(SpeedMotor(axle, speed=lambda t: 2.0 * np.sin(t) ** 2, strength=1.0))
    result = ns.simulate(model, t_end=4.0, h=0.01)
    assert np.abs(result.coordinate(axle).rate - 2.0 * np.sin(result.t) ** 2).max() < 1e-12
    spent = result.budget()
    assert np.abs(spent.residual).max() < 1e-12
    assert abs(spent.drives[-1] + spent.friction[-1] - spent.kinetic[-1]) < 1e-12


def test_a_function_without_a_value_ends_the_run():
    model, axle = wheel()
    model.add(SpeedMotor(axle, speed=lambda t: 1.0 if t < 0.5 else np.nan, strength=1.0))
    result = ns.simulate(model, t_end=1.0, h=0.01)
    assert not result.status
    assert "speed returned" in result.status.message
    assert abs(result.t[-1] - 0.5) < 0.011


def test_a_motor_at_rest_holds_a_load_up_to_its_strength():
    def lifted(strength):
        model = ns.Model(gravity=(0, 0, -10))
        pin = model.add(Revolute(None, rod(model), point=ORIGIN, axis=(0, 1, 0)))
        model.add(SpeedMotor(pin, speed=0.0, strength=strength))
        return ns.simulate(model, t_end=1.0, h=1e-3).coordinate(pin)

    held, falling = lifted(5.1), lifted(4.9)
    assert np.abs(held.value).max() < 1e-12
    assert (
        falling.value[-1] > 0.05
    )  # the load is (5 - 4.9) N m about 0.35 kg m^2, and more beside the horizontal
    assert falling.value[-1] < 0.5 * 0.1 / 0.35 * 1.01


def test_a_run_with_friction_and_a_stop_goes_on_to_the_bit():
    model = ns.Model(gravity=(0, 0, -10))
    pin = model.add(Revolute(None, rod(model), point=ORIGIN, axis=(0, 1, 0)))
    model.add(JointFriction(pin, bound=0.1, mu=0.2, radius=0.05))
    model.add(Limit(pin, high=2.0, e_n=0.7))
    whole = ns.simulate(model, t_end=3.0, h=1e-3)
    for k in (1, 700, 2999):
        rest = ns.simulate(model, t_end=3.0, h=1e-3, state=whole.state(k))
        for name in ("position", "rotation", "angular_velocity", "joints"):
            assert np.array_equal(getattr(rest.state(), name), getattr(whole.state(), name))


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({}, "bound, mu: both are zero; give one of them"),
        ({"bound": -1.0}, r"bound = -1.0: must be in \[0, inf\); it is a torque in N m"),
        ({"mu": -0.1, "radius": 0.1}, r"mu = -0.1: must be in \[0, inf\)"),
        (
            {"mu": 0.1},
            "radius = None: must be given for friction of an angle with mu alone: .* needs the radius",
        ),
        ({"bound": 1.0, "radius": 0.1}, "radius = 0.1: must be given for friction of an angle with mu alone"),
        ({"mu": 0.1, "radius": 0.0}, r"radius = 0.0: must be in \(0, inf\)"),
        ({"bound": np.inf}, r"bound = inf: must be"),
    ],
)
def test_what_no_friction_can_be_is_refused(given, says):
    _, axle = wheel()
    with pytest.raises(ValueError, match=says):
        JointFriction(axle, **given)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"strength": 0.0}, r"strength = 0.0: must be in \(0, inf\)"),
        ({"strength": -1.0}, r"strength = -1.0: must be"),
        ({"speed": np.nan}, "speed = nan: must be"),
        ({"speed": [(1, 2), (1, 3)]}, "speed = .*must be a number, rows of a time and a rate"),
        ({"speed": [1.0, 2.0]}, "speed = .*must be a number, rows of a time and a rate"),
        ({"speed": []}, "speed = .*must be a number, rows of a time and a rate"),
        ({"speed": "fast"}, "speed = 'fast': must be a number"),
    ],
)
def test_what_no_motor_can_be_is_refused(given, says):
    _, axle = wheel()
    with pytest.raises(ValueError, match=says):
        SpeedMotor(axle, **{"speed": 1.0, "strength": 1.0, **given})
