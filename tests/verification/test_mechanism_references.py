"""Equations of the woodpecker toy and rod chains, apart from the solver."""

import numpy as np
import pytest

from verification.benchmarks.mechanisms.__main__ import peer
from verification.benchmarks.mechanisms.chain import centres, measure
from verification.mechanisms import reference, toy, woodpecker


def kinematics(kind, q, u):
    """Mass matrix, loads, gaps and the rows of both directions at `q`, `u`."""
    found = [np.empty((3, 3)), np.empty(3), np.empty(3), np.empty((3, 3)), np.empty((3, 3))]
    toy.KINEMATICS[kind].py_func(np.array(q), np.array(u), toy.parameters()[0], *found)
    return found


def test_lumps_have_the_mass_matrix_of_the_source():
    p = reference.case("woodpecker")["params"]
    has = woodpecker.lumps(p)
    rows = [
        (has.sleeve, (1, 0, 0)),
        (has.bird, (1, *has.ratios)),
        (has.inertia[0], (0, 1, 0)),
        (has.inertia[1], (0, 0, 1)),
    ]
    for x, y in (
        ((0, 0, p["h_S"]), (1, p["l_M"], p["l_G"] - p["l_S"])),
        ((0, p["h_M"], 0), (1, p["r_M"], 0)),
    ):
        rows += [(woodpecker.LUMP, x), (woodpecker.LUMP, y)]
    M = sum(mass * np.outer(row, row) for mass, row in rows)
    assert pytest.approx(kinematics("linear", (0, 0, 0), (0, 0, 0))[0], rel=1e-13) == M
    assert min(has.sleeve, has.bird, *has.inertia) > 0.0


def test_rows_of_the_rigid_toy_are_gradients_of_its_gaps():
    q, step = np.array([0.0, 0.07, -0.4]), 1e-6
    *_, N, _ = kinematics("finite", q, np.zeros(3))
    for k in range(3):
        ahead, behind = (kinematics("finite", q + s * step * np.eye(3)[k], np.zeros(3))[2] for s in (1, -1))
        assert pytest.approx((ahead - behind) / (2.0 * step), abs=1e-9) == N[:, k]


def test_both_kinematics_are_one_for_small_angles():
    small = 1e-6 * np.array([0.0, 1.0, -2.0])
    (one, *loads), (two, *others) = (kinematics(kind, small, np.zeros(3)) for kind in ("linear", "finite"))
    assert one == pytest.approx(two, rel=1e-9)
    for ours, theirs in zip(loads, others, strict=True):
        assert ours == pytest.approx(theirs, rel=1e-4, abs=1e-7)


def test_energy_of_the_rigid_toy_is_kept_without_contact():
    p = reference.case("woodpecker")["params"]
    q, u, h = np.array([0.0, 0.02, -0.3]), np.array([0.1, 3.0, -5.0]), 1e-5

    def energy(q, u):
        heights = q[0], q[0] + p["l_M"] * np.sin(q[1]) + p["l_G"] * np.sin(q[2])
        high = p["g"] * np.dot((p["m_M"], p["m_S"]), heights)
        return 0.5 * u @ kinematics("finite", q, u)[0] @ u + high + 0.5 * p["c_phi"] * (q[1] - q[2]) ** 2

    def change(q, u):
        M, f, *_ = kinematics("finite", q, u)
        return np.linalg.solve(M, f)

    before = energy(q, u)
    for _ in range(100):  # Heun's rule
        one = change(q, u)
        two = change(q + h * u, u + h * one)
        q, u = q + h * u + 0.5 * h**2 * one, u + 0.5 * h * (one + two)
    assert energy(q, u) == pytest.approx(before, rel=1e-6)


def test_a_chain_of_one_rod_is_a_compound_pendulum():
    angle, _ = reference.compound_pendulum(np.array([0.7]), 0.5, 1 / 3, 9.81)
    x, y = centres(1, 0.7)[0]
    assert (x, y) == pytest.approx((0.5 * np.cos(angle[0]), -0.5 * np.sin(angle[0])), abs=1e-10)


def test_a_chain_of_two_rods_comes_to_the_plane_as_the_double_pendulum():
    first = reference.case("double_pendulum_on_plane")["impacts"][0]
    one, two = np.array([(np.cos(turn), np.sin(turn)) for turn in first["phi"]])
    assert centres(2, first["t"]) == pytest.approx(np.array([0.5 * one, one + 0.5 * two]), abs=1e-9)


def test_the_solver_falls_as_the_chain_in_its_angles():
    _, places = measure(3, 1e-3, 0.1, 1)
    assert places == pytest.approx(centres(3, 0.1), abs=1e-6)
    assert places != pytest.approx(centres(3, 0.101), abs=1e-3)


def test_a_code_that_is_not_there_is_left_out_and_named(capsys, monkeypatch):
    monkeypatch.setenv("NSGALPHA_PEERS", "/nowhere/python")
    assert peer("Exudyn", [(2, 1e-3, 0.1, 1)]) is None
    assert capsys.readouterr().out.startswith("Exudyn is left out")
