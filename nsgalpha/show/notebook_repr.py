"""Results, models and states as notebooks show them: small tables in HTML, without scripts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from nsgalpha.model.model import Model
from nsgalpha.model.model_repr import counted, parts_of
from nsgalpha.model.state import State
from nsgalpha.run.result import Result
from nsgalpha.show.html_pages import COLOURS, as_html, outcome, table
from nsgalpha.show.number_text import floor_of, number_in_words, triple
from nsgalpha.study.sweep_table import Table

MOST = 12  # rows of bodies or points


def model_as_html(model: Model) -> str:
    """Parts of a model: numbers, and the kinds of elements and joints."""
    rows = [(name, str(number), _kinds(model, name)) for name, number in parts_of(model) if number]
    rows.append(("gravity", triple(model.gravity), "m/s^2"))
    if model.periodic is not None:
        rows.append(("periodic", ", ".join("-" if L is None else f"{L:g}" for L in model.periodic), "m"))
    return f"<b>Model</b>{table(('', '', ''), rows)}"


def _kinds(model: Model, name: str) -> str:
    """Names of the first bodies and planes, classes of all else."""
    things = getattr(model, name)
    if name in ("bodies", "planes", "primitives", "surfaces"):
        names = [getattr(each, "name", "") for each in things[:6]]
        return ", ".join(names) + (", ..." if len(things) > len(names) else "")
    return ", ".join(dict.fromkeys(type(each).__name__ for each in things))


def state_as_html(state: State) -> str:
    """Positions, velocities and spins of the first bodies."""
    parts = state.position, state.velocity, state.angular_velocity
    floors = [floor_of(part) for part in parts]
    shown = range(min(len(state.position), MOST))
    rows = [(str(k), *(triple(part[k], low) for part, low in zip(parts, floors, strict=True))) for k in shown]
    headers = ("body", "position [m]", "velocity [m/s]", "spin [rad/s]")
    return f"<b>State</b> at t = {state.t:g} s{table(headers, _cut(rows, len(state.position), 'bodies'))}"


def result_as_html(result: Result) -> str:
    """The end of the run, and its contents."""
    model, t = result.model, np.asarray(result.t)
    colour = COLOURS[outcome(result.status)]
    rows = [
        ("states", f"{len(t)}", f"t = {t[0]:g} to {t[-1]:g} s"),
        ("steps", f"{len(result.stats.contacts)}", ""),
        ("contacts", f"{int(result.contacts.start[-1])}", "set-valued, in all recorded states"),
        *((name, str(number), _kinds(model, name)) for name, number in parts_of(model) if number),
        *((f"sensor {name}", f"{len(series.t)}", "") for name, series in result.sensors.items()),
    ]
    status = f'<span style="color: {colour}">{as_html(result.status.message)}</span>'
    return f"<b>Result</b>: {status}{table(('', '', ''), rows)}"


def table_as_html(found: Table) -> str:
    """The first points, and how many are done."""
    names = [name for name, column in found.columns().items() if column.ndim == 1]
    columns = [found.columns()[name][:MOST].tolist() for name in names]
    rows = [tuple(map(_cell, row)) for row in zip(*columns, strict=True)]
    return f"<b>Table</b>: {as_html(found.status)}{table(names, _cut(rows, len(found), 'points'))}"


def _cell(value: object) -> str:
    return number_in_words(value) if isinstance(value, int | float) else str(value)


def _cut(rows: Sequence[tuple[str, ...]], number: int, things: str) -> Iterable[tuple[str, ...]]:
    more = number - len(rows)
    return [*rows, (f"... and {counted(more, things)} more",)] if more > 0 else rows
