"""Dependencies run one way, `verification, tests -> elements -> nsgalpha`; files stay short; no prints."""

import ast
import re
from functools import cache
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
LATE_IMPORTS = 17  # that do not stand on top of their file
MOST_ARGUMENTS = 8  # by position: more are a structure without a name
FLOORS = (  # from below
    *("jit", "linalg", "model", "geometry", "constraints", "contact"),
    *("stepping", "system", "forces", "schemes", "run"),
)
BESIDE = {"arrays", "checks", "shown_text", "user_files"}
COMMANDS = (  # may print
    "nsgalpha/commands/command_line.py",
    "nsgalpha/io/solve_command.py",
    "nsgalpha/case/case_commands.py",
    "nsgalpha/case/result_commands.py",
)
FILES = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]
parsed = cache(ast.parse)


@cache
def nodes(source):
    """All nodes of the tree of a `source`."""
    return tuple(ast.walk(parsed(source)))


def teardown_module():
    """Trees of all files take much memory."""
    parsed.cache_clear()
    nodes.cache_clear()


def name(path):
    return path.relative_to(ROOT).as_posix()


def called(function):
    """The last name of the `function` of a call, "" for one that has none."""
    return getattr(function, "attr", getattr(function, "id", ""))


def imported_packages(source):
    """Top-level packages that `source` imports, wherever in the file and also by `import_module("...")`."""
    found = set()
    for node in nodes(source):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.split(".")[0])
        elif isinstance(node, ast.Call) and called(node.func).endswith(("import_module", "__import__")):
            found |= {str(a.value).split(".")[0] for a in node.args if isinstance(a, ast.Constant)}
    return found


def prints(source):
    """Line numbers of calls of `print`."""
    calls = (node for node in nodes(source) if isinstance(node, ast.Call))
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


def test_the_method_names_no_element_in_a_string():
    """An element states the data for pictures and files."""
    sources = {name(path): path.read_text() for path in FILES if not name(path).startswith("tests/")}

    def classes_in(package):
        trees = [parsed(source) for file, source in sources.items() if file.startswith(package)]
        return {node.name for tree in trees for node in tree.body if isinstance(node, ast.ClassDef)}

    classes = classes_in("elements/") - classes_in("nsgalpha/")  # `Contact` is the data of a law, too
    assert {"Revolute", "Planar", "Hertz"} <= classes
    found = {
        f"{file}:{node.lineno}": node.value
        for file, source in sources.items()
        if file.startswith("nsgalpha/")
        for node in nodes(source)
        if isinstance(node, ast.Constant) and node.value in classes
    }
    assert not found


def imported_modules(path, modules):
    """Modules (name: path) among `modules` that the file at `path` imports anywhere."""
    found = set()
    for node in nodes(path.read_text()):
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
    assert "nsgalpha.run.result_outputs" in graph["nsgalpha.run.result"]  # within a function
    TopologicalSorter(graph).prepare()  # CycleError names the circle


def late_imports(source):
    """Local and typing imports of our own packages, and those by name; their text."""
    tree = parsed(source)
    own = {"nsgalpha", "elements"}
    found = [
        ast.unparse(node)
        for node in nodes(source)
        if isinstance(node, ast.Import | ast.ImportFrom) and node not in tree.body
        if imported_packages(ast.unparse(node)) & own
    ]
    calls = (
        ast.unparse(node)
        for node in nodes(source)
        if isinstance(node, ast.Call) and called(node.func).endswith("import_module")
    )
    return found + [call for call in calls if re.match(r"import_module\(.(nsgalpha|elements)\b", call)]


def test_imports_stand_on_top():
    """The exceptions avoid the compiler, or HDF5, for readers of files and help."""
    libraries = [path for path in FILES if name(path).startswith(("nsgalpha/", "elements/"))]
    found = {name(path): late for path in libraries if (late := late_imports(path.read_text()))}
    assert sum(map(len, found.values())) <= LATE_IMPORTS, found


def test_late_imports_of_every_form_are_seen():
    source = "import nsgalpha\nif T:\n    from elements import laws\ndef f():\n    import numpy, elements"
    assert late_imports(source) == ["from elements import laws", "import numpy, elements"]
    assert late_imports("def f(x=import_module('nsgalpha.io')):\n    from .a import b") == [
        "import_module('nsgalpha.io')"
    ]


def folders_of_imports(path):
    """Folders of nsgalpha from which the file at `path` imports, anywhere."""
    modules = {node.module or "" for node in nodes(path.read_text()) if isinstance(node, ast.ImportFrom)}
    return {part for part, *_ in re.findall(r"\bnsgalpha\.(\w+)(\.|$)", "\n".join(modules), re.MULTILINE)}


def test_floors_of_the_method_know_none_above_them():
    """docs/design/layout.md has the floors; folders above runs are free."""
    found = {}
    for height, floor in enumerate(FLOORS):
        paths = [path for path in FILES if name(path).startswith(f"nsgalpha/{floor}/")]
        assert len(paths) > 3, floor
        below = {*FLOORS[: height + 1], *BESIDE}
        for path in paths:
            if others := folders_of_imports(path) - below:
                found[name(path)] = others
    assert not found


def test_no_scheme_imports_another():
    """A scheme is one folder: the common code of two stands on a floor below."""
    found = re.compile(r"nsgalpha\.schemes(?:\.| import )(\w+)")
    folders = [path for path in (ROOT / "nsgalpha/schemes").iterdir() if (path / "__init__.py").is_file()]
    imported = {
        path.name: {each for file in path.rglob("*.py") for each in found.findall(file.read_text())}
        & {each.name for each in folders}
        for path in folders
    }
    assert len(imported) >= 3
    assert not {name: others - {name} for name, others in imported.items() if others - {name}}


def test_a_name_of_a_module_occurs_once():
    names = [
        path.stem
        for path in FILES
        if name(path).startswith(("nsgalpha/", "elements/")) and path.stem[0] != "_"
    ]
    assert len(names) > 300
    assert not {each for each in names if names.count(each) > 1}


def test_few_modules_stand_beside_the_folders():
    """Each folder has one subject; common modules stand at the top."""
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
    """Functions (name: number) of `source` with their positional arguments, without self."""
    methods = {id(each) for node in nodes(source) if isinstance(node, ast.ClassDef) for each in node.body}
    found = {}
    for node in nodes(source):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            given = [each.arg for each in node.args.posonlyargs + node.args.args]
            own = id(node) in methods and given[:1] in (["self"], ["cls"])
            found[f"{node.name}:{node.lineno}"] = len(given) - own
    return found


def test_no_function_takes_many_arguments_by_position():
    """Named tuples, handles or keywords group arguments: docs/design/kernels.md."""
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
