"""Steps of the generalized-alpha scheme: the compiled loop, and what it leaves to Python.

stepper.py -> loop.py -> loaded.py -> loads.py            the compiled loop, with loads and springs
           -> stepwise.py -> smooth_contacts.py, and then one of
                             corrections.py -> positions.py, impacts.py -> large_island.py, small_impacts.py
                             mixture.py, where forces are stiff
All of them work on present.py.
"""
