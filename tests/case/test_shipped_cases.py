"""Shipped case files state the models of the verification: same numbers, same steps."""

from dataclasses import fields, is_dataclass

import numpy as np
import pytest

import nsgalpha as ns
from nsgalpha.case import load_case
from nsgalpha.case.case_commands import shipped
from nsgalpha.io.model_description import body_tables, primitive_tables
from nsgalpha.jit.addresses import Deferred
from nsgalpha.model.handles import Body, Plane, Primitive
from verification import oblique_impacts, scenes
from verification.analytic import (
    ball_chains,
    bouncing_ball,
    incline,
    oblique_impact,
    rolling_ball,
    spinning_ball,
    top,
)
from verification.billiard_break import model as billiard_break
from verification.capsule_packing import model as capsule_packing
from verification.compliant_exudyn import model as compliant_exudyn
from verification.compliant_exudyn import reference as exudyn
from verification.compliant_luding import impacts as luding
from verification.compliant_luding import reference as woo
from verification.examples import cradle
from verification.stiffness_limit import PER_DECAY
from verification.stiffness_limit import model as stiffness_limit
from verification.sweep import model as sweep
from verification.thirty_degree_rule import model as thirty_degree_rule
from verification.throw_angle import model as throw_angle
from verification.throw_angle import reference as throws

STEPS = 20
EXUDYN = "m2_e0.7_oblique_slip"


def exudyn_collision():
    (found,) = (c for c in exudyn.collisions() if c.name == EXUDYN)
    return compliant_exudyn.build(found.parameters)


def soft_stack():
    h = 1.0 / (PER_DECAY * stiffness_limit.frequency("balls", 1e5))
    return stiffness_limit.settle("balls", 1e5, h).model


BUILDERS = {
    "ball_chains": lambda: ball_chains.build(ball_chains.row_of_balls(5), 1.0),
    "billiard_break": billiard_break.build,
    "bouncing_ball": bouncing_ball.build,
    "break": lambda: scenes.table_break(15),
    "capsule_packing": capsule_packing.build,
    "column": lambda: scenes.column(10),
    "compliant_exudyn": exudyn_collision,
    "compliant_luding": lambda: luding.head_on(woo.record()["impacts"][0])[0],
    "cradle": lambda: cradle.build(raised=2),
    "incline": lambda: incline.build(incline.SLOPES[1]),
    "oblique_impacts": lambda: oblique_impacts.build(30.0),
    "oblique_wall": lambda: oblique_impact.against_wall(oblique_impact.LAWS[2]),
    "rolling_ball": lambda: rolling_ball.build(rolling_ball.ROLLING_RADIUS),
    "spinning_ball": spinning_ball.build,
    "stiffness_limit": soft_stack,
    "thirty_degree_rule": lambda: thirty_degree_rule.build(0.5, 0.06, 0.93)[0],
    "sweep": lambda: sweep.model_of(0.25, 0.002),
    "throw_angle": lambda: throw_angle.build(*throws.SHOTS[0], 0.93)[0],
    "top": top.build,
}
EXAMPLES = {
    "chute",
    "drum_of_planes",
    "growing_cluster",
    "scattered_break",
    "shaken_box",
    "simple_shear",
    "slider_crank",
    "wall",
}


def attributes(value):
    """`value` by its attributes, in lists and numbers, equal for equal statements."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, Body | Plane | Primitive):
        return type(value).__name__, value.index
    if isinstance(value, list | tuple | range):
        return [attributes(each) for each in value]
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, Deferred):
        return id(value)
    if callable(value) and hasattr(value, "__qualname__"):
        return value.__qualname__
    own = (
        {each.name: getattr(value, each.name) for each in fields(value) if each.init}
        if is_dataclass(value)
        else vars(value)
    )
    parts = {name: attributes(each) for name, each in own.items() if name != "stated"}
    return type(value).__name__, parts


def stated(model):
    """Content of a model, without the names of planes and primitives."""
    planes = [(plane.normal, plane.offset, plane.body, plane.motion) for plane in model.planes]
    tables = primitive_tables(model).values()
    return attributes([model.gravity, model.periodic, planes, list(tables), model.loads, model.elements])


@pytest.mark.parametrize("name", BUILDERS)
def test_case_and_python_state_the_same_model(name):
    case, model = load_case(shipped()[name]), BUILDERS[name]()
    assert stated(case.model) == stated(model)
    ours, theirs = body_tables(case.model), body_tables(model)
    for column in theirs:
        assert np.array_equal(ours[column], theirs[column]), column


@pytest.mark.parametrize("name", BUILDERS)
def test_case_and_python_take_the_same_steps(name):
    case, model = load_case(shipped()[name]), BUILDERS[name]()
    h = case.settings["h"]
    ours = case.run(t_end=STEPS * h)
    theirs = ns.simulate(
        model, t_end=STEPS * h, h=h, scheme=case.scheme, recording=ns.Recording(**case.recording)
    )
    assert len(ours.stats.contacts) == STEPS
    for part in ("position", "rotation", "velocity", "angular_velocity"):
        assert np.array_equal(getattr(ours, part), getattr(theirs, part)), part


def test_another_number_is_seen():
    model = throw_angle.build(*throws.SHOTS[1], 0.93)[0]
    case = load_case(shipped()["throw_angle"])
    assert stated(case.model) != stated(model)
    assert not np.array_equal(
        body_tables(case.model)["angular_velocity"], body_tables(model)["angular_velocity"]
    )


def test_every_shipped_case_is_compared_or_an_example():
    assert set(shipped()) == BUILDERS.keys() | EXAMPLES


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_examples_run(name):
    case = load_case(shipped()[name])
    result = case.run(t_end=20 * case.settings["h"])
    assert result.status.ok
    assert result.stats.penetration.max() < 1e-6
    assert all(case.title for case in map(load_case, shipped().values()))


def test_a_scattered_break_is_no_mirror_image_and_the_same_each_time():
    """In the symmetric rack the balls left and right of the middle agree."""
    ends = []
    for name in ("break", "scattered_break", "scattered_break"):
        result = load_case(shipped()[name]).run(t_end=0.4)
        assert result.status.ok
        ends.append(np.asarray(result.position[-1]))
    uneven = [np.abs(y + y[::-1]).max() for y in (np.sort(end[:, 1]) for end in ends)]
    assert uneven[0] < 1e-6
    assert uneven[1] > 0.01
    assert np.array_equal(ends[1], ends[2])
