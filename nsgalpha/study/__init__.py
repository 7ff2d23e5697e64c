"""Sweeps: one function at many points of its parameters, in parallel, into one table.

`points` says where, `task` is what a worker does at one point, `workers` who does it, `store` what stays on
disk, `table` what comes back; `sweep` puts them together.
"""
