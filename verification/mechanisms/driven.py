"""Driven mechanisms: torque of a crank at constant rate, and a swinging gear train."""

import numpy as np

import nsgalpha as ns
from elements import Drive, Gear, Prismatic, Revolute
from verification.mechanisms import reference
from verification.mechanisms.models import DOWN, Z
from verification.mechanisms.smooth import Measured, Mechanism, Values, at, study
from verification.outcome import Row

RATIOS = (-3.0, -2.5)  # of the train, from the arm on
WHEELS = (0.05, 0.02)  # inertias of the wheels [kg m2]
ARM, LENGTH, INERTIA = 1.0, 0.5, 0.25 + 1 / 12  # [kg], [m] to the centre, [kg m2] about the hinge
TIMES = (0.5, 1.0, 1.5, 2.0)


def slider_crank() -> ns.Model:
    """A crank that turns at a constant rate, flat at the start."""
    p = reference.case("driven_slider_crank")["params"]
    one, two, rate = p["l1"], p["l2"], p["omega"]
    model = ns.Model(gravity=(0, -p["g"], 0))
    crank = model.add_body(
        mass=p["m1"],
        inertia=(p["J1"],) * 3,
        position=(one / 2, 0, 0),
        velocity=(0, rate * one / 2, 0),
        angular_velocity=(0, 0, rate),
    )
    rod = model.add_body(
        mass=p["m2"],
        inertia=(p["J2"],) * 3,
        position=(one + two / 2, 0, 0),
        velocity=(0, rate * one / 2, 0),
        angular_velocity=(0, 0, -rate * one / two),
    )
    slider = model.add_body(mass=p["m3"], inertia=(1e-4,) * 3, position=(one + two, 0, 0))
    shaft = model.add(Revolute(None, crank, point=(0, 0, 0), axis=Z, name="shaft"))
    model.add(Revolute(crank, rod, point=(one, 0, 0), axis=Z))
    model.add(Revolute(rod, slider, point=(one + two, 0, 0), axis=Z))
    model.add(Prismatic(None, slider, point=(one + two, 0, 0), axis=(1, 0, 0), name="rail"))
    model.add(Drive(shaft, rate=rate, name="motor"))
    return model


def _slider_crank() -> Mechanism:
    given = reference.case("driven_slider_crank")["rows"]
    times = [row["t"] for row in given]

    def measure(result: ns.Result) -> Values:
        k = at(result, times)
        return {
            "position": result.position[k, 2, 0],
            "velocity": result.velocity[k, 2, 0],
            "reaction": result.effort("motor").value[k],
        }

    names = {"position": "slider_x", "velocity": "slider_v", "reaction": "motor_torque"}
    return Mechanism(
        "driven slider-crank",
        slider_crank,
        0.02,
        (1e-4, 5e-5, 2.5e-5),
        measure,
        {name: np.array([row[theirs] for row in given]) for name, theirs in names.items()},
        {"position": ("m", 1e-11), "velocity": ("m/s", 1e-9), "reaction": ("N m", 2e-3)},
        0.459,
        "closed form of the kinematics; torque by the energy (reference.json)",
    )


def gear_train() -> ns.Model:
    """An arm that swings and turns two wheels behind it, 3 and 7.5 times as fast."""
    model = ns.Model(gravity=DOWN)
    arm = model.add_body(mass=ARM, inertia=(0.1, 0.1, INERTIA - 0.25), position=(LENGTH, 0, 0))
    names = ["arm"]
    model.add(Revolute(None, arm, point=(0, 0, 0), axis=Z, name="arm"))
    for k, (ratio, inertia) in enumerate(zip(RATIOS, WHEELS, strict=True)):
        place = (0.3 * k + 0.2, 0, 0.3)
        wheel = model.add_body(mass=1.0, inertia=(1, 1, inertia), position=place)
        model.add(Revolute(None, wheel, point=place, axis=Z, name=f"wheel {k}"))
        model.add(Gear(names[-1], f"wheel {k}", ratio=ratio, name=f"mesh {k}"))
        names.append(f"wheel {k}")
    return model


def _gear_train() -> Mechanism:
    speeds = np.cumprod(RATIOS)
    total = INERTIA + float(np.sum(speeds**2 * WHEELS))
    angle, rate = reference.compound_pendulum(np.array(TIMES), LENGTH, total, 9.81)  # below the horizontal
    acceleration = -9.81 * LENGTH * np.cos(angle) / total

    def measure(result: ns.Result) -> Values:
        k = at(result, TIMES)
        turned = [result.coordinate(name) for name in ("arm", "wheel 0", "wheel 1")]
        return {
            "position": np.array([each.value[k] for each in turned]),
            "velocity": np.array([each.rate[k] for each in turned]),
            "reaction": result.effort("mesh 1").value[k],
        }

    ratios = np.array([1.0, *speeds])[:, None]
    return Mechanism(
        "train of gears",
        gear_train,
        2.0,
        (4e-3, 2e-3, 1e-3),
        measure,
        {
            "position": -ratios * angle,
            "velocity": -ratios * rate,
            "reaction": WHEELS[1] * speeds[1] * acceleration,
        },
        {"position": ("rad", 1e-4), "velocity": ("rad/s", 1e-4), "reaction": ("N m", 1e-4)},
        1.0,
        "ordinary differential equation with the reduced inertia",
    )


def run_all() -> tuple[list[Row], list[Measured]]:
    """Both mechanisms; positions and velocities of the slider-crank are exact and have no order."""
    found = [study(make()) for make in (_slider_crank, _gear_train)]
    exact = {f"driven slider-crank: order, {name}" for name in ("position", "velocity")}
    rows = [row for rows, _ in found for row in rows if row.quantity not in exact]
    return rows, [measured for _, measured in found]
