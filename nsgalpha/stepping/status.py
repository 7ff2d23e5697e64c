"""How a run or a step ended: data with a sentence, never a silent stop."""

from dataclasses import dataclass, replace
from typing import NamedTuple

from nsgalpha.stepping.step_outcome import (
    FULL,
    INACCURATE,
    NOT_FINITE,
    OUT_OF_REACH,
    POSITION,
    PRESCRIBED,
    SMOOTH,
    VELOCITY,
)

_SUBPROBLEM = {
    SMOOTH: "smooth motion",
    POSITION: "position correction",
    VELOCITY: "velocity correction",
    NOT_FINITE: "smooth motion",
    OUT_OF_REACH: "broad phase",
    PRESCRIBED: "prescribed motion",
    INACCURATE: "error control",
    FULL: "narrow phase",
}


UNFINISHED = "not finished", "interrupted by KeyboardInterrupt"  # how messages begin


@dataclass(frozen=True, slots=True)
class Status:
    """`ok`, and if not: the time [s] of the failed step, its subproblem and the contact concerned."""

    ok: bool
    message: str
    time: float
    subproblem: str | None = None
    contact: tuple[str, str] | None = None
    residual: float = 0.0

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        return self.message

    @property
    def unfinished(self) -> bool:
        """True for a run that was killed or stopped by Ctrl-C; it can continue."""
        return self.message.startswith(UNFINISHED)

    @property
    def remarks(self) -> list[str]:
        """Remarks of the message, such as steps with a residual above the tolerance."""
        return self.message.split("; ")[1:]


class StepFailed(RuntimeError):
    """A single step that could not be solved; `status` says which part of it and why."""

    def __init__(self, status: Status) -> None:
        super().__init__(status.message)
        self.status = status


class StepRemarks(NamedTuple):
    """Numbers of steps for the remarks on a run that reached its end."""

    capped: int = 0
    relaxed: int = 0
    divided: int = 0
    fast: int = 0  # in which a body moved too far to see all impacts,
    fast_body: str = ""  # and the last of them
    singular: int = 0  # at whose end joints were near a singular position,
    pivot: float = 1.0  # and the smallest of their rows
    missed: int = 0  # with an impact that was not located

    def after(self, before: "StepRemarks") -> "StepRemarks":
        """These, and those of the steps `before`."""
        counts = self.capped + before.capped, self.relaxed + before.relaxed, self.divided + before.divided
        fast = self.fast + before.fast, self.fast_body or before.fast_body
        singular = self.singular + before.singular, min(self.pivot, before.pivot)
        return StepRemarks(*counts, *fast, *singular, self.missed + before.missed)

    def __str__(self) -> str:
        note = ""
        if self.capped:
            note += f"; in {counted(self.capped)} impacts reached their cap, closed without rebound"
            note += " (stats.capped)"
        if self.relaxed:
            note += f"; in {counted(self.relaxed)} a residual stayed above the tolerance (stats.relaxed)"
        if self.divided:
            verb = "was" if self.divided == 1 else "were"
            note += f"; {counted(self.divided)} failed and {verb} taken in parts (stats.divided)"
        if self.fast:
            note += (
                f"; in {counted(self.fast)} a body moved further onto another than the smaller radius, last "
                f"{self.fast_body!r}: impacts may be missed, reduce h (stats.fast)"
            )
        if self.singular:
            note += (
                f"; in {counted(self.singular)} joints were near a singular position, where branches of "
                f"motion meet, smallest pivot {self.pivot:.1e} (stats.singular)"
            )
        if self.missed:
            note += (
                f"; in {counted(self.missed)} impacts were not located and are at the end of the step, as "
                "those of a crowd (stats.located)"
            )
        return note


NONE = StepRemarks()


def counted(steps: int) -> str:
    """A number of steps in words."""
    return f"{steps} step" if steps == 1 else f"{steps} steps"


def finished(
    t: float, steps: int, troubles: StepRemarks = NONE, step: str = "", redundant: str = ""
) -> Status:
    """Status of a run that reached its end; `step`, `redundant`: remarks on it, and on joints."""
    note = str(troubles)
    if redundant:
        note += f"; {redundant}"
    return Status(True, f"finished at t = {t:g} s after {counted(steps)}{step}{note}", t)


def unsound(status: Status, *faults: object | None) -> Status:
    """`status`, or no success with the first of the `faults` that were seen, such as a passage."""
    found = next((text for fault in faults if fault is not None and (text := str(fault))), "")
    if not found or not status.ok:
        return status
    return replace(status, ok=False, message=f"{status.message}; no success: {found}")


def stopped(t: float, steps: int, reason: str) -> Status:
    """Status of a run that was ended by a condition."""
    return Status(True, f"stopped at t = {t:g} s after {counted(steps)} by {reason}", t)


def interrupted(t: float, steps: int, error: BaseException) -> Status:
    """Status of a run that an `error` ended, Ctrl-C and lack of memory included."""
    where = f"at t = {t:g} s after {counted(steps)}"
    if isinstance(error, MemoryError):
        remedy = "record more rarely, Recording(every=...), or into a file, Recording(file=...)"
        return Status(False, f"out of memory {where}; {remedy}", t)
    text = " ".join(str(error).split())
    name = type(error).__name__
    return Status(False, f"interrupted by {name} {where}{': ' if text else ''}{text}", t)


def failed(code: int, t: float, contact: tuple[str, str] | None, residual: float, reason: str = "") -> Status:
    """Status of a step to `t` [s] that ended with `code`, by default with its `reason`."""
    where = f"at t = {t:g} s: "
    between = f" between {contact[0]!r} and {contact[1]!r}" if contact else ""
    if reason:
        text = reason
    elif code == SMOOTH:
        text = "the smooth motion did not converge; reduce h"
    elif code == OUT_OF_REACH:
        text = "a body moves further in one step than the broad phase can look; reduce h"
    elif code == FULL:
        text = (
            f"more features{between} may touch than a pair of shapes has slots for; divide the shape into "
            "parts of its body, or give it fewer and larger faces"
        )
    elif code == NOT_FINITE:
        text = (
            "a velocity, position or rotation is not finite; reduce h, check the loads, the initial state, "
            "and springs whose ends meet"
        )
    else:
        text = (
            f"the {_SUBPROBLEM[code]} did not converge (residual {residual:.1e}), worst contact{between}; "
            "reduce h or relax tol"
        )
    return Status(False, where + text, t, _SUBPROBLEM[code], contact, residual)


def outcome(status: Status) -> str:
    """The one of OUTCOMES of a run; a good end with remarks is "noted"."""
    return "FAILED" if not status.ok else "noted" if status.remarks else "ok"
