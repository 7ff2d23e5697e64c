"""Attack on all public calls: arguments are refused by name, or valid.

Every argument in turn gets every value of `hostile_values`, while all others are valid.
"""

import inspect
import re
import warnings

import numpy as np
import pytest
from numpy.typing import ArrayLike

import elements
import nsgalpha as ns
from nsgalpha import contact, show
from nsgalpha.case import CaseError
from tests.interface.public_calls import AREAS, MADE_FOR_USERS, World
from tests.interface.public_solids import NOT_INSTALLED

LONGEST = 600  # characters of a message
MANY = 10_000

#: Values that go through although no type says so.
ALLOWED = {
    ("sweep", "build", "class"),  # a class is a function, too
    ("by_group", "spheres", "class"),
    ("by_group", "planes", "class"),
    *(("Model", "periodic", kind) for kind in ("array", "rows")),  # of None and numbers
    *(("Model with a cell", "periodic", kind) for kind in ("array", "rows")),
    ("add_cell", "model", "object"),  # any model
    ("add_cluster", "model", "object"),
    ("feed_spheres", "model", "object"),
    ("add_servo_wall", "model", "object"),
    ("add_servo_wall of a pressure", "model", "object"),
    ("read_urdf", "model", "object"),
    ("read_mjcf", "model", "object"),
    *((name, "values", kind) for name in ("viewer", "embedded") for kind in ("array", "rows")),  # nan is grey
    *(("Bond", strength, "unbounded") for strength in ("f_n0", "f_t0", "M_0")),  # it never breaks
}
#: Calls that would start processes, or a server that waits for a page.
LEFT_OUT = {("sweep", "workers", "None"), ("simulate", "view", "truth"), ("simulate", "view", "function")}


class Thing:
    """A class that can be made of anything."""

    def __init__(self, *args, **named):
        pass


class Broken:
    """An object that answers every question with an error."""

    def __repr__(self):
        raise RuntimeError("no text")

    __str__ = __float__ = __len__ = __iter__ = __index__ = __array__ = __eq__ = __repr__
    __hash__ = None


def hostile_values():
    """Values by the kind under which `allowed` knows them."""
    other = World()
    return [
        ("None", None),
        ("unbounded", np.inf),
        *(("number", value) for value in (np.nan, -np.inf, 10**400, -(10**400), 10**5000, 1j)),
        *(("extreme", value) for value in (1e300, -1e300, 1e-320)),
        *(("number", np.complex128(1.0)), ("number", np.datetime64("2020")), ("number", np.float64("nan"))),
        *(("truth", value) for value in (True, np.True_)),
        *(("array", np.array(value)) for value in (True, [True, False, True], ["1", "2", "3"], [1j, 0, 0])),
        *(("array", np.array(value, object)) for value in (None, [None, 1, 2], ["1", "2", "3"])),
        ("array", np.array([np.nan, 0.0, 0.0])),
        ("array", np.array(["2020"] * 3, "datetime64[D]")),
        ("bytes", b"1"),
        *(("text", value) for value in ("1", "no", "1" * MANY)),
        *(("control", value) for value in ("a\x1b[31mb", "a\0b", "a\nb", "\ud800")),
        *(("list", value) for value in ([], (), [[]], {1, 2}, range(0), np.zeros((0, 3, 3, 3, 0)))),
        *(("rows", value) for value in ([[1], [2, 3]], [None] * 3, ["1", "2", "3"], [b"1"] * 3, [True] * 3)),
        *(("rows", value) for value in ([1.0, True, 0.0], [10**400] * 3, [np.nan, 0, 0], [object()])),
        ("many", [0.5] * MANY),
        *(("dict", value) for value in ({}, {"a": 1})),
        *(("object", value) for value in (object(), Broken(), Ellipsis, ns.Model())),
        ("class", Thing),
        ("function", lambda *args, **named: None),
        *(
            ("handle", value)
            for value in (other.a, other.floor, other.rods[0], [other.a], [(other.a, other.b)])
        ),
    ]


SEQUENCES = {
    "Sequence",
    "list",
    "tuple",
    "Iterable",
    "ArrayLike",
    "NDArray",
    "Corners",
    "Chosen",
    "Shapes",
    "Ends",
    "Handles",
}
FUNCTIONS = {"Callable", "Load", "PrescribedMotion", "Law", "OneOrMore", "Draw", "Given"}
HANDLES = {
    "Body",
    "Plane",
    "Primitive",
    "Shape",
    "Shapes",
    "End",
    "Ends",
    "Handles",
    "Chosen",
    "Corners",
    "Carrier",
}


PATHS = {"PathLike", "Path"}


def words_of(annotation):
    """The names in the type of an argument."""
    return set(re.findall(r"\w+", str(annotation).replace(str(ArrayLike), "ArrayLike")))


def allowed(annotation, kind):
    """Whether the type of an argument allows values of a kind."""
    words = words_of(annotation)
    if annotation is inspect.Parameter.empty or "Any" in words:
        return True
    return {
        "None": bool(words & {"None", "NoneType", "OneOrMore", "Carrier", "End"}),
        "many": bool(words & {"ArrayLike", "Sequence"}),
        "truth": "bool" in words,
        "array": False,
        "text": bool(words & {"str", *PATHS}),
        "list": bool(words & (SEQUENCES | {"OneOrMore"})),
        "dict": bool(words & {"Mapping", "dict", "Parameters"}),
        "function": bool(words & FUNCTIONS),
        "handle": bool(words & HANDLES),
    }.get(kind, False)


def violations(name, call, arguments, step=1):
    """Violations when each argument of `call` gets every `step`-th hostile value, line by line."""
    found, values = [], hostile_values()
    for number, (key, parameter) in enumerate(inspect.signature(call).parameters.items()):
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        for kind, value in values[number % step :: step]:
            if (name, key, kind) in LEFT_OUT or (kind == "extreme" and name.startswith("testing.")):
                continue  # the verdict of these is an AssertionError
            if kind == "extreme":
                wrong = _crash(call, {**arguments, key: value})
            else:
                wrong = _wrong(call, {**arguments, key: value}, key, parameter.annotation)
            if wrong == "accepted" and (
                key in ("attached", "r")
                or allowed(parameter.annotation, kind)
                or (name, key, kind) in ALLOWED
            ):
                continue
            if wrong:
                found.append(f"{name}({key}={_shown(value)}): {wrong}")
    return found


def _wrong(call, arguments, key, annotation):
    """The fault of an outcome, "" if argument `key` was refused properly."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            call(**arguments)
    except CaseError as error:  # names the file and the line
        return "" if printable(str(error)) else f"raw characters: {error}"
    except OSError as error:
        return "" if words_of(annotation) & PATHS else f"{type(error).__name__}: {error}"
    except (TypeError, ValueError) as error:
        text = str(error)
        if not re.search(rf"(?<![a-z]){key}(?![a-z])", text):
            return f"not named: {text[:150]}"
        if len(text) > LONGEST:
            return f"a message of {len(text)} characters"
        return "" if printable(text) else f"raw characters: {text!r}"
    except (KeyboardInterrupt, MemoryError):
        raise
    except BaseException as error:
        return f"{type(error).__name__}: {str(error)[:150]}"
    return "accepted"


def _crash(call, arguments):
    """The fault of a call with numeric arguments far from any valid one."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            call(**arguments)
    except (TypeError, ValueError, ns.StepFailed):
        pass
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:150]}"
    return ""


def printable(text):
    """Whether a message has no characters that a terminal would take for a command."""
    return text.replace("\n", "").isprintable()


def _shown(value):
    try:
        return repr(value)[:40]
    except Exception:
        return type(value).__name__


@pytest.mark.parametrize("step", [9, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.parametrize("area", AREAS, ids=lambda area: area.__name__)
def test_hostile_arguments_are_refused_by_name(area, step, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # some texts are names of files
    found = []
    for name, (call, arguments) in area(tmp_path).items():
        call(**arguments)
        found += violations(name, call, arguments, step)
    assert not found, f"{len(found)} violations, such as\n" + "\n".join(found[:40])


@pytest.mark.parametrize("area", AREAS, ids=lambda area: area.__name__)
def test_unknown_keywords_are_refused_by_the_name_of_what_was_called(area, tmp_path):
    for name, (call, arguments) in area(tmp_path).items():
        owner = call.__qualname__
        if "<locals>" in owner or name == "sample_points":
            continue  # a function of the test; one whose keywords are names of parameters
        with pytest.raises(TypeError, match=rf"^{re.escape(owner)}\b.*'stifness'") as error:
            call(**arguments, stifness=1.0)
        assert owner == "ContactLaw" or "ContactLaw" not in str(error.value), name


def names_of(package, prefix=""):
    return {prefix + name for name in package.__all__ if callable(getattr(package, name))}


def test_every_public_call_is_attacked(tmp_path):
    attacked = {name for area in AREAS for name in area(tmp_path)}
    public = names_of(ns) | names_of(elements) | names_of(contact, "contact.") | names_of(show)
    results = {"contact.ContactSolution", "contact.ContactStatus"}
    assert public - attacked == MADE_FOR_USERS | results | NOT_INSTALLED


def test_the_attack_finds_what_is_wrong():
    def lax(mass: float, name: str = "", *, quiet: bool = False) -> None:
        float(mass)

    def wordy(mass: float) -> None:
        raise ValueError(f"mass = {mass!r}")

    def mute(mass: float) -> None:
        raise ValueError("a wrong argument")

    found = "\n".join(violations("lax", lax, {"mass": 1.0}))
    for line in (
        "lax(mass='1'): accepted",
        "lax(mass=True): accepted",
        "lax(mass=nan): accepted",
        "lax(name=None): accepted",
        "lax(quiet='no'): accepted",
        "OverflowError: int too large to convert to float",
        "not named: float() argument must be a string or a real number, not 'NoneType'",
        "RuntimeError: no text",
    ):
        assert line in found, line
    assert "lax(quiet=True)" not in found
    assert "lax(name='no')" not in found
    assert "a message of 50007 characters" in "\n".join(violations("wordy", wordy, {}))
    assert all("not named: a wrong argument" in line for line in violations("mute", mute, {}))
