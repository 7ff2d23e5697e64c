"""Steps driven from Python: under the user's loads, with compliant contacts, or with large islands.

stepwise.py -> corrections.py -> positions.py, impacts.py -> large_island.py -> contact/strategy.py
                                               small_impacts.py
"""
