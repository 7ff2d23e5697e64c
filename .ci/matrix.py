"""The wheel with every CPython of this machine, and with lowest and newest dependencies.

    python .ci/matrix.py [--newest] [--python 3.12 ...]

Builds environments in build/matrix, runs tried.py in each, and prints a table. Exit code 1 on a failure.
Kernels are compiled in the accelerated and in the plain mode (nsgalpha/jit). With the newest dependencies
every warning is an error. --newest: the newest Python and dependencies alone, accelerated.

uv makes the environments: pip cannot ask for the lowest versions that are declared.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build" / "matrix"
OLDEST = (3, 11)
#: beside the contents of every installation: receivers of results
EXTRAS = "tables,mesh"
PLACES = ("/usr/bin", "/usr/local/bin", "/opt/homebrew/bin", *os.environ.get("PATH", "").split(os.pathsep))


def pythons() -> dict[tuple[int, ...], Path]:
    """Every CPython, by its version; the first one that is found of each."""
    found: dict[tuple[int, ...], Path] = {}
    folders = [Path(place) for place in PLACES if place]
    folders += sorted(Path.home().glob(".pyenv/versions/*/bin"))
    named = [path for folder in folders for path in sorted(folder.glob("python3.*"))]
    for path in [Path(sys.executable), *named]:
        if path.parent.name == "shims" or not re.fullmatch(r"python(3(\.\d+)?)?", path.name):
            continue
        code = "import platform as p, ensurepip; print(p.python_implementation(), p.python_version())"
        asked = subprocess.run([path, "-I", "-c", code], capture_output=True, text=True, check=False)
        kind, _, text = asked.stdout.strip().partition(" ")
        if kind == "CPython" and re.fullmatch(r"[\d.]+", text):
            number = tuple(map(int, text.split(".")))
            if number[:2] >= OLDEST:
                found.setdefault(number, path)
    return dict(sorted(found.items()))


def uv() -> str:
    """The program uv: that of the machine, else one that is installed in build/matrix."""
    installed = shutil.which("uv")
    own = BUILD / "uv" / "bin" / "uv"
    if installed is None and not own.exists():
        venv.create(BUILD / "uv", with_pip=True)
        subprocess.run([BUILD / "uv" / "bin" / "python", "-m", "pip", "install", "-q", "uv"], check=True)
    return installed or str(own)


def environment(tool: str, wheel: Path, python: Path, lowest: bool) -> str:
    """The interpreter of an environment with the wheel and its dependencies."""
    place = BUILD / f"{python.parent.parent.name}-{'lowest' if lowest else 'newest'}"
    inside = str(place / "bin" / "python")
    install = [tool, "pip", "install", "--quiet", "--python", inside, "--only-binary", ":all:"]
    subprocess.run([tool, "venv", "--quiet", "--clear", "--python", python, place], check=True)
    resolution = ["--resolution", "lowest-direct" if lowest else "highest"]
    of_project = [
        "--requirements",
        ROOT / "pyproject.toml",
        *(f"--extra={each}" for each in EXTRAS.split(",")),
    ]
    subprocess.run([*install, *resolution, *of_project], check=True)
    subprocess.run([*install, "--no-deps", wheel], check=True)
    return inside


def tried(inside: str, lowest: bool, mode: str) -> tuple[list[str], bool]:
    """A row of the table, and whether all is well. With the newest dependencies every warning is an error."""
    # lines as they come: an interpreter may crash
    errors = [] if lowest else ["--errors"]
    command = [inside, "-I", str(ROOT / ".ci" / "tried.py"), str(ROOT / "README.md"), *errors]
    given = {**os.environ, "NSGALPHA_JIT": mode}
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, cwd=BUILD, env=given, check=False)
    first, *lines = done.stdout.splitlines() or ["? ? ? ?"]
    rows = [line.split(" ", 2) for line in lines]
    bad = [name for word, _, name in rows if word != "ok"]
    seconds = sum(float(each[1]) for each in rows)
    what = "all of " + ", ".join(name for _, _, name in rows)
    if done.returncode:
        after = f"after {rows[-1][2]}" if rows else "at once"
        what = f"FAILED, exit code {done.returncode}: {', '.join(bad) or after}"
    row = [*first.split(), "lowest" if lowest else "newest", mode, f"{seconds:.0f} s", what]
    return row, done.returncode == 0


def _chosen(found: dict[tuple[int, ...], Path], versions: list[str] | None) -> list[Path]:
    """The chosen ones of `versions`, by default all."""
    if versions is None:
        return [*found.values()]
    asked = [tuple(map(int, text.split("."))) for text in versions]
    return [path for number, path in found.items() if any(number[: len(each)] == each for each in asked)]


def main() -> int:
    """Try all environments."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--newest", action="store_true")
    parser.add_argument("--python", action="append", help="of these versions alone, such as 3.12 or 3.12.1")
    given = parser.parse_args()
    BUILD.mkdir(parents=True, exist_ok=True)
    for name in ("UV_SYSTEM_CERTS", "UV_NATIVE_TLS"):  # certificates of the machine, as for pip
        os.environ.setdefault(name, "true")
    tool, found = uv(), _chosen(pythons(), given.python)
    shutil.rmtree(BUILD / "wheel", ignore_errors=True)
    # the wheel is built from the source distribution, as installers do that find no wheel
    subprocess.run([tool, "build", "--quiet", "--out-dir", BUILD / "wheel", ROOT], check=True)
    (_,) = (BUILD / "wheel").glob("*.tar.gz")
    (wheel,) = (BUILD / "wheel").glob("*.whl")
    kinds = [(found[-1], False)] if given.newest else [(each, low) for each in found for low in (True, False)]
    well = True
    print("| Python | numba | NumPy | SciPy | dependencies | kernels | time | parts |\n" + 8 * "|---" + "|")
    for python, lowest in kinds:
        inside = environment(tool, wheel, python, lowest)
        for mode in ("accelerated",) if given.newest else ("accelerated", "plain"):
            row, good = tried(inside, lowest, mode)
            well = well and good
            print("|", " | ".join(row), "|", flush=True)
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
