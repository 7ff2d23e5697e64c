"""Methods for one contact problem, each on its own; solver_strategy.py says which is used when."""
