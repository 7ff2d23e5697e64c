"""The frames behind the bodies: the ground, prescribed planes, anchors, and driven frames.

The motion of a drive is that of a frame along x: phi is its position and the rate its velocity. The rate that
a motor wants is the position of one. These frames are the last ones, since they are in no place.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, cast

import numpy as np

from nsgalpha.arrays import Floats, Motion, empty_motion
from nsgalpha.model.cell_motion import WithCell
from nsgalpha.model.constructor_record import Missing
from nsgalpha.model.contact_element import MarkerContact
from nsgalpha.model.coordinate_relations import Drive, moves
from nsgalpha.model.handles import Plane
from nsgalpha.model.model import Model
from nsgalpha.model.periodic_cell import same_in_all_periods
from nsgalpha.model.plane_motion import frame_motion, frame_rows
from nsgalpha.model.state import State
from nsgalpha.model.time_function import TimeFunction
from nsgalpha.system.run_cell import RunCell

ROOM = 2e6  # numbers of a table of frames, and
LEAST = 64  # times that it has at least


class PrescribedFrame(Protocol):
    """A drive, or a motor of limited strength, whose value is a time function."""

    motion: TimeFunction | None


def prescribed_frame_of(drives: Sequence[Drive], markers: Sequence[MarkerContact]) -> list[PrescribedFrame]:
    """The `drives` of a model, and the motors among its `markers`, that need a frame."""
    found: list[PrescribedFrame] = [each for each in drives if not isinstance(each, Missing) and moves(each)]
    for element in markers:
        friction = element.friction()
        if friction is not None and friction.motion is not None:
            found.append(cast(PrescribedFrame, element))
    return found


class Frames:
    """Frames behind `count` bodies in arrays of the length `size`; those of `prescribed` are the last.

    Planes must stay the same in all periods of a `cell`. Of one that moves three frames follow behind all
    others: the ways to the next images along the axes, and their rates.
    """

    def __init__(
        self,
        count: int,
        size: int,
        planes: list[Plane],
        anchors: Floats,
        prescribed: Sequence[PrescribedFrame],
        cell: WithCell | None = None,
    ) -> None:
        self.count, self.size = count, size
        self.planes, self.anchors = planes, anchors
        self.prescribed = prescribed
        self.periods = None if cell is None else cell.periodic
        self.cell = None if cell is None or cell.cell_motion is None else RunCell(cell)  # that moves
        self.places = size - len(prescribed) - 3 * (self.cell is not None)  # number of all that is in space

        self.least = np.zeros(3)  # periods [m]; shorter ones end a run
        self.rows = 0 if self.cell is None else self.cell.motion.state_rows  # of a state, for it

    def keep(self, rows: Floats) -> None:
        """Let the last of the `rows` of a state (R, 3) be those of the cell."""
        if self.cell is not None and self.rows:
            self.cell.rows = rows[-self.rows :]

    def begin(self, state: State) -> None:
        """Continue from a `state`."""
        if self.cell is not None and self.rows:
            self.cell.begin(state.t, None if state.joints is None else state.joints[-self.rows :])

    def place(self, motion: Motion, t: float) -> None:
        """Put the frames where they are at time `t` [s]."""
        self._place_planes(motion, t)
        motion.x[self.places - len(self.anchors) : self.places] = self.anchors
        for k, drive in enumerate(self.prescribed, start=self.places):
            assert drive.motion is not None
            motion.x[k, 0], motion.v[k, 0] = drive.motion.at(t)
        if self.cell is not None:
            motion.x[-3:], motion.v[-3:] = self.cell.at(t)

    def _place_planes(self, motion: Motion, t: float) -> None:
        for k, plane in enumerate(self.planes, start=self.count + 1):
            motion.x[k], motion.q[k], motion.v[k], motion.w[k] = frame_motion(plane, t)

    def stated(self, model: Model) -> Motion:
        """Poses of all bodies and frames in the `model` as stated."""
        motion, state = empty_motion(self.size), model.initial_state()
        motion.x[: self.count], motion.q[: self.count] = state.position, state.rotation
        self._place_planes(motion, 0.0)
        return motion

    def table(self, times: Floats) -> tuple[Floats, str]:
        """Motion of the frames (times, frames, 13): position, rotation, velocity, angular velocity.

        The table ends early where it would be too large, and before one of the `times` [s] at which a motion
        is not valid. The text then gives the reason.
        """
        frames, places, ending = self.size - self.count, self.places - self.count, ""
        times = times[: max(LEAST, int(ROOM / (13 * frames)))]
        table = np.zeros((len(times), frames, 13))
        table[:, :, 3] = 1.0
        table[:, places - len(self.anchors) : places, :3] = self.anchors
        for k, drive in enumerate(self.prescribed, start=places):
            assert drive.motion is not None
            values, text = drive.motion.through(times)
            if text:
                times, table, ending = times[: len(values)], table[: len(values)], text
            table[:, k, 0], table[:, k, 7] = values.T
        if self.cell is not None:
            vectors, rates, text = self.cell.table(times, self.least)
            if text:
                times, table, ending = times[: len(vectors)], table[: len(vectors)], text
            table[:, -3:, :3], table[:, -3:, 7:10] = vectors, rates
        known: dict[int, Floats] = {}  # rows of motions that several planes share
        for k, plane in enumerate(self.planes, start=1):
            rows = known.get(id(plane.motion))
            if rows is None:
                rows, text = frame_rows(plane, times)
                if text:
                    times, table, ending = times[: len(rows)], table[: len(rows)], text
                known[id(plane.motion)] = rows
            count, text = same_in_all_periods(self.periods, plane.name, plane.normal, rows)
            if text:
                times, table, ending = times[:count], table[:count], text
            table[:, k] = rows[: len(table)]
        return table, ending
