"""Contact exclusion between jointed bodies, unless a joint says `contact=True`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nsgalpha.arrays import Flags, Ints
from nsgalpha.model.contact_element import AnchoredPairs, MarkerContact, NamedPairs
from nsgalpha.model.joint_interface import Joint


class ContactExclusion:
    """The pairs of `count` bodies that `joints` with the numbers (J, 2) leave without contact."""

    def __init__(self, joints: Sequence[Joint], numbers: Ints, count: int) -> None:
        self.count = count
        held = numbers[[not joint.contact for joint in joints]].reshape(-1, 2)
        self._codes = np.unique(self._coded(*held[(held < count).all(axis=1)].T))

    def _coded(self, a: Ints, b: Ints) -> Ints:
        """Numbers (C,) of pairs, whichever side comes first; frames from `count` on are one."""
        first, second = np.minimum(a, b), np.minimum(np.maximum(a, b), self.count)
        return np.asarray(first * (self.count + 1) + second)

    def may_meet(self, a: Ints, b: Ints, pairs: Any = None) -> Flags:
        """True (C,) for pairs of bodies or frames that are not held together.

        So are all of `pairs` that were given one by one, and contacts between markers.
        """
        if not len(self._codes) or isinstance(pairs, AnchoredPairs | MarkerContact):
            return np.ones(len(a), bool)
        if isinstance(pairs, NamedPairs) and pairs.named:
            return np.ones(len(a), bool)
        return ~np.isin(self._coded(a, b), self._codes)
