"""Errors of a case are reported at once, with line, key path, and suggestions."""

import os

import pytest

from nsgalpha.case import CaseError, load_case, parse_case

CASE = """\
title = "two balls"
gravity = [0, 0, -9.8]

[[bodies]]
type = "sphere"
name = "cue"
radius = 0.03
mass = 0.17
position = [0, 0, 0.03]

[[bodies]]
type = "rack"
name = "red"
rows = 2
radius = 0.03
mass = 0.17
apex = [0.5, 0, 0.03]

[[planes]]
name = "cloth"
normal = [0, 0, 1]

[[elements]]
type = "SphereSphere"
among = "all"
mu = 0.06

[[elements]]
type = "CompliantSpherePlane"
spheres = "all"
planes = "cloth"
normal = {law = "Hertz", modulus = 1e7}

[groups]
first = ["cue", "red 0"]

[run]
t_end = 0.1
h = 1e-3
"""

WRONG = [  # old text, new text, line, key path, words
    ("mu = 0.06", "mu_ = 0.06", 26, "elements[0].mu_", "unknown key; did you mean 'mu'?"),
    ("mu = 0.06", "mu = -1", 26, "elements[0].mu", "must be in [0, inf)"),
    ("mu = 0.06", 'mu = "a"', 26, "elements[0].mu", "'a': must be a finite number"),
    ("mu = 0.06", "mu = true", 26, "elements[0].mu", "must be a finite number"),
    ("mu = 0.06", "mu = 1979-05-27", 26, "elements[0].mu", "must be a finite number"),
    ("mu = 0.06", "mu = nan", 26, "elements[0].mu", "must be a finite number"),
    ("mass = 0.17\npos", "mass = inf\npos", 8, "bodies[0].mass", "must be a finite number"),
    ("mass = 0.17\npos", "pos", 4, "bodies[0]", "mass: missing"),
    ("radius = 0.03\nmass = 0.17\npos", "mass = 0.17\npos", 4, "bodies[0].radius", "missing"),
    ("0.03]\n\n[[bod", "0.03, 1]\n\n[[bod", 9, "bodies[0].position", "3 finite numbers"),
    ("0.03]\n\n[[bod", "nan]\n\n[[bod", 9, "bodies[0].position", "finite numbers"),
    ('"SphereSphere"', '"SphereSpere"', 24, "elements[0].type", "did you mean 'SphereSphere'?"),
    ('type = "SphereSphere"\n', "", 23, "elements[0]", "type: missing"),
    ('"Hertz"', '"hertz"', 32, "elements[1].normal.law", "did you mean 'Hertz'?"),
    (
        '{law = "Hertz", modulus = 1e7}',
        '{law = "CundallStrack", stiffness = 1.0, mu = 0.5}',
        32,
        "elements[1].normal",
        "CundallStrack is for tangential, rolling or twisting",
    ),
    ("modulus = 1e7", "modulus = 0", 32, "elements[1].normal.modulus", "must be positive"),
    ("modulus = 1e7", "moduls = 1", 32, "elements[1].normal.moduls", "did you mean 'modulus'?"),
    (", modulus = 1e7", "", 32, "elements[1].normal.modulus", "missing"),
    ('{law = "Hertz", modulus = 1e7}', "3", 32, "elements[1].normal", 'must be a table with law = "..."'),
    (
        '{law = "Hertz", modulus = 1e7}',
        '[{law = "Hertz", modulus = -1}]',
        32,
        "elements[1].normal[0].modulus",
        "-1",
    ),
    ('among = "all"', 'among = "al"', 25, "elements[0].among", "did you mean 'all'?"),
    ('among = "all"', 'among = "cloth"', 25, "elements[0].among", "'cloth' is a plane: must be a body"),
    ('among = "all"', 'among = ["cue", "first"]', 25, "elements[0].among", "'cue' is given twice"),
    (
        'among = "all"',
        'among = "first"\npairs = [["cue", "red"]]',
        26,
        "elements[0].pairs[0][1]",
        "group of 3",
    ),
    ('among = "all"', "", 23, "elements[0]", "give exactly one of them"),
    ('among = "all"', 'among = "none"', 25, "elements[0].among", "group 'none' is empty"),
    ('"rack"', '"Rack"', 12, "bodies[1].type", "did you mean 'rack'?"),
    ("rows = 2", "rows = 2.5", 14, "bodies[1].rows", "must be an integer"),
    ("rows = 2", "rows = 0", 14, "bodies[1].rows", "must be an integer >= 1"),
    ("rows = 2", "rows = 1_000_000_000", 14, "bodies[1].rows", "5e+17 bodies in the whole case: must be at"),
    ("rows = 2", f"rows = {10**400}", 14, "bodies[1].rows", "an integer"),
    ('name = "red"', 'name = "cue"\nnames = ["cue", "b", "c"]', 13, "bodies[1].name", "used once"),
    ('name = "red"', 'name = "red"\nnames = ["b", "c"]', 14, "bodies[1].names", "for 3 bodies"),
    ('name = "red"', 'group = "all"', 13, "bodies[1].group", "choose another name"),
    ("normal = [0, 0, 1]", "normal = [0, 0, 0]", 21, "planes[0].normal", "different from zero"),
    ("[0, 0, -9.8]", "[0, 0]", 2, "gravity", "3 finite numbers"),
    ('[[bodies]]\ntype = "sphere"', '[[bodys]]\ntype = "sphere"', 4, "bodys", "did you mean 'bodies'?"),
    ("t_end = 0.1", "t_end = -1", 38, "run.t_end", "after the start"),
    ("h = 1e-3", "h = 0", 39, "run.h", "must be positive"),
    ("h = 1e-3", "", 37, "run.h", "must be given"),
    ("t_end = 0.1", "t_ende = 0.1", 38, "run.t_ende", "did you mean 't_end'?"),
    ("[groups]", "[[groups]]", 34, "groups", "must be a table"),
    ("[run]", "[recording]\nevery = 0\n[run]", 38, "recording.every", "must be an integer >= 1"),
    ("[run]", '[scheme]\ntype = "GeneralizedAlpha"\nrho_inf = 2\n[run]', 39, "scheme.rho_inf", "in [0, 1]"),
    (
        "[run]",
        '[scheme]\ntype = "GeneralizedAlpha"\nformulation = "augmented"\n[run]',
        39,
        "scheme.formulation",
        "did you mean",
    ),
    ("[run]", '[scheme]\ntype = "Verlet"\n[run]', 38, "scheme.type", "did you mean 'VelocityVerlet'?"),
    ("[run]", '[scheme]\ntype = "VelocityVerlet"\n[run]', 37, "scheme", "GeneralizedAlpha"),
    ("apex = [0.5, 0, 0.03]", "apex = [0.01, 0, 0.03]", 4, "bodies[0]", "overlap by 0.05 m at the start"),
]
EMPTY_GROUP = "[groups]\nnone = []\n"


def wrong(before, after):
    text = CASE.replace("[groups]\n", EMPTY_GROUP) if "none" in after else CASE
    assert before in text
    return text.replace(before, after, 1)


@pytest.mark.parametrize(("before", "after", "line", "path", "words"), WRONG)
def test_a_problem_has_file_line_path_and_what_is_allowed(before, after, line, path, words):
    with pytest.raises(CaseError) as caught:
        parse_case(wrong(before, after), "balls.toml").run()
    told = [
        text
        for text in str(caught.value).splitlines()
        if text.startswith(f"balls.toml, line {line}, {path}: ")
    ]
    assert told, str(caught.value)
    assert any(words in text for text in told), told


def test_the_case_is_right_as_it_stands():
    case = parse_case(CASE)
    assert [body.name for body in case.model.bodies] == ["cue", "red 0", "red 1", "red 2"]
    assert [body.name for body in case.groups["first"]] == ["cue", "red 0"]
    assert case.run(t_end=2e-3).status.ok


def test_all_problems_are_told_at_once_in_the_order_of_the_file():
    text = (
        CASE.replace("mu = 0.06", "mu_ = 1").replace("rows = 2", "rows = true").replace("h = 1e-3", 'h = "1"')
    )
    with pytest.raises(CaseError) as caught:
        parse_case(text, "b.toml")
    places = [line.split(": ")[0] for line in str(caught.value).splitlines()]
    assert places == [
        "b.toml, line 14, bodies[1].rows",
        "b.toml, line 26, elements[0].mu_",
        "b.toml, line 39, run.h",
    ]


def places_of(text):
    """The places of all problems of a case, in the order of the report."""
    with pytest.raises(CaseError) as caught:
        parse_case(text, "b.toml")
    return [line.split(": ")[0].removeprefix("b.toml, line ") for line in str(caught.value).splitlines()]


def test_types_values_and_names_are_told_at_once():
    """Problems of types leave the other tables to be built; references to them are none."""
    text = (
        CASE.replace("rows = 2", "rows = 2.5")
        .replace("radius = 0.03\nmass = 0.17\npos", "radius = -1\nmass = -1\npos")
        .replace("mu = 0.06", "mu = -1\ne_n = 2")
        .replace('spheres = "all"', 'spheres = ["cue", "red", "red 1", "blue"]')
        .replace("h = 1e-3", "h = 0")
        .replace("t_end = 0.1", "t_end = -1")
    )
    assert places_of(text) == [
        "7, bodies[0].radius",
        "8, bodies[0].mass",
        "14, bodies[1].rows",
        "26, elements[0].mu",
        "27, elements[0].e_n",
        "39, run.t_end",
        "40, run.h",
    ]


def test_a_name_that_is_unknown_is_told_beside_one_that_is_lost():
    text = CASE.replace("normal = [0, 0, 1]", "normal = [0, 0, 0]").replace('["cue", "red 0"]', '["cu"]')
    assert places_of(text) == ["21, planes[0].normal", "35, groups.first"]


def test_the_numbers_of_tables_are_those_of_the_file():
    text = CASE.replace('name = "cue"\nradius = 0.03', 'name = "cue"\nradius = true')
    text = text.replace("apex = [0.5, 0, 0.03]", "apex = [0.5, 0, 0.03]\nrotation = [0, 0, 0, 0]")
    assert places_of(text) == ["7, bodies[0].radius", "18, bodies[1].rotation"]


def test_what_the_model_refuses_is_told_of_all_elements_too():
    text = CASE.replace("mu = 0.06", "mu = -1").replace("modulus = 1e7", "modulus = -1")
    with pytest.raises(CaseError) as caught:
        parse_case(text)
    assert [line.split(": ")[0] for line in str(caught.value).splitlines()] == [
        "case, line 26, elements[0].mu",
        "case, line 32, elements[1].normal.modulus",
    ]


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a = \n", 1, "invalid value"),
        ("\n\na b = 1\n", 3, "expected '='"),
        ("[run]\nt_end = 1\nt_end = 2\n", 3, "cannot overwrite"),
        ("[[bodies]\n", 1, "expected"),
        ('a = "x\n', 1, "illegal character"),
        ("a = 1\nradius = .1\n", 2, r"invalid value \(column 10\); write 0\.1 for \.1$"),
        ("x = [0.0, -.5]\n", 1, r"; write -0\.5 for -\.5$"),
        ("x = 2.\n", 1, r"; write 2\.0 for 2\.$"),
        ("x = 2.e3\n", 1, r"; write 2\.0e3 for 2\.e3$"),
        ("fixed = True\n", 1, "; write true for True$"),
    ],
)
def test_wrong_syntax_has_its_line(text, line, words):
    with pytest.raises(CaseError, match=rf"^c\.toml, line {line}: .*{words}"):
        parse_case(text, "c.toml")


def test_files_that_are_no_cases_are_refused(tmp_path):
    binary, empty, pipe = (tmp_path / name for name in ("run.h5", "empty.toml", "pipe.toml"))
    os.mkfifo(pipe)
    binary.write_bytes(bytes(range(256)))
    empty.write_text("# nothing\n")
    for path, words in (
        (tmp_path / "no.toml", "there is no such file"),
        (tmp_path, "is a folder"),
        (pipe, "is a pipe or a device"),
        (binary, "no text in UTF-8"),
        (empty, "is empty"),
    ):
        with pytest.raises(CaseError, match=words) as caught:
            load_case(path)
        assert str(caught.value).startswith(str(path))


def test_a_deep_nest_of_brackets_is_refused():
    with pytest.raises(CaseError):
        parse_case("a = " + "[" * 100_000 + "]" * 100_000)


def test_line_ends_of_windows_do_no_harm(tmp_path):
    path = tmp_path / "balls.toml"
    path.write_bytes(CASE.replace("mu =", "mi =").replace("\n", "\r\n").encode())
    with pytest.raises(CaseError, match=r"line 26, elements\[0\]\.mi"):
        load_case(path)


def test_data_without_a_text_have_paths_only():
    with pytest.raises(CaseError, match=r"^mine, bodies: missing"):
        parse_case({"run": {"t_end": 1.0}}, "mine")


def test_a_case_without_bodies_is_refused_when_it_runs():
    with pytest.raises(CaseError, match=r"^empty: model: has no bodies"):
        parse_case({"bodies": [], "run": {"t_end": 0.1, "h": 0.01}}, "empty").run()


def test_arguments_of_run_are_not_blamed_on_the_file():
    with pytest.raises(ValueError, match="t_end = -1") as caught:
        parse_case(CASE).run(t_end=-1.0)
    assert not isinstance(caught.value, CaseError)
