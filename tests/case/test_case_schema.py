"""The JSON schema for editors accepts valid cases, and refuses wrong keys and types."""

import json
import tomllib

import pytest
from jsonschema import Draft7Validator

from nsgalpha.case import CaseError, json_schema, parse_case
from nsgalpha.case.case_commands import shipped
from nsgalpha.case.plugin_catalogue import installed

VALIDATOR = Draft7Validator(json_schema())
BREAK = shipped()["break"].read_text(encoding="utf-8")
WRONG = [
    ("mu = 0.06", "mu_ = 0.06"),
    ("mu = 0.06", 'mu = "a"'),
    ("mu = 0.06", "mu = [1]"),
    ('"SphereSphere"', '"Hertz"'),
    ('type = "SphereSphere"', ""),
    ('type = "SphereSphere"', 'type = "CompliantSphereSphere"\nnormal = {law = "Hertz"}'),
    ('type = "SphereSphere"', 'type = "CompliantSphereSphere"\nnormal = {law = "Hertz", modulus = 1, d = 2}'),
    ('type = "rack"', 'type = "racks"'),
    ("rows = 5", "rows = 5.5"),
    ("rows = 5", ""),
    ('planes = "cloth"', "planes = 3"),
    ("[[bodies]]", "[[bodys]]"),
    ("[run]", "[runs]"),
    ("every = 10", 'every = "ten"'),
    ("every = 10", "evry = 10"),
]


def test_the_schema_is_one_itself():
    Draft7Validator.check_schema(json_schema())
    assert json.loads(json.dumps(json_schema())) == json_schema()


@pytest.mark.parametrize("name", sorted(shipped()))
def test_shipped_cases_are_valid(name):
    data = tomllib.loads(shipped()[name].read_text(encoding="utf-8"))
    assert [error.message for error in VALIDATOR.iter_errors(data)] == []


@pytest.mark.parametrize(("before", "after"), WRONG)
def test_what_is_refused_here_is_refused_there(before, after):
    text = BREAK.replace(before, after)
    assert text != BREAK
    with pytest.raises(CaseError):
        parse_case(text)
    assert not VALIDATOR.is_valid(tomllib.loads(text))


def test_every_element_and_law_is_offered_with_its_documentation():
    found = {}
    for table in json_schema()["$defs"].values():
        for key in ("type", "law"):
            if "const" in table.get("properties", {}).get(key, {}):
                found[table["properties"][key]["const"]] = table
    catalogue = installed()
    for kind in ("elements", "joints", "drives", "laws", "law_sets", "loads", "motions", "schemes", "starts"):
        for name, maker in catalogue.of(kind).items():
            assert name in found, name
            assert maker.__doc__.strip().split("\n")[0] in found[name]["description"]


def test_defaults_are_told():
    (law,) = (t for t in json_schema()["$defs"].values() if t.get("title") == "Hertz")
    assert law["properties"]["viscous_factor"]["default"] == 1.5
    assert law["required"] == ["law", "modulus"]
    assert law["additionalProperties"] is False
