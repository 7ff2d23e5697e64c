"""Files in the layout of FCLIB, damaged by chance: `mutated(seed, folder)` writes the file of a seed.

A third have bytes overwritten, mostly where the file is not empty, and some are cut off. The others are
rewritten through HDF5, with one or two parts replaced by the content of a hostile, or a poor, writer.
"""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import h5py
import numpy as np
from scipy import sparse

from nsgalpha.contact import ContactProblem
from nsgalpha.io import fclib

RECORDED = Path(__file__).parent / "data" / "Rover4396.hdf5"
MATRIX = ("m", "n", "nz", "nzmax", "p", "i", "x")
EXTREMES = (0, 1, -1, -2, -3, 2, 3, 255, 2**15, 2**31 - 1, -(2**31), 2**31, 2**62, -(2**63), 2**63 - 1)
NUMBERS = (0.0, -1.0, np.nan, np.inf, -np.inf, 1e308, -1e308, 5e-324, 1e-200, 1e200)
OPTIONS = (
    {},
    {"chunks": True},
    {"chunks": True, "compression": "gzip", "shuffle": True},
    {"chunks": True, "compression": "lzf", "fletcher32": True},
)
LAYOUTS = (  # trees, extensible arrays, fixed arrays of chunks
    ("earliest", {"maxshape": (None,)}),
    ("latest", {"maxshape": (None,)}),
    ("latest", {"compression": "gzip", "fletcher32": True}),
)


def store(group, matrix, kind):
    """Write `matrix` to `group` by "rows", "columns" or "triplets", in place of the old one."""
    for key in list(group):
        del group[key]
    converted = {"columns": sparse.csc_array, "rows": sparse.csr_array, "triplets": sparse.coo_array}[kind](
        matrix
    )
    if kind == "triplets":
        i, p = converted.row, converted.col
        nz, spare = converted.nnz, 3  # more space than entries
        i, p, x = (np.r_[part, np.zeros(spare, part.dtype)] for part in (i, p, converted.data))
    else:
        i, p, x = converted.indices, converted.indptr, converted.data
        nz = -1 if kind == "columns" else -2
    for key, value in {"m": matrix.shape[0], "n": matrix.shape[1], "nz": nz, "nzmax": len(x)}.items():
        group[key] = np.array([value], np.int32)
    group["i"], group["p"], group["x"] = i.astype(np.int32), p.astype(np.int32), x


def whole_problem(rows, contacts=3):
    """A contact problem with all parts that a file may have."""
    rng = np.random.default_rng(rows)
    G = rng.normal(size=(2 * rows * contacts, rows * contacts))
    radii = [rng.uniform(0.0, 0.5, contacts) if rows >= 5 or (rows == 4 and k) else None for k in range(2)]
    if rows == 5:
        radii[1] = None
    return ContactProblem(G.T @ G, rng.normal(size=rows * contacts), rng.uniform(0.1, 1.0, contacts), *radii)


def with_joints(contacts=3, bilateral=4, freedom=12):
    """A contact problem with bilateral rows, one of them redundant, and a solution."""
    rng = np.random.default_rng(7)
    H = rng.normal(size=(freedom, 3 * contacts + bilateral))
    H[:, -1] = H[:, -2] - 2.0 * H[:, -3]
    return ContactProblem(
        H.T @ H, H.T @ rng.normal(size=freedom), np.full(contacts, 0.4), bilateral=bilateral
    )


@cache
def originals():
    """Contents of sound files: storages, forms, joints, three layouts of chunks, Siconos."""
    found = [RECORDED.read_bytes()]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.hdf5"
        for kind in ("rows", "columns", "triplets"):
            problem = whole_problem(3)
            fclib.write(path, problem, title="three contacts")
            with h5py.File(path, "a") as file:
                store(file["fclib_local/W"], problem.W.toarray(), kind)
            found.append(path.read_bytes())
        rng = np.random.default_rng(1)
        M, H = np.diag(rng.uniform(1.0, 2.0, 12)), rng.normal(size=(12, 10))
        radius = rng.uniform(0.0, 0.5, 2)
        fclib.write_global(path, M, H, rng.normal(size=12), rng.normal(size=10), [0.3, 0.5], radius)
        found.append(path.read_bytes())
        G, b = rng.normal(size=(12, 4)), rng.normal(size=4)
        laws = [0.3, 0.5], radius
        fclib.write_global(path, M, H, rng.normal(size=12), rng.normal(size=10), *laws, G=G, b=b)
        found.append(path.read_bytes())
        fclib.write(path, with_joints())
        found.append(path.read_bytes())
        fclib.write(path, whole_problem(6))
        for libver, options in LAYOUTS:
            found.append(_in_chunks(path, Path(folder) / "b.hdf5", libver, options))
    return found


def _in_chunks(path, copy, libver, options):
    """Content of the local file `path` with its arrays in chunks of two."""
    with h5py.File(path) as old, h5py.File(copy, "w", libver=libver) as new:

        def take(name, data):
            if isinstance(data, h5py.Dataset) and data.dtype.kind in "if":
                chunked = {"chunks": (2,)} | options if data.size > 1 else {}
                new.create_dataset(name, data=data[()], **chunked)

        old.visititems(take)
    return copy.read_bytes()


def mutated(seed, folder):
    """Write the file of `seed` to `folder`; its path."""
    rng = np.random.default_rng(seed)
    content = originals()[rng.integers(len(originals()))]
    path = folder / "mutated.hdf5"
    if rng.random() < 1 / 3:
        path.write_bytes(_damaged(rng, bytearray(content)))
        return path
    path.write_bytes(content)
    with h5py.File(path, "r+") as file:
        done = set()
        for _ in range(rng.integers(1, 3)):
            _rewrite(rng, file, done)
    return path


def _damaged(rng, content):
    used = np.flatnonzero(np.frombuffer(bytes(content), np.uint8))
    for _ in range(rng.choice([1, 1, 2, 4, 16])):
        at = (
            int(rng.choice(used)) + int(rng.integers(-4, 5))
            if rng.random() < 0.8
            else rng.integers(len(content))
        )
        at = int(np.clip(at, 0, len(content) - 1))
        length = int(rng.choice([1, 1, 1, 2, 4, 8, 64]))
        match rng.integers(5):
            case 0:
                content[at] ^= 1 << int(rng.integers(8))
            case 1:
                content[at : at + length] = rng.bytes(len(content[at : at + length]))
            case 2:
                value = int(rng.choice([0, 1, 127, 255]))
                content[at : at + length] = bytes([value]) * len(content[at : at + length])
            case 3:
                other = int(rng.integers(len(content)))
                content[at : at + length] = content[other : other + len(content[at : at + length])]
            case 4 if rng.random() < 0.2:
                del content[at:]
                return content
    return content


def _rewrite(rng, file, done):
    root = file[next(iter(file))] if len(file) else file
    if not isinstance(root, h5py.Group):
        return
    matrices = [
        root[name] for name in ("W", "M", "H", "V", "R", "G") if isinstance(root.get(name), h5py.Group)
    ]
    if matrices and rng.random() < 0.75:
        group = matrices[rng.integers(len(matrices))]
        name = str(rng.choice(MATRIX))
    else:
        vectors = root.get("vectors")
        group, name = root, "spacedim"
        if isinstance(vectors, h5py.Group) and len(vectors) and rng.random() < 0.8:
            group, name = vectors, str(rng.choice(list(vectors)))
    if (group, name) in done or not isinstance(group.get(name), h5py.Dataset):
        return
    done.add((group, name))
    old = group[name][()]
    del group[name]
    _replace(rng, group, name, np.atleast_1d(old))


def _replace(rng, group, name, old):
    """One of the ways in which `group[name]`, which was `old`, may be wrong, or stored differently."""
    size = int(rng.choice([0, 1, 7, len(old) + 1, 10**4, 10**5]))
    claimed = int(rng.choice([10**6, 10**8, 10**9, 2**40, 2**61]))
    kind = old.dtype.kind
    match rng.integers(18):
        case 0:
            pass  # missing
        case 1:
            group[name] = _some_replaced(rng, old)
        case 2:
            group[name] = np.full(size, rng.choice(NUMBERS) if kind == "f" else 1, old.dtype)
        case 3:
            group[name] = np.array([rng.choice(EXTREMES)])
        case 4:
            group[name] = rng.permutation(old)
        case 5:
            group[name] = old[: rng.integers(len(old) + 1)]
        case 6:
            group.create_dataset(name, (claimed,), old.dtype, chunks=(1024,), fillvalue=1)
        case 7:
            space, created = h5py.h5s.create_simple((min(claimed, 2**30),)), None
            h5py.h5d.create(group.id, name.encode(), h5py.h5t.py_create(old.dtype), space, created)
        case 8:
            target = (
                h5py.SoftLink("/fclib_local") if rng.random() < 0.5 else h5py.ExternalLink("/etc/hosts", "/x")
            )
            group[name] = target
        case 9:
            group.create_dataset(name, old.shape, old.dtype, external=[("/etc/hosts", 0, old.nbytes)])
        case 10:
            layout = h5py.VirtualLayout(old.shape, old.dtype)
            layout[:] = h5py.VirtualSource("/etc/hosts", "x", old.shape)
            group.create_virtual_dataset(name, layout)
        case 11:
            types = ("f2", ">f8", "g", "c16", "u8", ">i4", "S4", bool, "i1", [("a", "f8")], object)
            chosen = types[rng.integers(len(types))]
            if chosen is object:
                group.create_dataset(name, old.shape, h5py.vlen_dtype(float))
            elif isinstance(chosen, list):
                group[name] = np.zeros(old.shape, chosen)
            else:
                with np.errstate(all="ignore"):
                    group[name] = old.astype(chosen)
        case 12:
            shapes = ((1, len(old)), (len(old), 1), (1, 1, len(old)), (2, len(old)))
            shape = shapes[rng.integers(len(shapes))]
            group[name] = np.resize(old, shape)
        case 13:
            group[name] = ("", "text", "\x1b[2J\n", "x" * 10**5)[rng.integers(4)]
        case 14:
            group[name] = h5py.Empty(old.dtype)
        case 15:
            group.create_group(name)[name] = group
        case 16:
            group.create_dataset(name, data=old, **OPTIONS[rng.integers(len(OPTIONS))])
        case 17:
            created = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            created.set_chunk(old.shape if old.size else (1,))
            created.set_filter(int(rng.choice([32001, 32004, 307, 5, 9999])), h5py.h5z.FLAG_OPTIONAL, (1, 2))
            space = h5py.h5s.create_simple(old.shape)
            kind = h5py.h5t.py_create(old.dtype)
            h5py.h5d.create(group.id, name.encode(), kind, space, created).write_direct_chunk(
                (0,), old.tobytes()
            )


def _some_replaced(rng, old):
    new = old.copy()
    for at in rng.integers(len(old), size=rng.integers(1, 4)) if len(old) else []:
        limits = np.iinfo(old.dtype) if old.dtype.kind in "iu" else None
        value = (
            rng.choice(NUMBERS) if limits is None else np.clip(rng.choice(EXTREMES), limits.min, limits.max)
        )
        new[at if rng.random() < 0.7 else -1] = value
    return new
