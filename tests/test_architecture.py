"""Dependencies run one way, `verification, tests -> elements -> nsgalpha`; files stay short; no prints."""

import ast
import re
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from nsgalpha.jit.source_digest import WITHOUT_KERNELS

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("nsgalpha", "elements", "verification", "tests")
FORBIDDEN = {
    "nsgalpha": {"elements", "verification", "tests"},
    "elements": {"verification", "tests"},
    "verification": {"tests"},
}
LONGEST_FILE = 450
MOST_ARGUMENTS = 8  # by position: more are a structure without a name
COMMANDS = (  # may print
    "nsgalpha/commands/command_line.py",
    "nsgalpha/io/solve_command.py",
    "nsgalpha/case/case_commands.py",
    "nsgalpha/case/result_commands.py",
)
FILES = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]


def name(path):
    return path.relative_to(ROOT).as_posix()


def imported_packages(source):
    """Top-level packages that `source` imports, wherever in the file and also by `import_module("...")`."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.split(".")[0])
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("import_module", "__import__")):
            found |= {str(a.value).split(".")[0] for a in node.args if isinstance(a, ast.Constant)}
    return found


def prints(source):
    """Line numbers of calls of `print`."""
    calls = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    return [call.lineno for call in calls if isinstance(call.func, ast.Name) and call.func.id == "print"]


def test_every_package_is_found():
    assert {name(path).split("/")[0] for path in FILES} == set(PACKAGES)


@pytest.mark.parametrize("package", FORBIDDEN)
def test_imports_run_one_way(package):
    against = {
        name(path): sorted(wrong)
        for path in FILES
        if name(path).startswith(package + "/")
        and (wrong := imported_packages(path.read_text()) & FORBIDDEN[package])
    }
    assert not against


def imported_modules(path, modules):
    """Those of the `modules` (name: path) that the file at `path` imports, wherever and for whatever."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= inner & set(modules) or {node.module}
    return {module for module in found & set(modules) if modules[module] != path}


def test_no_imports_go_in_a_circle():
    """Imports within functions and those of types alone count, too."""
    modules = {
        name(path).removesuffix(".py").removesuffix("/__init__").replace("/", "."): path
        for path in FILES
        if not name(path).startswith("tests/")
    }
    graph = {module: imported_modules(path, modules) for module, path in modules.items()}
    assert "nsgalpha.forces.contact_outputs" in graph["nsgalpha.run.result"]  # within a function
    TopologicalSorter(graph).prepare()  # CycleError names the circle


@pytest.mark.parametrize(
    ("folder", "above"),
    [
        ("linalg", "contact|stepping|model|forces|schemes|run"),
        ("contact", "stepping|model|forces|schemes|run"),
        ("stepping", "forces|schemes|run"),
        ("forces", "schemes"),
    ],
)
def test_floors_of_the_method_know_none_above_them(folder, above):
    upper = re.compile(rf"^ *(?:from|import) nsgalpha[. ](?:import )?({above})\b", re.MULTILINE)
    floor = [path for path in FILES if name(path).startswith(f"nsgalpha/{folder}/")]
    found = {name(path): upper.findall(path.read_text()) for path in floor}
    assert found
    assert not {file: folders for file, folders in found.items() if folders}


def test_a_name_of_a_module_occurs_once():
    names = [
        path.stem
        for path in FILES
        if name(path).startswith(("nsgalpha/", "elements/")) and path.stem[0] != "_"
    ]
    assert len(names) > 300
    assert not {each for each in names if names.count(each) > 1}


def test_few_modules_stand_beside_the_folders():
    """Folders are rooms; what all of them use stands at the top."""
    hidden = "__pycache__", ".DS_Store"
    assert len([p for p in (ROOT / "nsgalpha").iterdir() if not p.is_dir() and p.name not in hidden]) <= 8


def test_no_kernel_depends_on_folders_whose_changes_leave_the_cache_fresh():
    aside = tuple(f"nsgalpha/{folder}/" for folder in WITHOUT_KERNELS)
    imports = re.compile(rf"nsgalpha[. ](?:import )?({'|'.join(WITHOUT_KERNELS)})\b")
    for path in FILES:
        source = path.read_text()
        if name(path).startswith(aside):
            assert not re.search(
                r"nsgalpha\.jit\.decorators import (?!is_cached(, unkept)?$)", source, re.MULTILINE
            ), path
        elif "nsgalpha.jit.decorators import" in source and name(path).startswith(("nsgalpha/", "elements/")):
            assert not imports.search(source), path


def test_files_are_short():
    lengths = {name(path): len(path.read_text().splitlines()) for path in FILES}
    assert not {file: lines for file, lines in lengths.items() if lines > LONGEST_FILE}


def positions(source):
    """Functions (name: number) of `source` with the number of their arguments by position, self aside."""
    tree = ast.parse(source)
    methods = {id(each) for node in ast.walk(tree) if isinstance(node, ast.ClassDef) for each in node.body}
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            given = [each.arg for each in node.args.posonlyargs + node.args.args]
            own = id(node) in methods and given[:1] in (["self"], ["cls"])
            found[f"{node.name}:{node.lineno}"] = len(given) - own
    return found


def test_no_function_takes_many_arguments_by_position():
    """Named tuples, handles or keywords say what belongs together: docs/design/kernels.md."""
    found = {name(path): positions(path.read_text()) for path in FILES}
    many = {f"{file}:{key}": n for file, each in found.items() for key, n in each.items()}
    assert not {key: n for key, n in many.items() if n > MOST_ARGUMENTS}


def test_arguments_of_every_kind_of_function_are_counted():
    source = "class A:\n def f(self, a, /, b, *, c):\n  async def g(a, b=1, *c, d, **e):\n   pass"
    assert positions(source) == {"f:2": 2, "g:3": 2}


def test_docstrings_open_with_a_noun_or_a_statement():
    opens = re.compile(r'"""(What|Whether)\b')
    libraries = [path for path in FILES if not name(path).startswith("tests/")]
    found = {name(path): opens.findall(path.read_text()) for path in libraries}
    assert not {file: words for file, words in found.items() if words}


def test_only_the_command_line_prints():
    libraries = [path for path in FILES if name(path).startswith(("nsgalpha/", "elements/"))]
    found = {name(path): prints(path.read_text()) for path in libraries if name(path) not in COMMANDS}
    assert not {file: lines for file, lines in found.items() if lines}


@pytest.mark.parametrize(
    "source",
    [
        "import elements",
        "import numpy, elements.sphere_plane as s",
        "from elements import SpherePlane",
        "def f():\n    from elements.sphere_plane import SpherePlane",
        "import importlib\nimportlib.import_module('elements.sphere_plane')",
    ],
)
def test_every_form_of_import_is_seen(source):
    assert "elements" in imported_packages(source)


def test_a_print_is_seen_and_a_word_is_not():
    assert prints('"""print(1)"""\nx = blueprint(1)\nprint(x)') == [3]
