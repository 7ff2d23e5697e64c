"""Work that compliant contacts have turned into heat, from the histories of their laws.

A law that counts its work says by its attribute `work_columns` in which two columns of its history: viscous
and plastic, each since the contact closed. The history of an opening contact is added to
`ContactHistory.opened`, so that no work is lost between records.
"""

import numpy as np

from elements.compliant_elements import Compliant
from nsgalpha import Result
from nsgalpha.arrays import Floats
from nsgalpha.checks import instance, refuse
from nsgalpha.model.compliant_law import ROWS
from nsgalpha.model.registration import offered
from nsgalpha.model.state import ContactHistory

KINDS = ("viscous", "plastic")


@offered()
def dissipation(result: Result, element: Compliant) -> dict[str, Floats]:
    """Viscous and plastic work (n, 2) [J] of `element` by component, since the start of the n records.

    Components are "normal", "tangential", "rolling", "twisting", as far as their laws count their work. The
    sum of all is the loss of mechanical energy in these contacts. It does not depend on how often is
    recorded.

    Raises ValueError if the element is not of the model of `result`, or none of its laws counts its work.
    """
    instance("result", result, Result, "a Result")
    compliant = [e for e in result.model.elements if isinstance(e, Compliant)]
    if not any(element is e for e in compliant):
        raise refuse("element", element, "a compliant element of the model", "give the one that was added")
    columns = _columns(element)
    if not columns:
        raise refuse("element", element, "one whose laws count their work", "those of Luding do")
    places = [column for pair in columns.values() for column in pair]
    number = compliant.index(element)
    total = np.array([_work(history, number)[places] for history in result.histories])
    total -= total[0]
    return {sense: total[:, 2 * k : 2 * k + 2] for k, sense in enumerate(columns)}


def _work(history: ContactHistory, number: int) -> Floats:
    """Sums (k,) of the histories of all contacts of an element, both closed and opened."""
    closed = history.values[history.pair[:, 0] == number].sum(axis=0)
    return np.asarray(history.opened[number] + closed)


def _columns(element: Compliant) -> dict[str, tuple[int, int]]:
    """Columns of viscous and plastic work in the element's history, by component."""
    names = {rows: sense for sense, rows in ROWS.items() if sense not in ("contact", "bond")}
    columns, first = {}, 0
    for (_, top, bottom), traits in zip(element.law.parts, element.law.traits, strict=True):
        if traits.work_columns is not None:
            viscous, plastic = traits.work_columns
            columns[names[top, bottom]] = (first + viscous, first + plastic)
        first += traits.history
    return columns
