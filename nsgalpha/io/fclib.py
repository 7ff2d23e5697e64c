"""Contact problems in the HDF5 layout of FCLIB, the frictional contact library.

    fclib_local     W, q, mu:             u = W r + q
    fclib_global    M, H, f, w, mu:       M v = H r + f,   u = H^T v + w

A matrix is a group `m, n, nz, nzmax, p, i, x`: compressed columns for `nz = -1` (`p` pointers, `i` rows),
compressed rows for `nz = -2`, else `nz` triplets (`i` rows, `p` columns). `spacedim` is the number of
rows of a contact, 2, 3 or 5, the last with `vectors/mu_r`; with drilling, 4 or 6, there is `vectors/mu_d`
in addition, which only this module reads. (Acary, Bremond, Koziara, Perignon, "FCLIB: a collection of
discrete 3D frictional contact problems", 2014.)
"""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from nsgalpha.arrays import Floats
from nsgalpha.contact import ContactProblem

if TYPE_CHECKING:
    import h5py

LOCAL, GLOBAL = "fclib_local", "fclib_global"
COLUMNS, ROWS = -1, -2  # `nz` of compressed matrices


def read(path: str | PathLike[str]) -> ContactProblem:
    """The problem in an FCLIB file; a global one is reduced to its local form.

    Raises FileNotFoundError; ValueError if the file is damaged or is no such problem, and says where.
    """
    with _opened(path) as file:
        try:
            return _read_local(file[LOCAL]) if LOCAL in file else _read_global(file)
        except (KeyError, OSError, RuntimeError, ValueError) as error:
            # h5py's own messages of damaged data are of all these types
            text = error.args[0] if error.args else error
            raise ValueError(f"{path}: {text}") from error


def write(path: str | PathLike[str], problem: ContactProblem, title: str = "") -> None:
    """Write `problem` as a local FCLIB file, W in compressed rows."""
    import h5py

    with h5py.File(path, "w") as file:
        group = file.create_group(LOCAL)
        _write_matrix(group, "W", problem.W)
        _write_common(group, problem, {"q": problem.q}, title)


def write_global(
    path: str | PathLike[str],
    M: ArrayLike | sparse.sparray,
    H: ArrayLike | sparse.sparray,
    f: ArrayLike,
    w: ArrayLike,
    mu: ArrayLike,
    rolling_radius: ArrayLike | None = None,
    drilling_radius: ArrayLike | None = None,
    title: str = "",
) -> None:
    """Write `M v = H r + f`, `u = H^T v + w` as a global FCLIB file; arguments and errors as
    `ContactProblem.from_global`.
    """
    import h5py

    problem = ContactProblem.from_global(M, H, f, w, mu, rolling_radius, drilling_radius)
    with h5py.File(path, "w") as file:
        group = file.create_group(GLOBAL)
        _write_matrix(group, "M", sparse.csr_array(M))
        _write_matrix(group, "H", sparse.csr_array(H))
        vectors = {"f": np.asarray(f, float), "w": np.asarray(w, float)}
        _write_common(group, problem, vectors, title)


def _opened(path: str | PathLike[str]) -> h5py.File:
    import h5py

    try:
        return h5py.File(path, "r")
    except FileNotFoundError:
        raise FileNotFoundError(f"{path}: no such file") from None
    except OSError as error:
        raise ValueError(f"{path}: is not an HDF5 file, or is cut off ({error})") from None


def _read_local(group: h5py.Group) -> ContactProblem:
    problem = ContactProblem(_matrix(group, "W"), _values(group, "q"), *_laws(group))
    return _checked(group, problem)


def _read_global(file: h5py.File) -> ContactProblem:
    if GLOBAL not in file:
        raise ValueError(f"has neither {LOCAL} nor {GLOBAL}, but {', '.join(file) or 'nothing'}")
    group = file[GLOBAL]
    if "G" in group:
        raise ValueError(f"{GLOBAL}/G: bilateral constraints are not supported")
    f, w = _values(group, "f"), _values(group, "w")
    M, H = _matrix(group, "M"), _matrix(group, "H")
    return _checked(group, ContactProblem.from_global(M, H, f, w, *_laws(group)))


def _checked(group: h5py.Group, problem: ContactProblem) -> ContactProblem:
    rows = int(np.ravel(group["spacedim"][()])[0])
    if rows != problem.rows:
        raise ValueError(
            f"{group.name}/spacedim is {rows}, but the vectors have {problem.rows} rows a contact"
        )
    return problem


def _laws(group: h5py.Group) -> tuple[Floats, Floats | None, Floats | None]:
    def radius(name: str) -> Floats | None:
        return _values(group, name) if name in group["vectors"] else None

    return _values(group, "mu"), radius("mu_r"), radius("mu_d")


def _values(group: h5py.Group, name: str) -> Floats:
    if f"vectors/{name}" not in group:
        raise ValueError(f"{group.name}/vectors/{name} is missing")
    return np.ravel(group["vectors"][name][()]).astype(float)


def _matrix(group: h5py.Group, name: str) -> sparse.csr_array:
    where = f"{group.name}/{name}"
    if name not in group:
        raise ValueError(f"{where} is missing")
    part = group[name]
    missing = [key for key in ("m", "n", "nz", "p", "i", "x") if key not in part]
    if missing:
        raise ValueError(f"{where}/{missing[0]} is missing")
    m, n, nz = (int(np.ravel(part[key][()])[0]) for key in ("m", "n", "nz"))
    p, i, x = part["p"][()], part["i"][()], part["x"][()]
    try:
        if nz == COLUMNS:
            matrix = sparse.csc_array((x, i, p), shape=(m, n))
        elif nz == ROWS:
            matrix = sparse.csr_array((x, i, p), shape=(m, n))
        elif nz >= 0:
            matrix = sparse.coo_array((x[:nz], (i[:nz], p[:nz])), shape=(m, n))
        else:
            raise ValueError(f"nz is {nz}, must be -2, -1 or a number of triplets")
        if nz < 0:
            matrix.check_format(full_check=True)
        return sparse.csr_array(matrix)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None


def _write_matrix(group: h5py.Group, name: str, matrix: sparse.csr_array) -> None:
    part = group.create_group(name)
    for key, number in {
        "m": matrix.shape[0],
        "n": matrix.shape[1],
        "nz": ROWS,
        "nzmax": matrix.nnz,
    }.items():
        part[key] = np.array([number], np.int32)
    part["p"], part["i"] = matrix.indptr.astype(np.int32), matrix.indices.astype(np.int32)
    part["x"] = matrix.data


def _write_common(group: h5py.Group, problem: ContactProblem, vectors: dict[str, Floats], title: str) -> None:
    group["spacedim"] = np.array([problem.rows], np.int32)
    vectors = vectors | {"mu": problem.mu}
    if problem.rolling_radius is not None:
        vectors["mu_r"] = problem.rolling_radius
    if problem.drilling_radius is not None:
        vectors["mu_d"] = problem.drilling_radius
    for name, values in vectors.items():
        group[f"vectors/{name}"] = values
    group["info/title"] = title
