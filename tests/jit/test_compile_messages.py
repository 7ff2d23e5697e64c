"""A first run reports its compilation, the kernels' folder, and its duration."""

from types import SimpleNamespace

import pytest
from kernel_scripts import write_modules

from nsgalpha.jit import compile_messages
from tests.fresh_python import run_python

SCRIPT = """
import nsgalpha.jit.compile_messages as announce
from nsgalpha.jit.compile_messages import announced, begun

@kernel
def twice(x):
    return 2.0 * x

announce.PATIENCE = 0.0
with announced():
    twice(1.0)
    begun()
    begun()
twice(1)
"""


def said(tmp_path, **environment):
    """The lines on stderr of the script."""
    write_modules(tmp_path, script=SCRIPT)
    return run_python("script.py", folder=tmp_path, environment=environment).stderr.splitlines()


def test_compilation_is_announced_once_and_its_time_told_once(tmp_path):
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    first, last = said(tmp_path, **cache)
    assert first.startswith("compiling the kernels that this model needs, for up to a minute")
    assert first.endswith("later runs start at once")
    assert last.startswith(("compiled 1 kernels in 0 s", "compiled 1 kernels in 1 s"))
    assert said(tmp_path, **cache) == []


def test_it_says_why_kernels_are_not_kept(tmp_path):
    first, _ = said(tmp_path, NUMBA_CACHE_LOCATOR_CLASSES="IPythonCacheLocator")
    assert "as in every run: " in first
    assert first.endswith("see NUMBA_CACHE_DIR")


@pytest.mark.parametrize("ours", [True, False])
def test_only_our_kernels_are_announced(monkeypatch, caplog, ours):
    kernel = SimpleNamespace(_cache=None, **{"of_nsgalpha": True} if ours else {})
    monkeypatch.setattr(compile_messages, "PATIENCE", -1.0)
    clock = compile_messages.Clock()
    clock.on_start(SimpleNamespace(data={"dispatcher": kernel}))
    assert len(caplog.records) == ours
