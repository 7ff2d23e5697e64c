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
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from nsgalpha.arrays import Floats
from nsgalpha.checks import instance, text
from nsgalpha.checks import path as checked_path
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
            return _read_local(file) if LOCAL in file else _read_global(file)
        except (KeyError, OSError, OverflowError, RuntimeError, TypeError, ValueError) as error:
            # h5py's own messages of damaged data are of all these types, and some have several lines
            text = " ".join(str(error.args[0] if error.args else error).split())
            raise ValueError(f"{path}: {text}") from error


def write(path: str | PathLike[str], problem: ContactProblem, title: str = "") -> None:
    """Write `problem` as a local FCLIB file, W in compressed rows.

    Raises ValueError if it is no problem, or the title has control characters.
    """
    import h5py

    instance("problem", problem, ContactProblem, "a ContactProblem")
    path, title = checked_path("path", path), text("title", title)
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

    path, title = checked_path("path", path), text("title", title)
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
        text = " ".join(str(error).split())  # some have several lines
        raise ValueError(f"{path}: is not an HDF5 file, or is cut off ({text})") from None


def _group(parent: h5py.Group, name: str) -> h5py.Group:
    import h5py

    part = parent.get(name)
    if not isinstance(part, h5py.Group):
        raise ValueError(f"{_path(parent, name)} is {'missing' if part is None else 'no group'}")
    return part


def _array(group: h5py.Group, name: str, kind: str) -> np.ndarray[Any, Any]:
    """The dataset `name`, whose numbers are of the `kind` "i" (integers) or "f"."""
    import h5py

    part = group.get(name)
    if not isinstance(part, h5py.Dataset):
        raise ValueError(f"{_path(group, name)} is {'missing' if part is None else 'no dataset'}")
    try:
        values = np.asarray(part[()])
    except (OSError, TypeError, ValueError) as error:
        raise ValueError(f"{_path(group, name)} cannot be read ({error})") from None
    if values.dtype.kind not in ("iu" if kind == "i" else "iuf"):
        raise ValueError(f"{_path(group, name)} must be {'integers' if kind == 'i' else 'numbers'}")
    if values.size != max(values.shape, default=1):
        raise ValueError(f"{_path(group, name)} has shape {values.shape}, must be a vector")
    return values.ravel()


def _number(group: h5py.Group, name: str) -> int:
    values = _array(group, name, "i")
    if len(values) != 1:
        raise ValueError(f"{_path(group, name)} has {len(values)} entries, must be one number")
    return int(values[0])


def _path(group: h5py.Group, name: str) -> str:
    return f"{group.name}/{name}".removeprefix("/").removeprefix("/")


def _read_local(file: h5py.File) -> ContactProblem:
    group = _group(file, LOCAL)
    q = _values(group, "q")
    W = _matrix(group, "W", (len(q), len(q)))
    return _checked(group, ContactProblem(W, q, *_laws(group)))


def _read_global(file: h5py.File) -> ContactProblem:
    if GLOBAL not in file:
        raise ValueError(f"has neither {LOCAL} nor {GLOBAL}, but {', '.join(file) or 'nothing'}")
    group = _group(file, GLOBAL)
    if "G" in group:
        raise ValueError(f"{GLOBAL}/G: bilateral constraints are not supported")
    f, w = _values(group, "f"), _values(group, "w")
    M, H = _matrix(group, "M", (len(f), len(f))), _matrix(group, "H", (len(f), len(w)))
    return _checked(group, ContactProblem.from_global(M, H, f, w, *_laws(group)))


def _checked(group: h5py.Group, problem: ContactProblem) -> ContactProblem:
    rows = _number(group, "spacedim")
    if rows != problem.rows:
        raise ValueError(
            f"{_path(group, 'spacedim')} is {rows}, but the vectors have {problem.rows} rows a contact"
        )
    return problem


def _laws(group: h5py.Group) -> tuple[Floats, Floats | None, Floats | None]:
    def radius(name: str) -> Floats | None:
        return _values(group, name) if name in _group(group, "vectors") else None

    return _values(group, "mu"), radius("mu_r"), radius("mu_d")


def _values(group: h5py.Group, name: str) -> Floats:
    return _array(_group(group, "vectors"), name, "f").astype(float)


def _matrix(group: h5py.Group, name: str, shape: tuple[int, int]) -> sparse.csr_array:
    part = _group(group, name)
    m, n, nz = (_number(part, key) for key in ("m", "n", "nz"))
    if (m, n) != shape:
        raise ValueError(f"{_path(group, name)} is {m} x {n}, must be {shape[0]} x {shape[1]} as the vectors")
    p, i, x = _array(part, "p", "i"), _array(part, "i", "i"), _array(part, "x", "f")
    try:
        if nz > min(len(p), len(i), len(x)):
            raise ValueError(f"nz is {nz}, but there are {min(len(p), len(i), len(x))} triplets")
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
        raise ValueError(f"{_path(group, name)}: {error}") from None


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
