"""Small kernels in modules beside a test, run by a separate process."""

from textwrap import dedent

from tests.fresh_python import run_python

HEADER = "import os\n\nfrom nsgalpha.jit.decorators import fused, inlined, is_cached, kernel, unkept\n\n\n"


def write_modules(folder, **texts):
    """Write modules of kernels, by name; the decorators are imported."""
    for name, text in texts.items():
        (folder / f"{name}.py").write_text(HEADER + dedent(text))


def run_module(folder, command="import caller", **environment):
    """The process that runs `command` in `folder`, with its modules and a cache there."""
    given = {"PYTHONDONTWRITEBYTECODE": "1", "NUMBA_CACHE_DIR": str(folder / "cache"), **environment}
    return run_python("-c", command, folder=folder, path=[folder], environment=given, timeout=120)
