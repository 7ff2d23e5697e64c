"""The first fall of a polynomial to zero, against numpy's roots and closed forms."""

import numpy as np
import pytest

from nsgalpha.linalg.polynomial_falls import WORK, add_square, first_fall, hermite_cubic, stays_positive


def fall(*p):
    return first_fall(np.array(p, float), np.zeros((2, WORK)))


def expected(p):
    """By the eigenvalues of the companion matrix: the first simple root with a negative slope."""
    roots = np.roots(p[::-1])
    real = np.sort(roots[np.abs(roots.imag) < 1e-9].real)
    real = real[(real > 0.0) & (real <= 1.0)]
    falling = [s for s in real if np.polyval(np.polyder(p[::-1]), s) < 0.0]
    return falling[0] if falling else np.inf


@pytest.mark.parametrize("degree", [1, 2, 3, 5, 6])
def test_first_falls_are_those_of_numpy(degree):
    rng = np.random.default_rng(degree)
    found = np.empty((2000, 2))
    for k in range(len(found)):
        roots = rng.uniform(-0.5, 1.5, degree)
        p = np.poly(roots)[::-1] * rng.choice([-1.0, 1.0]) * 10.0 ** rng.uniform(-6, 6)
        p = p if p[0] > 0.0 else -p
        found[k] = fall(*p), expected(p)
    hit = np.isfinite(found).all(axis=1)
    assert np.array_equal(np.isfinite(found[:, 0]), np.isfinite(found[:, 1]))
    assert 0.2 < hit.mean() < 1.0
    assert np.median(np.abs(found[hit, 0] - found[hit, 1])) < 1e-15
    assert np.abs(found[hit, 0] - found[hit, 1]).max() < 1e-5  # of numpy, where roots are close


def test_a_fall_is_found_to_rounding():
    assert fall(1.0, -2.0) == pytest.approx(0.5, abs=3e-16)
    assert fall(2.0, -1.0) == np.inf
    assert fall(1.0, -1.0) == pytest.approx(1.0, abs=3e-16)
    assert fall(0.25, 0.0, -1.0) == pytest.approx(0.5, abs=3e-16)
    assert fall(0.0, 1.0) == fall(-1.0, 5.0) == 0.0
    assert fall(0.4, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0) == pytest.approx(0.4, abs=3e-16)


def test_falls_close_together_are_found():
    """(s - a)(s - b)(s - c) q with a - b down to 1e-6; the way between them is 1e-13 high."""
    for gap in (1e-2, 1e-4, 1e-6):
        p = np.poly([0.3, 0.3 + gap, 2.0, 3.0])[::-1]
        assert fall(*p) == pytest.approx(0.3, abs=1e-3 * gap + 1e-10 / gap * 1e-4)


def test_a_graze_is_no_fall():
    assert fall(0.25 + 1e-9, -1.0, 1.0) == np.inf
    assert fall(0.25 - 1e-9, -1.0, 1.0) == pytest.approx(0.5 - np.sqrt(1e-9), abs=1e-9)


def test_bernstein_coefficients_decide_safely():
    rng = np.random.default_rng(1)
    s, decided = np.linspace(0.0, 1.0, 1001), 0
    for _ in range(2000):
        p = rng.normal(size=rng.integers(2, 8))
        if stays_positive(p):
            decided += 1
            assert np.polyval(p[::-1], s).min() > 0.0
    assert decided > 100
    assert stays_positive(np.array([1.0, -1.5, 0.75]))  # 1, .25, .25
    assert not stays_positive(np.array([1.0, -2.0, 1.0]))


def test_a_cubic_has_the_values_and_slopes_of_its_ends():
    p = np.empty(4)
    hermite_cubic(1.0, 3.0, -0.5, 4.0, p)
    assert [np.polyval(p[::-1], s) for s in (0.0, 1.0)] == [1.0, 3.0]
    assert [np.polyval(np.polyder(p[::-1]), s) for s in (0.0, 1.0)] == [-0.5, 4.0]


def test_squares_are_added():
    out = np.array([1.0, 0.0, 0.0, 0.0, 2.0])
    add_square(np.array([1.0, 2.0, 3.0]), out)
    assert out.tolist() == [2.0, 4.0, 10.0, 12.0, 11.0]
