"""Hypothesis draws the same examples on every run; what workers share of the tests when there are several."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "fixed",
    derandomize=True,
    deadline=None,  # compilation does not count as slowness
    max_examples=30,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
settings.load_profile("fixed")


def pytest_collection_modifyitems(items):
    """The cases of the verification first: they take longest, and a worker takes a file as a whole."""
    items.sort(key=lambda item: item.path.name != "test_cases.py")
