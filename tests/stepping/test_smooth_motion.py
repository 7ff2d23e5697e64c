"""Euler's equations: the tangent of the scheme against differences of the residual."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from nsgalpha.schemes.scheme_settings import GeneralizedAlpha
from nsgalpha.stepping import smooth_motion
from tests.kernel_calls import returning

residual = returning(smooth_motion.euler_residual, 3)
tangent = returning(smooth_motion.euler_tangent, 3, 3)


def random_tensor(rng):
    points = rng.normal(size=(5, 3))
    second = points.T @ points
    return np.trace(second) * np.eye(3) - second


@given(seed=st.integers(0, 10**6))
def test_residual_is_eulers_equation(seed):
    rng = np.random.default_rng(seed)
    J, rate, W, torque = random_tensor(rng), *rng.normal(size=(3, 3))
    expected = J @ rate + np.cross(W, J @ W) - torque
    assert np.abs(residual(J, rate, W, torque) - expected).max() < 1e-13


@given(seed=st.integers(0, 10**6))
def test_tangent_is_the_derivative_of_the_residual_along_the_scheme(seed):
    """W and the rotation follow the rate: W = W0 + fv dW, R = R0 exp(fq dW), torque inertial."""
    rng = np.random.default_rng(seed)
    J, W, torque, direction = random_tensor(rng), *rng.normal(size=(3, 3))
    factor_v, factor_q = rng.uniform(0.01, 1.0, 2)
    R = Rotation.random(None, rng)

    def along(s):
        # the Newton iteration keeps the increment in the tangent space at the present rotation
        turned = (R * Rotation.from_rotvec(s * factor_q * direction)).inv().apply(torque)
        return residual(J, s * direction, W + s * factor_v * direction, turned)

    eps = 1e-5
    difference = (along(eps) - along(-eps)) / (2.0 * eps)
    exact = tangent(J, W, factor_v, R.inv().apply(torque), factor_q) @ direction
    assert np.abs(difference - exact).max() < 2e-8


@pytest.mark.parametrize("rho_inf", [0.0, 0.3, 0.8, 1.0])
def test_coefficients_are_those_of_chung_and_hulbert(rho_inf):
    s = GeneralizedAlpha(rho_inf)
    assert s.alpha_m == pytest.approx((2 * rho_inf - 1) / (rho_inf + 1), abs=1e-16)
    assert s.alpha_f == pytest.approx(rho_inf / (rho_inf + 1), abs=1e-16)
    assert s.gamma == pytest.approx(0.5 + s.alpha_f - s.alpha_m, abs=1e-16)  # second order
    assert s.beta == pytest.approx(0.25 * (1 - s.alpha_m + s.alpha_f) ** 2, abs=1e-15)  # dissipation


@pytest.mark.parametrize("rho_inf", [0.0, 0.3, 0.8, 1.0])
def test_the_spectral_radius_at_high_frequency_is_rho(rho_inf):
    am, af, gamma, beta = GeneralizedAlpha(rho_inf).coefficients
    # x'' = -w2 x with h = 1 and w2 very large; unknowns x, v, a (auxiliary) of the paper's scheme
    w2 = 1e9
    # (1-am) a1 + am a0 = -(1-af) w2 x1 - af w2 x0
    new = np.array([[1, 0, -beta], [0, 1, -gamma], [(1 - af) * w2, 0, 1 - am]])
    old = np.array([[1, 1, 0.5 - beta], [0, 1, 1 - gamma], [-af * w2, 0, -am]])
    radius = np.abs(np.linalg.eigvals(np.linalg.solve(new, old))).max()
    assert radius == pytest.approx(rho_inf, abs=2e-2 if rho_inf == 0.0 else 2e-3)
