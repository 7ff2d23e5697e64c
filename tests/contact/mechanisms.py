"""Random mechanisms: bodies with joints, contacts, and motors of limited impulse."""

from typing import NamedTuple

import numpy as np

from nsgalpha.contact import ContactProblem
from nsgalpha.contact.body_delassus import FIXED, BodyOperator, Graph
from nsgalpha.contact.multiplier_sets import scale_half_rows
from nsgalpha.contact.scaled_problem import ScaledProblem


class Mechanism(NamedTuple):
    problem: ContactProblem
    body: np.ndarray  # (B, 2) bodies of the blocks
    H: np.ndarray  # (n, 2, 6) rows times M^(-1/2): W = H H^T


def mechanism(rng, moving, contacts, joints, motors=0, mu=0.5):
    """Joints of 3 to 6 rows in a row of bodies, every third with one too many."""
    rows = (
        [3] * contacts + [int(rng.integers(3, 6)) for _ in range(joints)] + [1 + k % 3 for k in range(motors)]
    )
    body = np.array([rng.choice(moving, 2, replace=False) for _ in rows])
    body[rng.uniform(size=len(rows)) < 0.3, 1] = FIXED
    body[contacts : contacts + joints] = np.arange(joints)[:, None] + [0, 1]
    H, redundant = [], 0
    for k, n in enumerate(rows):
        own = rng.normal(size=(n, 2, 6)) * (body[k] != FIXED)[None, :, None]
        if contacts <= k < contacts + joints and k % 3 == 0:
            own = np.concatenate([own, np.tensordot(rng.normal(size=(1, n)), own, 1)])
            redundant += 1
        H.append(own)
    wide = np.zeros((sum(map(len, H)), moving, 6))
    first = 0
    for own, pair in zip(H, body, strict=True):
        for side, b in enumerate(pair):
            if b != FIXED:
                wide[first : first + len(own), b] = own[:, side]
        first += len(own)
    G = wide.reshape(len(wide), -1)
    problem = ContactProblem(
        G @ G.T,
        G @ rng.normal(size=G.shape[1]),
        np.full(contacts, mu),
        bilateral=sum(rows[contacts : contacts + joints]) + redundant,
        bounds=rng.uniform(0.05, 1.0, motors),
        bound_rows=rows[contacts + joints :],
    )
    return Mechanism(problem, body, np.concatenate(H))


def through_bodies(mechanism):
    """The scaled problem with the operator through the bodies."""
    problem, body, H = mechanism
    assert len(body) == len(problem.block_rows)  # else joints that couple alike were taken as one
    sets, block = problem.cones
    sets = sets._replace(radius=sets.radius.copy())
    H, scale = H.copy(), np.empty(len(H))
    scale_half_rows(H, sets, scale)
    offsets = np.concatenate([[0], np.cumsum(problem.block_rows)])
    return ScaledProblem(BodyOperator(Graph(body, offsets, 6), H), problem.q / scale, sets, block)


def eliminated(problem):
    """The problem of the contacts alone, without the bilateral rows: W and q by a dense pseudoinverse."""
    C = slice(0, problem.contacts * problem.rows)
    F = slice(C.stop, C.stop + problem.bilateral)
    W = problem.W.toarray()
    held = W[C, F] @ np.linalg.pinv(W[F, F], rcond=1e-11)
    return ContactProblem(W[C, C] - held @ W[F, C], problem.q[C] - held @ problem.q[F], problem.mu)
