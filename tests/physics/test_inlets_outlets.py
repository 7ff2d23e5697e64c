"""Outlets and feeders: bodies that leave a run and come into it."""

import os

import h5py
import numpy as np
import pytest

import elements as e
import nsgalpha as ns
from nsgalpha.io.file_repair import repair
from nsgalpha.io.file_vocabulary import word
from tests.io import file_kills

G, R = 10.0, 0.1
BELOW = ns.regions.HalfSpace(normal=(0, 0, 1), offset=-1.0)


def no_load(t, state):
    """Nothing: with it each step is driven from Python."""
    return np.zeros_like(state.position)


def stack(scheme):
    """A ball on one that leaves at 0.1 s, which rests on a floor."""
    model = ns.Model(gravity=(0, 0, -G))
    overlap = 1e-3 if scheme == "soft" else 0.0  # m g/k and 2 m g/k
    low = model.add_sphere(radius=R, mass=1.0, position=(0, 0, R - 2 * overlap), name="low")
    top = model.add_sphere(radius=R, mass=1.0, position=(0, 0, 3 * R - 3 * overlap), name="top")
    floor = model.add_plane(normal=(0, 0, 1))
    if scheme == "soft":
        law = {"normal": e.SpringDashpot(stiffness=1e4)}
        model.add(e.CompliantSphereSphere(among=[low, top], **law))
        model.add(e.CompliantSpherePlane([low, top], floor, **law))
    else:
        model.add(e.SphereSphere(among=[low, top]))
        model.add(e.SpherePlane([low, top], floor))
    if scheme == "python":
        model.add_load(no_load)
    model.add(ns.Outlet(None, bodies=low, start=0.1, name="hand"))
    return model, low, top


@pytest.mark.parametrize("scheme", ["hard", "python", "soft"])
def test_what_rested_on_a_body_that_is_taken_away_falls(scheme):
    model, low, top = stack(scheme)
    h = 1e-4 if scheme == "soft" else 1e-3
    result = ns.simulate(model, t_end=0.25, h=h, scheme=ns.VelocityVerlet() if scheme == "soft" else None)
    assert [str(event) for event in result.events] == ["'low' left by 'hand' at t = 0.1 s"]
    t = np.maximum(result.t - 0.1, 0.0)
    start = result.position[0, top, 2]
    assert result.position[:, top, 2] == pytest.approx(start - 0.5 * G * t**2, abs=1e-9)
    assert not result.velocity[:, low].any() or np.abs(result.velocity[:, low]).max() < 1e-9
    after = result.t > 0.1 + 1e-9
    assert (result.present[:, low] == ~after).all()
    assert result.energy("potential")[-1] == pytest.approx(G * result.position[-1, top, 2])
    c = result.contacts.at(-1)
    assert len(c.gap) == 0
    if scheme == "soft":
        assert len(result.compliant_contacts(-1).gap) == 0
        assert len(result.compliant_contacts(0).gap) == 2
        assert result.energy("elastic")[-1] == 0.0


@pytest.mark.parametrize("scheme", [None, ns.VelocityVerlet()])
def test_bodies_that_come_fall_as_those_that_were_there(scheme):
    model = ns.Model(gravity=(0, 0, -G))
    motion = {"velocity": (1, 2, 3), "angular_velocity": (1, 2, 3), "inertia": (1, 2, 3)}
    there, late = (model.add_body(mass=1.0, position=(0, 0, 0), **motion) for _ in range(2))
    model.add(ns.Feeder(late, times=[0.1]))
    result = ns.simulate(model, t_end=0.5, h=1e-3, scheme=scheme)
    assert not result.present[:101, late].any()
    assert result.present[101:, late].all()
    for name in ("position", "rotation", "velocity", "angular_velocity"):
        moved = getattr(result, name)
        assert np.abs(moved[101:, late] - moved[1:-100, there]).max() < 1e-12, name
    assert not result.energy("kinetic")[:101].any() or result.energy()[50] == pytest.approx(
        result.energy()[0]
    )
    assert result.energy()[-1] == pytest.approx(2 * result.energy()[0], rel=1e-4)


def conveyor(**feeder):
    """Balls that come at one place, from where each continues with 1 m/s."""
    model = ns.Model()
    balls = [
        model.add_sphere(radius=R, mass=1.0, position=(0, 0, 0), velocity=(1, 0, 0), name=f"ball {k}")
        for k in range(4)
    ]
    model.add(e.SphereSphere(among=balls))
    model.add(ns.Feeder(balls, **feeder))
    return model


def test_a_body_waits_until_its_place_is_free():
    result = ns.simulate(conveyor(), t_end=1.0, h=0.01)
    assert result.events.t == pytest.approx([0.0, 0.2, 0.4, 0.6], abs=1e-9)  # 2 R at 1 m/s
    assert str(result.status) == "finished at t = 1 s after 100 steps"
    slow = ns.simulate(conveyor(rate=2.0, start=0.1), t_end=2.0, h=0.01)
    assert slow.events.t == pytest.approx([0.1, 0.6, 1.1, 1.6], abs=1e-9)
    assert (slow.events.body == range(4)).all()
    given = ns.simulate(conveyor(times=[0.0, 0.05, 0.5, 0.51]), t_end=2.0, h=0.01)
    assert given.events.t == pytest.approx([0.0, 0.2, 0.5, 0.7], abs=1e-9)


def rain(count=30, seed=1, element=e.SphereSphere):
    """Balls that rain into a corner, of which those beyond an edge leave."""
    model = ns.Model(gravity=(0, 0, -G))
    balls = [
        model.add_sphere(radius=R, mass=1.0, position=(0, 0, 0), velocity=(0.5, 0, -1)) for _ in range(count)
    ]
    floor = model.add_plane(normal=(-0.3, 0, 1))
    if element is e.SphereSphere:
        model.add(e.SphereSphere(among=balls, mu=0.3, e_n=0.2))
        model.add(e.SpherePlane(balls, floor, mu=0.3))
    else:
        law = {
            "normal": e.SpringDashpot(stiffness=2e4, damping=20.0),
            "tangential": e.CundallStrack(stiffness=1e4, mu=0.3),
        }
        model.add(e.CompliantSphereSphere(among=balls, **law))
        model.add(e.CompliantSpherePlane(balls, floor, **law))
    region = ns.regions.Box(low=(-0.5, -0.5, 0.8), high=(0.5, 0.5, 1.0))
    model.add(ns.Feeder(balls, region, rate=60.0, seed=seed, name="rain"))
    model.add(ns.Outlet(ns.regions.HalfSpace(normal=(1, 0, 0), offset=-0.6), name="left"))
    return model


@pytest.mark.parametrize("count", [30, 60])  # all pairs, and those that are near
def test_who_is_absent_touches_nothing(count):
    result = ns.simulate(rain(count), t_end=1.2, h=2e-3)
    assert result.status.ok
    assert "overlap" not in str(result.status)
    assert result.events.entered.sum() == count
    left = result.events.of(result.model.open_boundaries[1])
    assert 0 < len(left) < count
    assert (result.present.sum(axis=1)[-1]) == count - len(left)
    c = result.contacts
    assert len(c.gap) > 100
    present = result.present
    assert present[c.record, c.body_a].all()
    assert present[c.record, c.body_b][c.body_b >= 0].all()
    assert not result.velocity[~present].any()
    for event in left:
        k = np.searchsorted(result.t, event.t)
        assert result.position[k, event.body, 0] <= -0.6 < result.position[k - 1, event.body, 0]


def test_places_follow_from_the_seed():
    one, same, other = (ns.simulate(rain(seed=seed), t_end=0.3, h=2e-3) for seed in (1, 1, 2))
    assert (one.position == same.position).all()
    assert (one.events.t == same.events.t).all()
    assert (one.position != other.position).any()


@pytest.mark.parametrize("element", [e.SphereSphere, e.CompliantSphereSphere])
def test_a_run_goes_on_as_if_it_had_not_been_interrupted(tmp_path, element):
    model = rain(element=element)
    scheme = None if element is e.SphereSphere else ns.VelocityVerlet()
    h = 2e-3 if scheme is None else 5e-4
    whole = ns.simulate(model, t_end=0.8, h=h, scheme=scheme)
    path = tmp_path / "run.h5"
    recording = ns.Recording(file=path, every=7)
    ns.simulate(model, t_end=0.4, h=h, scheme=scheme, recording=recording)
    assert [str(event) for event in ns.load(path).events] == [
        str(event) for event in whole.events if event.t < 0.4 - 1e-9
    ]
    result = ns.resume(path, t_end=0.8)
    tolerance = 0.0 if scheme is None else 1e-9
    assert np.abs(result.position[-1] - whole.position[-1]).max() <= tolerance
    assert (result.events.t == whole.events.t).all()
    assert (result.events.body == whole.events.body).all()
    assert (result.present[-1] == whole.present[-1]).all()
    half = len(whole.t) // 2
    again = ns.simulate(model, t_end=0.8, h=h, scheme=scheme, state=whole.state(half))
    assert np.abs(again.position[-1] - whole.position[-1]).max() <= max(tolerance, 1e-9)
    assert (again.present == whole.present[half:]).all()
    saved = again.save(tmp_path / "saved.h5")
    assert (ns.load(saved).present == again.present).all()
    assert [str(event) for event in ns.load(saved).events] == [str(event) for event in again.events]


def test_steps_one_by_one_are_those_of_a_run():
    model = rain(10)
    result = ns.simulate(model, t_end=0.2, h=2e-3)
    state = model.initial_state()
    for _ in range(100):
        state = ns.step(model, state, 2e-3)
    assert np.abs(state.position - result.position[-1]).max() < 1e-9
    assert ((state.presence == 1) == result.present[-1]).all()


@pytest.mark.parametrize(
    "region",
    [
        ns.regions.Ball(centre=(0.3, 0.1, 0.2), radius=0.2),
        ns.regions.Box(low=(0.1, -0.1, 0.0), high=(0.4, 0.2, 0.3)),
        ns.regions.Cylinder(ends=[(0, 0, 0), (0.3, 0.2, 0.1)], radius=0.15),
    ],
)
def test_regions_hold_what_they_draw_evenly(region):
    random = np.random.default_rng(0)
    drawn = np.array([region.draw(random) for _ in range(4000)])
    depth = region.depth(drawn)
    assert (depth >= 0.0).all()
    cloud = random.uniform(-0.5, 0.8, (400_000, 3))
    inside = cloud[region.depth(cloud) >= 0.0]
    spread = inside.std(axis=0) / np.sqrt(len(drawn))
    assert np.abs(drawn.mean(axis=0) - inside.mean(axis=0)).max() < 5 * spread.max()
    assert np.abs(drawn.std(axis=0) / inside.std(axis=0) - 1.0).max() < 0.06
    outside = cloud[region.depth(cloud) < 0.0][:200]
    nearest = np.linalg.norm(outside[:, None] - inside[None, :20_000], axis=2).min(axis=1)
    assert (-region.depth(outside) <= nearest + 1e-12).all()


def test_a_spring_to_a_body_that_leaves_is_gone():
    model = ns.Model()
    a, b = (model.add_sphere(radius=R, mass=1.0, position=(x, 0, 0)) for x in (0, 1))
    model.add(e.Spring([(a, b)], stiffness=50.0, length=0.8))
    model.add(ns.Outlet(None, bodies=b, start=0.1))
    result = ns.simulate(model, t_end=0.5, h=1e-3)
    k = np.searchsorted(result.t, 0.1 + 1e-9)
    assert result.velocity[k - 1, a, 0] == pytest.approx(0.1 * 10 * np.sin(10 * 0.1), rel=1e-4)  # w^2 = 2 k/m
    assert np.abs(result.velocity[k:, a] - result.velocity[k - 1, a]).max() < 1e-6  # O(h^2)


@pytest.mark.parametrize("scheme", [None, ns.VelocityVerlet()])
def test_a_bond_to_a_body_that_leaves_is_gone(scheme):
    model = ns.Model(gravity=(0, 0, -G))
    row = [model.add_sphere(radius=R, mass=1.0, position=(2 * R * k, 0, 0)) for k in range(3)]
    bond = e.Bond(k_n=1e4, k_t=1e4, f_n0=1e9, f_t0=1e9, M_0=1e9)
    links = e.StickedLinks(touching=e.RockableDefault(k_n=1e4, en2=0.5), outer=bond)
    model.add(e.CompliantSphereSphere(among=row, contact=links))
    model.add(ns.Outlet(None, bodies=row[1], start=0.05))
    result = ns.simulate(model, t_end=0.1, h=1e-3, scheme=scheme, state=e.glued(model, gap=1e-6))
    assert [len(result.compliant_contacts(k).gap) for k in (0, 50, 51, -1)] == [2, 2, 0, 0]
    assert result.position[-1, ::2, 2] == pytest.approx(-0.5 * G * 0.1**2, abs=1e-9)
    again = ns.simulate(model, t_end=0.1, h=1e-3, scheme=scheme, state=result.state(75))
    assert np.abs(again.position[-1] - result.position[-1]).max() < 1e-12


def test_what_cannot_come_or_go_is_refused_by_name():
    model = ns.Model()
    ball, other = (model.add_sphere(radius=R, mass=1.0, position=(x, 0, 0), name=f"b{x}") for x in (0, 1))
    model.add(e.Revolute(None, ball, point=(0, 0, 1), axis=(0, 1, 0)))
    model.add(ns.Outlet(BELOW, name="pit"))
    with pytest.raises(ValueError, match=r"pit: 'b0' cannot come or go: .* holds it; name the bodies"):
        ns.simulate(model, t_end=1.0, h=0.1)
    model = ns.Model()
    ball, other = (model.add_sphere(radius=R, mass=1.0, position=(x, 0, 0), name=f"b{x}") for x in (0, 1))
    model.add(e.Rope(ball, other, points=[(0, 0, 0), (1, 0, 0)], length=2.0))
    model.add(ns.Outlet(BELOW, bodies=other, name="pit"))
    with pytest.raises(ValueError, match="pit: 'b1' cannot come or go: Rope acts"):
        ns.simulate(model, t_end=1.0, h=0.1)
    model = ns.Model()
    ball = model.add_sphere(radius=R, mass=1.0, position=(0, 0, 0), name="b0")
    model.add(ns.Feeder(ball, name="one"))
    model.add(ns.Feeder(ball, name="two"))
    with pytest.raises(ValueError, match="two: 'b0' is a body of 'one' too"):
        ns.simulate(model, t_end=1.0, h=0.1)


def test_refusals_of_runs_and_names():
    model = ns.Model(gravity=(0, 0, -G))
    ball = model.add_sphere(radius=R, mass=1.0, position=(0, 0, 0), name="ball")
    pit = model.add(ns.Outlet(BELOW, name="pit"))
    with pytest.raises(ValueError, match="GeneralizedAlpha or VelocityVerlet for bodies that come and go"):
        ns.simulate(model, t_end=1.0, h=0.1, scheme=ns.SemiImplicit())
    with pytest.raises(ValueError, match="budget: bodies come and go by 'pit'"):
        ns.simulate(model, t_end=0.1, h=0.1).budget()
    with pytest.raises(ValueError, match="added already"):
        model.add(pit)
    with pytest.raises(ValueError, match="used once"):
        model.add(ns.Outlet(BELOW, name="ball"))
    with pytest.raises(ValueError, match="left out"):
        model.add(ns.Outlet(BELOW), name="mouth")
    with pytest.raises(ValueError, match="another model"):
        ns.Model().add(ns.Outlet(BELOW, bodies=ball))
    fixed = model.add_sphere(radius=R, position=(1, 0, 0), fixed=True, name="peg")
    with pytest.raises(ValueError, match="'peg': must be bodies that are not fixed"):
        ns.Feeder(fixed)
    with pytest.raises(ValueError, match="give one of them"):
        ns.Feeder(ball, rate=1.0, times=[0.0])
    with pytest.raises(ValueError, match="1 times"):
        ns.Feeder(ball, times=[0.0, 1.0])
    with pytest.raises(ValueError, match="no outlet or feeder of this model"):
        ns.simulate(model, t_end=0.1, h=0.1).events.of(ns.Outlet(BELOW))
    plain = ns.Model()
    plain.add_sphere(radius=R, mass=1.0, position=(0, 0, 0))
    gone = ns.State(0.0, np.zeros((1, 3)), [(1, 0, 0, 0)], np.zeros((1, 3)), np.zeros((1, 3)), presence=[2])
    with pytest.raises(ValueError, match=r"state\.presence .* without outlets"):
        ns.simulate(plain, t_end=1.0, h=0.1, state=gone)


@pytest.mark.parametrize(
    ("table", "column", "value", "message"),
    [
        ("value", 0, 99.0, "numbers of bodies, stages and open boundaries"),
        ("value", 1, 3.0, "numbers of bodies, stages and open boundaries"),
        ("value", 2, np.nan, "numbers of bodies, stages and open boundaries"),
        ("t", None, np.nan, "times that do not decrease"),
    ],
)
def test_changes_of_a_file_that_no_run_has_written_are_refused(tmp_path, table, column, value, message):
    path = tmp_path / "run.h5"
    ns.simulate(rain(4), t_end=0.1, h=2e-3, recording=ns.Recording(file=path))
    with h5py.File(path, "r+") as file:
        data = file[f"changes/{table}"]
        rows = data[()]
        rows[1 if column is None else (1, column)] = value
        data[...] = rows
    with pytest.raises(OSError, match=message):
        ns.load(path)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a process that can be copied")
def test_a_file_of_a_run_that_is_killed_says_who_is_there(tmp_path, monkeypatch):
    monkeypatch.setattr(file_kills, "scene", lambda: rain(30))
    monkeypatch.setattr(file_kills, "DAMAGE", {"left": file_kills.left})
    records = list(file_kills.outcomes(tmp_path, 2, seed=3))
    assert {record["outcome"] for record in records} <= {"goes on", "repaired"}


def test_the_repaired_file_of_a_run_has_its_changes(tmp_path):
    path, copy = tmp_path / "run.h5", tmp_path / "repaired.h5"
    ns.simulate(rain(8), t_end=0.2, h=2e-3, recording=ns.Recording(file=path, every=7))
    repair(path, copy)
    one, two = ns.load(path), ns.load(copy)
    assert [str(event) for event in one.events] == [str(event) for event in two.events]
    assert (one.present == two.present).all()


def test_the_centre_of_a_ball_has_one_spelling():
    with pytest.raises(TypeError, match="Ball: unknown parameter 'center'; did you mean 'centre'"):
        ns.regions.Ball(center=(0, 0, 0), radius=1.0)


def test_files_that_spell_it_otherwise_are_read():
    ball = word("Ball", ["regions"])
    recorded = {"center": (0.0, 1.0, 2.0), "radius": 0.5}
    assert ball.maker(**ball.arguments(1, recorded)) == ns.regions.Ball(centre=(0, 1, 2), radius=0.5)
    assert ball.version == 2
