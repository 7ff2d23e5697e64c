"""Hypothesis draws the same examples on every run; what workers share of the tests; Ctrl-C reaches them."""

import signal

from hypothesis import HealthCheck, settings

# a shell without job control lets what it runs in the background ignore Ctrl-C, and all that this starts
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
LONGEST = ("cases", "examples", "how_to", "ctrl_c", "file_damage", "example_physics", "equilibrium", "exudyn")
LONGEST += ("laws_on_geometries", "luding", "motion", "viewer_hands", "sweep_cluster", "sweep_workers")
ORDER = {f"test_{name}.py": place for place, name in enumerate(LONGEST)}


def pytest_collection_modifyitems(items):
    """The longest files first: a worker takes a file as a whole, and short ones keep all busy to the end."""
    items.sort(key=lambda item: ORDER.get(item.path.name, len(ORDER)))
