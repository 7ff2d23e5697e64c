"""Threads in set-valued steps: the same bits for any number, with other features beside."""

import os
import signal
import threading
from dataclasses import fields
from itertools import pairwise

import numpy as np
import pytest

import elements as e
import nsgalpha as ns
from nsgalpha.geometry.geometry_signature import geometry_kernel
from nsgalpha.jit.addresses import AVAILABLE
from nsgalpha.schemes.generalized_alpha import alpha_stepper
from nsgalpha.schemes.generalized_alpha.alpha_stepper import Crew
from tests.physics.box_corners import BoxPlane, selected

pytestmark = pytest.mark.skipif(not AVAILABLE, reason="numba is switched off")
R, H, G, EDGE = 0.01, 1e-3, 9.81, 10
BOX = (0.1, 0.1, 0.1)


@pytest.fixture(autouse=True)
def crews(monkeypatch):
    """Few contacts are worth several threads; the numbers of threads that shared them."""
    made = []

    class Noted(Crew):
        def run(self, kernel, arguments):
            made.append(len(self.board.locks))
            return super().run(kernel, arguments)

    monkeypatch.setattr(alpha_stepper, "WORTH", 1)
    monkeypatch.setattr(alpha_stepper, "Crew", Noted)
    return made


def balls(edge=EDGE, **options):
    """Columns of four balls that fall apart: some bounce, some roll, some stand."""
    rng = np.random.default_rng(1)
    model = ns.Model(gravity=(0, 0, -G), **options)
    place = np.indices((edge, edge, 4)).reshape(3, -1).T * (2.6 * R, 2.6 * R, 2.02 * R) + (
        1.3 * R,
        1.3 * R,
        R,
    )
    speed = 0.05 * rng.normal(size=place.shape) * (rng.random(len(place)) < 0.7)[:, None]
    model.add_spheres(radius=R, mass=0.01, position=place, velocity=speed)
    floor = model.add_plane(normal=(0, 0, 1))
    law = {"mu": 0.3, "e_n": 0.6, "rolling_radius": 0.02 * R}
    model.add(e.SphereSphere(among=model.spheres, **law))
    model.add(e.SpherePlane(model.spheres, floor, **law))
    return model


def cell():
    return balls(periodic=(2.6 * R * EDGE, 2.6 * R * EDGE, None))


def joints():
    """Columns beside a pendulum that knocks some over."""
    model = balls()
    motion = {"velocity": (0.5, 0, 0), "angular_velocity": (0, -0.5 / 0.27, 0)}
    bob = model.add_sphere(radius=2 * R, mass=0.1, position=(-4 * R, 0.05, 3 * R), **motion)
    model.add(e.Spherical(bob, None, point=(-4 * R, 0.05, 3 * R + 0.27)))
    model.add(e.SphereSphere(between=([bob], model.spheres[:-1]), mu=0.3))
    return model


def stacks(**law):
    """Stacks of three boxes, some of which topple."""
    rng = np.random.default_rng(2)
    model = ns.Model(gravity=(0, 0, -G))
    boxes = []
    for i in range(24):
        shift = rng.uniform(-0.02, 0.02, 2)
        for k in range(3):
            x, y = np.array((0.25 * (i % 6), 0.25 * (i // 6))) + k * shift
            w = 3.0 * rng.normal(size=3) * (i % 4 == 0)
            boxes.append(model.add_box(BOX, mass=1.0, position=(x, y, 0.05 + 0.1 * k), angular_velocity=w))
    law = {"mu": 0.4, "e_n": 0.2} | law
    floor = model.add_plane(normal=(0, 0, 1))
    model.add(e.SolidPlane(boxes, floor, **law))
    model.add(e.SolidSolid(among=boxes, **law))
    return model


def springs():
    """Columns whose tops hang together by springs: loads that follow the motion."""
    model = balls()
    tops = model.spheres[3::4]
    model.add(e.Spring(list(pairwise(tops)), stiffness=5.0, length=2.6 * R))
    return model


def run(model, threads, steps=60, **options):
    return ns.simulate(model, t_end=steps * H, **{"h": H, "record_every": 10, "threads": threads} | options)


def same(one, other):
    """The runs are the same to the bit, with their statistics and contacts."""
    assert one.status
    for name in ("t", "position", "rotation", "velocity", "angular_velocity"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name
    for known, again in ((one.stats, other.stats), (one.contacts, other.contacts)):
        for field in fields(known):
            assert np.array_equal(getattr(known, field.name), getattr(again, field.name)), field.name
    assert str(one.status) == str(other.status)
    return True


@pytest.mark.parametrize("scene", [balls, stacks, cell, joints, springs])
def test_any_number_of_threads_gives_the_same_bits(scene, crews):
    one = run(scene(), 1)
    assert not crews
    assert one.stats.contacts.max() > 100
    for threads in (2, 3):
        assert same(one, run(scene(), threads))
    assert set(crews) == {2, 3}


def test_steps_that_end_at_impacts_are_the_same(crews):
    one, three = (run(balls(5), threads, 5, impacts="located") for threads in (1, 3))
    assert same(one, three)
    assert crews


def test_a_run_goes_on_with_other_threads(tmp_path):
    whole, half = run(stacks(), 1), run(stacks(), 3, 30)
    rest = run(stacks(), 2, state=half.state())
    assert np.array_equal(rest.position[-1], whole.position[-1])
    file = tmp_path / "run.h5"
    run(stacks(), 2, 30, recording=ns.Recording(every=10, file=file), record_every=1)
    assert same(ns.resume(file, t_end=60 * H, threads=3), whole)


def test_few_contacts_are_left_to_one_thread(monkeypatch, crews):
    monkeypatch.setattr(alpha_stepper, "WORTH", 10**6)
    assert run(balls(), 4, 5).status
    assert not crews


def boxes(geometry):
    """Boxes that spin over a floor, with contacts of a geometry of a user."""
    rng, model = np.random.default_rng(4), ns.Model(gravity=(0, 0, -G))
    for k in range(80):
        spin = 3.0 * rng.normal(size=3)
        model.add_body(mass=2.0, inertia=(0.04, 0.033, 0.022), position=(k, 0, 0.25), angular_velocity=spin)
    model.add(BoxPlane(model.bodies, model.add_plane(normal=(0, 0, 1)), geometry, mu=0.3, e_n=0.3))
    return model


def test_boxes_whose_corners_a_geometry_selects_are_the_same(crews):
    one, three = (run(boxes(selected), threads, 300) for threads in (1, 3))
    assert one.stats.contacts.max() > 80
    assert same(one, three)
    assert crews


@geometry_kernel(features=tuple((k, 0) for k in range(8)))
def fragile(first, last, candidates, section, scene):
    """Contacts that never close, of which those of body 70 cannot be measured below a height."""
    for c in range(first, last):
        if candidates.a[c] == 70 and scene.x[70, 2] < 0.2:
            raise ValueError("it broke")
        candidates.gap[c] = 1.0


def test_an_error_in_any_thread_is_raised_at_the_same_step_and_no_thread_is_left(crews):
    before, times = threading.active_count(), []
    for threads in (1, 2, 3):
        with pytest.raises(ValueError, match="it broke") as broken:
            run(boxes(fragile), threads, 300, record_every=1)
        times.append(broken.value.result.t[-1])
        assert threading.active_count() == before
    assert times[0] > 0.0
    assert len(set(times)) == 1
    assert set(crews) == {2, 3}


@pytest.mark.parametrize("threads", [2, 5])
def test_ctrl_c_ends_all_threads_and_keeps_the_run(threads):
    assert run(balls(), threads, 5).status
    before = threading.active_count()
    press = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    press.start()
    with pytest.raises(KeyboardInterrupt) as pressed:
        run(balls(), threads, 10**6, record_every=10**2)
    press.join()
    assert pressed.value.result.t[-1] > 0.0
    assert threading.active_count() == before
