"""A reader of FCLIB files for comparison, entry by entry and without that of the package."""

import h5py
import numpy as np


def read_plainly(path):
    """W (n, n), q, mu, mu_r of a file, joints behind the contacts; a global one by dense algebra."""

    def matrix(group):
        m, n, nz = (int(np.ravel(group[key][()])[0]) for key in ("m", "n", "nz"))
        p, i, x = (np.ravel(group[key][()]) for key in ("p", "i", "x"))
        x = x.astype(float)
        A = np.zeros((m, n))
        if nz >= 0:
            for row, column, value in zip(i[:nz], p[:nz], x[:nz], strict=True):
                A[row, column] += value
            return A
        for line in range(len(p) - 1):
            for z in range(p[line], p[line + 1]):
                A[(i[z], line) if nz == -1 else (line, i[z])] += x[z]
        return A

    with h5py.File(path) as file:
        local = "fclib_local" in file
        group = file["fclib_local" if local else "fclib_global"]
        vectors = {key: np.ravel(value[()]).astype(float) for key, value in group["vectors"].items()}
        if local:
            W, q = matrix(group["W"]), vectors["q"]
            if "V" in group:
                V = matrix(group["V"])
                W, q = np.block([[W, V], [V.T, matrix(group["R"])]]), np.r_[q, vectors["s"]]
        else:
            M, H, w = matrix(group["M"]), matrix(group["H"]), vectors["w"]
            if "G" in group:
                H, w = np.hstack([H, matrix(group["G"])]), np.r_[w, vectors["b"]]
            W, q = H.T @ np.linalg.solve(M, H), H.T @ np.linalg.solve(M, vectors["f"]) + w
    return W, q, vectors["mu"], vectors.get("mu_r")
