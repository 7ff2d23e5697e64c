"""Threads: the same bits for any number, errors in any of them, and refusals."""

import os
import signal
import threading
import time
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest

import elements as e
import nsgalpha as ns
from nsgalpha.commands.command_line import main
from nsgalpha.forces.force_shares import ForceShares
from nsgalpha.forces.law_kernel import CompiledLaw, law_kernel
from nsgalpha.jit.addresses import AVAILABLE
from nsgalpha.schemes.explicit import verlet_stepper
from nsgalpha.schemes.explicit.verlet_stepper import VerletStepper

pytestmark = pytest.mark.skipif(not AVAILABLE, reason="numba is switched off")
VERLET = ns.VelocityVerlet()
R, H, EDGE = 0.01, 2e-5, 5
SIZE = EDGE * 1.99 * R
SOFT = {
    "normal": e.SpringDashpot(stiffness=1e4, damping=0.01),
    "tangential": e.CundallStrack(stiffness=3e3, mu=0.3),
    "rolling": e.CundallStrack(stiffness=0.1, mu=1e-3),
}


@pytest.fixture(autouse=True)
def shares(monkeypatch):
    """Few contacts are worth several threads; the numbers of threads that shared them."""
    made = []

    class Noted(ForceShares):
        def __init__(self, contacts, x, threads, frames):
            super().__init__(contacts, x, threads, frames)
            made.append(threads)

    monkeypatch.setattr(verlet_stepper, "WORTH", 1)
    monkeypatch.setattr(verlet_stepper, "ForceShares", Noted)
    return made


def cloud(**options):
    """Balls that touch and move at random, some with three different moments of inertia."""
    rng = np.random.default_rng(1)
    model = ns.Model(gravity=(0, 0, -9.81), **options)
    place = 1.99 * R * (np.indices((EDGE,) * 3).reshape(3, -1).T + 0.5)
    for number, x in enumerate(place + 0.02 * R * rng.normal(size=place.shape)):
        motion = {"velocity": 0.3 * rng.normal(size=3), "angular_velocity": 5.0 * rng.normal(size=3)}
        if number % 7 == 0:
            motion["inertia"] = 3e-7, 4e-7, 5e-7
        model.add_sphere(radius=R if number % 5 else 0.8 * R, mass=0.01, position=x, **motion)
    return model


def balls(law=SOFT, **options):
    model = cloud(**options)
    model.add(e.CompliantSphereSphere(among=model.spheres, **law))
    return model


def shaken(t):
    return (-0.05 * np.sin(100.0 * t), 0, 0), (-5.0 * np.cos(100.0 * t), 0, 0)


def box():
    """A floor, a wall, and one that shakes."""
    model = balls()
    walls = [model.add_plane(normal=(0, 0, 1)), model.add_plane(normal=(1, 0, 0))]
    walls.append(model.add_plane(normal=(-1, 0, 0), offset=-SIZE, motion=shaken))
    model.add(e.CompliantSpherePlane(model.spheres, walls, **SOFT))
    return model


def cell():
    return balls(periodic=(SIZE, SIZE, None))


def rain():
    """Balls that rain on others, some of which leave."""
    model = balls()
    late = [model.add_sphere(radius=R, mass=0.01, position=(0, 0, 0), velocity=(0, 0, -2)) for _ in range(20)]
    model.add(e.CompliantSphereSphere(among=late, **SOFT))
    region = ns.regions.Box(low=(0, 0, SIZE), high=(SIZE, SIZE, SIZE + 6 * R))
    model.add(ns.Feeder(late, region, rate=5000.0))
    model.add(ns.Outlet(ns.regions.HalfSpace(normal=(0, 0, 1), offset=-0.3 * R)))
    return model


def same(one, other):
    """The runs are the same to the bit, with the histories of their contacts."""
    for name in ("t", "position", "rotation", "velocity", "angular_velocity", "present"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name
    assert np.array_equal(one.stats.contacts, other.stats.contacts)
    known, again = one.state().contacts, other.state().contacts
    for name in ("pair", "tangent", "values", "opened", "feature"):
        assert np.array_equal(getattr(known, name), getattr(again, name)), name
    assert known.opened.any()
    return True


def run(model, threads, steps=400, **options):
    options = {"record_every": 50, "h": H} | options
    return ns.simulate(model, t_end=steps * H, scheme=VERLET, threads=threads, **options)


@pytest.mark.parametrize("scene", [balls, box, cell, rain])
def test_any_number_of_threads_gives_the_same_bits(scene, shares):
    one = run(scene(), 1)
    assert one.status
    assert not shares
    for threads in (2, 3, 7):
        assert same(one, run(scene(), threads))
    assert set(shares) == {2, 3, 7}
    assert len(shares) > 3  # pairs were listed again


def test_each_state_may_be_recorded():
    assert same(run(box(), 1, 30, record_every=1), run(box(), 2, 30, record_every=1))


def test_steps_of_unequal_size_are_the_same():
    sizes = [H, 0.5 * H, 0.25 * H] * 200
    one, three = (run(rain(), threads, 300, h=sizes) for threads in (1, 3))
    assert same(one, three)
    assert one.stats.h[:4].tolist() == sizes[:4]


def test_impulses_on_bodies_and_planes_are_the_same():
    def of(threads):
        model = box()
        seen = model.planes[0], model.planes[2], model.spheres[3]
        watch = [ns.Sensor(str(k), lambda now, it=it: now.impulse(it), every=20) for k, it in enumerate(seen)]
        return run(model, threads, 200, watch=watch).sensors

    one, three = of(1), of(3)
    for name in ("0", "1", "2"):
        assert np.array_equal(one[name].value, three[name].value)
        assert one[name].value.any()


def test_a_run_goes_on_with_other_threads(tmp_path):
    whole = run(box(), 1, 300)
    half = run(box(), 3, 150)
    rest = run(box(), 2, 300, state=half.state())
    assert np.array_equal(rest.position[-1], whole.position[-1])
    file = tmp_path / "run.h5"
    run(box(), 2, 150, record_every=1, recording=ns.Recording(every=50, file=file))
    assert same(ns.resume(file, t_end=300 * H, model=box(), threads=3), whole)


def test_few_contacts_are_left_to_one_thread(monkeypatch, shares):
    monkeypatch.setattr(verlet_stepper, "WORTH", 10**6)
    assert run(balls(), 4, 10).status
    assert not shares


def test_bonds_are_the_same_and_break_alike(shares):
    def rock(threads):
        bond = e.Bond(k_n=1e4, k_t=5e3, k_r=3e-3, f_n0=4.0, f_t0=4.0, M_0=1e-2, power=2.0)
        touching = e.RockableDefault(k_n=1e4, k_t=3e3, mu=0.3)
        model = balls({"contact": e.StickedLinks(touching=touching, outer=bond)})
        return run(model, threads, state=e.glued(model, gap=0.02 * R))

    one = rock(1)
    bonds = [np.count_nonzero(one.state(k).contacts.values[:, 0]) for k in (0, -1)]
    assert 0 < bonds[1] < bonds[0]
    for threads in (2, 3):
        assert same(one, rock(threads))
    assert shares


def test_springs_that_go_by_the_order_of_all_are_left_to_one_thread(shares):
    model = cloud()
    pairs = list(pairwise(model.spheres))
    model.add(e.Spring(pairs, stiffness=np.linspace(1.0, 100.0, len(pairs)), length=2.0 * R))
    assert run(model, 2, 10).status
    assert not shares


@law_kernel
def _fragile(contact, response, p):
    for c in range(contact.overlap.shape[0]):
        response.force[c, 0] = p[0] * contact.overlap[c]
        if contact.a[c] == p[1] and contact.overlap[c] > 1e-3 * R:
            if p[2] == 0.0:
                raise ValueError("it broke")
            response.force[c, 0] = np.nan


class Fragile(CompiledLaw):
    """A spring that raises an error where body `a` is pressed, or is `lost`."""

    stiffest = 1e4

    def __init__(self, a, lost=False):
        self.kernel, self.numbers = _fragile, (1e4, float(a), float(lost))

    @property
    def parameters(self):
        return self.numbers


@pytest.mark.parametrize("body", [0, EDGE**3 - 2])  # in either share
def test_an_error_in_any_thread_is_raised_and_no_thread_is_left(body):
    model = balls({"normal": Fragile(body)})
    before = threading.active_count()
    with pytest.raises(ValueError, match="it broke"):
        run(model, 2)
    assert threading.active_count() == before
    assert run(balls(), 2, 20).status


def test_ctrl_c_ends_all_threads_and_keeps_the_run():
    assert run(box(), 2, 20).status
    before = threading.active_count()
    press = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    press.start()
    with pytest.raises(KeyboardInterrupt) as pressed:
        run(box(), 2, 10**8, record_every=10**3)
    press.join()
    assert pressed.value.result.t[-1] > 0.0
    assert threading.active_count() == before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked")
def test_a_forked_process_has_its_own_threads():
    run(box(), 2, 20)  # compiles, or loads the kernels
    before = system_threads()
    one = run(box(), 2, 20)
    end = time.monotonic() + 10.0
    while system_threads() > before:  # a thread that was joined leaves the system a little later
        assert time.monotonic() < end, "a thread is left"
        time.sleep(1e-3)
    with get_context("fork").Pool(1) as pool:
        assert np.array_equal(pool.apply(_end), one.position[-1])


def system_threads():
    """Threads of this process that the system knows; 0 where it does not say."""
    tasks = Path("/proc/self/task")
    return len(list(tasks.iterdir())) if tasks.exists() else 0


def _end():
    return run(box(), 2, 20).position[-1]


@pytest.mark.parametrize("body", [0, EDGE**3 - 2])
@pytest.mark.parametrize("every", [1, 50])
def test_a_motion_that_is_not_finite_ends_at_the_same_step(body, every):
    model = balls({"normal": Fragile(body, lost=True)})
    one, two = (run(model, n, record_every=every) for n in (1, 2))
    assert one.status.time < 400 * H
    assert str(one.status) == str(two.status)
    assert np.array_equal(one.position, two.position)


def test_other_schemes_take_the_argument_and_keep_their_bits():
    model = ns.Model(gravity=(0, 0, -9.81))
    ball = model.add_sphere(radius=R, mass=1.0, position=(0, 0, 0.1))
    model.add(e.SpherePlane(ball, model.add_plane(normal=(0, 0, 1)), e_n=0.5))
    one, two = (ns.simulate(model, t_end=0.3, h=1e-3, threads=n) for n in (1, 2))
    assert np.array_equal(one.position, two.position)


@pytest.mark.parametrize("threads", [0, -1, 1.5, 65, "all", None, True])
def test_numbers_that_are_none_are_refused(threads):
    with pytest.raises(ValueError, match=r"threads = .*: must be an integer from 1 to 64"):
        run(balls(), threads)


CASE = """
[[bodies]]
type = "sphere"
radius = 0.1
mass = 1.0
position = [0, 0, 1]
[scheme]
type = "VelocityVerlet"
[run]
t_end = 0.01
h = 1e-3
"""


def test_the_command_line_takes_threads(tmp_path, capsys):
    case, file = tmp_path / "fall.toml", str(tmp_path / "fall.h5")
    case.write_text(CASE)
    assert main(["run", str(case), "--quiet", "--threads", "2", "-o", file]) == 0
    assert main(["resume", file, "--t-end", "0.02", "--quiet", "--threads", "3"]) == 0
    assert "finished at t = 0.02 s" in capsys.readouterr().out
    for command in (["run", str(case)], ["resume", file, "--t-end", "0.03"]):
        assert main([*command, "--quiet", "--threads", "0"]) == 2
        assert "threads = 0: must be an integer from 1 to 64" in capsys.readouterr().err


def test_each_body_has_one_thread_and_shares_are_even():
    model = box()
    stepper = VerletStepper(model, model.initial_state(), H)
    for threads in (2, 3, 5):
        divided = ForceShares(stepper.contacts, stepper.motion.x, threads, frames=False)
        assert np.array_equal(np.sort(np.concatenate(divided.own)), np.arange(len(model.bodies)))
        rows = np.ptp(divided.settlement.start, axis=1)
        assert rows.max() < 1.5 * rows.min()
        counted = divided.settlement.serial[divided.settlement.counted]
        assert np.array_equal(np.sort(counted), np.arange(len(stepper.contacts.table.a)))
