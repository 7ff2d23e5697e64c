"""Models and states in one line, as Python shows them."""

from __future__ import annotations

from typing import Any

#: Contents of a model, in the order of its description.
PARTS = ("bodies", "planes", "primitives", "surfaces", "elements", "joints", "drives", "loads")
SINGULAR = {"bodies": "body"}


def counted(number: int, things: str) -> str:
    """`1 body`, `2 bodies`."""
    return f"{number} {SINGULAR.get(things, things[:-1]) if number == 1 else things}"


def parts_of(model: Any) -> list[tuple[str, int]]:
    """The parts of a model and their numbers; unknown ones are left out.

    A file whose elements need packages that are not installed still says how many bodies it has.
    """
    found = []
    for name in PARTS:
        try:
            found.append((name, len(getattr(model, name))))
        except (ValueError, ImportError):
            continue
    return found


def model_in_words(model: Any) -> str:
    """`<Model: 2 bodies, 1 plane, 2 elements, gravity (0, 0, -9.8)>`."""
    parts = [counted(number, name) for name, number in parts_of(model) if number or name == "bodies"]
    gravity = ", ".join(f"{value:g}" for value in model.gravity + 0.0)
    return f"<Model: {', '.join(parts)}, gravity ({gravity}){_cell_in_words(model.periodic)}>"


def _cell_in_words(periodic: Any) -> str:
    """`, periodic (0.2, 0.1, None)`, nothing without a cell."""
    if periodic is None:
        return ""
    return f", periodic ({', '.join('None' if each is None else f'{each:g}' for each in periodic)})"


def state_in_words(state: Any) -> str:
    """`<State: 2 bodies at t = 0.5 s>`."""
    return f"<State: {counted(len(state.position), 'bodies')} at t = {state.t:g} s>"
