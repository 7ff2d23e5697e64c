"""A separate process of Python."""

import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

ROOT = Path(__file__).resolve().parents[1]


def run_python(*words, folder=ROOT, path=(), code=0, environment=None, **options):
    """The finished process of Python with `words`, one of which may be an indented program.

    path: folders with modules, before those of this process. code: the exit code that it must have.
    """
    modules = os.pathsep.join([*map(str, path), *filter(None, sys.path)])
    given = {**os.environ, "PYTHONPATH": modules, **(environment or {})}
    command = [sys.executable, *(dedent(str(word)) for word in words)]
    done = subprocess.run(command, cwd=folder, env=given, capture_output=True, text=True, **options)
    assert done.returncode == code, done.stderr
    return done
