"""Methods for one contact problem, each on its own; strategy.py says which is used when."""
