"""Refusals of a factorisation, with every backend, and misleading matrices."""

from importlib.util import find_spec

import numpy as np
import pytest
from scipy import sparse

from nsgalpha import linalg

CHOLMOD = pytest.param(
    "cholmod",
    marks=pytest.mark.skipif(find_spec("sksparse") is None, reason="scikit-sparse is not installed"),
)
SPD = ["dense", "superlu", CHOLMOD]
N = 200


def chain(stiffness=0.1):
    """Masses in a line with unit springs and own springs; singular at 0."""
    A = sparse.diags_array([-np.ones(N - 1), np.full(N, 2.0), -np.ones(N - 1)], offsets=[-1, 0, 1])
    A = sparse.lil_array(A)
    A[0, 0] = A[N - 1, N - 1] = 1.0
    A = sparse.csc_array(A + stiffness * sparse.eye_array(N))
    A.sort_indices()
    return A


@pytest.mark.parametrize("name", SPD)
def test_an_indefinite_matrix_is_refused_by_every_backend(name):
    solver = linalg.analyse(chain(), "spd", name)
    with pytest.raises(linalg.SingularMatrixError, match="not positive definite"):
        solver.factorise(chain(-0.5))
    assert np.abs(chain() @ solver.factorise(chain()).solve(np.ones(N)) - 1.0).max() < 1e-12


@pytest.mark.parametrize("name", SPD)
def test_a_free_chain_has_no_answer_to_a_load_that_pulls_it_away(name):
    with pytest.raises(linalg.SingularMatrixError):
        linalg.analyse(chain(), "spd", name).factorise(chain(0.0)).solve(np.ones(N))


@pytest.mark.parametrize("name", SPD)
def test_an_unsymmetric_matrix_is_not_taken_for_a_symmetric_one(name):
    A = chain()
    A.data *= np.random.default_rng(0).uniform(0.2, 1.8, A.nnz)
    with pytest.raises(linalg.SingularMatrixError):
        linalg.analyse(A, "spd", name).factorise(A).solve(np.ones(N))


@pytest.mark.parametrize("name", ["dense", "superlu"])
def test_compressed_rows_are_refused_and_not_solved_transposed(name):
    A = chain()
    A.data *= np.random.default_rng(0).uniform(0.5, 1.5, A.nnz)
    with pytest.raises(ValueError, match="csc_array"):
        linalg.analyse(A.tocsr(), "general", name)
    with pytest.raises(ValueError, match="csc_array"):
        linalg.analyse(A, "general", name).factorise(A.tocsr())


def test_dense_and_unsorted_matrices_are_refused():
    A = chain()
    with pytest.raises(ValueError, match="csc_array"):
        linalg.analyse(A.toarray(), "spd")
    A.indices[:2], A.data[:2] = A.indices[1::-1].copy(), A.data[1::-1].copy()
    A = sparse.csc_array((A.data, A.indices, A.indptr))
    with pytest.raises(ValueError, match="sort_indices"):
        linalg.analyse(A, "spd")


@pytest.mark.parametrize("name", SPD)
def test_a_factor_does_not_follow_later_changes_of_the_matrix(name):
    A, b = chain(), np.ones(N)
    factor = linalg.analyse(A, "spd", name).factorise(A)
    x = factor.solve(b)
    A.data *= np.linspace(1.0, 1.1, A.nnz)
    assert (factor.solve(b) == x).all()


@pytest.mark.parametrize("name", SPD)
def test_a_bad_right_hand_side_is_named(name):
    factor = linalg.analyse(chain(), "spd", name).factorise(chain())
    with pytest.raises(ValueError, match=r"b: has shape \(199,\)"):
        factor.solve(np.ones(N - 1))
    with pytest.raises(linalg.SingularMatrixError, match="b has entries that are not finite"):
        factor.solve(np.full(N, np.nan))


@pytest.mark.parametrize("name", SPD)
def test_several_right_hand_sides_and_none(name):
    A = chain()
    B = np.random.default_rng(3).normal(size=(N, 3))
    assert np.abs(A @ linalg.analyse(A, "spd", name).factorise(A).solve(B) - B).max() < 1e-12
    empty = sparse.csc_array((0, 0))
    assert linalg.analyse(empty, "spd", name).factorise(empty).solve(np.zeros(0)).shape == (0,)
