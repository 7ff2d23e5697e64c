"""Hypothesis draws the same examples; shared data of workers; Ctrl-C reaches them."""

import signal

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


def pytest_collection_modifyitems(items):
    """Cases of the verification first: they take longest, and a worker takes whole files."""
    items.sort(key=lambda item: item.path.name != "test_cases.py")
