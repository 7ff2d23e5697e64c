"""Hypothesis draws the same examples on every run; what workers share of the tests when there are several."""

import pytest
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
    """Verification cases, which take longest, first; a worker takes one of them, or a file, as a whole."""
    items.sort(key=lambda item: "verification" not in item.path.parts)
    for item in items:
        verdict = getattr(item, "callspec", None) and item.callspec.params.get("verdict")
        item.add_marker(pytest.mark.xdist_group(f"{item.path.name} {verdict or ''}"))
