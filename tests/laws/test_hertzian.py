"""Hertz, Kuwabara-Kono, DMT, JKR, Maugis-Dugdale: tables, pull-off, limits, restitution, hysteresis."""

import numpy as np
import pytest
from known_values import TABLES, VALUES

import elements as e
import nsgalpha as ns
from nsgalpha.forces import evaluate

LIMITS = TABLES["jkr_dmt_hertz"]
R, E, W = LIMITS["R"], LIMITS["Estar"], LIMITS["W"]
UNIT = np.pi * W * R
JKR_LAW = e.JKR(modulus=E, work=W)
TOUCHED = {"radius": R, "history": 1.0}


def touched(law, radius=R):
    """History (1, k) of a contact that has come about."""
    return evaluate(law, overlap=0.0, radius=radius).history


def along(law, overlap, radius=R):
    """Response of contacts that have come about."""
    return evaluate(law, overlap=overlap, radius=radius, history=touched(law, radius))


def maugis(transition, work=W):
    K = 4.0 / 3.0 * E
    return e.MaugisDugdale(
        modulus=E, work=work, range=2.0 * work / transition * (R / (np.pi * work * K * K)) ** (1 / 3)
    )


def test_values_of_hertz():
    v = VALUES["hertz"]
    modulus = e.contact_modulus(v["E1"], v["nu1"], v["E2"], v["nu2"])
    assert modulus == pytest.approx(v["Estar"], rel=1e-14)
    assert evaluate(e.Hertz(modulus=modulus), overlap=v["delta"], radius=v["Rhat"]).force == pytest.approx(
        v["F"], rel=1e-13
    )
    damped = VALUES["dampedHertz"]
    for factor, name in ((1.0, "F_documented"), (1.5, "F_integralVariant_3over2")):
        law = e.Hertz(modulus=modulus, damping=damped["Ahat"], viscous_factor=factor)
        response = evaluate(law, overlap=v["delta"], radius=v["Rhat"], rate=-damped["ddelta_dt"])
        assert response.force == pytest.approx(damped[name], rel=1e-13)


@pytest.mark.parametrize(
    ("law", "table"), [(e.Hertz(modulus=E), "hertz_delta_F"), (e.DMT(modulus=E, work=W), "dmt_delta_F")]
)
def test_tables_of_hertz_and_dmt(law, table):
    overlap, force = np.array(LIMITS[table]).T
    assert evaluate(law, overlap=overlap, radius=R).force[:, 0] == pytest.approx(force, rel=1e-13)
    assert law.contact_radius(overlap, R) == pytest.approx(np.sqrt(R * overlap), rel=1e-14)


def test_table_of_jkr():
    overlap, force, a = np.array([row[:3] for row in LIMITS["jkr_delta_F_a_nd"]]).T
    response = along(JKR_LAW, overlap)
    assert response.force[:, 0] == pytest.approx(force, rel=1e-9)
    assert JKR_LAW.contact_radius(overlap, R) == pytest.approx(a, rel=1e-9)


def test_pull_off_of_jkr():
    known = LIMITS["analytic"]
    gap = JKR_LAW.detachment(R)
    assert -gap == pytest.approx(known["pullOff_displacementControl"]["delta"], rel=1e-14)
    force = along(JKR_LAW, np.linspace(-gap * (1.0 - 1e-12), 0.0, 200001)).force[:, 0]
    assert force[0] == pytest.approx(-5.0 / 6.0 * UNIT, rel=1e-5)  # as the root of the distance
    assert force.min() == pytest.approx(-1.5 * UNIT, rel=1e-8)
    assert JKR_LAW.pull_off(R) == pytest.approx(known["pullOff_loadControl"]["F"], rel=1e-14)
    assert force[-1] == pytest.approx(known["atDelta0"]["F"], rel=1e-14)


@pytest.mark.parametrize("law", [JKR_LAW, maugis(0.1), maugis(1.0), maugis(10.0)], ids=repr)
def test_contacts_come_about_at_touch_and_last_until_detachment(law):
    gap = law.detachment(R)
    fresh = evaluate(law, overlap=[-1e-12, 0.0, 1e-9], radius=R)
    assert (fresh.force[:, 0] != 0.0).tolist() == [False, True, True]
    assert fresh.history.any(axis=1).tolist() == [False, True, True]
    old = along(law, np.array([-1.001, -0.999, 0.0]) * gap)
    assert (old.force[:, 0] != 0.0).tolist() == [False, True, True]
    assert old.history.any(axis=1).tolist() == [False, True, True]
    assert (law.contact_radius(np.array([-1.001, -0.999]) * gap, R) > 0.0).tolist() == [False, True]
    assert law.contact_radius(-0.5 * gap, R, attached=False) == 0.0


@pytest.mark.parametrize("table", TABLES["maugisDugdale"], ids=lambda table: f"lambda {table['lam']}")
def test_tables_of_maugis_and_dugdale(table):
    law = e.MaugisDugdale(modulus=table["Estar"], work=table["W"], range=table["h0"])
    assert law.transition(R) == pytest.approx(table["lam"], rel=1e-13)
    rows = np.array(table["contactBranch_delta_F_a_c_nd_m_residual"])
    branch = law.branch(rows[:, 2], R)
    assert np.array(branch) == pytest.approx(rows[:, [0, 1, 3]].T, rel=1e-9, abs=0.0)
    overlap, force, a, c = np.array(table["forceOfOverlap_delta_F_a_c"]).T
    assert along(law, overlap).force[:, 0] == pytest.approx(force, rel=1e-10, abs=0.0)
    assert np.array(law.radii(overlap, R)) == pytest.approx(np.array([a, c]), rel=1e-10, abs=0.0)
    overlap, force, a, c = np.array(table["geoVariant_delta_F_a_c"]).T
    branch = law.branch(np.sqrt(R * overlap), R)
    assert np.array(branch[1:]) == pytest.approx(np.array([force, c]), rel=1e-10, abs=0.0)


@pytest.mark.parametrize("table", TABLES["maugisDugdale"], ids=lambda table: f"lambda {table['lam']}")
def test_pull_off_of_maugis_and_dugdale(table):
    law = e.MaugisDugdale(modulus=table["Estar"], work=table["W"], range=table["h0"])
    end = table["displacementControlledPullOff"] or table["endPoint_a0"]
    assert -law.detachment(R) == pytest.approx(end["delta"], rel=1e-12)
    branch = law.branch(np.linspace(0.0, 2e-7, 400001), R)
    assert branch.force.min() == pytest.approx(table["loadControlledPullOff"]["F"], rel=1e-9)


def test_contacts_end_with_a_jump_above_a_transition_of_0_938():
    """Below, the contact radius goes to zero (Maugis 1992)."""
    ends = [touched(maugis(x))[0, 2] for x in (0.937, 0.938)]
    assert ends[0] == 0.0 < ends[1]


def test_maugis_and_dugdale_tend_to_dmt_and_jkr():
    overlap = np.linspace(0.0, 5e-8, 11)
    soft, stiff = along(JKR_LAW, overlap).force[:, 0], along(e.DMT(modulus=E, work=W), overlap).force[:, 0]
    to_jkr = [np.abs(along(maugis(x), overlap).force[:, 0] - soft).max() / UNIT for x in (1e1, 1e2, 1e3)]
    to_dmt = [np.abs(along(maugis(x), overlap).force[:, 0] - stiff).max() / UNIT for x in (1e-2, 1e-3, 1e-4)]
    for errors in (to_jkr, to_dmt):
        assert errors[0] > 2.0 * errors[1] > 4.0 * errors[2]
    assert to_jkr[2] < 1e-5
    assert to_dmt[2] < 0.05
    pull = [maugis(x).branch(np.linspace(0.0, 3e-7, 100001), R).force.min() / UNIT for x in (1e-3, 1e3)]
    assert pull == pytest.approx([-2.0, -1.5], abs=2e-3)


@pytest.mark.parametrize("law", [JKR_LAW, *map(maugis, (1e-3, 0.05, 0.9, 0.95, 1.0, 5.0, 1e3))], ids=repr)
def test_force_and_tangent_are_derivatives(law):
    overlap = np.linspace(-0.98 * law.detachment(R), 8e-8, 301)
    eps = 1e-14
    ahead, here, behind = (along(law, overlap + shift) for shift in (eps, 0.0, -eps))
    slope = (ahead.force - behind.force)[:, 0] / (2 * eps)
    assert np.abs(here.by_overlap[:, 0] - slope).max() <= 1e-5 * np.abs(slope).max()
    force = (ahead.energy - behind.energy) / (2 * eps)
    assert np.abs(here.force[:, 0] - force).max() <= 1e-5 * np.abs(force).max()


def test_the_couple_of_two_capsules():
    v = VALUES["dmtCapsuleMoment"]
    couple = e.capsule_moment(v["t1"], v["t2"], v["delta"], v["Rhat"], v["w"], v["f"])
    assert couple == pytest.approx(np.array(v["M"]), rel=1e-14, abs=1e-30)
    both = e.capsule_moment([v["t1"]] * 2, [v["t2"], v["t1"]], [v["delta"]] * 2, v["Rhat"], v["w"])
    assert both == pytest.approx(np.array([v["M"], [0.0, 0.0, 0.0]]), rel=1e-14, abs=1e-30)


def collision(law, v, mass, radius, h, t_end, scheme=None, **element):
    """Restitution, and gap at the end, of two equal spheres that start at touch.

    mass, radius: effective ones, half of those of the spheres.
    """
    model = ns.Model()
    for side in (-1.0, 1.0):
        model.add_sphere(
            radius=2.0 * radius,
            mass=2.0 * mass,
            position=(side * 2.0 * radius * (1.0 + 1e-12), 0, 0),
            velocity=(-0.5 * side * v, 0, 0),
        )
    model.add(e.CompliantSphereSphere(among=model.spheres, normal=law, **element))
    how = {} if scheme is None else {"scheme": scheme}
    result = ns.simulate(model, t_end=t_end, h=h, **how)
    assert result.status, result.status
    apart = result.position[-1, 1, 0] - result.position[-1, 0, 0]
    return (result.velocity[-1, 1, 0] - result.velocity[-1, 0, 0]) / v, apart - 4.0 * radius


COLLISIONS = [c for c in VALUES["dampedHertzCollisions"] if c["Ahat"] > 0.0]


@pytest.mark.parametrize("case", COLLISIONS, ids=lambda c: f"{c['Ahat']:g}, {c['factor']:g}")
@pytest.mark.parametrize("tension", [False, True])
def test_restitution_of_damped_spheres(case, tension):
    v = VALUES["hertz"]
    law = e.Hertz(modulus=v["Estar"], damping=case["Ahat"], viscous_factor=case["factor"], tension=tension)
    h = case["tc"] / 1000
    e_n, _ = collision(law, case["v0"], case["m_eff"], v["Rhat"], h, 1.3 * case["tc"], ns.VelocityVerlet())
    known = case["e_noTensionCut_untilDelta0" if tension else "e_tensionCut"]
    assert e_n == pytest.approx(known, abs=3e-5)


@pytest.mark.parametrize("tension", [False, True])
def test_restitution_is_that_of_the_series(tension):
    """1 - C1 s + C2 s^2 (Ramirez et al. 1999), without tension + 4/15 s^(5/2) (Schwager, Poeschel 2008)."""
    v, mass, speed = VALUES["hertz"], 0.002, 0.5
    k = 4.0 / 3.0 * v["Estar"] * np.sqrt(v["Rhat"])
    for damping in (2e-5, 4e-5):
        s = 1.5 * damping * (k / mass) ** 0.4 * speed**0.2
        series = 1.0 - 1.153449 * s + 0.798267 * s**2 + (0.0 if tension else 4.0 / 15.0 * s**2.5)
        law = e.Hertz(modulus=v["Estar"], damping=damping, tension=tension)
        e_n, _ = collision(law, speed, mass, v["Rhat"], 1.7e-6, 2.2e-3, ns.VelocityVerlet())
        assert abs(e_n - series) < 0.7 * s**3
        assert abs(e_n - series) < 0.02 * (1.0 - e_n)


@pytest.mark.parametrize("scheme", [ns.VelocityVerlet(), None], ids=["Verlet", "generalized-alpha"])
@pytest.mark.sampled(2)
def test_the_loss_of_adhesive_spheres(scheme):
    """Between touch and detachment JKR loses 7.09 (W^5 R^4/E^2)^(1/3) (Thornton and Ning 1998)."""
    law, mass, radius = e.JKR(modulus=1e7, work=0.5), 0.002, 0.005
    loss = (
        4.0
        * np.pi
        * 0.5
        * (2.0 * np.pi * 0.5 * radius**2 / 1e7) ** (2 / 3)
        * (0.15 + (4 / 15 / 16 + 1 / 12) * 0.25 ** (4 / 3))
    )
    assert loss == pytest.approx(7.09 * (0.5**5 * radius**4 / 1e14) ** (1 / 3), rel=1e-3)
    sticks = np.sqrt(2.0 * loss / mass)
    element = {"reach": 2.0 * law.detachment(radius)}
    run = {"mass": mass, "radius": radius, "h": 5e-6, "scheme": scheme, **element}
    for ratio in (1.5, 4.0):
        e_n, _ = collision(law, ratio * sticks, t_end=0.02, **run)
        assert e_n == pytest.approx(np.sqrt(1.0 - ratio**-2), rel=5e-3)
    assert collision(law, 0.9 * sticks, t_end=0.02, **run)[1] < law.detachment(radius)


@pytest.mark.parametrize("transition", [0.3, 2.0])
def test_the_loss_between_the_limits(transition):
    """The spheres lose the work from touch to the end, with Maugis's force."""
    mass, work, radius = 0.002, 0.5, 0.005
    K = 4.0 / 3.0 * 1e7
    h_0 = 2.0 * work / transition * (radius / (np.pi * work * K * K)) ** (1 / 3)
    law = e.MaugisDugdale(modulus=1e7, work=work, range=h_0)
    least, touch = law.contact_radius(np.array([-law.detachment(radius) * (1 - 1e-12), 0.0]), radius)
    curve = law.branch(np.linspace(least, touch, 20001), radius)
    loss = -np.trapezoid(curve.force, curve.overlap)
    speed = 2.0 * np.sqrt(2.0 * loss / mass)
    run = {"mass": mass, "radius": radius, "h": 5e-6, "scheme": ns.VelocityVerlet()}
    e_n, _ = collision(law, speed, t_end=0.02, reach=2.0 * law.detachment(radius), **run)
    assert e_n == pytest.approx(np.sqrt(0.75), rel=5e-3)


REFUSED = [
    (e.Hertz, {"modulus": 0.0}),
    (e.Hertz, {"damping": -1.0}),
    (e.Hertz, {"viscous_factor": 0.0}),
    (e.DMT, {"modulus": -1.0}),
    (e.DMT, {"work": -1.0}),
    (e.JKR, {"modulus": np.nan}),
    (e.JKR, {"work": 0.0}),
    (e.MaugisDugdale, {"modulus": 0.0}),
    (e.MaugisDugdale, {"work": 0.0}),
    (e.MaugisDugdale, {"range": 0.0}),
]
GOOD = {
    e.Hertz: {"modulus": E},
    e.DMT: {"modulus": E, "work": W},
    e.JKR: {"modulus": E, "work": W},
    e.MaugisDugdale: {"modulus": E, "work": W, "range": 1e-8},
}


@pytest.mark.parametrize(("law", "wrong"), REFUSED, ids=str)
def test_parameters_out_of_range_are_refused(law, wrong):
    law(**GOOD[law])
    (name,) = wrong
    with pytest.raises(ValueError, match=f"{name} = .*must be.*"):
        law(**{**GOOD[law], **wrong})


def test_laws_that_hold_bodies_apart_need_a_reach():
    model = ns.Model()
    model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0))
    for law in (JKR_LAW, maugis(1.0)):
        with pytest.raises(ValueError, match=r"reach = 0.0: must be positive; .* acts between bodies"):
            e.CompliantSphereSphere(among=model.spheres, normal=law)


def test_arguments_out_of_range_are_refused():
    with pytest.raises(ValueError, match=r"radius = 0.0: must be positive"):
        JKR_LAW.detachment(0.0)
    with pytest.raises(ValueError, match=r"contact_radius = -1.0: must be at least 0"):
        maugis(1.0).branch(-1.0, R)
    with pytest.raises(ValueError, match=r"poisson_b = 0.6: must be in \(-1, 0.5\]"):
        e.contact_modulus(1.0, 0.3, 1.0, 0.6)
    with pytest.raises(ValueError, match=r"axis_a, axis_b .*longer than zero"):
        e.capsule_moment([0, 0, 0], [1, 0, 0], 1e-3, 1.0, 1.0)
    with pytest.raises(ValueError, match=r"work = -1.0"):
        e.capsule_moment([1, 0, 0], [1, 0, 0], 1e-3, 1.0, -1.0)
    with pytest.raises(TypeError, match="unknown parameter 'overlapp'; did you mean 'overlap'"):
        evaluate(JKR_LAW, overlapp=1.0)
