"""Initial result: the start of a model without a run, for pictures."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np

from nsgalpha.model.model import Model
from nsgalpha.model.state import STATE_WIDTHS
from nsgalpha.run.result import Result
from nsgalpha.run.run_records import CONTACT_WIDTHS, Contacts, Statistics, no_steps
from nsgalpha.stepping.status import Status

NUMBERS = "body_a", "body_b", "plane", "feature"
KINDS: dict[str, Any] = {"status": "U5"} | dict.fromkeys(NUMBERS, np.int64)


def start_of(model: Model) -> Result:
    """A result with one state, the model as stated, without contacts and kernels."""
    state, count = model.initial_state(), len(model.bodies)
    motion: dict[str, Any] = {
        name: np.zeros((1, count, width)) if getattr(state, name) is None else getattr(state, name)[None]
        for name, width in STATE_WIDTHS.items()
    }
    columns: dict[str, Any] = {
        each.name: np.empty(
            (0, CONTACT_WIDTHS[each.name]) if each.name in CONTACT_WIDTHS else 0, KINDS.get(each.name, float)
        )
        for each in fields(Contacts)[1:]
    }
    status = Status(True, f"the start, t = {state.t:g} s", state.t)
    return Result(
        model=model,
        t=np.array([state.t]),
        h=np.zeros(1),
        **motion,
        contacts=Contacts(np.zeros(2, np.int64), **columns),
        stats=Statistics(*no_steps()),
        status=status,
        histories=(),
    )
