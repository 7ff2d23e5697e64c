"""FCLIB files: written ones are read again, every storage kind, and bad files."""

import h5py
import numpy as np
import pytest
from fclib_mutations import store, with_joints
from problems import LAWS, laws, random_problem
from scipy import sparse

from nsgalpha.contact import ContactProblem, solve
from nsgalpha.io import fclib


def same(a, b, tolerance=0.0):
    assert a.rows == b.rows
    assert a.W.toarray() == pytest.approx(b.W.toarray(), abs=tolerance)
    assert a.q == pytest.approx(b.q, abs=tolerance)
    for x, y in zip(laws(a), laws(b), strict=True):
        assert (x is None) == (y is None)
        assert x is None or np.array_equal(x, y)


@pytest.mark.parametrize("rows", LAWS)
def test_a_local_problem_is_read_as_it_was_written(rows, tmp_path):
    problem = random_problem(np.random.default_rng(rows), 4, rows)
    fclib.write(tmp_path / "a.hdf5", problem, title="four contacts")
    same(fclib.read(tmp_path / "a.hdf5"), problem)
    with h5py.File(tmp_path / "a.hdf5") as file:
        assert file["fclib_local/info/title"][()].decode() == "four contacts"
        assert int(file["fclib_local/spacedim"][0]) == rows


@pytest.mark.parametrize("rows", LAWS)
def test_a_global_problem_is_read_in_its_local_form(rows, tmp_path):
    rng = np.random.default_rng(rows)
    M = np.diag(rng.uniform(1.0, 2.0, 12))
    H, f, w = rng.normal(size=(12, 3 * rows)), rng.normal(size=12), rng.normal(size=3 * rows)
    radii = laws(random_problem(rng, 3, rows))
    fclib.write_global(str(tmp_path / "a.hdf5"), M, H, f, w, *radii)
    same(fclib.read(str(tmp_path / "a.hdf5")), ContactProblem.from_global(M, H, f, w, *radii))


def test_a_wrong_global_problem_is_not_written(tmp_path):
    with pytest.raises(ValueError, match="w: has 4 entries"):
        fclib.write_global(tmp_path / "a.hdf5", np.eye(6), np.ones((6, 4)), np.zeros(6), np.zeros(4), [0.5])
    assert not (tmp_path / "a.hdf5").exists()


@pytest.mark.parametrize("kind", ["columns", "rows", "triplets"])
def test_every_storage_gives_the_same_matrix(kind, tmp_path):
    rng = np.random.default_rng(5)
    problem = random_problem(rng, 3)
    W = problem.W.toarray() + 1e-3 * rng.normal(size=(9, 9))  # its transpose would be noticed
    path = tmp_path / "a.hdf5"
    fclib.write(path, problem)
    with h5py.File(path, "a") as file:
        store(file["fclib_local/W"], W, kind)
    assert np.array_equal(fclib.read(path).W.toarray(), W)


def test_entries_given_twice_are_added(tmp_path):
    path = written(tmp_path)
    with h5py.File(path, "a") as file:
        W = file["fclib_local/W"]
        half = sparse.coo_array(0.5 * fclib.read(path).W.toarray())
        for key, value in {"i": half.row, "p": half.col, "x": half.data}.items():
            del W[key]
            W[key] = np.tile(value, 2)
        W["nz"][0] = W["nzmax"][0] = 2 * half.nnz
    same(fclib.read(path), random_problem(np.random.default_rng(0), 3), 1e-14)


def written(folder):
    path = folder / "broken.hdf5"
    fclib.write(path, random_problem(np.random.default_rng(0), 3))
    return path


def replaced(name, value):
    """A change of a file: dataset `name` becomes `value`, or `value` of the old one, or is missing."""

    def change(group):
        old = group[name][()] if isinstance(group[name], h5py.Dataset) else None
        del group[name]
        if value is not None:
            group[name] = value(old) if callable(value) else value

    return change


@pytest.mark.parametrize(
    ("change", "place"),
    [
        *(
            (replaced(name, None), name)
            for name in ("W", "W/m", "W/n", "W/nz", "W/p", "W/i", "W/x", "vectors/q", "vectors/mu")
        ),
        (replaced("vectors", None), "vectors"),
        (replaced("spacedim", None), "spacedim"),
        (replaced("spacedim", [2]), "spacedim is 2, but the vectors have 3 rows"),
        (replaced("spacedim", [5]), "spacedim is 5, but the vectors have 3 rows"),
        (replaced("spacedim", b"three"), "spacedim"),
        (replaced("spacedim", np.zeros(0, int)), "spacedim"),
        (replaced("vectors/q", lambda q: q[:-1]), "fclib_local/W is 9 x 9, must be 8 x 8 as the vectors"),
        (replaced("vectors/mu", lambda mu: mu[:-1]), "q: has 9 entries"),
        (replaced("vectors/mu", lambda mu: -mu), "mu[0]"),
        (replaced("vectors/q", lambda q: q * np.nan), "q: entry 0 is nan"),
        (replaced("vectors/q", b"text"), "vectors/q"),
        (replaced("W/m", [8]), "fclib_local/W is 8 x 9, must be 9 x 9"),
        (replaced("W/n", [2**31 - 1]), "fclib_local/W is 9 x 2147483647, must be 9 x 9"),
        (replaced("W/m", [-9]), "fclib_local/W is -9 x 9"),
        (replaced("W/nz", [-3]), "fclib_local/W: nz is -3"),
        (replaced("W/nz", [10**6]), "fclib_local/W: nz is 1000000, but"),
        (replaced("W/p", lambda p: p[:-1]), "fclib_local/W"),
        (replaced("W/p", lambda p: p[::-1]), "fclib_local/W"),
        (replaced("W/p", lambda p: p + 0.5), "fclib_local/W/p"),
        (replaced("W/i", lambda i: i[:-1]), "fclib_local/W"),
        (replaced("W/i", lambda i: i.astype(float)), "fclib_local/W/i is of type float64, must be integers"),
        (replaced("W/i", lambda i: i + 1), "fclib_local/W"),
        (replaced("W/i", lambda i: i - 1), "fclib_local/W"),
        (replaced("W/x", lambda x: x[:-1]), "fclib_local/W"),
        (replaced("W/x", lambda x: x.reshape(3, -1)), "fclib_local/W"),
        (replaced("W/x", b"text"), "fclib_local/W/x"),
        (replaced("W", np.eye(9)), "fclib_local/W"),
        (replaced("W/x", lambda x: -x), "W[0, 0]"),
    ],
)
def test_a_damaged_file_is_named_with_the_place(change, place, tmp_path):
    path = written(tmp_path)
    with h5py.File(path, "a") as file:
        change(file["fclib_local"])
    with pytest.raises(ValueError, match="broken") as error:
        fclib.read(path)
    assert type(error.value) is ValueError
    assert place in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", ["i", "p"])
@pytest.mark.parametrize("shift", [1, -1])
def test_triplets_outside_of_the_matrix_are_refused(name, shift, tmp_path):
    path = written(tmp_path)
    with h5py.File(path, "a") as file:
        W = file["fclib_local/W"]
        store(W, np.eye(9), "triplets")
        W[name][...] += shift
    with pytest.raises(ValueError, match=r"broken.*fclib_local/W"):
        fclib.read(path)


@pytest.mark.parametrize("part", [0.0, 0.05, 0.5, 0.9, 0.99])
def test_a_file_that_is_cut_off_is_named(part, tmp_path):
    path = written(tmp_path)
    content = path.read_bytes()
    path.write_bytes(content[: int(part * len(content))])
    with pytest.raises(ValueError, match=r"broken\.hdf5: is not an HDF5 file, or is cut off"):
        fclib.read(path)


def test_bytes_that_have_changed_give_no_other_error(tmp_path):
    """Any part of the file overwritten: a problem, or a one-line ValueError."""
    path = written(tmp_path)
    content = path.read_bytes()
    rng = np.random.default_rng(0)
    messages = []
    for _ in range(300):
        damaged = bytearray(content)
        start, length = rng.integers(len(content)), rng.choice([1, 8, 64])
        damaged[start : start + length] = rng.bytes(len(damaged[start : start + length]))
        path.write_bytes(damaged)
        try:
            assert isinstance(fclib.read(path), ContactProblem)
        except ValueError as error:
            messages.append(str(error))
    assert 0 < len(messages) < 300
    assert all(text.startswith(str(path)) and "\n" not in text for text in messages)


def test_a_file_of_another_kind_is_named(tmp_path):
    (tmp_path / "a.txt").write_text("W = 1")
    with pytest.raises(ValueError, match=r"a\.txt: is not an HDF5 file"):
        fclib.read(tmp_path / "a.txt")
    with h5py.File(tmp_path / "other.hdf5", "w") as file:
        file["temperature"] = 3.0
    with pytest.raises(ValueError, match="has neither fclib_local nor fclib_global, but temperature"):
        fclib.read(tmp_path / "other.hdf5")
    with h5py.File(tmp_path / "data.hdf5", "w") as file:
        file["fclib_local"] = 3.0
    with pytest.raises(ValueError, match=r"data\.hdf5: .*fclib_local"):
        fclib.read(tmp_path / "data.hdf5")


def test_a_missing_file_and_a_folder(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no\.hdf5: no such file"):
        fclib.read(tmp_path / "no.hdf5")
    with pytest.raises(ValueError, match=str(tmp_path)):
        fclib.read(tmp_path)


def test_a_local_problem_with_joints_is_read_as_it_was_written(tmp_path):
    """The operator is cut into W, V and R, and put together again."""
    problem = with_joints()
    fclib.write(tmp_path / "a.hdf5", problem)
    read = fclib.read(tmp_path / "a.hdf5")
    same(read, problem)
    assert read.bilateral == problem.bilateral == 4
    with h5py.File(tmp_path / "a.hdf5") as file:
        sizes = [[int(file[f"fclib_local/{name}/{size}"][0]) for size in "mn"] for name in "WVR"]
        assert sizes == [[9, 9], [9, 4], [4, 4]]
        assert np.array_equal(file["fclib_local/vectors/s"], problem.q[9:])


def test_a_global_problem_with_joints_fulfils_its_equations(tmp_path):
    """M v = H r + G l + f,  u = H^T v + w,  G^T v + b = 0."""
    rng = np.random.default_rng(3)
    M = np.diag(rng.uniform(1.0, 2.0, 12))
    H, G, f, w, b = (rng.normal(size=size) for size in ((12, 6), (12, 4), 12, 6, 4))
    fclib.write_global(tmp_path / "a.hdf5", M, H, f, w, [0.5, 0.2], G=G, b=b)
    solution = solve(fclib.read(tmp_path / "a.hdf5"), tol=1e-12)
    assert solution.status.ok
    v = np.linalg.solve(M, H @ solution.impulses.ravel() + G @ solution.reactions + f)
    assert G.T @ v + b == pytest.approx(0.0, abs=1e-11)
    assert H.T @ v + w == pytest.approx(solution.velocities.ravel(), abs=1e-11)


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (lambda group: group.pop("V"), "fclib_local/V is missing"),
        (lambda group: group.pop("R"), "fclib_local/R is missing"),
        (lambda group: group.pop("vectors/s"), "fclib_local/vectors/s is missing"),
        (
            lambda group: replaced("vectors/s", lambda s: s[:-1])(group),
            "fclib_local/V is 9 x 4, must be 9 x 3",
        ),
        (lambda group: replaced("R/m", [3])(group), "fclib_local/R is 3 x 4, must be 4 x 4"),
        (lambda group: replaced("V/x", lambda x: 1e3 * x)(group), "W: has a negative eigenvalue"),
    ],
)
def test_damaged_joints_are_named_with_the_place(change, place, tmp_path):
    path = tmp_path / "broken.hdf5"
    fclib.write(path, with_joints())
    with h5py.File(path, "a") as file:
        change(file["fclib_local"])
    with pytest.raises(ValueError, match="broken") as error:
        fclib.read(path)
    assert place in str(error.value)


def test_bounded_rows_have_no_place_in_a_file(tmp_path):
    problem = ContactProblem(np.eye(4), np.ones(4), [0.5], bounds=[1.0])
    with pytest.raises(ValueError, match="problem: has 1 bounds; FCLIB has no place for bounded rows"):
        fclib.write(tmp_path / "a.hdf5", problem)
    assert not (tmp_path / "a.hdf5").exists()


def test_a_file_read_is_solved_as_the_problem_it_holds(tmp_path):
    problem = random_problem(np.random.default_rng(2), 5, freedom=9)
    fclib.write(tmp_path / "a.hdf5", problem)
    assert np.array_equal(solve(fclib.read(tmp_path / "a.hdf5")).impulses, solve(problem).impulses)
