"""A first run says that it compiles, where the kernels are kept or why not, and how long it took."""

import os
import subprocess
import sys
from types import SimpleNamespace

import pytest

from nsgalpha.jit import compile_messages

SCRIPT = """
import nsgalpha.jit.compile_messages as announce
from nsgalpha.jit.compile_messages import announced, begun
from nsgalpha.jit.decorators import kernel


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
    (tmp_path / "script.py").write_text(SCRIPT)
    command = [sys.executable, "script.py"]
    given = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **environment}
    run = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=given, check=True)
    return run.stderr.splitlines()


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
