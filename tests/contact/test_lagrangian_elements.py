"""Elements of the augmented Lagrangian: tangents against differences, and the system that they make."""

import numpy as np
import pytest
from augmented_lagrangian import Contacts, jacobian, residual
from scipy import sparse

from nsgalpha.contact.augmented_lagrangian.contact_elements import (
    PROXIMAL,
    Elements,
    project,
    residual_and_tangent,
)
from nsgalpha.contact.augmented_lagrangian.lagrangian_system import MAX_ITERATIONS, LagrangianSystem
from nsgalpha.contact.multiplier_sets import FREE, HALF_LINE, INTERVAL

SLIDING = ((0, 1, HALF_LINE), (1, 2, 0))
KINDS = {  # sets, radii
    "normal": (((0, 1, HALF_LINE),), (0.0,)),
    "planar": (((0, 1, HALF_LINE), (1, 1, 0)), (0.0, 0.4)),
    "sliding": (SLIDING, (0.0, 0.4)),
    "rolling": (((0, 1, HALF_LINE), (1, 2, 0)), (0.0, 0.05)),
    "drilling": ((*SLIDING, (3, 1, 0)), (0.0, 0.4, 0.1)),
    "all": ((*SLIDING, (3, 2, 0), (5, 1, 0)), (0.0, 0.4, 0.2, 0.1)),
    "bound": (((0, 1, INTERVAL),), (0.7,)),
    "bound of three": (((0, 3, INTERVAL),), (0.7,)),
    "joint": (((0, 5, FREE),), (0.0,)),
}
VELOCITIES = 12
SHARED = np.finfo(float).eps / PROXIMAL  # rounding of multipliers that only the proximal term decides


def elements_of(kind, count, rng, *, soft=False):
    """Elements with random rows and scales."""
    sets, radius = KINDS[kind]
    n = sum(size for _, size, _ in sets)
    return Elements(
        dof=np.arange(count * VELOCITIES).reshape(count, VELOCITIES),
        row=np.arange(count * n).reshape(count, n),
        G=rng.normal(size=(count, n, VELOCITIES)),
        sets=sets,
        radius=np.tile(radius, (count, 1)),
        k=rng.uniform(0.5, 2.0, (count, n)),
        p=rng.uniform(0.5, 2.0, (count, n)),
        compliance=rng.uniform(0.1, 0.3, (count, n)) if soft else np.zeros((count, n)),
    )


def at(elements, x, c):
    """Residual (E, m + n) and tangent at velocities and multipliers `x` (E, m + n)."""
    V, L = x[:, :VELOCITIES], x[:, VELOCITIES:]
    F_V, F_L, K = residual_and_tangent(elements, V, L, c)
    return np.concatenate([F_V, F_L], axis=1), K


@pytest.mark.parametrize("soft", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_the_tangent_is_the_derivative_of_the_residual(kind, soft):
    rng = np.random.default_rng(3)
    elements = elements_of(kind, 40, rng, soft=soft)
    n = elements.row.shape[1]
    x, c = rng.normal(size=(40, VELOCITIES + n)), rng.normal(size=(40, n))
    if kind not in ("joint", "bound", "bound of three"):
        c[:20, 0] -= 10.0  # half of them in contact for certain
        c[:10, 1:] *= 0.1
    _, K = at(elements, x, c)
    if kind != "joint":  # the proximal term is no part of the residual
        D = project(elements, sigma(elements, x, c))[1]
        scale = elements.k * (1.0 - elements.p * elements.compliance)
        added = PROXIMAL * (elements.k / elements.p)[:, :, None] * D * scale[:, None, :]
        K[:, VELOCITIES:, VELOCITIES:] += added
    h, largest = 1e-7, np.abs(K).max()
    for j in range(x.shape[1]):
        step = np.zeros_like(x)
        step[:, j] = h
        slope = (at(elements, x + step, c)[0] - at(elements, x - step, c)[0]) / (2.0 * h)
        assert np.allclose(K[:, :, j], slope, rtol=0.0, atol=1e-7 * largest)


def sigma(elements, x, c):
    V, L = x[:, :VELOCITIES], x[:, VELOCITIES:]
    g = np.einsum("enm,em->en", elements.G, V) + c + elements.compliance * elements.k * L
    return elements.k * L - elements.p * g


def test_every_status_is_among_the_points_of_the_check():
    rng = np.random.default_rng(3)
    elements = elements_of("sliding", 40, rng)
    x, c = rng.normal(size=(40, VELOCITIES + 3)), rng.normal(size=(40, 3))
    c[:20, 0] -= 10.0
    c[:10, 1:] *= 0.1
    s = sigma(elements, x, c)
    gap = s[:, 0] < 0.0
    slip = ~gap & (np.linalg.norm(s[:, 1:], axis=1) >= 0.4 * s[:, 0])
    for status in (gap, slip, ~gap & ~slip):
        assert status.any()


def test_residual_and_tangent_are_those_of_the_papers_equations():
    """tests/contact/augmented_lagrangian.py has the printed branches, one contact after the other."""
    rng = np.random.default_rng(7)
    elements = elements_of("sliding", 12, rng)._replace(
        dof=np.tile(np.arange(VELOCITIES), (12, 1)), k=np.full((12, 3), 1.3), p=np.full((12, 3), 0.8)
    )
    A = rng.normal(size=(VELOCITIES, VELOCITIES))
    M = A @ A.T + VELOCITIES * np.eye(VELOCITIES)
    V, L, c = rng.normal(size=VELOCITIES), rng.normal(size=(12, 3)), rng.normal(size=(12, 3))
    c[:8, 0] -= 6.0
    system = LagrangianSystem(sparse.coo_array(M), [elements])
    F, K = system.assemble(V, L.ravel(), c.ravel())
    contacts = Contacts(elements.G, c, np.full(12, 0.4))
    momentum, rows = residual(M, np.zeros(VELOCITIES), contacts, V, L, 1.3, 0.8)
    assert np.allclose(F, np.concatenate([momentum, rows.ravel()]), rtol=1e-12, atol=1e-12)
    printed = jacobian(M, contacts, V, L, 1.3, 0.8)
    assert np.allclose(K.toarray(), printed, rtol=1e-12, atol=10.0 * PROXIMAL)
    assert not np.allclose(printed, printed.T)  # where contacts slip


def test_redundant_contacts_share_a_load_by_the_smallest_multipliers():
    """A body of unit mass on four equal supports, of which any one would do."""
    G = np.tile(np.eye(3)[None], (4, 1, 1))
    ones = np.ones((4, 3))
    elements = Elements(
        dof=np.tile(np.arange(3), (4, 1)),
        row=np.arange(12).reshape(4, 3),
        G=G,
        sets=SLIDING,
        radius=np.tile([0.0, 0.5], (4, 1)),
        k=ones,
        p=ones,
        compliance=0.0 * ones,
    )
    system = LagrangianSystem(sparse.eye_array(3).tocoo(), [elements])

    def judge(_, g):
        largest = float(np.abs(g).max())
        return largest, 0, largest < 1e-12

    end = system.newton(np.tile([-2.0, 0.1, 0.0], 4), np.zeros(12), judge)
    assert end.solved
    assert end.r.reshape(4, 3) == pytest.approx(np.tile([0.5, -0.025, 0.0], (4, 1)), abs=SHARED)
    assert pytest.approx([2.0, -0.1, 0.0], abs=1e-12) == end.V


def test_a_cycle_of_newtons_method_is_no_solution():
    """With k = p far above the inertia of a contact full steps cycle."""
    rng = np.random.default_rng(0)
    G = rng.normal(size=(4, 3, 20))
    row, start = np.arange(12).reshape(4, 3), rng.normal(size=20) - G[:, 0].sum(axis=0)
    found = []
    for scale in (1.0, 1e4):
        scales = np.full((4, 3), scale / 20.0)
        of = np.tile([0.0, 0.8], (4, 1)), scales, scales, np.zeros((4, 3))
        elements = Elements(np.tile(np.arange(20), (4, 1)), row, G, SLIDING, *of)
        system = LagrangianSystem(sparse.eye_array(20).tocoo(), [elements])

        def judge(r, g, elements=elements):
            P, _ = project(
                elements._replace(k=np.ones((4, 3)), p=np.ones((4, 3))), (r - g / 20.0).reshape(4, 3)
            )
            left = float(np.abs(r - P.ravel()).max())
            return left, 0, left < 1e-10

        found.append(system.newton((G @ start).ravel(), np.zeros(12), judge))
    assert [end.solved for end in found] == [True, False]
    assert found[1].residual > 1e-6
    assert found[1].iterations == MAX_ITERATIONS
