"""Files beside a script, full disks, and sources that change meanwhile."""

import os
from pathlib import Path

import pytest
from kernel_scripts import run_module, write_modules

from nsgalpha.jit.source_digest import sources_of

pytestmark = pytest.mark.skipif(os.name != "posix", reason="pipes, devices and limits of POSIX")

SCRIPT = """
@kernel
def half(x):
    return 0.5 * x

print(half(3.0), sum(half.stats.cache_hits.values()), unkept(half))
"""
HELPER = """
from numbers_of_mine import FACTOR

@kernel
def value(x):
    return FACTOR * x
"""
USER = """
from helper import value

@kernel
def twice(x):
    return 2.0 * value(x)
"""
RELOADED = """
import importlib
from pathlib import Path

import numbers_of_mine
import helper
import user

print(user.twice(1.0))
Path("numbers_of_mine.py").write_text("FACTOR = 55.0")
for module in (numbers_of_mine, helper, user):
    importlib.reload(module)
print(user.twice(1.0))
"""


def run(folder, command="import script"):
    """Lines of stdout."""
    return run_module(folder, command).stdout.splitlines()


def test_pipes_devices_and_folders_beside_a_script_are_no_sources(tmp_path):
    write_modules(tmp_path, script=SCRIPT)
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "endless.py").symlink_to("/dev/zero")
    (tmp_path / "nowhere.py").symlink_to("no such file")
    (tmp_path / "folder.py").mkdir()
    assert run(tmp_path) == ["1.5 0 "]
    assert run(tmp_path) == ["1.5 1 "]


@pytest.mark.long
def test_a_large_source_counts_by_its_date(tmp_path):
    write_modules(tmp_path, script=SCRIPT)
    with (tmp_path / "large.py").open("wb") as file:
        file.truncate(2**40)  # nothing is on the disk
    assert run(tmp_path) == ["1.5 0 "]
    assert run(tmp_path) == ["1.5 1 "]
    os.utime(tmp_path / "large.py", (1, 1))
    assert run(tmp_path) == ["1.5 0 "]


def test_a_disk_that_takes_no_kernels_is_told_once_and_is_no_failure(tmp_path):
    write_modules(tmp_path, script=SCRIPT.replace("print", "half(3)\nprint"))
    limited = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)); import script"
    done = run_module(tmp_path, limited)
    where = repr(str(tmp_path / "cache"))[:-1]
    assert done.stdout.startswith(f"1.5 0 {where}")
    (told,) = done.stderr.splitlines()
    assert told.startswith(where)
    assert "cannot be written to: File too large; kernels are compiled again in later runs" in told
    assert not [*(tmp_path / "cache").rglob("*.tmp*")]


def test_sources_that_are_loaded_again_are_compiled_again_and_not_kept(tmp_path):
    (tmp_path / "numbers_of_mine.py").write_text("FACTOR = 3.0")
    write_modules(tmp_path, helper=HELPER, user=USER, script=RELOADED)
    assert run(tmp_path) == ["6.0", "110.0"]
    (tmp_path / "numbers_of_mine.py").write_text("FACTOR = 3.0")
    now = "import user; print(user.twice(1.0))"
    assert run(tmp_path, now) == ["6.0"]
    (tmp_path / "numbers_of_mine.py").write_text("FACTOR = 7.0")
    assert run(tmp_path, now) == ["14.0"]


def test_kernels_of_folders_without_kernels_of_others_are_kept():
    """A function of case files is a kernel: its file has no other kernels."""
    from nsgalpha.case import named_loads

    path = Path(named_loads.__file__).resolve()
    found = sources_of(path)
    found[-1].look(path)
    assert not any(each.changed for each in found)
    assert len({each.digest for each in found}) == 2
