"""Missed contacts are reported: passages within a step, and pairs without an element."""

import numpy as np
import pytest

import elements as e
import nsgalpha as ns
from nsgalpha.case import load_case
from nsgalpha.case.case_commands import Run as RunCommand
from nsgalpha.case.case_commands import shipped
from nsgalpha.commands import command_line
from nsgalpha.run.missed_contacts import MissedContacts
from nsgalpha.run.run_progress import Run

R, H = 0.1, 1e-2
WORDS = "passed through", "no element lets them touch", "nothing acts between them", "the energy has grown"


def shot(speed, start, aside=0.0, radius=R):
    """A ball on a resting one, elastic and without friction, ten steps beyond their meeting."""
    model = ns.Model()
    model.add_sphere(radius=R, mass=1.0, position=(start, aside, 0), velocity=(speed, 0, 0), name="cue")
    model.add_sphere(radius=radius, mass=1.0, position=(0, 0, 0), name="object")
    model.add(e.SphereSphere(among=model.spheres, e_n=1.0))
    return ns.simulate(model, t_end=(2 - start) / speed + 10 * H, h=H)


@pytest.mark.parametrize("aside", [0.0, 0.5 * R, R, 1.6 * R])
def test_a_missed_impact_is_no_success_and_a_found_one_is(aside):
    missed = found = 0
    for speed in np.linspace(15.0, 110.0, 12):  # 0.75 to 5.5 diameters a step
        for start in (-1.0, -1.37, -1.71):
            result = shot(speed, start, aside)
            if result.velocity[-1, 1].any():
                found += 1
                continue
            missed += 1
            assert not result.status.ok, (speed, start)
            assert "'cue' passed through 'object'" in result.status.message
    assert missed > 5
    assert found > 5


def test_short_steps_are_never_blamed():
    for speed in np.linspace(1.0, 9.9, 12):  # up to a radius a step
        for aside in (0.0, 0.7 * R, 1.9 * R):
            result = shot(speed, -1.0, aside)
            assert result.status.ok
            assert "passed" not in result.status.message


def test_the_step_that_is_named_as_the_remedy_is_one():
    result = shot(60.0, -1.0)
    h = float(result.status.message.split("take h = ")[1].split()[0])
    again = ns.simulate(result.model, t_end=0.05, h=h)
    assert again.status.ok
    assert again.velocity[-1, 1, 0] == pytest.approx(60.0)


def test_looking_changes_nothing(monkeypatch):
    case = load_case(shipped()["break"])
    ours = case.run(t_end=0.5, h=2e-2)
    monkeypatch.setattr(Run, "_look", lambda *arguments: None)
    theirs = case.run(t_end=0.5, h=2e-2)
    assert ours.stats.fast.any()
    assert np.array_equal(ours.position, theirs.position)
    assert np.array_equal(ours.contacts.impulse, theirs.contacts.impulse)


def test_a_step_of_ten_seconds_is_no_success(monkeypatch, capsys):
    monkeypatch.setattr(command_line, "commands", lambda: {"run": RunCommand()})
    assert command_line.main(["run", "break", "--h", "10"]) == 1
    assert "no success: 'cue' passed through 'ball 0'" in capsys.readouterr().out


@pytest.mark.parametrize("name", sorted(shipped()))
@pytest.mark.sampled(3)
def test_no_shipped_case_gives_an_alarm(name):
    case = load_case(shipped()[name])
    h = case.settings.get("h")
    end = case.settings["t_end"] if h is None else min(case.settings["t_end"], 100 * h)
    result = case.run(t_end=end)
    assert result.status.ok
    assert not any(words in result.status.message for words in WORDS), result.status.message


def two(distance=0.5, **second):
    model = ns.Model()
    model.add_sphere(radius=R, mass=1.0, position=(0, 0, 0), velocity=(1, 0, 0), name="a")
    model.add_sphere(radius=R, mass=1.0, position=(distance, 0, 0), name="b", **second)
    return model


def test_a_ball_that_sinks_into_a_soft_plane_may_touch_it():
    model = ns.Model(gravity=(0, 0, -9.81))
    ball = model.add_sphere(radius=R, mass=1.0, position=(0, 0, R))
    floor = model.add_plane(normal=(0, 0, 1))
    model.add(e.CompliantSolidPlane(ball, floor, normal=e.SpringDashpot(stiffness=1e3, damping=10.0)))
    result = ns.simulate(model, t_end=0.2, h=1e-3)
    assert result.position[:, 0, 2].min() < 0.95 * R
    assert WORDS[1] not in result.status.message


def test_bodies_that_nothing_lets_touch_are_named():
    model = two()
    result = ns.simulate(model, t_end=0.5, h=1e-3)
    assert result.status.ok  # it may be meant so
    assert "; 'a' and 'b' overlap, first seen at t = 0." in result.status.message
    first = float(result.status.message.split("first seen at t = ")[1].split()[0])
    assert 0.3 < first < 0.3 + 0.5 / 60  # they meet after 0.3 m
    assert WORDS[1] in result.status.message


def test_a_body_behind_a_plane_is_named():
    model = ns.Model(gravity=(0, 0, -10))
    ball = model.add_sphere(radius=R, mass=1.0, position=(0, 0, 0.2), name="ball")
    other = model.add_sphere(radius=R, mass=1.0, position=(1, 0, 0.2), name="other")
    floor = model.add_plane(normal=(0, 0, 1), name="floor")
    model.add(e.SpherePlane(ball, floor))
    message = ns.simulate(model, t_end=0.5, h=1e-3).status.message
    assert "'other' and 'floor' overlap" in message
    model.add(e.SpherePlane(other, floor))
    assert WORDS[1] not in ns.simulate(model, t_end=0.5, h=1e-3).status.message


@pytest.mark.parametrize("walls", [1, 2])
def test_no_state_is_looked_at_where_all_may_touch(monkeypatch, walls):
    model = two()
    planes = [model.add_plane(normal=(side, 0, 0), offset=-3.0) for side in (1, -1)]
    model.add(e.SphereSphere(among=model.spheres))
    model.add(e.SpherePlane(model.spheres, planes[:walls]))
    looks, overlapping = [], MissedContacts._overlapping
    monkeypatch.setattr(MissedContacts, "_overlapping", lambda *given: looks.append(1) or overlapping(*given))
    assert ns.simulate(model, t_end=0.1, h=1e-3).status.ok
    assert (len(looks) > 2) == (walls == 1)  # at the start, and for the answer


def test_several_pairs_are_counted():
    model = two()
    model.add_sphere(radius=R, mass=1.0, position=(0.5, 0.05, 0), name="c")  # overlaps b from the start
    message = ns.simulate(model, t_end=0.5, h=1e-3).status.message
    assert "'a' and 'b' and 1 other pairs overlap" in message


def test_what_overlaps_at_the_start_is_meant_so():
    assert WORDS[1] not in ns.simulate(two(distance=0.15), t_end=0.2, h=1e-3).status.message


def test_what_touches_or_is_joined_is_not_named():
    model = two()
    model.add(e.SphereSphere(pairs=[tuple(model.spheres)]))
    assert WORDS[1] not in ns.simulate(model, t_end=0.5, h=1e-3).status.message
    soft = two()
    soft.add(e.CompliantSphereSphere(soft.spheres, normal=e.SpringDashpot(stiffness=100.0)))  # 70 mm deep
    assert WORDS[1] not in ns.simulate(soft, t_end=0.5, h=1e-3).status.message
    joined = ns.Model()
    a = joined.add_sphere(radius=R, mass=1.0, position=(0, 0, 0))
    b = joined.add_sphere(radius=R, mass=1.0, position=(0, 0, 0.15))
    joined.add(e.Distance(a, b, points=((0, 0, 0), (0, 0, 0.15))))
    assert WORDS[1] not in ns.simulate(joined, t_end=0.1, h=1e-3).status.message


def test_many_bodies_and_files_are_looked_at_too(tmp_path):
    model = ns.Model()
    for k in range(100):
        model.add_sphere(radius=0.01, mass=1.0, position=(0.03 * k, 0, 0), velocity=(-k, 0, 0))
    recording = ns.Recording(file=tmp_path / "run.h5")
    result = ns.simulate(model, t_end=0.05, h=1e-3, recording=recording)
    assert WORDS[1] in result.status.message
    assert ns.load(tmp_path / "run.h5").status.message == result.status.message


def test_unknown_keywords_are_refused_with_the_one_that_was_meant():
    model = two()
    with pytest.raises(TypeError, match="simulate: unknown parameter 't_ned'; did you mean 't_end'"):
        ns.simulate(model, t_ned=1.0, h=1e-3)
    with pytest.raises(TypeError, match="sweep: unknown parameter 'workrs'; did you mean 'workers'"):
        ns.sweep(print, {}, workrs=1)
    with pytest.raises(TypeError, match="SphereSphere: unknown parameter 'muu'; did you mean 'mu'"):
        e.SphereSphere(among=model.spheres, muu=1.0)


@pytest.mark.parametrize("name", ["radius", "mass", "inertia", "position", "velocity", "rotation"])
def test_texts_are_no_numbers(name):
    given = {"radius": 0.1, "mass": 1.0, "position": (0, 0, 0)} | {name: "1"}
    with pytest.raises(ValueError, match=f"^{name} = '1': must be"):
        ns.Model().add_sphere(**given)
