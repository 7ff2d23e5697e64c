"""A separate process of Python."""

import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from types import SimpleNamespace

ROOT = Path(__file__).resolve().parents[1]


def begin_python(*words, folder=ROOT, path=(), environment=None, **options):
    """A process of Python with `words`, and pipes for its output. A program may be indented.

    path: folders with modules, before those of this process.
    """
    modules = os.pathsep.join([*map(str, path), *filter(None, sys.path)])
    given = {**os.environ, "PYTHONPATH": modules, **(environment or {})}
    command = [sys.executable, *(dedent(str(word)) for word in words)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(command, cwd=folder, env=given, **pipes | options)


def run_python(*words, code=0, timeout=None, **options):
    """The finished process of `begin_python`, with its output; it must have the exit code."""
    with begin_python(*words, **options) as process:
        try:
            out, err = process.communicate(timeout=timeout)
        except BaseException:
            process.kill()
            raise
    assert process.returncode == code, err
    return SimpleNamespace(stdout=out, stderr=err)
