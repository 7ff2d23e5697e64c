"""Samples of the main suite, the order of files, drawn examples; Ctrl-C reaches all workers."""

import signal
from collections import Counter

import pytest
from hypothesis import HealthCheck, settings

# a shell without job control lets its background jobs ignore Ctrl-C, and all their children
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile(
    "fixed",
    derandomize=True,
    deadline=None,  # compilation does not count as slowness
    max_examples=30,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
settings.load_profile("fixed")

#: Files of tests that take longest, in this order
LONGEST = ("cases", "how_to", "store", "kernels_on_disk", "images", "file_damage", "examples", "bystanders")
LONGEST += ("hostile_files", "viewer_hands", "architecture", "ctrl_c", "sweep_workers", "trusted_files")
LONGEST += ("file_fuzz", "store_faults", "place", "memory", "motion", "example_physics", "springs")
ORDER = {f"test_{name}.py": place for place, name in enumerate(LONGEST)}


@pytest.hookimpl(tryfirst=True)  # before `-m "not long"` is applied
def pytest_collection_modifyitems(items):
    """Mark tests outside the samples as long, and sort all, the longest files first.

    A worker takes a file as a whole, and short ones keep all busy to the end.
    """
    counts = Counter()
    for item in items:
        sample = item.get_closest_marker("sampled")
        if sample is not None and not item.get_closest_marker("long"):
            of_test = item.nodeid.split("[")[0]
            if counts[of_test] % sample.args[0]:
                item.add_marker("long")
            counts[of_test] += 1
    items.sort(key=lambda item: ORDER.get(item.path.name, len(ORDER)))
