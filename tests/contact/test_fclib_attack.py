"""Hostile and random files: a clean refusal or a right reading, within bounds."""

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from fclib_corpus import CORPUS

ATTACK = Path(__file__).parent / "fclib_attack.py"


def attacked(folder, *arguments):
    """Outcome of each file, by seed or name; the last one killed the process."""
    command = [sys.executable, ATTACK, folder, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = [line.split(" ", 1) for line in done.stdout.splitlines()]
    found = dict(lines)
    if done.returncode:
        last = lines[-1][0] if lines else "nothing"
        pytest.fail(f"{last}: the process died with {done.returncode}: {done.stderr[-2000:]}")
    return found


@pytest.mark.parametrize("count", [100, pytest.param(3000, marks=pytest.mark.long)])
def test_mutated_files_are_read_right_or_refused(tmp_path, count):
    found = attacked(tmp_path, 0, count)
    assert len(found) == count
    assert not {seed: what for seed, what in found.items() if what.startswith("RAW")}
    counts = Counter(found.values())
    assert set(counts) == {"same", "other", "refused"}
    assert min(counts.values()) > 0.02 * len(found)


@pytest.fixture(scope="module")
def of_corpus(tmp_path_factory):
    folder = tmp_path_factory.mktemp("corpus")
    return folder, attacked(folder)


@pytest.mark.parametrize("name", CORPUS)
def test_hostile_files_are_refused_with_a_sentence(name, of_corpus):
    folder, found = of_corpus
    *_, sentence = CORPUS[name]
    assert re.match(f"ValueError {re.escape(f'{folder / name}.hdf5: {sentence}')}", found[name]), found[name]


def test_a_process_that_dies_names_the_file(tmp_path, monkeypatch):
    """The attack itself: a file that ends the interpreter is a failure with its seed."""
    (tmp_path / "fclib_attack.py").write_text("import os; print('17 begun', flush=True); os.abort()")
    monkeypatch.setattr(sys.modules[__name__], "ATTACK", tmp_path / "fclib_attack.py")
    with pytest.raises(pytest.fail.Exception, match="17: the process died with -6"):
        attacked(tmp_path, 17, 18)
