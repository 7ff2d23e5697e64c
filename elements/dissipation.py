"""Work that compliant contacts have turned into heat, from what their laws remember.

A law that counts its work says by its attribute `work` in which two columns of its history: viscous and
plastic, each since the contact closed. A contact that opens is forgotten; what it had dissipated by the last
record in which it was closed is kept here.
"""

import numpy as np

from elements.compliant import Compliant
from nsgalpha import Result
from nsgalpha.arrays import Floats, Ints
from nsgalpha.checks import refuse
from nsgalpha.compliant.law import ROWS

KINDS = ("viscous", "plastic")


def dissipation(result: Result, element: Compliant) -> dict[str, Floats]:
    """Viscous and plastic work (n, 2) [J] of `element` by sense, since the start of the n records.

    Senses are "normal", "tangential", "rolling", "twisting", as far as their laws count their work; the sum
    of all is the loss of mechanical energy in these contacts. Exact at record_every=1; otherwise a contact
    that opens between two records misses the work after the first of them.

    Raises ValueError if the element is not of the model of `result`, or none of its laws counts its work.
    """
    compliant = [e for e in result.model.elements if isinstance(e, Compliant)]
    if element not in compliant:
        raise refuse("element", element, "a compliant element of the model", "give the one that was added")
    columns = _columns(element)
    if not columns:
        raise refuse("element", element, "one whose laws count their work", "those of Luding do")
    places = [column for pair in columns.values() for column in pair]
    total = np.zeros((len(result.t), len(places)))
    known, before = np.zeros(0, np.int64), np.zeros((0, len(places)))
    for i, history in enumerate(result.histories):
        rows = history.pair[:, 0] == compliant.index(element)
        keys = _keys(history.pair[rows, 1:])
        now = history.values[rows][:, places]
        order = np.argsort(keys)
        keys, now = keys[order], now[order]
        change = now.sum(axis=0) - _continued(known, before, keys, now)
        if i > 0:
            total[i] = total[i - 1] + change
        known, before = keys, now
    return {sense: total[:, 2 * k : 2 * k + 2] for k, sense in enumerate(columns)}


def _columns(element: Compliant) -> dict[str, tuple[int, int]]:
    """Columns of viscous and plastic work in the element's history, by sense."""
    names = {rows: sense for sense, rows in ROWS.items() if sense not in ("contact", "bond")}
    columns, first = {}, 0
    for (law, top, bottom), size in zip(element.law.parts, element.law.memory, strict=True):
        work = getattr(law, "work", None)
        if work is not None:
            columns[names[top, bottom]] = (first + work[0], first + work[1])
        first += size
    return columns


def _keys(pair: Ints) -> Ints:
    """One number for each of the pairs (K, 3): bodies, and plane or -1."""
    a, b, plane = pair.T
    return (a << 42) + (b << 21) + plane + 1


def _continued(known: Ints, before: Floats, keys: Ints, now: Floats) -> Floats:
    """Work of the record before in those contacts that have been closed since then.

    A contact with less than half of the work before has opened and closed again between the records. Small
    losses are none of that: a viscous force above the yield force loads a spring.
    """
    _, i, j = np.intersect1d(known, keys, assume_unique=True, return_indices=True)
    same = now[j].sum(axis=1) >= 0.5 * before[i].sum(axis=1)
    return before[i[same]].sum(axis=0)
