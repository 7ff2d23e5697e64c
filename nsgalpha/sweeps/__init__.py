"""Sweeps: one function at many points of its parameters, in parallel, into one table.

`points` has the parameters, `task` the work at one point, `workers` the processes, `store` the file, `table`
the result; `sweep` puts them together.
"""
