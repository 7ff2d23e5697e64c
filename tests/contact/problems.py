"""Random contact problems that have a solution."""

import numpy as np

from nsgalpha.contact import ContactProblem

LAWS = {  # rows: (rolling, drilling)
    2: (False, False),
    3: (False, False),
    4: (False, True),
    5: (True, False),
    6: (True, True),
}


def law(rng, contacts, rows, mu=None):
    """mu, rolling radius, drilling radius, each (K,) or None."""
    mu = rng.uniform(0.0, 1.0, contacts) if mu is None else np.full(contacts, mu)
    return mu, *(rng.uniform(0.0, 0.5, contacts) if given else None for given in LAWS[rows])


def random_problem(rng, contacts, rows=3, freedom=None, mu=None):
    """`W = G^T G` of rank `freedom`, `q` a motion: as with W = H^T M^-1 H there is a solution."""
    n = rows * contacts
    freedom = n if freedom is None else freedom
    G = rng.normal(size=(freedom, n))
    return ContactProblem(G.T @ G, G.T @ rng.normal(size=freedom), *law(rng, contacts, rows, mu))


def chosen(problem, contacts):
    """The problem of `contacts` in that order."""
    rows = problem.rows
    index = (np.asarray(contacts)[:, None] * rows + np.arange(rows)).ravel()
    radii = (part if part is None else part[contacts] for part in laws(problem))
    return ContactProblem(problem.W.toarray()[np.ix_(index, index)], problem.q[index], *radii)


def laws(problem):
    return problem.mu, problem.rolling_radius, problem.drilling_radius
