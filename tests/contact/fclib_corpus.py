"""Hostile files in the layout of FCLIB, each with the sentence that must come of it."""

import h5py
import numpy as np
from fclib_mutations import store, whole_problem

from nsgalpha.io import fclib
from tests.io.foreign_datasets import filtered, packed_zeros, virtual

CORPUS = {}


def hostile(sentence, form="local"):
    """Register a change of the group of a sound file, local or global."""

    def register(change):
        CORPUS[change.__name__] = (change, form, sentence)
        return change

    return register


def write_corpus(folder):
    """All files, as `NAME.hdf5`."""
    for name, (change, form, _) in CORPUS.items():
        path = folder / f"{name}.hdf5"
        if form == "local":
            fclib.write(path, whole_problem(3))
        else:
            rng = np.random.default_rng(0)
            M, H = np.diag(rng.uniform(1.0, 2.0, 12)), rng.normal(size=(12, 9))
            fclib.write_global(path, M, H, rng.normal(size=12), rng.normal(size=9), [0.5] * 3)
        with h5py.File(path, "r+") as file:
            change(file[f"fclib_{form}"])


def replace(group, name, value, **options):
    del group[name]
    group.create_dataset(name, data=value, **options)


P, MASSLESS = "fclib_local/W/p", "M: the part with the rows [0] is not positive definite"
NUMBERS = (  # name, dataset, its numbers at a place, sentence
    # SciPy checks the last pointer alone, and reads at the others: exit code 139
    ("pointers_that_end_in_zero", "W/p", -1, 0, f"{P}[9] is 0, must be at least {P}[8] = 72"),
    ("pointers_far_outside_that_end_in_zero", "W/p", slice(1, None), [2**30, 0] * 4 + [0],
     f"{P}[2] is 0, must be at least {P}[1] = 1073741824"),
    ("a_pointer_far_outside", "W/p", slice(4, 10), 2**31 - 1, f"{P}[9] is 2147483647, but i has 81 entries"),
    ("a_pointer_that_steps_back", "W/p", slice(1, 3), (40, 9), f"{P}[2] is 9, must be at least {P}[1] = 40"),
    ("a_negative_pointer", "W/p", 1, -5, f"{P}[1] is -5, must be at least {P}[0] = 0"),
    ("a_first_pointer_that_is_not_zero", "W/p", 0, 3, f"{P}[0] is 3, must be 0"),
    ("an_index_too_many", "W/i", -1, 9, "fclib_local/W/i[80] is 9, must be in 0 ... 8"),
    ("room_for_fewer_entries_than_there_are", "W/nzmax", 0, 80,
     "fclib_local/W/nzmax is 80, but there are 81 entries"),
    ("entries_that_are_no_numbers", "W/x", 0, np.nan, "W: entry 0 is nan, must be finite"),
    ("a_massless_body", "M/x", 0, 0.0, MASSLESS),
    ("a_mass_whose_inverse_is_infinite", "M/x", 0, 1e-310, MASSLESS),
)  # fmt: skip


def put(dataset, place, value):
    """A change of numbers."""
    return lambda group: group[dataset].__setitem__(place, value)


for name, *numbers, sentence in NUMBERS:
    CORPUS[name] = put(*numbers), "global" if sentence == MASSLESS else "local", sentence


@hostile("fclib_local/W/p[9] is 18446744073709551615, but i has 81 entries")
def an_unsigned_pointer(group):
    pointers = group["W/p"][()].astype(np.uint64)
    pointers[-1] = 2**64 - 1
    replace(group, "W/p", pointers)


@hostile("fclib_local/W/i[0] is -9223372036854775808, must be in 0 ... 8")
def an_index_far_below(group):
    indices = group["W/i"][()].astype(np.int64)
    indices[0] = -(2**63)
    replace(group, "W/i", indices)


@hostile("fclib_local/W/p[3] is 2147483647, must be in 0 ... 8")
def a_triplet_outside(group):
    store(group["W"], np.eye(9), "triplets")
    group["W/p"][3] = 2**31 - 1


@hostile("fclib_local/W is 1000000000 x 1000000000, must be 9 x 9 as the vectors")
def rows_that_the_vectors_do_not_have(group):
    group["W/m"][0] = group["W/n"][0] = 10**9


@hostile("fclib_local/vectors/q has shape (1000000000,), 8e+09 bytes; at most")
def a_vector_that_claims_a_billion_numbers(group):
    del group["vectors/q"]
    group.create_dataset("vectors/q", (10**9,), float, chunks=(1024,), fillvalue=-1.0)


@hostile("fclib_local/W/x has shape (20000000,), 1.6e+08 bytes; at most")
def zeros_that_are_compressed_a_thousand_times(group):
    replace(group, "W/x", np.zeros(2 * 10**7), compression="gzip", chunks=(2 * 10**6,))


@hostile("fclib_local/W is 1000000 x 1000000, must be 9 x 9")
def a_matrix_of_many_empty_rows(group):
    for name, value in {"m": [10**6], "n": [10**6], "nz": [0], "nzmax": [0]}.items():
        replace(group["W"], name, value)


@hostile("fclib_local/W/x is a link to the file '/etc/hosts', '/x'; only data of the file itself are read")
def entries_in_another_file(group):
    del group["W/x"]
    group["W/x"] = h5py.ExternalLink("/etc/hosts", "/x")


@hostile("fclib_local/W is a link to '/fclib_local/V'; only data of the file itself are read")
def a_matrix_by_a_soft_link(group):
    group.move("W", "V")
    group["W"] = h5py.SoftLink("/fclib_local/V")


@hostile("fclib_local/vectors/q is composed of other files; only data of the file itself are read")
def bytes_of_another_file(group):
    del group["vectors/q"]
    group.create_dataset("vectors/q", (9,), float, external=[("/etc/hosts", 0, 72)])


@hostile("fclib_local/vectors/mu is composed of other files; only data of the file itself are read")
def a_virtual_dataset(group):
    del group["vectors/mu"]
    virtual(group, "vectors/mu", (3,))


@hostile("fclib_local/W/x is stored with the filter 32001, which is not loaded")
def a_filter_that_would_load_a_program(group):
    del group["W/x"]
    data = filtered(group["W"], "x", (81,), 32001, 2, 2, 8, 648)
    data.write_direct_chunk((0,), bytes(648), 0)


@hostile("fclib_local/W/x has a chunk that does not unpack to its 648 bytes")
def a_chunk_that_becomes_a_gigabyte(group):
    del group["W/x"]
    data = group.create_dataset("W/x", (81,), float, chunks=(81,), compression="gzip")
    data.id.write_direct_chunk((0,), packed_zeros(2**30))


@hostile("fclib_local/W/x is of type [('re', '<f8')], must be numbers of at most 8 bytes")
def compound_numbers(group):
    replace(group, "W/x", np.zeros(81, [("re", "f8")]))


@hostile("fclib_local/W/x is of type float128, must be numbers of at most 8 bytes")
def numbers_beyond_double_precision(group):
    replace(group, "W/x", np.full(81, np.longdouble(10) ** 400))


@hostile("fclib_local/W is no group")
def an_array_in_place_of_a_group(group):
    replace(group, "W", np.eye(9))


@hostile("fclib_local/vectors/q is no dataset")
def a_group_that_contains_itself(group):
    del group["vectors/q"]
    group["vectors/q"] = group


@hostile("W: entry 0 is inf, must be finite")
def entries_whose_sum_is_infinite(group):
    store(group["W"], np.eye(9), "triplets")
    group["W/i"][:2] = group["W/p"][:2] = 0
    group["W/x"][:2] = 1.5e308


@hostile("W: has entries beyond the square root of those on its diagonal, so a negative eigenvalue")
def a_diagonal_that_vanishes_beside_the_rest(group):
    W = 1e-300 * np.eye(9)
    W[0, 1] = W[1, 0] = 1e300
    store(group["W"], W, "rows")


@hostile("W[0, 1] = ")
def an_operator_that_is_not_symmetric(group):
    group["W/x"][1] += 0.1 * group["W/x"][0]


@hostile("M: the part with the rows [0, 1] is not positive definite", form="global")
def a_singular_mass_matrix(group):
    M = np.eye(12)
    M[0, 1] = M[1, 0] = 1.0
    store(group["M"], M, "columns")


@hostile("M: 20000 rows hang together, from [0, 1, 2, 3, 4, 5]; at most 4000 may", form="global")
def a_mass_matrix_that_would_be_dense(group):
    n = 20000
    M = np.r_[np.full(n, 2.0), np.full(n - 1, -1e-3), np.full(n - 1, -1e-3)]
    i = np.r_[np.arange(n), np.arange(n - 1), np.arange(1, n)]
    p = np.r_[np.arange(n), np.arange(1, n), np.arange(n - 1)]
    _triplets(group["M"], (n, n), i, p, M)
    replace(group, "vectors/f", np.zeros(n))
    group["H/m"][0] = n
    replace(group, "H/p", np.r_[group["H/p"][()], np.full(n - 12, group["H/p"][-1])])


@hostile(
    "H: 30000 contacts act on so many rows of M in common that W would have more than 1e+07 entries",
    form="global",
)
def an_operator_that_would_be_dense(group):
    n = 90000
    replace(group, "vectors/w", np.zeros(n))
    replace(group, "vectors/mu", np.zeros(n // 3))
    _triplets(group["H"], (12, n), np.zeros(n, int), np.arange(n), np.ones(n))


def _triplets(group, shape, i, p, x):
    sizes = {"m": [shape[0]], "n": [shape[1]], "nz": [len(x)], "nzmax": [len(x)]}
    for name, value in (sizes | {"i": i, "p": p, "x": x}).items():
        replace(group, name, value)
