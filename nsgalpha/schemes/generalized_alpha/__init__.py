"""The nonsmooth generalized-alpha scheme: smooth motion, position correction, velocity correction.

stepper.py -> loop.py      -> position.py, velocity.py -> impacts.py      compiled; loads: loaded.py, loads.py
           -> stepwise.py  -> smooth_contacts.py, corrections.py           what the loop leaves to Python
                              corrections.py -> operators.py, large_impacts.py -> large_island.py

All of them work on present.py. The corrections of stepwise.py are made of the pieces of the compiled ones.
"""
