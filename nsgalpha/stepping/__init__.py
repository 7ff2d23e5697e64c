"""One step, compiled, for islands of up to a hundred rows. integrator.py, the loop, is to be read first:

smooth.py -> position.py -> velocity.py        on pairs of broadphase.py, islands.py, kinematics.py
"""
