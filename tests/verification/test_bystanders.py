"""Features do not change one another: a seeded sample of all pairs."""

import random
from itertools import product

import numpy as np
import pytest

from verification.bystanders.__main__ import pairs
from verification.bystanders.comparisons import differences
from verification.bystanders.features import FEATURES, RULES, refusal
from verification.bystanders.page import PAGE, page
from verification.bystanders.statements import SCHEMES, Statement

LARGE = ("large hard island", "large compliant packing", "deformable cell", "rounded triangles", "membrane")
LARGE += ("dividing cells", "points without mass")
GA = "GeneralizedAlpha"
SMALL = [name for name in FEATURES if name not in LARGE]
PAIRS = [pair for pair in pairs([*SCHEMES], SMALL) if not {*pair[1:]} & {*LARGE}]
REFUSED = [pair for pair in PAIRS if refusal([FEATURES[name] for name in pair[1:]], pair[0])]
DRAWN = random.Random(3)
SAMPLE = DRAWN.sample(sorted({*PAIRS} - {*REFUSED}), 24) + DRAWN.sample(REFUSED, 24)


@pytest.mark.parametrize(("scheme", "one", "two"), SAMPLE)
@pytest.mark.sampled(4)
def test_two_features_do_not_disturb_one_another(scheme, one, two):
    assert not [str(each) for each in differences((one, two), scheme) if not each.within]


def test_every_scheme_and_most_features_are_in_the_sample():
    assert {scheme for scheme, _, _ in SAMPLE} == {*SCHEMES}
    assert len({name for _, *names in SAMPLE for name in names}) > len(FEATURES) / 2


@pytest.mark.parametrize("name", SMALL)
def test_a_scene_depends_on_what_it_states(name):
    """Without its elements, joints, loads and open boundaries it moves otherwise."""
    scheme = next(each for each in SCHEMES if not refusal([FEATURES[name]], each))
    staged, bare = (Statement((FEATURES[name],), scheme).staged() for _ in range(2))
    model = bare.model
    for part in (model.elements, model.joints, model.drives, model.loads, model.open_boundaries):
        part.clear()
    bare.stages[0].bonded.clear()
    x, y = (each.run(40).velocity for each in (staged, bare))
    assert x.shape != y.shape or np.abs(x - y).max() > 1e-2 or name == "free body"


@pytest.mark.parametrize(
    ("scheme", "name"),
    [
        ("GeneralizedAlpha", "drive"),  # a function of time
        ("VelocityVerlet", "load in Python"),
        ("SemiImplicit", "compliant turning plane"),  # frames ahead of the bodies
        ("SemiImplicit", "compliant polygon"),  # the poses before the step
        ("Overdamped", "rounded triangles"),  # laws without memory
        ("GeneralizedAlpha", "rounded triangles"),  # tangents that are differences
    ],
)
def test_a_run_goes_on_to_the_bit(scheme, name):
    """From a state and from a file."""
    found = [*differences((name,), scheme, ("from a state", "from a file"))]
    assert [each.size for each in found] == [0.0, 0.0]


def test_solids_on_a_plane_through_a_far_place_move_as_those_near_the_origin():
    """Steps without inertia contain the tangents. It is 2.7e-5 with differences from far along the plane."""
    (found,) = differences(("solids",), "Overdamped", ("moved",))
    assert found.size < 1e-7


def test_what_stands_beside_cells_that_divide_takes_their_parts_of_a_step_and_nothing_else():
    found = {
        each.feature: each.size
        for each in differences(("dividing cells", "springs"), "Overdamped", ("beside",))
    }
    assert found["springs"] < 1e-10
    alone, paused = (
        Statement((FEATURES["springs"],), "Overdamped", pause=pause).staged().run().velocity
        for pause in (False, True)
    )
    assert np.abs(alone - paused).max() > 1e-5 * np.abs(alone).max()


def test_the_position_correction_settles_rotations_as_well_as_places():
    """Beside a joint it takes one more iteration, which rotated a capsule by 1.6e-7 rad."""
    found = {
        each.feature: each.size for each in differences(("speed motor", "hard capsules"), GA, ("beside",))
    }
    assert found["hard capsules"] < 1e-9


def test_contacts_that_persist_stay_closed_in_the_scheme_of_impulses():
    """Errors of the solver opened a contact of one frame for a step."""
    (found,) = differences(("large hard island",), "MoreauJean", ("moved",))
    assert found.size < 1e-9


def test_the_page_of_combinations_is_that_of_the_list():
    assert PAGE.read_text() == page()


def test_every_rule_refuses_something():
    found = {refusal(both, scheme) for both in product(FEATURES.values(), repeat=2) for scheme in SCHEMES}
    assert found == {None, *RULES}
