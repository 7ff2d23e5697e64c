"""The paper's system in velocities and multipliers has the same solutions (docs/theory.md, section 3)."""

import numpy as np
import pytest
from augmented_lagrangian import Contacts, iterates, residual, solve

import nsgalpha as ns
from nsgalpha.contact import ContactProblem
from nsgalpha.contact import solve as solve_contacts
from verification.balls import GRAVITY, RADIUS
from verification.billiard_break.model import build as build_break
from verification.thirty_degree_rule.model import build as build_thirty_degree_rule
from verification.throw_angle.model import build as build_throw_angle

SCALES = [(1.0, 1.0), (100.0, 1.0), (1.0, 0.01), (1e-3, 10.0)]  # k and p over a characteristic mass
H = 1e-4  # [s]


def random_problem(seed):
    """Mass matrix, velocities at the start, and four contacts that mostly approach, with restitution."""
    rng = np.random.default_rng(seed)
    A, G = rng.normal(size=(20, 20)), rng.normal(size=(4, 3, 20))
    start = -G[:, 0].sum(axis=0) + rng.normal(size=20)
    c = np.zeros((4, 3))
    c[:, 0] = 0.5 * np.minimum(G[:, 0] @ start, 0.0)
    return A @ A.T + 20.0 * np.eye(20), start, Contacts(G, c, rng.uniform(0.05, 0.5, 4))


def solution(M, start, contacts):
    """Velocities and impulses by the solver of this package."""
    H = contacts.G.reshape(-1, len(start)).T
    problem = ContactProblem.from_global(M, H, M @ start, contacts.c.ravel(), contacts.mu)
    r = solve_contacts(problem, tol=1e-12).impulses
    return start + np.linalg.solve(M, H @ r.ravel()), r


def relative_residual(M, start, contacts, v, r, k, p):
    """Largest entry of the paper's residual at the impulses `r`, over momenta and impulses."""
    momentum, rows = residual(M, start, contacts, v, r / k, k, p)
    return max(np.abs(momentum).max() / np.abs(M @ start).max(), np.abs(rows).max() * p / k / np.abs(r).max())


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("k", "p"), SCALES)
def test_solutions_are_zeros_of_the_papers_residual_for_all_k_and_p(seed, k, p):
    M, start, contacts = random_problem(seed)
    mass = np.trace(M) / len(M)
    v, r = solution(M, start, contacts)
    assert np.count_nonzero(r[:, 0]) > 1
    assert relative_residual(M, start, contacts, v, r, k * mass, p * mass) < 1e-10
    assert relative_residual(M, start, contacts, v, 1.001 * r, k * mass, p * mass) > 1e-5


def test_newtons_method_makes_the_same_steps_on_the_papers_system_and_on_the_natural_map():
    M, start, contacts = random_problem(1)
    rows = contacts.G.reshape(-1, len(start))
    W, b = rows @ np.linalg.solve(M, rows.T), rows @ start + contacts.c.ravel()
    p = 1.0 / np.mean(np.diag(W))

    def natural_map(r):
        """`r - Pi(r - p (W r + b))`, and its derivative."""
        s = (r - p * (W @ r + b)).reshape(-1, 3)
        F, D = r.copy(), np.zeros_like(W)
        for j, (mu, own) in enumerate(zip(contacts.mu, s, strict=True)):
            at, length = slice(3 * j + 1, 3 * j + 3), np.linalg.norm(own[1:])
            if own[0] < 0.0:
                continue
            D[3 * j, 3 * j], F[3 * j] = 1.0, F[3 * j] - own[0]
            if length >= mu * own[0]:
                tau = own[1:] / length
                F[at] -= mu * own[0] * tau
                D[at, 3 * j] = mu * tau
                D[at, at] = mu * own[0] / length * (np.eye(2) - np.outer(tau, tau))
            else:
                F[at], D[at, at] = F[at] - own[1:], np.eye(2)
        return F, np.eye(len(r)) - D + p * D @ W

    r = np.zeros(len(b))
    steps = list(iterates(M, start, contacts, 7.0 * p, p))
    assert 3 < len(steps) < 30
    for v, impulses in steps:
        F, J = natural_map(r)
        r = r - np.linalg.solve(J, F)
        assert np.allclose(impulses.ravel(), r, rtol=0.0, atol=1e-10 * np.abs(r).max())
        assert np.allclose(M @ (v - start), rows.T @ r, rtol=0.0, atol=1e-10 * np.abs(M @ start).max())


def balls_in_contact(state, laws, pairs):
    """Rows of contacts `pairs` of balls, -1 the cloth, at a `state`; laws: (mu, e) of balls, of the cloth."""
    G, mu, e = np.zeros((len(pairs), 3, 6 * len(state.position))), [], []
    for rows, (a, b) in zip(G, pairs, strict=True):
        mu.append(laws[b < 0][0])
        e.append(laws[b < 0][1])
        n = np.array([0.0, 0.0, 1.0]) if b < 0 else state.position[a] - state.position[b]
        n = n / np.linalg.norm(n)
        t = np.cross(np.eye(3)[np.abs(n).argmin()], n)
        frame = np.array([n, t / np.linalg.norm(t), np.cross(n, t / np.linalg.norm(t))])
        for body, sign in ((a, 1.0), (b, -1.0)):
            if body >= 0:
                rows[:, 6 * body : 6 * body + 3] = sign * frame
                rows[:, 6 * body + 3 : 6 * body + 6] = -RADIUS * np.cross(n, frame)
    return G, np.array(mu), np.array(e)


def step_of_the_paper(M, start, free, geometry, k, p):
    """Velocities after a step's impacts from `start`, then its loads (theory, section 5).

    free: velocities that the loads alone would give.
    """
    G, mu, e = geometry
    normal, V = G[:, 0], start
    struck = np.zeros(len(G), bool)
    for _ in range(200):
        approach = normal @ V
        active = approach < -1e-9 * np.abs(normal @ start).max()
        active &= approach < 1e-3 * approach.min()
        if not active.any():
            break
        c = np.zeros((active.sum(), 3))
        c[:, 0] = e[active] * np.minimum(approach[active], 0.0)
        V, r = solve(M, V, Contacts(G[active], c, mu[active]), k, p)
        struck[np.flatnonzero(active)[r[:, 0] > 1e-9 * r.max()]] = True
    c = np.zeros((len(G), 3))
    c[struck, 0] = -np.maximum(normal[struck] @ V, 0.0)
    return solve(M, V + free - start, Contacts(G, c, mu), k, p)[0]


def thirty_degree_rule():
    """A rolling cue ball touches the object ball for a half hit."""
    model, _ = build_thirty_degree_rule(0.5, 0.06, 0.93)
    state = model.initial_state()
    state.position[0] = state.position[1] + 2.0 * RADIUS * np.array([-np.sqrt(0.75), 0.5, 0.0])
    state.velocity[0] = [10.0 / 7.0, 0.0, 0.0]
    state.angular_velocity[0] = [0.0, 10.0 / 7.0 / RADIUS, 0.0]
    return model, state, [(0, 1), (0, -1), (1, -1)], ((0.06, 0.93), (0.2, 1.0))


def throw_angle():
    """A cue ball with side spin at a full hit."""
    model, _ = build_throw_angle(-35.17, 0.059, 0.93)
    state = model.initial_state()
    state.position[0] = state.position[1] - [2.0 * RADIUS, 0.0, 0.0]
    return model, state, [(0, 1), (0, -1), (1, -1)], ((0.059, 0.93), (0.0, 0.0))


def billiard_break():
    """The break of four balls at its first impact."""
    model = build_break()
    state = model.initial_state()
    state.position[0] = state.position[1] - [2.0 * RADIUS, 0.0, 0.0]
    pairs = [(0, 1), (1, 2), (1, 3), (2, 3), *((ball, -1) for ball in range(4))]
    return model, state, pairs, ((0.06, 0.93), (0.2, 0.0))


@pytest.mark.parametrize("example", [thirty_degree_rule, throw_angle, billiard_break])
@pytest.mark.parametrize(("k", "p"), SCALES[:3])
def test_a_step_of_the_papers_examples_is_that_of_its_own_system(example, k, p):
    model, state, pairs, laws = example()
    after = ns.step(model, state, h=H, tol=1e-12)
    mass = np.repeat([body.mass for body in model.bodies], 6)
    inertia = np.concatenate([[body.mass] * 3 + [body.inertia[0, 0]] * 3 for body in model.bodies])
    start = np.hstack([state.velocity, state.angular_velocity]).ravel()
    fall = np.tile([0.0, 0.0, -GRAVITY * H, 0.0, 0.0, 0.0], len(model.bodies))
    geometry = balls_in_contact(after, laws, pairs)
    found = step_of_the_paper(np.diag(inertia), start, start + fall, geometry, k * mass[0], p * mass[0])
    ours = np.hstack([after.velocity, after.angular_velocity]).ravel()
    assert np.allclose(found, ours, rtol=0.0, atol=1e-11 * np.abs(start).max())
