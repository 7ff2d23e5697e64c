"""Laws of single components as arrays, which kernels call by their addresses.

`respond` serves compiled laws as `CompliantLaw` serves any, with derivatives and chain rule. Explicit steps,
which need forces alone, call laws block by block (forces/force_kernels.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from nsgalpha.arrays import Flags, Floats, Ints
from nsgalpha.forces.law_kernel import LAW, CompiledLaw
from nsgalpha.jit.addresses import AVAILABLE, addresses, caller
from nsgalpha.jit.decorators import kernel
from nsgalpha.model.compliant_law import SENSES, CompliantLaw, Contact, Response
from nsgalpha.model.response_sum import add_part

call_law = caller(LAW)


class Parts(NamedTuple):
    """The laws of the elements: laws of single components, in their order of calls."""

    start: Ints  # (G + 1,) offsets of the elements
    law: Ints  # (P,) address of the kernel
    first: Ints  # (P,) first row
    rows: Ints  # (P,) 1, 2 or 6
    column: Ints  # (P,) first number of the history
    width: Ints  # (P,) numbers of the history
    resets: Flags  # (P,) whether the forces before them are taken away
    parameters: Floats  # (P, p)


class LawWorkspace(NamedTuple):
    """Workspace for the inputs and outputs of one law for M contacts."""

    rate: Floats  # (6 M,) as all that follows in the rows of the law
    increment: Floats  # (6 M,)
    normal: Floats  # (M,)
    before: Floats  # (k M,) history
    force: Floats  # (6 M,)
    by_overlap: Floats  # (6 M,)
    by_normal: Floats  # (6 M,)
    by_rate: Floats  # (36 M,)
    by_increment: Floats  # (36 M,)
    energy: Floats  # (M,)
    after: Floats  # (k M,)


def are_compiled(law: CompliantLaw) -> bool:
    """True if kernels can call all parts of the `law`."""
    return AVAILABLE and all(isinstance(part, CompiledLaw) for part, _, _ in law.parts)


def parts_of(laws: Sequence[CompliantLaw]) -> Parts:
    """The laws of all elements as arrays."""
    kernels, rows = [], []
    resets = [traits.resets for law in laws for traits in law.traits]
    parameters: list[list[float]] = []
    start = [0]
    for whole in laws:
        column = 0
        for (law, first, last), width in zip(whole.parts, whole.memory, strict=True):
            assert isinstance(law, CompiledLaw)
            kernels.append(law.kernel.function)
            rows.append((first, last - first, column, width))
            parameters.append([float(value) for value in law.parameters])
            column += width
        start.append(len(rows))
    numbers = np.zeros((len(rows), max((len(row) for row in parameters), default=0)))
    for j, row in enumerate(parameters):
        numbers[j, : len(row)] = row
    begin, count, offset, size = np.array(rows, np.int64).reshape(-1, 4).T.copy()
    kernel_of = addresses(kernels, LAW)
    rest = np.array(resets, bool), numbers
    return Parts(np.array(start, np.int64), kernel_of, begin, count, offset, size, *rest)


def no_law_workspace(count: int, history: int) -> LawWorkspace:
    """Workspace for `count` contacts with `history` history variables."""
    widths = SENSES, SENSES, 1, history, SENSES, SENSES, SENSES, SENSES**2, SENSES**2, 1, history
    return LawWorkspace(*(np.zeros(width * count) for width in widths))


@kernel
def _part_of(workspace, n, m, width):
    """The response, zeros, of one law of `m` rows to `n` contacts."""
    rows, blocks = n * m, n * m * m
    force = workspace.force[:rows].reshape((n, m))
    by_place = workspace.by_overlap[:rows].reshape((n, m)), workspace.by_normal[:rows].reshape((n, m))
    by_rate = workspace.by_rate[:blocks].reshape((n, m, m))
    by_increment = workspace.by_increment[:blocks].reshape((n, m, m))
    history = workspace.after[: n * width].reshape((n, width))
    part = Response(force, *by_place, by_rate, by_increment, workspace.energy[:n], history)
    _clear(part)
    part.history[:] = 0.0
    return part


@kernel
def _clear(total):
    """Forces of the laws before, and their derivatives, are taken away; histories stay."""
    total.force[:] = 0.0
    total.by_overlap[:] = 0.0
    total.by_normal[:] = 0.0
    total.by_rate[:] = 0.0
    total.by_increment[:] = 0.0
    total.energy[:] = 0.0


@kernel
def respond(parts, contact, workspace, total):
    """Fill the six-row response `total` to the `contact` under all laws of `parts`."""
    n = contact.overlap.shape[0]
    _clear(total)
    total.history[:] = 0.0
    for p in range(parts.law.shape[0]):
        m, first, width, column = parts.rows[p], parts.first[p], parts.width[p], parts.column[p]
        rate = workspace.rate[: n * m].reshape((n, m))
        increment = workspace.increment[: n * m].reshape((n, m))
        normal = workspace.normal[:n]
        before = workspace.before[: n * width].reshape((n, width))
        for c in range(n):
            normal[c] = 0.0 if first == 0 else total.force[c, 0]
            for i in range(m):
                rate[c, i] = contact.rate[c, first + i]
                increment[c, i] = contact.increment[c, first + i]
            for i in range(width):
                before[c, i] = contact.history[c, column + i]
        part = _part_of(workspace, n, m, width)
        seen = Contact(contact.overlap, rate, increment, normal, before, *contact[5:])
        call_law(parts.law[p], (seen, part, parts.parameters[p]))
        if parts.resets[p]:
            _clear(total)
        add_part(total, part, first, column)
