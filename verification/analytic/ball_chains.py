"""Balls that touch: Newton's cradle, one ball onto two, the break without friction.

Two equal balls: v_1' = (1-e)/2 v_1 + (1+e)/2 v_2, v_2' the other way round. A cradle is a sequence of such
impacts, nearest pair after nearest pair, until none approaches; e = 1 hands the speed to the last ball.

One ball with speed v strikes two that touch each other, both under 30 deg, c = cos 30. Equal impulses P on
both contacts close and reopen the speed v c. The rate of separation is P/m (2 + cos 60) = 5/2 P/m, so P = 2/5
(1+e) m v c and

    v_0' = v (1 - 3/5 (1+e)),    v_1,2' = 2/5 (1+e) v c (c, +-1/2).

Break: the cue ball gives (1+e)/2 to the apex ball. The apex ball strikes the two behind it and comes back to
meet the cue ball a second time.
"""

import numpy as np

import nsgalpha as ns
from elements import SphereSphere
from verification.balls import RADIUS, add_ball, billiard_model
from verification.outcome import Outcome, component_rows
from verification.run import effort, simulate

E_N = 0.93
C = np.sqrt(0.75)  # cosine of 30 deg
TWO = [(float(C), 0.5), (float(C), -0.5)]  # [diameters] two balls behind one at the origin
NAMES = ("cue", "apex", "left", "right")
H = 1e-6  # [s]
EXACT = 1e-12  # [m/s] collinear impacts: no step in them
FIRST_ORDER = 0.5 * H / (2.0 * RADIUS)  # [m/s] the overlap h v of the first step turns the lines of centres
PROVENANCE = "closed form (analytic/ball_chains.py)"

Places = list[tuple[float, float]]


def pair(v_1: float, v_2: float, e_n: float) -> tuple[float, float]:
    """Velocities of two equal balls after their impact."""
    mean, half = 0.5 * (v_1 + v_2), 0.5 * e_n * (v_1 - v_2)
    return mean - half, mean + half


def cradle(count: int, e_n: float) -> np.ndarray:
    """Velocities (count,) after a ball of unit speed has struck the chain, pair by pair."""
    v = np.zeros(count)
    v[0] = 1.0
    while (approach := np.flatnonzero(v[:-1] - v[1:] > 1e-14)).size:
        i = approach[0]
        v[i], v[i + 1] = pair(v[i], v[i + 1], e_n)
    return v


def one_onto_two(e_n: float) -> np.ndarray:
    """Velocities (3, 2) after a ball with unit speed has struck two."""
    p = 0.4 * (1.0 + e_n) * C
    return np.array([[1.0 - 2.0 * p * C, 0.0], [p * C, 0.5 * p], [p * C, -0.5 * p]])


def frictionless_break(e_n: float) -> np.ndarray:
    """Velocities (4, 2) of cue, apex, left, right ball after a break with unit speed."""
    cue, apex = pair(1.0, 0.0, e_n)
    back = apex * one_onto_two(e_n)
    cue, apex = pair(cue, back[0, 0], e_n)
    return np.array([[cue, 0.0], [apex, 0.0], back[1], back[2]])


def build(places: Places, e_n: float) -> ns.Model:
    """Touching balls at `places` [diameters], no friction, no gravity; the first moves along x at 1 m/s."""
    model = billiard_model(gravity=0.0)
    for i, place in enumerate(places):
        add_ball(model, 2.0 * RADIUS * np.array(place), velocity=(1.0 if i == 0 else 0.0, 0.0, 0.0))
    model.add(SphereSphere(among=model.spheres, e_n=e_n))
    return model


def row_of_balls(count: int) -> Places:
    """A straight chain along x."""
    return [(float(i), 0.0) for i in range(count)]


def strike(places: Places, e_n: float) -> tuple[np.ndarray, ns.Result]:
    """Velocities (balls, 2) [m/s] after the impacts, and the run."""
    result = simulate(build(places, e_n), t_end=4.0 * H, h=H)
    return result.velocity[-1, :, :2], result


def run() -> Outcome:
    """Cradles of 3, 5 and 20 balls, one ball onto two, the frictionless break."""
    rows, results = [], []
    for count, e_n in ((3, 1.0), (5, 1.0), (20, 1.0), (3, E_N)):
        ours, result = strike(row_of_balls(count), e_n)
        results.append(result)
        names = [f"ball {i + 1}" for i in range(count)]
        expected = cradle(count, e_n)
        title = f"cradle of {count}, e_n {e_n:g}"
        rows += component_rows(title, names, "m/s", expected, ours[:, 0], EXACT, PROVENANCE)
    for label, ahead, expected, balls in (
        ("one ball onto two", row_of_balls(1), one_onto_two(E_N), ("striker", "left", "right")),
        ("frictionless break", [(-1.0, 0.0), (0.0, 0.0)], frictionless_break(E_N), NAMES),
    ):
        ours, result = strike([*ahead, *TWO], E_N)
        results.append(result)
        names = [f"{ball} v_{axis}" for ball in balls for axis in "xy"]
        title = f"{label}, e_n {E_N:g}"
        rows += component_rows(title, names, "m/s", expected, ours, FIRST_ORDER, PROVENANCE)
    return Outcome(rows=rows, efforts=[effort("touching balls", *results)])
