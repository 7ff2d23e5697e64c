"""Moreau and Jean's time stepping: contacts and joints at velocity level, one impulse a step.

    M (v_{k+1} - v_k) = h [(1 - theta) f_k + theta f_{k+1}] + G^T P,        G, M at  q* = q_k o exp(h s v_k)
    q_{k+1} = q_k o exp( h [(1 - theta) v_k + theta v_{k+1}] ),             s = 3/2 - theta
    closed contacts:  g(q_k o exp(h gamma v_k)) <= 0
    P in its sets against  G v_{k+1} + e G v_k,    e_N, e_T by row         Newton's impact law
    joints:  G_B v_{k+1} = 0

moreau_stepper.py -> theta_method.py    forces, velocities without contacts, poses
                  -> percussions.py     closed contacts, their impulses P

Rows, islands, contact problems and the impact law are those of nsgalpha/contact/.

Velocities of two steps move the bodies, v_k with the rows of the step before. At the pose q* their weighted
mean is along a secant of the motion, so that gaps and joints drift by O(h^2) in a given time. With impacts
the scheme is of first order.

Sources: Moreau, Comput. Methods Appl. Mech. Eng. 177 (1999) 329; Jean, the same issue, 235; Acary and
Brogliato, Numerical Methods for Nonsmooth Dynamical Systems, Springer (2008).
"""
