"""A free body with three different moments of inertia, after Euler and Jacobi.

J dW/dt + W x J W = 0 in the body frame, J_1 < J_2 < J_3. With the energy T and the squared angular
momentum L2, for L2 > 2 T J_2 and W_2(0) = 0 the solution is (Landau, Lifshitz, Mechanics, section 37)

    W = (A_1 cn, A_2 sn, A_3 dn)(tau | m),    tau = t sqrt((J_3 - J_2)(L2 - 2 T J_1) / (J_1 J_2 J_3)),
    A_1^2 = (2 T J_3 - L2) / (J_1 (J_3 - J_1)),    A_2^2 = (2 T J_3 - L2) / (J_2 (J_3 - J_2)),
    A_3^2 = (L2 - 2 T J_1) / (J_3 (J_3 - J_1)),
    m = (J_2 - J_1)(2 T J_3 - L2) / ((J_3 - J_2)(L2 - 2 T J_1)).

Energy and the inertial angular momentum are constant; the scheme conserves them to second order in h.
"""

import numpy as np
from scipy.special import ellipj

import nsgalpha as ns
from nsgalpha.arrays import turned_back
from verification.outcome import Outcome, bound_row, component_rows
from verification.run import effort, simulate

INERTIA = np.array([0.02, 0.03, 0.04])  # [kg m^2]
SPIN = np.array([4.0, 0.0, 10.0])  # [rad/s] at the start, body frame = inertial frame
T_END = 2.0  # [s]
H = 1e-3  # [s]
SECOND_ORDER = 5e-4  # [rad/s]
PROVENANCE = "Euler's equations, Jacobi's elliptic functions (analytic/top.py)"


def body_rate(t: np.ndarray | float) -> np.ndarray:
    """Angular velocity (..., 3) [rad/s] in the body frame at the times `t` (...) [s]."""
    j1, j2, j3 = INERTIA
    twice_energy = float(INERTIA @ SPIN**2)
    momentum = float(INERTIA**2 @ SPIN**2)
    low, high = momentum - twice_energy * j1, twice_energy * j3 - momentum
    tau = np.asarray(t) * np.sqrt((j3 - j2) * low / (j1 * j2 * j3))
    m = (j2 - j1) * high / ((j3 - j2) * low)
    sn, cn, dn, _ = ellipj(tau, m)
    a1, a2, a3 = np.sqrt([high / (j1 * (j3 - j1)), high / (j2 * (j3 - j2)), low / (j3 * (j3 - j1))])
    return np.stack([a1 * cn, a2 * sn, a3 * dn], axis=-1)


def build() -> ns.Model:
    """The body; its surface plays no part."""
    model = ns.Model()
    model.add_sphere(radius=0.2, mass=1.0, position=(0.0, 0.0, 0.0), angular_velocity=SPIN, inertia=INERTIA)
    return model


def rate_error(result: ns.Result) -> float:
    """Largest error of the angular velocity [rad/s] over the run."""
    ours = turned_back(result.rotation[:, 0], result.angular_velocity[:, 0])
    return float(np.abs(ours - body_rate(result.t)).max())


def run() -> Outcome:
    """2 s at h = 1e-3 s."""
    result = simulate(build(), t_end=T_END, h=H)
    energy, spin = result.energy("kinetic"), result.angular_momentum()[:, 0]
    energy_drift = np.abs(energy / energy[0] - 1.0).max()
    momentum_drift = np.linalg.norm(spin - spin[0], axis=1).max() / np.linalg.norm(spin[0])
    final = turned_back(result.rotation[-1, 0], result.angular_velocity[-1, 0])
    names = [f"body rate {i + 1} at 2 s" for i in range(3)]
    rows = [
        *component_rows("free top", names, "rad/s", body_rate(T_END), final, SECOND_ORDER, PROVENANCE),
        bound_row("free top: relative drift of the energy", "-", energy_drift, 5e-6, PROVENANCE),
        bound_row("free top: relative drift of the momentum", "-", momentum_drift, 1e-5, PROVENANCE),
    ]
    return Outcome(rows=rows, efforts=[effort("free top", result)])
