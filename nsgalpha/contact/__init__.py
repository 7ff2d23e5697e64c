"""The contact problem: find multipliers `r` in their sets and rates `u = W r + q`.

    normal row      0 <= r_N   orthogonal to   u_N >= 0
    friction ball   |r_T| <= mu r_N,   r_T = -mu r_N u_T / |u_T|  when u_T is not zero

Position and velocity corrections are both of this form (docs/theory.md, sections 3 and 6). The package solves
such problems alone as well:

    solution = nsgalpha.contact.solve(nsgalpha.contact.ContactProblem(W, q, mu))

Schemes find the problem of a step in rows/, islands/ and impacts/.
"""

from nsgalpha.contact.contact_problem import ContactProblem
from nsgalpha.contact.solver import ContactSolution, ContactStatus, solve

__all__ = ["ContactProblem", "ContactSolution", "ContactStatus", "solve"]
