"""Texts of case files from Python values."""

import json


def toml(value):
    """A value as TOML writes it."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {toml(each)}" for key, each in value.items()) + "}"
    return f"[{', '.join(map(toml, value))}]" if isinstance(value, list | tuple) else json.dumps(value)


def table(kind, **values):
    """A table of the list `kind`, after a blank line."""
    return f"\n[[{kind}]]\n" + "".join(f"{key} = {toml(value)}\n" for key, value in values.items())


def body(name, position, **values):
    """A table of a rigid body of 1 kg."""
    return table("bodies", type="body", name=name, mass=1, position=position, **values)


RUN = "\n[run]\nt_end = 0.1\nh = 1e-3\n"
