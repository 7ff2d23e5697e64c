"""Pairs with more contacts than slots, and slots without a contact."""

import numpy as np
import pytest
from solid_scenes import G

import elements as e
import nsgalpha as ns
from nsgalpha.arrays import candidate_table


@pytest.mark.parametrize("h", [2e-3, 1e-4])
def test_a_box_on_more_peaks_than_there_are_slots(h):
    """64 peaks below a box: the status names the pair and a remedy."""
    count = 18
    model = ns.Model(gravity=(0, 0, -G))
    heights = np.zeros((count, count))
    heights[::2, ::2] = 0.02
    ground = model.add_body(fixed=True, position=(0, 0, 0), name="ground")
    model.add_mesh(*ns.height_field(heights, 2.0 / (count - 1)), carrier=ground)
    box = model.add_box((1.8, 1.8, 0.1), mass=1.0, position=(1, 1, 0.0705), name="lid")
    model.add(e.Contact(among=[ground, box], mu=0.3))
    status = ns.simulate(model, t_end=0.05, h=h).status
    assert not status.ok
    assert status.subproblem == "narrow phase"
    assert set(status.contact) == {"lid", "ground"}
    assert "has slots for; divide the shape into parts of its body" in status.message


def test_parts_of_its_body_have_room_each():
    """The same box in four parts rests on the peaks."""
    count = 18
    model = ns.Model(gravity=(0, 0, -G))
    heights = np.zeros((count, count))
    heights[::2, ::2] = 0.02
    ground = model.add_body(fixed=True, position=(0, 0, 0))
    model.add_mesh(*ns.height_field(heights, 2.0 / (count - 1)), carrier=ground)
    quarters = [
        ns.parts.box((0.9, 0.9, 0.1), density=10.0, position=(x, y, 0.0))
        for x in (-0.45, 0.45)
        for y in (-0.45, 0.45)
    ]
    box = model.add_compound(quarters, position=(1, 1, 0.0701))
    model.add(e.Contact(among=[ground, box], mu=0.3))
    result = ns.simulate(model, t_end=0.1, h=2e-3)
    assert result.status.ok, result.status
    assert result.position[-1, box, 2] == pytest.approx(0.07, abs=1e-9)


def test_the_measurements_of_new_candidates_are_zeros(monkeypatch):
    """Slots without a contact are read; old memory made steps count as too fast."""

    def dirty(shape, *args, **kind):
        return np.full(shape, np.inf, *args, **kind)

    monkeypatch.setattr(np, "empty", dirty)
    numbers = np.zeros(3, np.int64)
    table = candidate_table(numbers, numbers, numbers, numbers, numbers, np.ones(3))
    for part in (table.gap, table.normal, table.lever):
        assert (part == 0.0).all()
