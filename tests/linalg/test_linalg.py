"""Every backend solves the same systems, reuses its analysis, and names errors."""

from importlib.util import find_spec
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse

import nsgalpha as ns
from elements import CompliantSphereSphere, SpringDashpot
from nsgalpha import linalg
from nsgalpha.linalg.cholmod import analyse_cholmod

CHOLMOD = pytest.param(
    "cholmod",
    marks=pytest.mark.skipif(find_spec("sksparse") is None, reason="scikit-sparse is not installed"),
)
SPD = ["dense", "superlu", CHOLMOD]
CASES = [("spd", "dense"), ("spd", "superlu"), pytest.param("spd", *CHOLMOD.values, marks=CHOLMOD.marks)]
CASES += [("general", "dense"), ("general", "superlu")]


def grid(n, shift=0.1):
    """Stiffness of a cube of n^3 masses and springs with three displacements each."""
    line = sparse.diags_array([-np.ones(n - 1), 2.0 * np.ones(n), -np.ones(n - 1)], offsets=[-1, 0, 1])
    one = sparse.eye_array(n)
    cube = sum(
        sparse.kron(sparse.kron(a, b), c)
        for a, b, c in [(line, one, one), (one, line, one), (one, one, line)]
    )
    A = sparse.csc_array(
        sparse.kron(cube + shift * sparse.eye_array(n**3), [[2, 1, 0], [1, 3, 1], [0, 1, 4]])
    )
    A.sort_indices()
    return A


def matrix(kind, seed=0):
    A = grid(4)
    if kind == "general":
        A.data = A.data * np.random.default_rng(seed).uniform(0.5, 1.5, len(A.data))
    elif seed:
        d = sparse.diags_array(np.random.default_rng(seed).uniform(0.5, 2.0, A.shape[0]))
        A = sparse.csc_array(d @ A @ d)
        A.sort_indices()
    return A


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_solution_is_that_of_dense_elimination(kind, name):
    A = matrix(kind)
    b = np.random.default_rng(1).normal(size=A.shape[0])
    x = linalg.analyse(A, kind, name).factorise(A).solve(b)
    assert x == pytest.approx(np.linalg.solve(A.toarray(), b), rel=1e-11, abs=1e-12)


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_an_analysis_serves_other_values_and_older_factors_stay_valid(kind, name):
    A, B, C = (matrix(kind, seed) for seed in (1, 2, 3))
    b = np.ones(A.shape[0])
    solver = linalg.analyse(A, kind, name)
    factors = [solver.factorise(M) for M in (A, B, C)]
    for M, factor in zip((A, B, C), factors, strict=True):
        assert np.abs(M @ factor.solve(b) - b).max() < 1e-12


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_another_pattern_is_refused(kind, name):
    solver = linalg.analyse(matrix(kind), kind, name)
    with pytest.raises(ValueError, match="pattern"):
        solver.factorise(sparse.csc_array(sparse.eye_array(192)))


@pytest.mark.parametrize("name", ["dense", CHOLMOD])
def test_an_indefinite_matrix_has_no_cholesky_factor(name):
    A = grid(4, shift=-3.0)
    with pytest.raises(linalg.SingularMatrixError, match=f"{name}: .*not positive definite"):
        linalg.analyse(A, "spd", name).factorise(A)


@pytest.mark.parametrize("name", ["dense", "superlu"])
def test_a_singular_matrix_is_refused(name):
    A = matrix("general")
    A.data[A.indptr[5] : A.indptr[6]] = 0.0
    with pytest.raises(linalg.SingularMatrixError, match="singular"):
        linalg.analyse(A, "general", name).factorise(A)


def test_entries_that_are_not_finite_are_refused():
    A = matrix("general")
    solver = linalg.analyse(A, "general")
    A.data[3] = np.nan
    with pytest.raises(linalg.SingularMatrixError, match="not finite"):
        solver.factorise(A)


@pytest.mark.parametrize("name", SPD)
def test_refinement_reaches_rounding_at_a_condition_number_of_1e8(name):
    d = sparse.diags_array(np.logspace(0, 4, 192))
    A = sparse.csc_array(d @ matrix("spd") @ d)
    A.sort_indices()
    x = np.random.default_rng(2).normal(size=192)
    b = A @ x
    solution = linalg.analyse(A, "spd", name).factorise(A).solve(b)
    assert np.abs(A @ solution - b).max() < 1e-12 * np.abs(b).max()


def test_few_unknowns_are_dense_and_many_are_sparse():
    assert linalg.backend("general", 50) == "dense"
    assert linalg.backend("general", 5000) == "superlu"
    assert linalg.backend("spd", 5000) == ("cholmod" if find_spec("sksparse") else "superlu")


def test_bad_arguments_name_what_is_allowed():
    A = matrix("spd")
    with pytest.raises(ValueError, match="must be one of"):
        linalg.analyse(A, "symmetric")
    with pytest.raises(ValueError, match="cholmod"):
        linalg.analyse(A, "general", "cholmod")
    with pytest.raises(ValueError, match="square"):
        linalg.analyse(A[:, :3], "general")


class FakeFactor:
    """The used interface of scikit-sparse 0.5; it records factorisations."""

    def __init__(self, A, order):
        assert order == "metis"
        self.used = False

    def copy(self):
        assert not self.used, "a factor that was factorised is simplicial from then on"
        return FakeFactor(None, "metis")

    def factorize(self, A):
        self.used = True
        self.inverse = np.linalg.inv(A.toarray())

    def solve(self, b):
        return self.inverse @ b


def test_the_newer_scikit_sparse_factorises_copies_of_the_symbolic_factor():
    module = SimpleNamespace(CholeskyFactor=FakeFactor, CholmodNotPositiveDefiniteError=ArithmeticError)
    A = matrix("spd")
    factorise = analyse_cholmod(A, module)
    for _ in range(2):
        x = factorise(A)(np.ones(192))
        assert np.abs(A @ x - 1.0).max() < 1e-10


def test_a_run_whose_large_systems_lack_cholmod_says_how_to_get_it(monkeypatch):
    monkeypatch.setattr(linalg, "_cholmod_works", lambda: False)
    monkeypatch.setattr(linalg, "LARGE", 200)
    assert "by SuperLU" in linalg.factorisation()
    model = ns.Model(gravity=(0, 0, -9.81))
    balls = [model.add_sphere(radius=0.1, mass=1.0, position=(0.19 * k, 0, 0.1)) for k in range(40)]
    law = {"normal": SpringDashpot(stiffness=1e5, damping=1.0)}
    model.add(CompliantSphereSphere(among=balls, **law))
    for expected in (True, False):
        result = ns.simulate(model, t_end=2e-3, h=1e-3, scheme=ns.SemiImplicit())
        assert ("pip install 'nsgalpha[sparse]'" in str(result.status)) is expected, result.status
        assert result.status.message.count("SuperLU") == int(expected)
        monkeypatch.setattr(linalg, "LARGE", 10_000)
