"""The distribution: typed, with its own neighbours, and developer files."""

import subprocess
import sys
import tomllib

import pytest

from nsgalpha.commands.package_check import foreign_packages
from tests.fresh_python import ROOT, run_python

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.mark.parametrize("name", ["nsgalpha", "elements", "verification"])
def test_packages_are_marked_as_typed(name):
    assert (ROOT / name / "py.typed").read_bytes() == b""


def test_the_neighbours_are_ours():
    assert foreign_packages() == []


@pytest.mark.parametrize("content", ['"""Elements of the periodic table."""\n', ""])
def test_another_distribution_in_the_place_of_elements_is_named(tmp_path, content):
    (tmp_path / "elements").mkdir()
    (tmp_path / "elements" / "__init__.py").write_text(content)
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import nsgalpha; print(nsgalpha.__version__)"
    done = run_python("-c", code)
    assert done.stdout == "0.1.0\n"
    assert "RuntimeWarning: the package 'elements' in " in done.stderr
    assert str(tmp_path) in done.stderr
    assert "pip uninstall elements" in done.stderr


def test_workflows_are_of_three_systems_and_all_versions():
    text = (ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8")
    for word in ("ubuntu-latest", "macos-latest", "windows-latest"):
        assert word in text
    versions = [each.rpartition(" ")[2] for each in PROJECT["classifiers"] if ":: Python :: 3." in each]
    assert versions == ["3.11", "3.12", "3.13", "3.14"]
    assert 'python: ["' + '", "'.join(versions) + '"]' in text


@pytest.mark.skipif(sys.platform != "linux", reason="a script for Debian")
@pytest.mark.parametrize("answer", ["no", ""])
def test_no_system_package_is_installed_unasked(tmp_path, answer):
    for name in ("apt-get", "sudo"):
        program = tmp_path / name
        program.write_text(f'#!/bin/sh\necho "$0 $@" >> {tmp_path}/called\n')
        program.chmod(0o755)
    environment = {"PATH": f"{tmp_path}:/usr/bin:/bin", "NSGALPHA_SYSTEM_PACKAGES": answer}
    script = ["bash", str(ROOT / ".ci" / "debian"), "some-package"]
    done = subprocess.run(script, env=environment, capture_output=True, text=True, start_new_session=True)
    assert done.returncode == 1
    assert "leaves the system as it is" in done.stderr
    called = tmp_path / "called"
    assert not called.exists() or "install" not in called.read_text()
    agreed = {**environment, "NSGALPHA_SYSTEM_PACKAGES": "yes"}
    subprocess.run(script, env=agreed, capture_output=True, check=True, start_new_session=True)
    assert "install -y" in called.read_text()
