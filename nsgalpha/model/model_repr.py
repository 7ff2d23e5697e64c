"""Models and states in one line of text, and as small tables in HTML."""

from __future__ import annotations

from typing import Any

from nsgalpha.shown_text import first_rows, floor_of, table, triple

#: Contents of a model, in the order of its description.
PARTS = ("bodies", "planes", "primitives", "surfaces", "elements", "joints", "drives", "loads")
SINGULAR = {"bodies": "body", "vertices": "vertex"}
MOST = 12  # rows of bodies in a table


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
    return f"<Model: {', '.join(parts)}, gravity ({gravity}){_cell_in_words(model)}>"


def _cell_in_words(model: Any) -> str:
    """`, periodic (0.2, 0.1, None)`, nothing without a cell, and how it is sheared."""
    if model.periodic is None:
        return ""
    periods = ", ".join("None" if each is None else f"{each:g}" for each in model.periodic)
    return f", periodic ({periods}){_shear_in_words(model.cell_motion)}"


def _shear_in_words(motion: Any) -> str:
    """` sheared along x by y`, ` strained along z`, nothing without a motion of the cell."""
    if motion is None:
        return ""
    sheared = f" sheared along {motion.flow} by {motion.gradient}" if motion.is_sheared else ""
    axes = ", ".join("xyz"[i] for i in motion.strained)
    return sheared + (f" strained along {axes}" if axes else "")


def state_in_words(state: Any) -> str:
    """`<State: 2 bodies at t = 0.5 s>`."""
    return f"<State: {counted(len(state.position), 'bodies')} at t = {state.t:g} s>"


def model_as_html(model: Any) -> str:
    """Parts of a model: numbers, and the kinds of elements and joints."""
    rows = [(name, str(number), kinds_of(model, name)) for name, number in parts_of(model) if number]
    rows.append(("gravity", triple(model.gravity), "m/s^2"))
    if model.periodic is not None:
        periods = ", ".join("-" if L is None else f"{L:g}" for L in model.periodic)
        rows.append(("periodic", periods + _shear_in_words(model.cell_motion), "m"))
    return f"<b>Model</b>{table(('', '', ''), rows)}"


def kinds_of(model: Any, name: str) -> str:
    """Names of the first bodies and planes, classes of all else."""
    things = getattr(model, name)
    if name in ("bodies", "planes", "primitives", "surfaces"):
        names = [getattr(each, "name", "") for each in things[:6]]
        return ", ".join(names) + (", ..." if len(things) > len(names) else "")
    return ", ".join(dict.fromkeys(type(each).__name__ for each in things))


def state_as_html(state: Any) -> str:
    """Positions, velocities and spins of the first bodies."""
    parts = state.position, state.velocity, state.angular_velocity
    floors = [floor_of(part) for part in parts]
    shown = range(min(len(state.position), MOST))
    rows = [(str(k), *(triple(part[k], low) for part, low in zip(parts, floors, strict=True))) for k in shown]
    more = counted(len(state.position) - MOST, "bodies") if len(state.position) > MOST else ""
    headers = ("body", "position [m]", "velocity [m/s]", "spin [rad/s]")
    return f"<b>State</b> at t = {state.t:g} s{table(headers, first_rows(rows, more))}"
