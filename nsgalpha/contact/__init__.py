"""The contact problem: find multipliers `r` in their sets and rates `u = W r + b`.

    normal row      0 <= r_N   orthogonal to   u_N >= 0
    friction ball   |r_T| <= mu r_N,   r_T = -mu r_N u_T / |u_T|  when u_T is not zero

Position and velocity corrections are both of this form (METHOD, sections 3 and 6).
"""
