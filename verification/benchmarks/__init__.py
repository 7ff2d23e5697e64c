"""Benchmarks: they measure times and judge nothing; the verification does not need them.

`nsgalpha bench` runs those of `MODULES`, `python -m verification.benchmarks.scaling` lets scenes grow. Times
of other codes were taken on other machines or other days: orders of magnitude, not ratios of one run.
"""

#: Module of this folder by the name of a benchmark, which is its function `bench_<name>`.
MODULES = {
    "break": "hard",
    "breaks": "breaks",
    "cradle": "hard",
    "loads": "hard",
    "import": "start",
    "start": "start",
    "compilation": "compilation",
    "explicit": "box",
    "stack": "soft_stack",
    "pass": "contact_pass",
    "penalty": "penalty",
    "mixture": "mixture",
    "pins": "pins",
    "chains": "chains",
    "overdamped": "overdamped",
    "recording": "recording",
    "moving": "moving",
    "shells": "shells",
    "heap": "heap",
    "heaps": "heap",
    "impacts": "impact_error",
    "solids": "solids",
    "piles": "solids",
    "distances": "distances",
    "robots": "robots",
    "film": "films",
    "threads": "threaded_steps",
}
#: Benchmarks that take longer than all others together: they run where they are named.
LONGEST = {"distances", "heaps", "piles", "solids", "threads"}
