"""Motion from impact to impact: every piece between events is smooth and integrated to 1e-12.

Pieces are integrated by the explicit Runge-Kutta method of order 8 (DOP853). They end where a gap closes,
where sliding ceases, or where the contacts no longer push as assumed (`loads.Mode`); that instant is found
to rounding. Where a gap closes, the sequence of impacts of all touching contacts follows (`percussions`),
without loads.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from scipy.integrate import DOP853
from scipy.optimize import brentq

from verification.impact_reference.loads import Mode, accelerations, solve_loads
from verification.impact_reference.percussions import percussions
from verification.impact_reference.scene import Scene, State

TOUCH = 1e-9  # [m] closer balls touch
CLOSED = 1e-9  # [m/s] touching contacts that open more slowly stay together
OVERLAP = 1e-13  # [m] rounding of a gap
SAMPLES = 9  # of the gaps in a piece's steps
RTOL, ATOL = 1e-12, 1e-14
SAME = 1e-10  # accelerations that differ by less, relative to the largest and to 1 m/s^2, are the same
EVENTS = MOST = 100_000
THETA = 1e-3  # of the reference values; __main__.py shows their dependence on it

Floats = np.ndarray


@dataclass(frozen=True, slots=True)
class Event:
    """An impact: velocities (N, 3) before and after, and the active contacts of its passes."""

    t: float
    before: State
    after: State
    passes: list[list[int]]


@dataclass(frozen=True, slots=True)
class Piece:
    """Begin of a smooth piece: its state, and the accelerations (N, 3) [m/s^2] there."""

    state: State
    acceleration: Floats


@dataclass(slots=True)
class Motion:
    """Events of the motion: impacts, and smooth pieces."""

    state: State
    impacts: list[Event] = field(default_factory=list)
    pieces: list[Piece] = field(default_factory=list)


def follow(
    scene: Scene,
    t_end: float,
    *,
    state: State | None = None,
    theta: float = THETA,
    longest: float = np.inf,
    most: int = MOST,
) -> Motion:
    """Follow `scene` to `t_end` [s], or through `most` instants with impacts.

    theta: slowest approach that counts as an impact together with the fastest, over that.
    longest: step [s] within which gaps change little enough to be seen by SAMPLES samples.
    Raises ArithmeticError if the events do not end, or a contact problem is not solved.
    """
    motion = Motion(scene.start if state is None else state)
    for _ in range(EVENTS):
        strike(scene, motion, theta)
        mode = begin_piece(scene, motion)
        if motion.state.t >= t_end or len(motion.impacts) >= most:
            return motion
        motion.state = glide(scene, motion.state, mode, t_end, longest)
    raise ArithmeticError(f"more than {EVENTS} events until t = {motion.state.t:g} s")


def strike(scene: Scene, motion: Motion, theta: float) -> None:
    """The impacts of the present instant, if there are any."""
    state = motion.state
    touching = [int(k) for k in np.flatnonzero(scene.gaps(state.x) <= TOUCH)]
    done = percussions(scene, state, touching, theta)
    if done.passes:
        motion.impacts.append(Event(state.t, state, done.state, done.passes))
        motion.state = done.state


def begin_piece(scene: Scene, motion: Motion) -> Mode:
    """The mode of the contacts of the piece that begins now."""
    state = motion.state
    near = np.flatnonzero(scene.gaps(state.x) <= TOUCH)
    closed = [int(k) for k in near if abs(scene.closing(int(k), state)) <= CLOSED]
    a, mode = solve_loads(scene, state, closed)
    motion.pieces.append(Piece(state, a.reshape(-1, 2, 3)[:, 0]))
    return mode


def glide(scene: Scene, state: State, mode: Mode, t_end: float, longest: float) -> State:
    """The end of the smooth piece from `state` on, at `t_end` or before."""
    open_ = np.setdiff1d(np.arange(len(scene.gaps(state.x))), mode.contacts)
    accuracy = {"max_step": longest, "rtol": RTOL, "atol": ATOL}

    def rates(t: float, y: Floats) -> Floats:
        return derivative(scene, unpack(t, y), mode)

    solver = DOP853(rates, state.t, pack(state), t_end, **accuracy)
    while solver.status == "running":
        solver.step()
        if solver.status == "failed":
            raise ArithmeticError(f"the motion cannot be integrated at t = {solver.t:g} s")
        between = solver.dense_output()

        def at(t: float, between: Callable[[float], Floats] = between) -> State:
            return unpack(t, between(t))

        ends = [first_contact(scene, at, solver.t_old, solver.t, open_)]
        ends.append(first_stop(scene, at, solver.t_old, solver.t, mode))
        end = min(ends)
        until = min(end, solver.t)
        if not lasts(scene, at(until), mode):
            end = last_good(scene, at, solver.t_old, until, mode)
        if end < np.inf:
            return at(end)
    return unpack(solver.t, solver.y)


def derivative(scene: Scene, state: State, mode: Mode) -> Floats:
    """Time derivative of `pack`."""
    a = accelerations(scene, state, mode).reshape(-1, 2, 3)
    return np.concatenate([state.v, a[:, 0], a[:, 1]]).ravel()


def pack(state: State) -> Floats:
    """Positions, velocities and spins in one vector (9 N,)."""
    return np.concatenate([state.x, state.v, state.w]).ravel()


def unpack(t: float, y: Floats) -> State:
    """The state at `t` of a vector (9 N,)."""
    x, v, w = y.reshape(3, -1, 3)
    return State(float(t), x, v, w)


def first_contact(scene: Scene, at: Callable[[float], State], t0: float, t1: float, open_: Floats) -> float:
    """First instant in (t0, t1] at which a gap of `open_` closes; inf if none does."""
    times = np.linspace(t0, t1, SAMPLES)
    gaps = scene.gaps(np.stack([at(t).x for t in times]))[:, open_]
    first = np.inf
    for column, k in enumerate(open_):
        below = np.flatnonzero(gaps[1:, column] < -OVERLAP)
        if below.size == 0:
            continue
        low, high = times[below[0]], times[below[0] + 1]
        if gaps[below[0], column] <= 0.0:  # touching; it may open before it closes
            if scene.closing(k, at(low)) <= 0.0:
                return float(max(low, np.nextafter(t0, t1)))
            low = brentq(lambda t, k=k: scene.closing(k, at(t)), low, high, xtol=1e-16, rtol=1e-15)
        if scene.gaps(at(low).x)[k] > 0.0:
            low = brentq(lambda t, k=k: scene.gaps(at(t).x)[k], low, high, xtol=1e-16, rtol=1e-15)
        first = min(first, low)
    return float(first)


def first_stop(scene: Scene, at: Callable[[float], State], t0: float, t1: float, mode: Mode) -> float:
    """First instant in (t0, t1] at which a sliding contact stops, or inf."""
    first = np.inf
    for k, begun in zip(mode.contacts, mode.slip, strict=True):
        if begun is None:
            continue

        def along(t: float, k: int = k, begun: Floats = begun) -> float:
            return float(scene.slip(k, at(t)) @ begun)

        if along(t1) < 0.0:
            start = along(t0)
            first = min(first, t0 if start <= 0.0 else brentq(along, t0, t1, xtol=1e-16, rtol=1e-15))
    return float(first)


def lasts(scene: Scene, state: State, mode: Mode) -> bool:
    """True if the contacts of `mode` push as assumed: the complete problem has the same accelerations."""
    if not mode.contacts:
        return True
    wanted, _ = solve_loads(scene, state, mode.contacts)
    ours = accelerations(scene, state, mode)
    return bool(np.abs(wanted - ours).max() <= SAME * (1.0 + np.abs(wanted).max()))


def last_good(scene: Scene, at: Callable[[float], State], t0: float, t1: float, mode: Mode) -> float:
    """Last instant at which `mode` lasts, by bisection."""
    while t1 - t0 > 1e-15 * max(1.0, abs(t1)):
        middle = 0.5 * (t0 + t1)
        if middle in (t0, t1):
            break
        t0, t1 = (middle, t1) if lasts(scene, at(middle), mode) else (t0, middle)
    return t1
