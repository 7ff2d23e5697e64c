"""Integrals of pressures over polygons against numbers of data/README.md, whole circles and limits."""

import numpy as np
import pytest
from rounded_scenes import S1, S2

from elements import GeometricMaugisDugdale, Hertz, LinearPressure, MaugisDugdale, TruncatedTraction
from elements.geometry.radial_pressures import integrate_pressures
from nsgalpha.forces import evaluate, some_contacts
from nsgalpha.model.patch_element import no_pressure

ALL = np.array([(-2.0, -2.0), (2.4, -1.8), (0.1, 2.4)])
CUT = [(-1, -1), (1, -1), (1, 0.05), (-1, 0.02)], [(-1, 0.02), (1, 0.05), (1, 1), (-1, 1)]


def integrals(polygon, printed=False, **pressure):
    """Force, moments and fraction of a pressure over one polygon (M, 2)."""
    row = no_pressure(1)._replace(**{name: np.array([float(x)]) for name, x in pressure.items()})
    out = np.empty((1, 4))
    polygon = np.array([polygon], float)
    integrate_pressures(polygon, np.array([polygon.shape[1]]), np.column_stack(row), printed, out)
    return out[0]


HERTZ = {"circle": 3e-4, "hertz": 2 * 1e6 / (np.pi * 0.002)}


@pytest.mark.parametrize("case", S1["single"]["cases"].values(), ids=S1["single"]["cases"])
def test_hertz_over_one_triangle(case):
    polygon = 1e-3 * np.array(case["corners_mm"])
    found = integrals(polygon, **HERTZ)
    assert found[0] == pytest.approx(case["force_N"], rel=1e-12)
    np.testing.assert_allclose(found[1:3], case["first_moment_Nm"], rtol=1e-11, atol=1e-19)
    assert found[3] == pytest.approx(case["fraction_of_circle"], rel=1e-12)


@pytest.mark.parametrize("case", S1["single"]["cases"].values(), ids=S1["single"]["cases"])
def test_printed_quadrature_has_its_sixteen_points_or_the_fraction(case):
    polygon = 1e-3 * np.array(case["corners_mm"])
    x, y = np.diff(polygon, axis=0)
    small = 1.6 * np.pi * 3e-4**2 < 0.5 * abs(x[0] * y[1] - x[1] * y[0])
    found = integrals(polygon, printed=True, **HERTZ)
    expected = case["force_by_fraction_N" if small else "force_16_points_N"]
    assert found[0] == pytest.approx(expected, rel=1e-12)


def test_uniform_pressure_over_one_triangle():
    """The circle of these numbers has the radius sqrt(R d)."""
    case = S1["linear_pressure"]
    d, R = case["overlap_m"], case["R_m"]
    polygon = 1e-3 * np.array(case["corners_mm"])
    found = integrals(polygon, circle=np.sqrt(R * d), uniform=case["k_Pa_per_m"] * d)
    assert found[0] == pytest.approx(case["force_N"], rel=1e-12)
    np.testing.assert_allclose(found[1:3], case["first_moment_Nm"], rtol=1e-11)
    assert integrals(ALL, circle=np.sqrt(R * d), uniform=case["k_Pa_per_m"] * d)[0] == pytest.approx(
        case["whole_N"], rel=1e-12
    )


@pytest.mark.parametrize("case", S2["patches"]["cases"].values(), ids=S2["patches"]["cases"])
def test_dugdale_zone_over_one_triangle(case):
    s = S2["patches"]
    pressure = {
        "circle": s["a"],
        "hertz": 2 * s["E_star"] / (np.pi * s["R"]),
        "zone": s["c"],
        "traction": s["s0"],
    }
    found = integrals(1e-6 * np.array(case["corners_um"]), **pressure)
    assert found[0] == pytest.approx(case["force_N"], rel=1e-11)
    np.testing.assert_allclose(found[1:3], case["first_moment_Nm"], rtol=1e-10, atol=1e-26)
    assert found[3] == pytest.approx(case["fraction_of_c_circle"], rel=1e-12)


@pytest.mark.parametrize("row", S2["whole"]["rows"])
def test_tractions_of_both_maugis_laws_have_the_force_of_the_whole(row):
    s = S2["whole"]
    given = {"modulus": s["E_star"], "work": s["W"], "range": row["h0"]}
    law, R, a = MaugisDugdale(**given), s["R"], row["a"]
    zone = {"zone": row["c"], "traction": row["s0"], "hertz": 2 * s["E_star"] / (np.pi * R)}
    assert integrals(1e-5 * ALL, circle=a, **zone)[0] == pytest.approx(row["force"], rel=1e-12)
    geometric = GeometricMaugisDugdale(**given)
    contact = some_contacts(0, overlap=1e-9, radius=R, rate=np.zeros((1, 1)))._replace(
        area=np.array([np.pi * a * a])
    )
    response = evaluate(geometric, overlap=a * a / R, radius=R)
    assert response.force[0, 0] == pytest.approx(row["force"], rel=1e-10)
    found, _ = geometric.pressure(contact, response)
    assert found.zone[0] == pytest.approx(row["c"], rel=1e-10)
    if row["overlap"] > law.branch(0.0, R).overlap:  # the stable branch
        touched = evaluate(law, overlap=0.0, radius=R).history
        stable = evaluate(law, overlap=row["overlap"], radius=R, history=touched)
        assert stable.force[0, 0] == pytest.approx(row["force"], rel=1e-9)


@pytest.mark.parametrize("row", S2["truncated"]["rows"])
def test_traction_that_ruptures(row):
    s, a, stick = S2["truncated"], row["a"], row["stick_radius"]
    E, R, s0, gap = s["E_star"], s["R"], s["s0"], s["rupture_gap"]
    law = TruncatedTraction(modulus=E, traction=s0, rupture=gap)
    response = evaluate(law, overlap=a * a / R, radius=R, history=stick**2)
    assert response.force[0, 0] == pytest.approx(row["force"], rel=1e-10)
    contact = some_contacts(1, overlap=a * a / R, radius=R, rate=np.zeros((1, 1)))
    found, _ = law.pressure(contact, response)
    assert found.stick[0] == pytest.approx(stick, rel=1e-12)
    whole = integrals(1e-5 * ALL, **{name: value[0] for name, value in found._asdict().items()})
    assert whole[0] == pytest.approx(row["force"], rel=1e-10)


def test_what_has_ruptured_does_not_stick_again():
    law, R = TruncatedTraction(modulus=2e4, traction=200.0, rupture=5e-8), 5e-6
    history, found = 0.0, []
    for a in (4e-7, 6e-7, 2e-7, 1e-7, 5e-7):
        response = evaluate(law, overlap=a * a / R, radius=R, history=history)
        history = response.history[0, 0]
        found.append(np.sqrt(history - 2 * R * 5e-8))
    np.testing.assert_allclose(found, [4e-7, 4e-7, 2e-7, 1e-7, 1e-7], rtol=1e-9)


def test_all_parts_add_up_over_a_cut_polygon():
    """Linear in the polygon: force and moments of two halves are those of the whole."""
    pressure = {
        "circle": 0.5,
        "hertz": 1.3,
        "uniform": 0.7,
        "zone": 0.8,
        "traction": 0.4,
        "stick": 0.8,
        "slope": 0.9,
    }
    polygon = np.array([(-0.3, -0.6), (1.1, -0.2), (0.4, 0.9), (-0.5, 0.3)])
    whole = integrals(polygon, **pressure)
    halves = integrals(polygon[[0, 1, 2]], **pressure) + integrals(polygon[[0, 2, 3]], **pressure)
    np.testing.assert_allclose(halves, whole, rtol=1e-11)
    # against a fine sum over the triangle
    fine = sum(integrals(part, printed=True, **pressure) for part in _divided(polygon[[0, 1, 2]], 6))
    np.testing.assert_allclose(fine[:3], integrals(polygon[[0, 1, 2]], **pressure)[:3], rtol=2e-3)


def _divided(triangle, times):
    if times == 0:
        return [triangle]
    a, b, c = triangle
    p, q, r = 0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a)
    four = ((a, p, r), (p, b, q), (r, q, c), (p, q, r))
    return [part for each in four for part in _divided(np.array(each), times - 1)]


def test_damped_pressure_is_that_of_the_whole_force():
    law = Hertz(modulus=1e6, damping=1e-3)
    contact = some_contacts(0, overlap=1e-5, radius=0.002, rate=np.full((1, 1), -1e-2))
    response = evaluate(law, overlap=1e-5, radius=0.002, rate=-1e-2)
    found, slope = law.pressure(contact, response)
    a, E, A, R, d, v = found.circle[0], 1e6, 1e-3, 0.002, 1e-5, 1e-2
    assert found.hertz[0] == pytest.approx(E / np.pi * (3 * A * v / a**2 + 2 / R), rel=1e-12)
    whole = integrals(ALL, circle=a, hertz=found.hertz[0])[0]
    assert whole == pytest.approx(4 / 3 * E * np.sqrt(R) * (d**1.5 + 1.5 * A * v * np.sqrt(d)), rel=1e-12)
    assert slope.hertz[0] == pytest.approx(-3 * E * A / (np.pi * a**2), rel=1e-12)


def test_linear_pressure_is_uniform_over_the_area_that_it_sees():
    law = LinearPressure(stiffness=1e9, damping=1e3)
    contact = some_contacts(0, overlap=1e-5, radius=0.002, rate=np.full((1, 1), -1e-2))
    response = evaluate(law, overlap=1e-5, radius=0.002, rate=-1e-2)
    found, slope = law.pressure(contact, response)
    assert found.uniform[0] == pytest.approx(1e9 * 1e-5 + 1e3 * 1e-2, rel=1e-12)
    assert slope.uniform[0] == pytest.approx(-1e3, rel=1e-12)


@pytest.mark.parametrize(
    "law",
    [
        GeometricMaugisDugdale(modulus=1e6, work=1e-3, range=1.5e-8),
        TruncatedTraction(modulus=2e4, traction=200.0, rupture=5e-8),
    ],
)
@pytest.mark.parametrize("history", [0.0, 2.5e-13])
def test_slopes_of_geometric_laws_where_their_circle_is_that_of_hertz(law, history):
    R, d, eps = 2e-6, 5e-8, 1e-13
    low, here, high = (evaluate(law, overlap=x, radius=R, history=history) for x in (d - eps, d, d + eps))
    slope = (high.force - low.force)[0, 0] / (2 * eps)
    assert here.by_overlap[0, 0] == pytest.approx(slope, rel=1e-6)
    half = evaluate(law, overlap=d, radius=R, history=history, fraction=0.5)
    assert half.force[0, 0] == pytest.approx(0.5 * here.force[0, 0], rel=1e-12)


@pytest.mark.parametrize("row", S2["jkr_limit_at_zero_overlap"]["rows"])
def test_zones_without_width_are_those_of_jkr(row):
    s, limit = S2["whole"], S2["jkr_limit_at_zero_overlap"]
    law, R = MaugisDugdale(modulus=s["E_star"], work=s["W"], range=row["h0"]), s["R"]
    a, c = (float(x) for x in law.radii(0.0, R))
    assert a / limit["a_JKR"] == pytest.approx(row["a_over_JKR"], rel=1e-10)
    pressure = {"hertz": 2 * s["E_star"] / (np.pi * R), "zone": c, "traction": s["W"] / row["h0"]}
    found = integrals(1e-5 * ALL, circle=a, **pressure)[0] / (np.pi * s["W"] * R)
    assert found == pytest.approx(row["force_over_pi_W_R"], rel=1e-8)
    # cut through the circle, both sides add up
    sides = [integrals(2e-6 * np.array(X), circle=a, **pressure)[0] for X in CUT]
    assert sum(sides) / (np.pi * s["W"] * R) == pytest.approx(row["force_over_pi_W_R"], rel=1e-7)
