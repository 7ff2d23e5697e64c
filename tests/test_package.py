"""The distribution: typed, with its own neighbours, and developer files."""

import re
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


def test_nsgalpha_without_our_elements_states_models_and_says_what_is_missing(tmp_path):
    (tmp_path / "elements").mkdir()
    (tmp_path / "elements" / "__init__.py").write_text("GOLD = 79\n")
    code = """
        import warnings

        warnings.simplefilter("ignore")
        import nsgalpha as ns

        model = ns.Model(gravity=(0, 0, -10))
        model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 1))
        print(model)
        import elements

        print(elements.GOLD)
        from elements import SphereSphere
    """
    done = run_python("-c", code, code=1, folder=tmp_path, path=[tmp_path])
    assert done.stdout == "<Model: 1 body, gravity (0, 0, -10)>\n79\n"
    assert "cannot import name 'SphereSphere' from 'elements'" in done.stderr


def test_the_package_runs_as_the_program():
    assert run_python("-m", "nsgalpha", "--version").stdout.startswith(f"nsgalpha {PROJECT['version']}; ")


def test_the_recipe_for_conda_has_the_dependencies_of_the_project():
    recipe = (ROOT / ".conda" / "recipe.yaml").read_text(encoding="utf-8")
    run = re.search(r"  run:\n((?:    - .*\n)+)", recipe)[1]
    stated = {line.strip("- ").replace("matplotlib-base", "matplotlib") for line in run.splitlines()}
    assert stated - {"python >=${{ python_min }}"} == {
        each.replace(">=", " >=") for each in PROJECT["dependencies"]
    }
    assert f'version: "{PROJECT["version"]}"' in recipe
    assert PROJECT["scripts"]["nsgalpha"] in recipe
    assert PROJECT["description"] in recipe


def test_addresses_of_the_project_stand_in_one_place():
    addresses = PROJECT["urls"].values()
    hosts = {each.split("/")[2] for each in addresses}
    assert len(hosts) == 1
    pages = [
        *ROOT.glob("*.md"),
        *ROOT.glob("*.cff"),
        *(ROOT / ".github").rglob("*.*"),
        *(ROOT / "docs").rglob("*.md"),
    ]
    assert len(pages) > 20
    assert not [
        path.name for path in pages if any(host in path.read_text(encoding="utf-8") for host in hosts)
    ]


def test_forms_for_issues_and_the_build_of_the_documentation_are_there():
    for name in ("ISSUE_TEMPLATE/fault.yml", "ISSUE_TEMPLATE/wish.yml", "pull_request_template.md"):
        assert (ROOT / ".github" / name).read_text(encoding="utf-8")
    pages = (ROOT / ".readthedocs.yaml").read_text(encoding="utf-8")
    assert "configuration: docs/conf.py" in pages
    assert "extra_requirements: [docs]" in pages


def test_the_version_is_the_same_everywhere():
    badge = f"badge/version-{PROJECT['version']}-blue"
    assert badge in (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"version: {PROJECT['version']}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
