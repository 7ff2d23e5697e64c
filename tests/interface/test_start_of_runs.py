"""Steps of a run before its first time step."""

import sys
from types import FrameType
from typing import Any

import nsgalpha as ns
from elements import SpherePlane, SphereSphere


def _calls(model: ns.Model) -> int:
    """Calls of Python functions in a run of one step."""
    count = 0

    def note(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        ns.simulate(model, t_end=1e-4, h=1e-4)
    finally:
        sys.setprofile(before)
    return count


def test_a_run_of_two_balls_on_a_table_takes_few_calls_before_its_first_step() -> None:
    model = ns.Model(gravity=(0.0, 0.0, -9.8))
    for x in (0.0, 1.0):
        model.add_sphere(radius=0.1, mass=1.0, position=(x, 0.0, 0.1))
    table = model.add_plane(normal=(0.0, 0.0, 1.0))
    model.add(SphereSphere(among=model.spheres, mu=0.1))
    model.add(SpherePlane(model.spheres, table, mu=0.2))
    ns.simulate(model, t_end=1e-4, h=1e-4)
    # 3000 here with CPython 3.11; 6600 with tables of joints by graphs, and handles word by word
    assert _calls(model) < 4500
