"""Quaternion kernels against scipy's Rotation."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from nsgalpha.geometry import rotations
from tests.kernel_calls import returning

seeds = st.integers(0, 10**6)


exponential, product = returning(rotations.exponential, 4), returning(rotations.product, 4)
to_inertial, to_body = returning(rotations.to_inertial, 3), returning(rotations.to_body, 3)
matrix, inertial_tensor = returning(rotations.matrix, 3, 3), returning(rotations.inertial_tensor, 3, 3)


def of(q):
    return Rotation.from_quat(np.roll(q, -1))


def random_quaternion(rng):
    q = rng.normal(size=4)
    return q / np.linalg.norm(q)


@given(seed=seeds, exponent=st.floats(-12.0, 0.9))
def test_exponential_of_small_and_large_rotation_vectors(seed, exponent):
    psi = np.random.default_rng(seed).normal(size=3)
    psi *= 10.0**exponent / np.linalg.norm(psi)
    q = exponential(psi)
    expected = np.roll(Rotation.from_rotvec(psi).as_quat(), 1)
    assert np.abs(q - np.sign(q @ expected) * expected).max() < 1e-15
    assert abs(np.linalg.norm(q) - 1.0) < 5e-16
    if exponent < 0.4:  # below pi; small angles keep their relative precision
        angle = 2.0 * np.arctan2(np.linalg.norm(q[1:]), q[0])
        assert abs(angle / np.linalg.norm(psi) - 1.0) < 2e-15


def test_exponential_is_smooth_where_the_series_ends():
    for angle in (0.999999e-4, 1.000001e-4):
        q = exponential(np.array([angle, 0.0, 0.0]))
        assert abs(q[1] - np.sin(angle / 2)) < 1e-20
        assert abs(q[0] - np.cos(angle / 2)) < 2e-16


@given(seed=seeds)
def test_product_matrix_and_turned_vectors(seed):
    rng = np.random.default_rng(seed)
    p, q, v = random_quaternion(rng), random_quaternion(rng), rng.normal(size=3)
    assert np.abs(of(product(p, q)).as_matrix() - (of(p) * of(q)).as_matrix()).max() < 2e-15
    assert np.abs(matrix(q) - of(q).as_matrix()).max() < 2e-15
    assert np.abs(to_inertial(q, v) - of(q).apply(v)).max() < 5e-15
    assert np.abs(to_body(q, v) - of(q).inv().apply(v)).max() < 5e-15


@given(seed=seeds)
def test_product_may_overwrite_its_factors_and_normalises(seed):
    rng = np.random.default_rng(seed)
    p, q = random_quaternion(rng) * 1.001, random_quaternion(rng)
    expected = product(p, q)
    assert abs(np.linalg.norm(expected) - 1.0) < 5e-16

    for place in (0, 1):
        factors = [p.copy(), q.copy()]
        rotations.product(*factors, factors[place])
        assert np.array_equal(factors[place], expected)


@given(seed=seeds)
def test_tensors_turn_with_the_body(seed):
    rng = np.random.default_rng(seed)
    q, tensor = random_quaternion(rng), rng.normal(size=(3, 3))
    R = of(q).as_matrix()
    assert np.abs(inertial_tensor(q, tensor) - R @ tensor @ R.T).max() < 1e-14
