"""Steps of the generalized-alpha scheme, from Python under users' loads, with forces or large islands.

stepper.py -> stepwise.py -> smooth_contacts.py, and then one of
                             corrections.py -> positions.py, impacts.py -> large_island.py, small_impacts.py
                             mixture.py, where forces are stiff
All of them work on present.py.
"""
