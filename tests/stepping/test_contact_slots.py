"""Slots of selected features: no contact has the past of another feature."""

import numpy as np
import pytest

import nsgalpha as ns
from nsgalpha.model.contact_keys import contact_key, key_parts
from nsgalpha.show.gap_series import smallest_gap
from nsgalpha.stepping.contact_slots import CHANGED, NO_FEATURE, SAME, arrange, reselect
from nsgalpha.stepping.warm_start import Memory
from nsgalpha.system import step_candidates
from nsgalpha.system.step_candidates import StepCandidates
from nsgalpha.system.system import System
from tests.physics.box_corners import HALF, MASS, SLOTS, G, boxes, every, selected


def near(margin):
    """The geometry that selects corners below a `margin` [m]."""
    return selected.with_options(*HALF, margin)


class Slots:
    """The slots of one box that stands on a face, an edge or a corner."""

    def __init__(self):
        self.model = boxes(near(0.02))
        self.system = System(self.model)
        self.motion = self.system.motion(self.model.initial_state())
        self.turn(0.0, 0.0)
        self.candidates = self.system.candidates(self.motion.x, np.inf)
        self.memory = Memory(self.system.size)
        self.memory.follow(step_candidates.no_candidates(), self.candidates)

    def turn(self, about_x, about_y):
        """Stand on corners: by small angles, whose signs say which."""
        w = 0.5 * np.array([about_x, about_y, 0.0])
        self.motion.q[0] = [np.sqrt(1.0 - w @ w), *w]
        self.motion.x[0] = [0.0, 0.0, HALF[2]]

    def run(self, kernel):
        """Call `arrange` or `reselect` at the pose."""
        tables = self.system.element_tables
        first = tables.selection if kernel is arrange else None  # without threads
        return kernel(first, tables, self.motion, self.candidates, self.memory.past)

    def corners(self):
        """Corner in every slot: None without one, in a tuple where its contact has ended."""
        known = []
        for feature in self.candidates.feature.tolist():
            key = feature if feature >= 0 else ~feature
            corner = key_parts(key)[1] if key != NO_FEATURE else None
            known.append(corner if feature >= 0 or corner is None else (corner,))
        return known

    def number(self):
        """Give every contact a force that is 10 and the number of its corner."""
        for c, corner in enumerate(self.corners()):
            self.memory.wrench[c] = 0.0 if corner is None else 10.0 + corner
        self.memory.past.touched[:] = [corner is not None for corner in self.corners()]


def test_a_pair_begins_with_empty_slots_and_takes_the_selected_features():
    slots = Slots()
    assert slots.corners() == SLOTS * [None]
    assert slots.run(arrange) == CHANGED
    assert slots.corners() == [0, 1, 2, 3, None]
    assert slots.run(arrange) == SAME


@pytest.mark.parametrize("pose", [(0.2, 0.0), (-0.2, 0.0), (0.0, 0.2), (0.15, -0.15)])
def test_forces_follow_the_features_that_stay_and_others_have_none(pose):
    slots = Slots()
    slots.run(arrange)
    slots.number()
    slots.turn(*pose)
    assert slots.run(arrange) == CHANGED
    left = [corner for corner in slots.corners() if corner is not None]
    assert 0 < len(left) < 4
    assert slots.corners() == left + (SLOTS - len(left)) * [None]  # in their order
    force = [0.0 if corner is None else 10.0 + corner for corner in slots.corners()]
    assert slots.memory.wrench[:, 2].tolist() == force
    assert slots.memory.past.touched.tolist() == [f > 0.0 for f in force]
    slots.turn(0.0, 0.0)
    slots.run(arrange)
    again = [10.0 + corner if corner in left else 0.0 for corner in range(4)]
    assert slots.memory.wrench[:, 2].tolist() == [*again, 0.0]


def test_within_a_step_features_keep_their_slots_and_their_past():
    """Features that end wait there: a step that is repeated needs their forces."""
    slots = Slots()
    slots.run(arrange)
    slots.number()
    slots.turn(0.2, 0.0)
    left = {corner for corner in range(4) if corner & 2 == 0}  # the lower edge
    assert slots.run(reselect) == CHANGED
    assert slots.corners() == [corner if corner in left else (corner,) for corner in range(4)] + [None]
    assert slots.memory.wrench[:4, 2].tolist() == [10.0, 11.0, 12.0, 13.0]
    slots.system.measure(slots.motion, slots.candidates)
    assert np.isfinite(slots.candidates.gap).tolist() == [corner in left for corner in range(4)] + [False]
    slots.turn(0.0, 0.0)
    assert slots.run(arrange) == CHANGED
    assert slots.corners() == [0, 1, 2, 3, None]
    assert slots.memory.wrench[:4, 2].tolist() == [10.0, 11.0, 12.0, 13.0]
    assert slots.run(reselect) == SAME


def test_new_features_take_free_slots_within_a_step():
    slots = Slots()
    slots.turn(0.2, 0.0)
    slots.run(arrange)
    assert slots.corners() == [0, 1, None, None, None]
    slots.number()
    slots.turn(-0.2, 0.0)
    assert slots.run(reselect) == CHANGED
    assert slots.corners() == [(0,), (1,), 2, 3, None]
    assert slots.memory.wrench[:, 2].tolist() == [10.0, 11.0, 0.0, 0.0, 0.0]
    assert slots.run(arrange) == CHANGED
    assert slots.corners() == [2, 3, None, None, None]
    assert not slots.memory.wrench.any()


def test_a_slot_with_a_past_is_not_taken_within_a_step():
    """One slot is left for the four corners of another face."""
    slots = Slots()
    slots.turn(0.2, 0.0)
    slots.run(arrange)
    slots.number()
    slots.turn(-0.2, 0.0)
    slots.run(reselect)
    slots.motion.q[0] = [0.0, 1.0, 0.0, 0.0]
    assert slots.run(reselect) == 0  # the pair that is full
    assert slots.memory.wrench[:2, 2].tolist() == [10.0, 11.0]
    assert slots.run(arrange) == CHANGED
    assert slots.corners() == [4, 5, 6, 7, None]
    assert not slots.memory.wrench.any()


@pytest.mark.parametrize("side", [0, 1], ids=["box", "plane"])
@pytest.mark.parametrize("part", ["x", "q"])
def test_nothing_is_selected_twice_at_one_pose(side, part):
    """A feature that is taken away is back once a side moves by a rounding."""
    slots = Slots()
    slots.run(arrange)
    slots.turn(0.2, 0.0)
    slots.run(reselect)
    assert not slots.memory.past.arranged[0]  # `arrange` takes ended features out
    slots.run(arrange)
    corners = slots.corners()
    for again in (arrange, reselect):
        slots.candidates.feature[0] = ~slots.candidates.feature[0]
        assert slots.run(again) == SAME
        assert slots.corners() != corners
        pose = getattr(slots.motion, part)[side]
        pose[0] = np.nextafter(pose[0], 2.0)
        assert slots.run(again) == CHANGED
        assert slots.corners() == corners


LAW = {"mu": 0.3, "e_n": 0.3}


def with_load(model):
    """Steps from Python."""
    model.add_load(lambda t, state: np.zeros((len(model.bodies), 3)))
    return model


@pytest.mark.parametrize("scheme", [None, ns.MoreauJean()], ids=["generalized-alpha", "Moreau-Jean"])
@pytest.mark.parametrize("load", [False, True], ids=["compiled", "from Python"])
def test_selected_corners_do_what_all_corners_do_to_the_bit(scheme, load):
    runs = []
    for geometry in (every, near(0.01)):
        model = boxes(geometry, 3, **LAW)
        runs.append(ns.simulate(with_load(model) if load else model, t_end=0.6, h=1e-3, scheme=scheme))
    one, two = runs
    assert one.status.ok
    for name in ("position", "rotation", "velocity", "angular_velocity"):
        assert np.array_equal(getattr(one, name), getattr(two, name)), name
    for name in ("start", "feature", "gap", "wrench", "impulse", "multipliers"):
        assert np.array_equal(getattr(one.contacts, name), getattr(two.contacts, name)), name
    assert len(np.unique(one.contacts.feature)) > 3


@pytest.mark.parametrize("load", [False, True], ids=["compiled", "from Python"])
def test_a_corner_that_arrives_within_a_step_reopens_the_correction(load):
    """It moves by 20 margins in a step, and is selected only once it overlaps."""
    runs = []
    for geometry in (every, near(1e-4)):
        model = boxes(geometry, e_n=0.3)
        runs.append(ns.simulate(with_load(model) if load else model, t_end=0.5, h=2e-3))
    one, two = runs
    assert two.status.ok
    assert two.stats.penetration.max() < 1e-12
    assert np.abs(two.velocity[:, 0, 2]).max() * 2e-3 > 20 * 1e-4
    assert two.contacts.feature.tolist() == one.contacts.feature.tolist()
    assert two.position == pytest.approx(one.position, abs=1e-6)
    assert two.stats.position_iterations.sum() > one.stats.position_iterations.sum()


def test_a_box_at_rest_stays_on_its_corners():
    model = boxes(near(0.01), mu=0.3)
    body = model.bodies[0]
    start = model.initial_state()
    still = ns.State(0.0, [[0, 0, HALF[2]]], [[1, 0, 0, 0]], np.zeros((1, 3)), np.zeros((1, 3)))
    result = ns.simulate(model, t_end=0.2, h=1e-3, state=still)
    assert start.position.shape == still.position.shape
    assert result.contacts.features[-4:, 1].tolist() == [0, 1, 2, 3]
    assert result.contacts.wrench[-4:, 2] == pytest.approx(0.25 * MASS * G)
    assert np.abs(result.position[-1, body] - [0, 0, HALF[2]]).max() < 1e-14


@pytest.mark.parametrize("every_step", [1, 4])
def test_a_run_goes_on_from_its_file_to_the_bit(tmp_path, every_step):
    whole = ns.simulate(boxes(near(1e-3), 3, **LAW), t_end=0.8, h=2e-3, record_every=every_step)
    recording = ns.Recording(file=tmp_path / "run.h5", every=every_step)
    ns.simulate(boxes(near(1e-3), 3, **LAW), t_end=0.4, h=2e-3, recording=recording)
    on = ns.resume(tmp_path / "run.h5", t_end=0.8, model=boxes(near(1e-3), 3, **LAW))
    assert np.array_equal(on.position[:], whole.position)
    for name in ("feature", "wrench", "impulse"):
        assert np.array_equal(getattr(on.contacts, name)[:], getattr(whole.contacts, name)), name
    assert len(np.unique(whole.contacts.feature)) > 3


def test_a_rebuilt_table_changes_nothing(monkeypatch):
    whole, tables, find = ns.simulate(boxes(near(1e-3), 3, **LAW), t_end=0.6, h=2e-3), [], StepCandidates.find

    def counted(now, tries):
        tables.append(len(now.candidates.a))
        find(now, tries)

    monkeypatch.setattr(StepCandidates, "find", counted)
    monkeypatch.setattr(step_candidates, "reach_of", lambda *given: 1e-2)
    again = ns.simulate(boxes(near(1e-3), 3, **LAW), t_end=0.6, h=2e-3)
    assert len(tables) > 60
    assert np.array_equal(again.position, whole.position)
    assert np.array_equal(again.contacts.wrench, whole.contacts.wrench)


def test_energies_and_gaps_of_results_select_too():
    results = [ns.simulate(boxes(geometry, **LAW), t_end=0.4, h=1e-3) for geometry in (every, near(0.01))]
    for name in ("friction", "impacts"):
        one, two = (getattr(result.budget(), name) for result in results)
        assert np.abs(one).max() > 1e-3
        assert two == pytest.approx(one, abs=1e-12)
    one, two = map(smallest_gap, results)
    low = one < 0.01
    assert np.array_equal(one[low], two[low])
    assert low.sum() > 10


@pytest.mark.parametrize("load", [False, True], ids=["compiled", "from Python"])
def test_too_few_slots_end_the_run_with_a_sentence(load):
    model = boxes(near(10.0))
    result = ns.simulate(with_load(model) if load else model, t_end=0.1, h=1e-3)
    assert not result.status.ok
    assert "more features between 'body 0' and 'plane 0' may touch than a" in str(result.status)
    assert result.status.subproblem == "narrow phase"
    assert len(result.t) == 1


def test_what_knows_no_selection_is_refused():
    with pytest.raises(ValueError, match=r"geometry = .*one that states its features"):
        near(0.01).keys(np.zeros(1, np.int64))
    assert contact_key(0, 1, 0, 0) == every.keys(np.array([1]))[0]
