"""Contact problems in the HDF5 layout of FCLIB, the frictional contact library.

    fclib_local     W, q, mu:             u = W r + q
                    and V, R, s:          u = W r + V l + q,      0 = V^T r + R l + s
    fclib_global    M, H, f, w, mu:       M v = H r + f,          u = H^T v + w
                    and G, b:             M v = H r + G l + f,    0 = G^T v + b

with the multipliers `l` of bilateral rows, those of joints. Matrices are sparse, see fclib_matrix.py.
`spacedim` is the number of rows of a contact, 2, 3 or 5, the last with `vectors/mu_r`; with drilling, 4 or 6,
there is `vectors/mu_d` in addition, which only this module reads. (Acary, Bremond, Koziara, Perignon, "FCLIB:
a collection of discrete 3D frictional contact problems", 2014.)

A file is foreign data: its claims are checked before memory is taken (hdf5.py). A part may have SMALL bytes,
or EXPANSION times as many as the file, up to MOST.
"""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from nsgalpha.arrays import Floats
from nsgalpha.checks import instance, text
from nsgalpha.checks import path as checked_path
from nsgalpha.contact import ContactProblem
from nsgalpha.io.fclib_matrix import NUMBERS, read_matrix, read_number, read_vector, write_matrix
from nsgalpha.io.hdf5 import checked_group, holds, naming, open_to_read, place

if TYPE_CHECKING:
    import h5py

LOCAL, GLOBAL = "fclib_local", "fclib_global"
SMALL, EXPANSION, MOST = 2**24, 100, 2**28  # see above


def read(path: str | PathLike[str], *, symmetrise: bool = False) -> ContactProblem:
    """The problem in an FCLIB file; a global one is reduced to its local form.

    symmetrise: take the symmetric part of an operator that is recorded with an asymmetry;
    `ContactProblem.asymmetry` says how much that was.

    Raises FileNotFoundError; ValueError if the file is damaged or is no such problem, and says where; OSError
    if it cannot be opened.
    """
    with naming(path), open_to_read(path) as file:
        most = min(MOST, SMALL + EXPANSION * file.id.get_filesize())
        return (_read_local if holds(file, LOCAL) else _read_global)(file, most, symmetrise)


def write(path: str | PathLike[str], problem: ContactProblem, title: str = "") -> None:
    """Write `problem` as a local FCLIB file, matrices in compressed rows.

    Raises ValueError if it is no problem, has bounded rows, for which there is no place, or the title has
    control characters.
    """
    import h5py

    instance("problem", problem, ContactProblem, "a ContactProblem")
    if len(problem.bounds):
        raise ValueError(f"problem: has {len(problem.bounds)} bounds; FCLIB has no place for bounded rows")
    path, title = checked_path("path", path), text("title", title)
    n = problem.contacts * problem.rows
    with h5py.File(path, "w") as file:
        group = file.create_group(LOCAL)
        write_matrix(group, "W", problem.W[:n, :n])
        vectors = {"q": problem.q[:n]}
        if problem.bilateral:
            write_matrix(group, "V", problem.W[:n, n:])
            write_matrix(group, "R", problem.W[n:, n:])
            vectors["s"] = problem.q[n:]
        _write_common(group, problem, vectors, title)


def write_global(
    path: str | PathLike[str],
    M: ArrayLike | sparse.sparray,
    H: ArrayLike | sparse.sparray,
    f: ArrayLike,
    w: ArrayLike,
    mu: ArrayLike,
    rolling_radius: ArrayLike | None = None,
    drilling_radius: ArrayLike | None = None,
    *,
    G: ArrayLike | sparse.sparray | None = None,
    b: ArrayLike | None = None,
    title: str = "",
) -> None:
    """Write `M v = H r + G l + f`, `u = H^T v + w`, `G^T v + b = 0` as a global FCLIB file; arguments and
    errors as `ContactProblem.from_global`.
    """
    import h5py

    path, title = checked_path("path", path), text("title", title)
    problem = ContactProblem.from_global(M, H, f, w, mu, rolling_radius, drilling_radius, G=G, b=b)
    with h5py.File(path, "w") as file:
        group = file.create_group(GLOBAL)
        write_matrix(group, "M", sparse.csr_array(M))
        write_matrix(group, "H", sparse.csr_array(H))
        vectors = {"f": np.asarray(f, float), "w": np.asarray(w, float)}
        if G is not None:
            write_matrix(group, "G", sparse.csr_array(G))
            vectors["b"] = np.asarray(b, float)
        _write_common(group, problem, vectors, title)


def _read_local(file: h5py.File, most: int, symmetrise: bool) -> ContactProblem:
    group = checked_group(file, LOCAL)
    q = _values(group, "q", most)
    W, p = read_matrix(group, "W", (len(q), len(q)), most), 0
    if holds(group, "V") or holds(group, "R"):
        s = _values(group, "s", most)
        p = len(s)
        V, R = read_matrix(group, "V", (len(q), p), most), read_matrix(group, "R", (p, p), most)
        W, q = sparse.csr_array(sparse.block_array([[W, V], [V.T, R]])), np.concatenate([q, s])
    laws = _laws(group, most)
    return _checked(group, ContactProblem(W, q, *laws, bilateral=p, symmetrise=symmetrise))


def _read_global(file: h5py.File, most: int, symmetrise: bool) -> ContactProblem:
    if not holds(file, GLOBAL):
        raise ValueError(f"has neither {LOCAL} nor {GLOBAL}, but {', '.join(file) or 'nothing'}")
    group = checked_group(file, GLOBAL)
    f, w = _values(group, "f", most), _values(group, "w", most)
    M = read_matrix(group, "M", (len(f), len(f)), most)
    H = read_matrix(group, "H", (len(f), len(w)), most)
    G, b, laws = None, None, _laws(group, most)
    if holds(group, "G"):
        b = _values(group, "b", most)
        G = read_matrix(group, "G", (len(f), len(b)), most)
    return _checked(group, ContactProblem.from_global(M, H, f, w, *laws, G=G, b=b, symmetrise=symmetrise))


def _checked(group: h5py.Group, problem: ContactProblem) -> ContactProblem:
    rows = read_number(group, "spacedim")
    if rows != problem.rows and problem.contacts:
        message = f"{place(group, 'spacedim')} is {rows}, but the vectors have {problem.rows} rows a contact"
        raise ValueError(message)
    return problem


def _laws(group: h5py.Group, most: int) -> tuple[Floats, Floats | None, Floats | None]:
    def radius(name: str) -> Floats | None:
        return _values(group, name, most) if holds(checked_group(group, "vectors"), name) else None

    return _values(group, "mu", most), radius("mu_r"), radius("mu_d")


def _values(group: h5py.Group, name: str, most: int) -> Floats:
    return read_vector(checked_group(group, "vectors"), name, NUMBERS, most).astype(float)


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
