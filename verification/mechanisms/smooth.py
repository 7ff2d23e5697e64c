"""Order and error of positions, velocities and reactions of the mechanisms without contact."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

import nsgalpha as ns
from nsgalpha.arrays import Floats
from verification.mechanisms import andrews, models, reference
from verification.mechanisms.rows import reaction, violation
from verification.outcome import Row, bound_row
from verification.phases import fitted_order
from verification.run import simulate

HELD = 1e-12  # of the size, and of the largest speed
CHANGE = "change from one step to its half"
ORDER = "generalized-alpha with joints at both levels"

Values = dict[str, Floats]  # position, velocity, reaction


@dataclass(frozen=True, slots=True)
class Mechanism:
    """A mechanism, how it is run and measured.

    measure: of a run, at the times of the reference; exact: the same, where it is known.
    errors: units and largest accepted errors with the shortest step.
    size: [m], of the mechanism, which a violation is compared with.
    """

    title: str
    build: Callable[[], ns.Model]
    t_end: float
    steps: Sequence[float]
    measure: Callable[[ns.Result], Values]
    exact: Values
    errors: dict[str, tuple[str, float]]
    size: float
    source: str


@dataclass(frozen=True, slots=True)
class Measured:
    """Errors over the steps of a mechanism, or changes where no value is known."""

    title: str
    steps: Sequence[float]
    errors: dict[str, list[float]]
    known: set[str]

    def order(self, name: str) -> float:
        """Order to which the errors of a quantity fit."""
        errors = self.errors[name]
        return fitted_order(self.steps[: len(errors)], errors)


def at(result: ns.Result, times: Sequence[float]) -> list[int]:
    """Indices of recorded states at `times`."""
    return [int(np.abs(result.t - t).argmin()) for t in times]


def _pendulum() -> Mechanism:
    given = reference.case("A01_simple_pendulum")
    x, y = np.array(given["x"]), np.array(given["y"])

    def measure(result: ns.Result) -> Values:
        k = at(result, given["t"])
        force = np.linalg.norm(reaction(result, 0)[k, :3], axis=1)
        speed = np.linalg.norm(result.velocity[k, 0], axis=1)
        return {"position": result.position[k, 0, :2], "velocity": speed, "reaction": force}

    return Mechanism(
        "simple pendulum",
        models.pendulum,
        10.0,
        (2e-3, 1e-3, 5e-4),
        measure,
        {"position": np.stack([x, y], axis=1), "velocity": np.sqrt(-2 * 9.81 * y), "reaction": -3 * 9.81 * y},
        {"position": ("m", 1e-4), "velocity": ("m/s", 2e-4), "reaction": ("N", 2e-3)},
        1.0,
        "elliptic integrals (reference.json); energy",
    )


def _four_bar() -> Mechanism:
    given = reference.case("A02_four_bar_N2")

    def measure(result: ns.Result) -> Values:
        k = at(result, given["t"])
        return {
            "position": 2.0 * result.position[k, 0, :2],
            "velocity": 2.0 * result.velocity[k, 0, :2],
            "reaction": np.array([reaction(result, j)[k, :2] for j in range(3)]),
        }

    exact = {
        name: np.stack([given[f"B0_{kind}x"], given[f"B0_{kind}y"]], axis=1)
        for name, kind in (("position", ""), ("velocity", "v"))
    }
    return Mechanism(
        "four-bar A02 through singular positions",
        models.four_bar,
        10.0,
        (2e-3, 1e-3, 5e-4),
        measure,
        exact,
        {"position": ("m", 3e-5), "velocity": ("m/s", 2e-4), "reaction": ("N", 1.0)},
        1.0,
        "ordinary differential equation in the crank angle (reference.json)",
    )


def _heavy_top() -> Mechanism:
    given = reference.case("heavy_top")["values"]

    def measure(result: ns.Result) -> Values:
        k = at(result, [value["t"] for value in given])
        return {
            "position": result.position[k, 0],
            "velocity": result.velocity[k, 0],
            "reaction": reaction(result, 0, side=0)[k, :3],
        }

    names = {"position": "position", "velocity": "velocity", "reaction": "reaction_on_top_N"}
    return Mechanism(
        "heavy top",
        models.heavy_top,
        2.0,
        (2.5e-4, 1.25e-4, 6.25e-5),
        measure,
        {name: np.array([value[theirs] for value in given]) for name, theirs in names.items()},
        {"position": ("m", 2e-4), "velocity": ("m/s", 2e-3), "reaction": ("N", 0.2)},
        1.0,
        "ordinary differential equation (reference.json)",
    )


def _slider() -> Mechanism:
    given = reference.case("slider_pendulum_chrono")

    def measure(result: ns.Result) -> Values:
        k = at(result, given["t"])
        turn = 2.0 * np.arctan2(result.rotation[k, 1, 3], result.rotation[k, 1, 0])
        return {
            "position": np.stack([result.position[k, 0, 0], turn], axis=1),
            "velocity": np.stack([result.velocity[k, 0, 0], result.angular_velocity[k, 1, 2]], axis=1),
            "reaction": reaction(result, 1)[k, :2],
        }

    return Mechanism(
        "slider with pendulum",
        models.slider_pendulum,
        5.0,
        (4e-3, 2e-3, 1e-3),
        measure,
        {"position": np.stack([given["slider_x"], given["phi"]], axis=1)},
        {"position": ("m, rad", 2e-5), "velocity": ("m/s", 1.0), "reaction": ("N", 1.0)},
        0.5,
        "ordinary differential equation in two coordinates (reference.json)",
    )


def _andrews() -> Mechanism:
    given = reference.case("A03_andrews")
    turned = andrews.angles(given["q"]) - andrews.angles(given["q0"])

    def measure(result: ns.Result) -> Values:
        half = np.arctan2(result.rotation[..., 3], result.rotation[..., 0])
        turn = 2.0 * np.unwrap(half, axis=0, period=np.pi)[-1]
        return {
            "position": turn,
            "velocity": result.angular_velocity[-1, :, 2],
            "reaction": np.array([reaction(result, j)[-1, :2] for j in range(10)]),
        }

    return Mechanism(
        "squeezer of Andrews A03",
        andrews.build,
        0.03,
        (2e-5, 1e-5, 5e-6),
        measure,
        {"position": turned, "velocity": andrews.angles(given["qd"])},
        {"position": ("rad", 1e-4), "velocity": ("rad/s", 5e-2), "reaction": ("N", 1.0)},
        0.05,
        "Test Set for IVP Solvers, PSIDE at 1e-14 (reference.json)",
    )


def _bricard() -> Mechanism:
    given = reference.case("A04_bricard")

    def measure(result: ns.Result) -> Values:
        x, v = models.far_ends(result)
        forces = np.array([reaction(result, j)[-1, :3] for j in range(6)])
        return {"position": x, "velocity": v, "reaction": forces}

    exact = {
        name: np.array([given[theirs][f"rod{k}"] for k in (1, 2, 3)])
        for name, theirs in (("position", "ends"), ("velocity", "velocities"))
    }
    return Mechanism(
        "ring of Bricard A04",
        models.bricard,
        1.0,
        (8e-3, 4e-3, 2e-3),
        measure,
        exact,
        {"position": ("m", 5e-6), "velocity": ("m/s", 2e-5), "reaction": ("N", 1.0)},
        1.0,
        "Exudyn 1.13.6, extrapolated (reference.json)",
    )


MECHANISMS = (_pendulum, _four_bar, _heavy_top, _slider, _andrews, _bricard)


def study(mechanism: Mechanism) -> tuple[list[Row], Measured]:
    """Run a mechanism with all its steps."""
    m = mechanism
    runs = [simulate(m.build(), t_end=m.t_end, h=h) for h in m.steps]
    values = [m.measure(run) for run in runs]
    errors = {}
    for name in m.errors:
        ours = [value[name] for value in values]
        if name in m.exact:
            errors[name] = [float(np.abs(each - m.exact[name]).max()) for each in ours]
        else:
            errors[name] = [float(np.abs(one - two).max()) for one, two in pairwise(ours)]
    measured = Measured(m.title, m.steps, errors, set(m.exact))
    rows = []
    for name, (unit, tolerance) in m.errors.items():
        if name in m.exact:
            what = f"{m.title}: {name}, h {m.steps[-1]:g}"
            rows.append(bound_row(what, unit, errors[name][-1], tolerance, m.source))
        source = m.source if name in m.exact else CHANGE
        rows.append(Row(f"{m.title}: order, {name}", "-", 2.0, measured.order(name), 0.1, source))
    g, rate = np.max([violation(run) for run in runs], axis=0)
    speed = max(np.abs(run.velocity).max() for run in runs)
    return rows + held_rows(m.title, g / m.size, rate / speed), measured


def held_rows(title: str, g: float, rate: float) -> list[Row]:
    """Violations of joints, over the size, and their rates, over the speed."""
    what = {f"{title}: joints open, over the size": g, f"{title}: joints open, rate over the speed": rate}
    return [bound_row(name, "-", value, HELD, "rounding") for name, value in what.items()]


def run_all() -> tuple[list[Row], list[Measured]]:
    """All mechanisms."""
    found = [study(make()) for make in MECHANISMS]
    return [row for rows, _ in found for row in rows], [measured for _, measured in found]
