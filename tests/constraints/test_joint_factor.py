"""The factor of joints against dense matrices; redundant, long and inconsistent mechanisms."""

import numpy as np
import pytest
from joint_rows import (
    Mechanism,
    chain,
    dense,
    door,
    factorised,
    hinges,
    net_of_links,
    polygon,
    random_rows,
    rates,
    smallest,
    solution,
    symbolic,
    together,
    velocities,
)

from nsgalpha.constraints.joint_pattern import components, pattern
from nsgalpha.constraints.joint_redundancy import redundant


def random_chain(rng):
    return random_rows([(k, k + 1) for k in range(12)], np.arange(13) > 0, rng)


def random_tree(rng):
    return random_rows([(rng.integers(k), k) for k in range(1, 15)], np.arange(15) > 0, rng)


def random_ring(rng):
    return random_rows([(k, (k + 1) % 9) for k in range(9)], np.ones(9, bool), rng, sizes=4)


def random_net(rng):
    pairs, links = net_of_links(4)
    return random_rows(pairs, np.ones(links, bool), rng, sizes=3)


def two_joints_between_the_same_bodies(rng):
    return random_rows([(0, 1), (1, 0), (1, 2)], np.ones(3, bool), rng, sizes=3)


def several_grounds(rng):
    return random_rows([(0, 2), (2, 3), (3, 1), (4, 0)], [False, False, True, True, True], rng, sizes=3)


REGULAR = [
    random_chain,
    random_tree,
    random_ring,
    random_net,
    two_joints_between_the_same_bodies,
    several_grounds,
]


def four_bar():
    """The plane is tilted, that rows of points are not in it."""
    return polygon(4, (2.0 / 3.0, 1.0 / 3.0, 2.0 / 3.0))


def scissors():
    """Three crossed pairs of bars, in a plane."""
    c, s = np.cos(0.6) / 2.0, np.sin(0.6) / 2.0
    body, point, centre = [], [], []
    for i in range(3):
        centre += [[2.0 * c * i, 0.0, 0.0]] * 2
        body, point = [*body, (2 * i, 2 * i + 1)], [*point, centre[-1]]
        if i:
            body += [(2 * i - 2, 2 * i + 1), (2 * i - 1, 2 * i)]
            point += [[2.0 * c * i - c, s, 0.0], [2.0 * c * i - c, -s, 0.0]]
    return hinges(body, np.array(point), [0.0, 0.0, 1.0], np.array(centre), np.ones(6, bool))


REDUNDANT = {  # and the number of rows that depend
    "door": (door, 5),
    "four-bar": (four_bar, 3),
    "ten bars": (lambda: polygon(10), 3),
    "scissors": (scissors, 6),
    "two doors": (lambda: together(door(), door()), 10),
}


def scaled(mechanism):
    """The operator with a unit diagonal, and the scale of the rows."""
    S = dense(mechanism)
    scale = 1.0 / np.sqrt(np.diag(S))
    return scale[:, None] * S * scale, scale


@pytest.mark.parametrize("mechanism", REGULAR)
def test_multipliers_are_those_of_a_dense_solution(mechanism):
    rng = np.random.default_rng(1)
    mechanism = mechanism(rng)
    S, scale = scaled(mechanism)
    b = rng.normal(size=len(S))
    x = solution(mechanism, b)
    exact = scale * np.linalg.solve(S, scale * b)
    assert abs((x - exact) / scale).max() <= 7e-16 * np.linalg.cond(S) * abs(exact / scale).max()
    assert abs(scale * (b - rates(mechanism, velocities(mechanism, x)))).max() <= 4e-15 * abs(x / scale).max()


@pytest.mark.parametrize("mechanism", REGULAR)
def test_the_blocks_multiply_to_the_operator(mechanism):
    mechanism = mechanism(np.random.default_rng(2))
    found, factor = factorised(mechanism)
    rows = mechanism.row[-1]
    T, D = np.eye(rows), np.zeros((rows, rows))
    for k in range(len(found.joint)):
        own = found.row[k] + np.arange(found.size[k])
        for e in range(found.column[k], found.column[k + 1]):
            i = found.block_row[e]
            other = found.row[i] + np.arange(found.size[i])
            block = factor.blocks[e, : len(other), : len(own)]
            if i == k:
                D[np.ix_(own, own)] = np.linalg.inv(block)
            else:
                T[np.ix_(other, own)] = block
    S = dense(mechanism)
    assert abs(T @ D @ T.T - S).max() <= 3e-14 * abs(S).max()


@pytest.mark.parametrize("mechanism", REGULAR)
def test_the_order_is_a_permutation(mechanism):
    mechanism = mechanism(np.random.default_rng(3))
    found = symbolic(mechanism)
    assert sorted(found.joint) == list(range(len(mechanism.body)))
    assert sorted(found.rows) == list(range(mechanism.row[-1]))
    assert (mechanism.body[found.joint] == found.body).all()


@pytest.mark.parametrize("name", REDUNDANT)
def test_the_missing_rank_is_found(name):
    build, missing = REDUNDANT[name]
    mechanism = build()
    found = redundant(symbolic(mechanism), mechanism.G, mechanism.MG, len(mechanism.moving))
    assert found.missing == missing
    assert found.missing == len(mechanism.G) - np.linalg.matrix_rank(scaled(mechanism)[0], 1e-10)
    assert list(found.joints) == list(range(len(mechanism.body)))


def test_the_joints_of_a_large_loop_are_redundant():
    mechanism = polygon(150)
    found = redundant(symbolic(mechanism), mechanism.G, mechanism.MG, 150)
    assert found.missing == 3
    assert len(found.joints) == 150


def test_only_joints_with_dependent_rows_are_redundant():
    """A door in the chain of whose frame, and of a lamp on it, nothing depends."""
    door_on_arm = hinges(
        [(0, 1), (1, 2), (1, 2), (2, 3)],
        np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.5], [1.0, 0.0, -0.5], [2.0, 0.0, 0.0]]),
        [0.0, 0.0, 1.0],
        np.array([[0.0, 0.0, 0.0], [0.5, 0.0, 0.0], [1.5, 0.0, 0.0], [2.5, 0.0, 0.0]]),
        [False, True, True, True],
    )
    found = redundant(symbolic(door_on_arm), door_on_arm.G, door_on_arm.MG, 4)
    assert (list(found.joints), found.missing) == ([1, 2], 5)
    mechanism = chain(20)
    found = redundant(symbolic(mechanism), mechanism.G, mechanism.MG, 21)
    assert (list(found.joints), found.missing) == ([], 0)


@pytest.mark.parametrize("name", REDUNDANT)
def test_consistent_rows_hold_though_some_depend_on_others(name):
    mechanism = REDUNDANT[name][0]()
    S, scale = scaled(mechanism)
    velocity = np.random.default_rng(4).normal(size=(len(mechanism.moving), 6))
    b = rates(mechanism, velocity * mechanism.moving[:, None])
    for x in solution(mechanism, b), smallest(mechanism, b):
        assert abs(scale * (b - rates(mechanism, velocities(mechanism, x)))).max() <= 2e-14
    exact = scale * (np.linalg.pinv(S, 1e-10, hermitian=True) @ (scale * b))
    assert abs((smallest(mechanism, b) - exact) / scale).max() <= 1e-11


@pytest.mark.parametrize("name", REDUNDANT)
def test_inconsistent_rows_give_bounded_multipliers(name):
    mechanism = REDUNDANT[name][0]()
    S, scale = scaled(mechanism)
    b = np.random.default_rng(5).normal(size=len(S)) / scale
    x = solution(mechanism, b)
    kept = factorised(mechanism)[1].pivot > 0.0
    least = np.linalg.eigvalsh(S[np.ix_(kept, kept)])[0]
    eigenvalues = np.linalg.eigvalsh(S)
    assert least >= 0.01 * eigenvalues[eigenvalues > 1e-10].min()
    assert np.linalg.norm(x / scale) <= np.linalg.norm((scale * b)[kept]) / least
    assert np.linalg.norm(smallest(mechanism, b) / scale) <= np.linalg.norm(x / scale)
    error = scale * (b - rates(mechanism, velocities(mechanism, x)))
    assert abs(error[kept]).max() <= 4e-15 * abs(x / scale).max()


def test_two_equal_hinges_share_the_weight_of_a_door():
    mechanism = door()
    weight = np.array([[0.0] * 6, [0.0, 0.0, -9.81, 0.0, 0.0, 0.0]])
    x = smallest(mechanism, -rates(mechanism, weight)).reshape(2, 5)
    assert x[0, 2] == pytest.approx(x[1, 2], rel=1e-9)
    assert x[:, 2].sum() == pytest.approx(-9.81, rel=1e-9)  # on side 0, the wall


def test_rows_of_a_long_chain_hold_to_rounding():
    """A proximal term of 1e-10 leaves 1e-7 of the rates after five refinements."""
    mechanism = chain(1000)
    velocity = np.random.default_rng(6).normal(size=(1001, 6))
    velocity[0] = 0.0
    b = rates(mechanism, velocity)
    x = solution(mechanism, b)
    scale = 1.0 / np.sqrt(factorised(mechanism)[1].diagonal)
    error = scale * (b - rates(mechanism, velocities(mechanism, x)))
    assert abs(error).max() <= 1e-15 * abs(x / scale).max()


@pytest.mark.parametrize("angle", [1e-1, 1e-2, 1e-3, 1e-4])
def test_rows_that_nearly_depend_on_others_hold_to_rounding(angle):
    rng = np.random.default_rng(7)
    mechanism = random_rows([(0, 1), (1, 2), (0, 1)], np.ones(3, bool), rng, sizes=3)
    for rows in mechanism.G, mechanism.MG:
        rows[6:] = rows[:3] + angle * rows[6:]
    S, scale = scaled(mechanism)
    b = rates(mechanism, rng.normal(size=(3, 6)))
    x = solution(mechanism, b)
    assert factorised(mechanism)[1].missing.sum() == 0
    assert abs(scale * (b - S @ (x / scale) / scale)).max() <= 2e-15 * abs(x / scale).max()


@pytest.mark.parametrize("angle", [1e-1, 1e-2, 1e-3])
def test_refinement_cures_rows_that_nearly_depend_within_a_joint(angle):
    rng = np.random.default_rng(7)
    mechanism = random_rows([(0, 1), (1, 2)], np.ones(3, bool), rng, sizes=4)
    for rows in mechanism.G, mechanism.MG:
        rows[1::4] = rows[::4] + angle * rows[1::4]
        rows[2::4] = rows[3::4] - rows[::4] + angle * rows[2::4]
    scale = scaled(mechanism)[1]
    b = rates(mechanism, rng.normal(size=(3, 6)))
    x = solution(mechanism, b)
    error = scale * (b - rates(mechanism, velocities(mechanism, x)))
    assert abs(error).max() <= 7e-16 * abs(x / scale).max()


@pytest.mark.parametrize("tilt", [0.0, 1e-1, 1e-3, 1e-5])
def test_rows_are_kept_that_are_far_from_dependent(tilt):
    """The plane of a four-bar is nearly normal to an axis, whose row of a point nearly depends on others."""
    mechanism = polygon(4, (1.0, tilt, 2.0 * tilt))
    factor = factorised(mechanism)[1]
    assert factor.missing.sum() == 3
    assert factor.pivot[factor.pivot > 0.0].min() > 0.2


def test_units_of_rows_do_not_matter():
    mechanism = four_bar()
    factor = 2.0 ** np.random.default_rng(8).integers(-20, 20, len(mechanism.G))
    other = mechanism._replace(G=mechanism.G * factor[:, None, None], MG=mechanism.MG * factor[:, None, None])
    b = np.random.default_rng(9).normal(size=len(factor))
    for solve in solution, smallest:
        np.testing.assert_allclose(solve(other, factor * b) * factor, solve(mechanism, b), rtol=0, atol=1e-10)


def test_the_numbering_of_joints_does_not_matter():
    rng = np.random.default_rng(10)
    mechanism = random_net(rng)
    joints = rng.permutation(len(mechanism.body))
    rows = (3 * joints[:, None] + np.arange(3)).ravel()
    other = mechanism._replace(body=mechanism.body[joints], G=mechanism.G[rows], MG=mechanism.MG[rows])
    b = rng.normal(size=len(rows))
    np.testing.assert_allclose(solution(other, b[rows]), solution(mechanism, b)[rows], rtol=0, atol=1e-12)


def test_mechanisms_do_not_know_each_other():
    """To the last bit."""
    b = np.random.default_rng(11).normal(size=10 + 20 + 25)
    both = together(door(), four_bar(), chain(5))
    for solve in solution, smallest:
        alone = [solve(door(), b[:10]), solve(four_bar(), b[10:30]), solve(chain(5), b[30:])]
        assert (solve(both, b) == np.concatenate(alone)).all()


def blocks_per_joint(body, bodies, ground=True):
    moving = np.arange(bodies) > 0 if ground else np.ones(bodies, bool)
    found = pattern(np.asarray(body), np.arange(len(body) + 1), moving)
    return len(found.block_row) / len(body)


@pytest.mark.parametrize("count", [100, 1000])
def test_fill_is_linear_in_the_length(count):
    chain_of = [(k, k + 1) for k in range(count)]
    assert blocks_per_joint(chain_of, count + 1) < 2.0
    binary_tree = [((k - 1) // 2, k) for k in range(1, count)]
    assert blocks_per_joint(binary_tree, count, ground=False) < 2.5  # no fill
    ring = [(k, (k + 1) % count) for k in range(count)]
    assert blocks_per_joint(ring, count, ground=False) < 3.0
    rng = np.random.default_rng(12)
    shuffled = rng.permutation(count + 1)[np.array(chain_of)][rng.permutation(count)]
    assert blocks_per_joint(shuffled, count + 1, ground=False) < 2.0


def test_fill_of_a_net_grows_slowly():
    pairs, links = net_of_links(20)
    assert blocks_per_joint(pairs, links, ground=False) < 13.0
    pairs, links = net_of_links(50)
    assert blocks_per_joint(pairs, links, ground=False) < 19.0


def test_bodies_that_joints_connect_are_one_mechanism():
    #                 0 ground, 1 - 2 - 3, 4 - 5, 6 at the ground, 7 without joints, 8 another frame
    body = np.array([(1, 0), (1, 2), (3, 2), (4, 5), (0, 6), (0, 5), (8, 0)])
    moving = np.array([False, True, True, True, True, True, True, True, False])
    number = components(body, moving)
    assert number[1] == number[2] == number[3]
    assert number[4] == number[5]
    assert len(set(number)) == 6
    assert number.min() == 0
    assert number.max() == 5
    assert (components(np.empty((0, 2), np.int64), moving) == np.arange(9)).all()


def test_no_joints_are_a_pattern():
    none = Mechanism(
        np.empty((0, 2), np.int64), np.zeros(1, np.int64), np.ones(3, bool), *np.empty((2, 0, 2, 6))
    )
    assert solution(none, np.empty(0)).shape == (0,)
    assert redundant(symbolic(none), none.G, none.MG, 3).missing == 0


def test_a_joint_between_frames_has_no_multipliers():
    mechanism = together(chain(1)._replace(moving=np.zeros(2, bool), MG=np.zeros((5, 2, 6))), chain(2))
    x = solution(mechanism, np.ones(15))
    assert (x[:5] == 0.0).all()
    assert np.isfinite(smallest(mechanism, np.ones(15))).all()
    found = redundant(symbolic(mechanism), mechanism.G, mechanism.MG, 5)
    assert (list(found.joints), found.missing) == ([0], 5)
