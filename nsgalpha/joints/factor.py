"""Stub, dense."""
from typing import NamedTuple
import math
import numpy as np
from nsgalpha.arrays import Floats, Ints
from nsgalpha.compiled import leaf

PROXIMAL = 1e-10

class Factor(NamedTuple):
    body: Ints
    row: Ints
    moving: Ints
    scale: Floats
    S: Floats
    L: Floats
    b: Floats
    rest: Floats

def make_factor(body, row, moving):
    n = int(row[-1])
    return Factor(body, row, moving.astype(np.int64), np.ones(n), np.zeros((n, n)), np.zeros((n, n)), np.zeros(n), np.zeros(n))

@leaf
def factorise(f, G, MG):
    n = f.scale.shape[0]
    for i in range(n):
        for j in range(n):
            f.S[i, j] = 0.0
    for k in range(f.body.shape[0]):
        for s in range(2):
            b = f.body[k, s]
            if not f.moving[b]:
                continue
            for m in range(f.body.shape[0]):
                for o in range(2):
                    if f.body[m, o] == b:
                        for i in range(f.row[k], f.row[k + 1]):
                            for j in range(f.row[m], f.row[m + 1]):
                                t = 0.0
                                for d in range(6):
                                    t += G[i, s, d] * MG[j, o, d]
                                f.S[i, j] += t
    for i in range(n):
        f.scale[i] = 1.0 / math.sqrt(f.S[i, i]) if f.S[i, i] > 0 else 1.0
    for i in range(n):
        for j in range(i + 1):
            t = f.S[i, j] * f.scale[i] * f.scale[j]
            if i == j:
                t += PROXIMAL
            for k in range(j):
                t -= f.L[i, k] * f.L[j, k]
            if i == j:
                f.L[i, i] = math.sqrt(max(t, 1e-16))
            else:
                f.L[i, j] = t / f.L[j, j]

@leaf
def solve(f, G, MG, x):
    n = x.shape[0]
    for i in range(n):
        f.b[i] = x[i]
        x[i] = 0.0
    for it in range(3):
        for i in range(n):
            t = f.b[i]
            for j in range(n):
                t -= f.S[i, j] * x[j]
            f.rest[i] = t * f.scale[i]
        for i in range(n):
            for k in range(i):
                f.rest[i] -= f.L[i, k] * f.rest[k]
            f.rest[i] /= f.L[i, i]
        for i in range(n - 1, -1, -1):
            for k in range(i + 1, n):
                f.rest[i] -= f.L[k, i] * f.rest[k]
            f.rest[i] /= f.L[i, i]
        for i in range(n):
            x[i] += f.rest[i] * f.scale[i]
