"""Forces of velocity Verlet over its steps, where friction trembles within its zone."""

import numpy as np
import pytest

import nsgalpha as ns
from elements import CompliantSpherePlane, CompliantSphereSphere, RegularisedCoulomb, SpringDashpot

VERLET = ns.VelocityVerlet()
TRACTION = 4.0  # along the plane [m/s^2]


def rolling(scheme=VERLET, h=2e-5, zone=1e-5, load=False, **frame):
    """A ball of 1 kg that rolls down a plane on stiff regularised friction; its sensors."""
    model = ns.Model(gravity=(TRACTION, 0, -9))
    ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0.1 - 9e-6))
    plane = model.add_plane(normal=(0, 0, 1), **frame)
    friction = RegularisedCoulomb(mu=0.3, velocity_zone=zone)
    normal = SpringDashpot(stiffness=1e6, damping=100.0)
    model.add(CompliantSpherePlane(ball, plane, normal=normal, tangential=friction))
    if load:
        model.add_load(lambda t, s: (0 * s.velocity, 0 * s.angular_velocity))
    watch = [
        ns.Sensor("on the plane", lambda now: now.impulse(plane), every=100),
        ns.Sensor("on the ball", lambda now: now.impulse(ball), every=100),
        ns.Sensor("at states", lambda now: now.compliant_contacts().force[0], every=7),
    ]
    result = ns.simulate(model, t_end=0.05, h=h, scheme=scheme, watch=watch, record_every=2500)
    assert result.status, result.status
    return result.sensors


def mean(series):
    """Mean force over the run but for its beginning."""
    return (series.value[-1] - series.value[2]) / (series.t[-1] - series.t[2])


@pytest.mark.parametrize("load", [False, True])
def test_forces_at_states_are_biased_where_friction_trembles_and_impulses_are_not(load):
    sensors = rolling(load=load)
    needed = 2.0 / 7.0 * TRACTION  # of a solid ball that rolls
    assert mean(sensors["on the plane"])[0] == pytest.approx(needed, rel=1e-3)
    assert mean(sensors["on the plane"])[2] == pytest.approx(-9.0, rel=1e-9)
    assert mean(sensors["on the ball"])[:3] == pytest.approx(-mean(sensors["on the plane"])[:3], rel=1e-12)
    assert mean(sensors["on the ball"])[4] == pytest.approx(0.1 * needed, rel=2e-3)
    at_states = np.abs(sensors["at states"].value[20:, 0].mean())
    assert at_states > 1.5 * needed


def test_without_trembling_both_agree():
    sensors = rolling(zone=1e-2)  # the dashpot of the zone is below its limit of stability
    needed = 2.0 / 7.0 * TRACTION
    assert mean(sensors["on the plane"])[0] == pytest.approx(needed, rel=1e-2)
    assert sensors["at states"].value[300:, 0].mean() == pytest.approx(-needed, rel=1e-2)


def test_a_prescribed_plane_has_its_own_impulse():
    moving = rolling(motion=lambda t: ((0, 0, 0), (0, 0, 0)))
    assert mean(moving["on the plane"])[0] == pytest.approx(2.0 / 7.0 * TRACTION, rel=1e-3)


def test_impulses_add_up_to_the_change_of_momentum():
    model = ns.Model()
    a = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0), velocity=(1, 0, 0))
    b = model.add_sphere(radius=0.1, mass=3.0, position=(0.201, 0.05, 0))
    friction = RegularisedCoulomb(mu=0.3, velocity_zone=1e-2)
    model.add(CompliantSphereSphere([a, b], normal=SpringDashpot(stiffness=1e6), tangential=friction))
    sensor = ns.Sensor("impulse", lambda now: now.impulse(b), every=50)
    result = ns.simulate(model, t_end=0.02, h=1e-5, scheme=VERLET, watch=[sensor])
    found = result.sensors["impulse"].value[-1]
    assert 3.0 * result.velocity[-1, b] == pytest.approx(found[:3], abs=1e-12)
    assert 3.0 * 0.4 * 0.01 * result.angular_velocity[-1, b] == pytest.approx(found[3:], abs=1e-12)
    assert found[0] > 0.5


def test_what_has_no_impulse_is_refused():
    def of(which):
        def quantity(now):
            return now.impulse(which)

        return quantity

    model = ns.Model()
    a = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0))
    b = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 1))
    carried = model.add_plane(normal=(0, 0, 1), offset=0.1, body=a)
    model.add(CompliantSpherePlane(b, carried, normal=SpringDashpot(stiffness=1e4)))
    other = ns.Model().add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0))
    for which, scheme, match in (
        (carried, VERLET, "give 'sphere 0'"),
        (other, VERLET, "another model"),
        (3, VERLET, "a body or a plane"),
        (a, None, "VelocityVerlet"),
    ):
        with pytest.raises(ValueError, match=match):
            ns.simulate(model, t_end=1e-3, h=1e-4, scheme=scheme, watch=[ns.Sensor("p", of(which))])
