"""Fixtures of the tests of pictures."""

import pytest
from chromium import browser


@pytest.fixture(scope="module")
def tab(tmp_path_factory):
    """One browser for all of a file."""
    with browser(tmp_path_factory.mktemp("chromium")) as page:
        yield page
