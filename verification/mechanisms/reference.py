"""Numbers of other programs and solutions, from reference.json; its `provenance` says whence."""

from functools import partial
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

from nsgalpha.arrays import Floats
from verification.recorded import recorded

data = partial(recorded, __file__)
TOLERANCE = 1e-12  # of the integration


def case(name: str) -> dict[str, Any]:
    """One of the mechanisms."""
    found: dict[str, Any] = data()["cases"][name]
    return found


def adams(name: str) -> dict[str, Any]:
    """One of the models computed with ADAMS."""
    found: dict[str, Any] = data()["adams"][name]
    return found


def compound_pendulum(times: Floats, length: float, inertia: float, gravity: float) -> tuple[Floats, Floats]:
    """Angle below the horizontal [rad] and rate at `times` of 1 kg at `length` [m], which begins there.

    inertia: about the hinge [kg m2].
    """

    def rate(_: float, y: Floats) -> list[float]:
        return [y[1], gravity * length * np.cos(y[0]) / inertia]

    found = solve_ivp(rate, (0.0, times[-1]), [0.0, 0.0], "DOP853", times, rtol=TOLERANCE, atol=TOLERANCE)
    return found.y[0], found.y[1]


def on_a_rod(name: str, axis: Floats | None = None) -> tuple[Floats, Floats]:
    """Positions (n, 3) and ground forces (n, 3) of an ADAMS model with one rod.

    It is an ordinary differential equation for the free body. The force of the rod follows from the second
    derivative of its length. Where it must stay in the plane across `axis`, that of its way along it counts,
    too.
    """
    model = adams(name)
    p, times = model["params"], np.array(model["t"])
    mass, inertia, g = p["m"], np.array(p["J_body"]), np.array(p["g"])
    ground, centre = np.array(p["ground_point"], float), np.array(p["body_centre"], float)
    lever = np.array(p["body_point_global"]) - centre

    def forces(y: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        x, q, v, spin = y[:3], y[3:7], y[7:10], y[10:]  # the spin is that in the frame of the body
        R = Rotation.from_quat(q, scalar_first=True).as_matrix()
        w, r = R @ spin, R @ lever
        d, rate = x + r - ground, v + np.cross(w, r)
        rows = [(d, -rate @ rate)] + ([] if axis is None else [(axis, 0.0)])
        G = np.array([np.hstack([n, np.cross(lever, R.T @ n)]) for n, _ in rows])  # torques in the body
        inverse = np.hstack([np.full(3, 1.0 / mass), 1.0 / inertia])
        free = np.hstack([g, -np.cross(spin, inertia * spin) / inertia])
        centripetal = np.cross(w, np.cross(w, r))
        needed = [b - n @ centripetal for n, b in rows] - G @ free
        multipliers = np.linalg.solve(G * inverse @ G.T, needed)
        force = -np.sum([k * n for k, (n, _) in zip(multipliers, rows, strict=True)], axis=0)
        return free + inverse * (G.T @ multipliers), R, w, force

    def change_of(_: float, y: Floats) -> Floats:
        change = forces(y)[0]
        a = y[3:7]
        i, j, k = y[10:]
        turn = 0.5 * np.array(
            [
                -a[1] * i - a[2] * j - a[3] * k,
                a[0] * i + a[2] * k - a[3] * j,
                a[0] * j + a[3] * i - a[1] * k,
                a[0] * k + a[1] * j - a[2] * i,
            ]
        )
        return np.hstack([y[7:10], turn, change])

    start = np.hstack([centre, [1.0, 0.0, 0.0, 0.0], np.zeros(6)])
    found = solve_ivp(change_of, (0.0, times[-1]), start, "DOP853", times, rtol=TOLERANCE, atol=TOLERANCE)
    return found.y[:3].T, np.array([forces(y)[3] for y in found.y.T])
