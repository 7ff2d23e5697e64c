"""Linear and constant forces, lubrication, cells and Coulomb friction: values, branches, runs, refusals."""

import numpy as np
import pytest
from known_values import VALUES

import elements as e
import nsgalpha as ns
from nsgalpha.forces import CompliantLaw, evaluate
from nsgalpha.testing import check_law


def force(law, overlap, **values):
    """Normal forces (C,)."""
    return evaluate(law, overlap=overlap, **values).force[:, 0]


def test_pressure_times_area():
    law = e.LinearPressure(stiffness=2e9, damping=1e4)
    area = np.pi * 0.01 * 1e-4
    assert force(law, 1e-4, radius=0.01) == pytest.approx(area * 2e5, rel=1e-14)
    assert force(law, 1e-4, radius=0.01, rate=5.0) == pytest.approx(area * 1.5e5, rel=1e-14)
    assert (force(law, [1e-4, -1e-4], radius=0.01, rate=30.0) == 0.0).all()


def test_adhesion_until_rupture():
    v = VALUES["linearAdhesion"]
    law = e.LinearAdhesion(force=v["f_detach"], distance=v["d_detach"])
    response = evaluate(law, overlap=[-0.4e-6, -1e-6 * (1 - 1e-12), -1.1e-6, 1e-6], history=1.0)
    expected = [v["F_at_gap_0p4um"], -v["f_detach"], 0.0, 0.0]
    assert response.force[:, 0] == pytest.approx(expected, rel=1e-9)
    assert response.energy[1] == pytest.approx(v["W"], rel=1e-9)
    assert response.history[:, 0].tolist() == [1.0, 1.0, 0.0, 1.0]
    assert force(law, -0.4e-6) == 0.0


def test_laws_of_one_sense_are_added():
    spring, held = e.SpringDashpot(stiffness=1e3), e.LinearAdhesion(force=0.5, distance=1e-3)
    law = CompliantLaw(normal=[spring, held])
    assert (law.reach, law.history) == (1e-3, 1)
    overlap = np.array([-0.4e-3, 0.2e-3])
    both = evaluate(law, overlap=overlap, rate=np.zeros((2, 6)), history=1.0)
    apart = evaluate(spring, overlap=overlap).force[:, 0] + force(held, overlap, history=1.0)
    assert both.force[:, 0] == pytest.approx(apart, rel=1e-14)
    assert both.history[:, 0].tolist() == [1.0, 1.0]
    check_law(normal=[spring, held], overlap=1e-4, speed=0.3, adhesive=True, energy=2e-3)


def test_constant_and_preset_force():
    assert force(e.ConstantForce(force=2.0), [1e-3, 0.0, -1e-3]).tolist() == [2.0, 2.0, 0.0]
    assert force(e.ConstantForce(force=2.0, distance=1e-3), [-0.9e-3, -1.1e-3]).tolist() == [2.0, 0.0]
    preset = e.PresetForce(force=3.0, distance=1e-3)
    assert force(preset, [1e-6, -1e-6]).tolist() == [3.0, 0.0]
    assert force(preset, [-1e-6, -0.99e-3, -1.01e-3], history=1.0).tolist() == [3.0, 3.0, 0.0]


def test_lubrication():
    v = VALUES["lubrication"]
    values = {"radius": v["Rhat"], "rate": -1.0}
    law = e.Lubrication(viscosity=v["mu"], least=1e-6, largest=1e-4)
    film = e.Lubrication(viscosity=v["mu"], least=1e-6, largest=1e-4, saturates=True)
    assert force(law, v["delta"], **values) == pytest.approx(v["gamma_n"], rel=1e-13)
    assert (force(law, [-0.9e-6, -1.1e-4, 1e-6], **values) == 0.0).all()
    highest = 6.0 * np.pi * v["mu"] * v["Rhat"] ** 2 / 1e-6
    assert force(film, [-0.9e-6, -1e-9, 0.0], **values) == pytest.approx([highest, highest, 0.0], rel=1e-13)


def test_laws_bring_their_reach():
    model = ns.Model()
    model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0))
    for law in (
        e.LinearAdhesion(force=1.0, distance=0.02),
        e.Lubrication(viscosity=1.0, least=1e-3, largest=0.02),
    ):
        assert e.CompliantSphereSphere(among=model.spheres, normal=law).law.reach == 0.02
        assert e.CompliantSphereSphere(among=model.spheres, normal=law, reach=0.05).law.reach == 0.05
    for law in (
        e.Delile(weight=1.0, end=1.2),
        e.Dividing(repulsion=1, attraction=1, start=0, end=1, speed=1),
    ):
        with pytest.raises(ValueError, match=r"reach = 0.0: must be positive; .* acts between bodies"):
            e.CompliantSphereSphere(among=model.spheres, normal=law)


@pytest.mark.parametrize("v", VALUES["delile"], ids=lambda v: str(v["r12"]))
def test_cells_after_delile(v):
    law = e.Delile(weight=v["w"], area=v["a"], end=v["c_max"])
    assert law.rest == pytest.approx(v["c_eq"], rel=1e-15)
    touch = v["R1"] + v["R2"]
    response = evaluate(law, overlap=touch - v["r12"], branch=touch)
    assert response.force[0, 0] == pytest.approx(v["F_along_n12"], rel=1e-12, abs=1e-15)
    attracts = e.Delile(weight=v["w"], area=v["a"], end=v["c_max"], attraction=3.0 * v["w"])
    factor = 3.0 if response.force[0, 0] < 0.0 else 1.0
    weighed = evaluate(attracts, overlap=touch - v["r12"], branch=touch).force
    assert weighed == pytest.approx(factor * response.force, rel=1e-12, abs=1e-15)


def test_contractile_cells():
    """From touch to a distance of one radius the force takes W_s and gives W_c."""
    R, substrate, contraction = 0.5, 3.0, 1.0
    law = e.Contractile(substrate=substrate, contraction=contraction)
    overlap = np.array([1e-12, R, 1.2 * R])
    expected = np.array([-2.0 * contraction / R, 2.0 * substrate / R, (2.0 * 1.2 * 4.0 - 2.0) / R])
    assert force(law, overlap, branch=2 * R) == pytest.approx(expected, rel=1e-9)
    assert evaluate(law, overlap=R, branch=2 * R).energy == pytest.approx(substrate - contraction, rel=1e-14)
    gone = e.Contractile(substrate=substrate, contraction=contraction, dewets=True)
    assert force(gone, overlap, branch=2 * R)[2] == 0.0
    assert force(gone, -1e-3, branch=2 * R) == 0.0


@pytest.mark.parametrize("scheme", [None, ns.VelocityVerlet()], ids=["generalized-alpha", "Verlet"])
def test_halves_of_a_dividing_cell_follow_the_desired_distance(scheme):
    """Alone with each other, although the element of all cells would push them."""
    model = ns.Model()
    halves = [model.add_sphere(radius=0.1, mass=1e-3, position=(x, 0, 0)) for x in (0.0, 0.05)]
    other = model.add_sphere(radius=0.1, mass=1e-3, position=(0.0, 0.5, 0.0))
    law = e.Dividing(repulsion=50.0, attraction=50.0, start=0.05, end=0.15, speed=1.0)
    model.add(e.CompliantSphereSphere(pairs=[halves], normal=law, reach=0.1))
    cells = e.CompliantSphereSphere(
        among=[*halves, other], without=[halves], normal=e.SpringDashpot(stiffness=1e3)
    )
    model.add(cells)
    how = {} if scheme is None else {"scheme": scheme}
    result = ns.simulate(model, t_end=0.09, h=1e-4, **how)
    assert result.status, result.status
    distance = np.linalg.norm(result.position[:, halves[1]] - result.position[:, halves[0]], axis=-1)
    omega = np.sqrt(50.0 / 0.5e-3)
    exact = 0.05 + result.t - np.sin(omega * result.t) / omega  # from rest, the desired one runs ahead
    assert distance == pytest.approx(exact, abs=2e-4)


def test_pairs_that_are_left_out():
    model = ns.Model()
    a, b, c = (model.add_sphere(radius=0.1, mass=1.0, position=(x, 0, 0)) for x in (0.0, 0.15, 0.3))
    law = e.SpringDashpot(stiffness=1e3)
    all_but_one = e.CompliantSphereSphere(among=[a, b, c], without=[(b, a)], normal=law)
    model.add(all_but_one)
    model.add(e.CompliantSphereSphere(pairs=[(a, b)], normal=e.LinearPressure(stiffness=1e3)))
    start = ns.simulate(model, t_end=1e-9, h=1e-9).compliant_contacts(0)
    pairs = np.sort(np.column_stack([start.body_a, start.body_b]), axis=1).tolist()
    assert (start.element.tolist(), sorted(pairs)) == ([0, 1], [[0, 1], [1, 2]])
    model.add(e.CompliantSphereSphere(pairs=[(c, b)], normal=law))
    with pytest.raises(ValueError, match="a pair of two elements"):
        ns.simulate(model, t_end=1e-9, h=1e-9)
    with pytest.raises(ValueError, match=r"without: .*is given twice"):
        e.CompliantSphereSphere(among=[a, b, c], without=[(b, a), (a, b)], normal=law)
    with pytest.raises(ValueError, match=r"without: .*pairs"):
        e.CompliantSphereSphere(pairs=[(a, b)], without=[(a, b)], normal=law)


def sliding(law, v, normal, history=0.0):
    """Friction (2,) at the velocity and, for a spring, the elongation of the known values."""
    velocity = np.array(v["v_t"][:2])[None]
    return evaluate(law, rate=velocity, increment=0.0 * velocity, normal=normal, history=history).force[0]


@pytest.mark.parametrize("case", VALUES["haffWerner"]["cases"], ids=lambda case: f"F_n {case['F_n']}")
def test_friction_after_haff_and_werner(case):
    v = VALUES["haffWerner"]
    law = e.HaffWerner(damping=v["c_t"], mu=v["mu"])
    assert sliding(law, v, case["F_n"]) == pytest.approx(case["F_t"][:2], rel=1e-13)
    assert (sliding(law, v, -case["F_n"]) == 0.0).all()
    printed = e.HaffWerner(damping=v["c_t"], mu=v["mu"], magnitude=True)
    assert sliding(printed, v, -case["F_n"]) == pytest.approx(case["F_t"][:2], rel=1e-13)


@pytest.mark.parametrize("case", VALUES["cundallStrack"]["cases"], ids=lambda case: f"F_n {case['F_n']}")
def test_friction_after_cundall_and_strack(case):
    v = VALUES["cundallStrack"]
    law = e.CundallStrack(stiffness=v["k_t"], damping=v["c_t"], mu=v["mu"])
    zeta = np.array(v["zeta"][:2])[None]
    assert sliding(law, v, case["F_n"], zeta) == pytest.approx(case["F_t_vectorial"][:2], rel=1e-12)


def test_a_block_slips_at_static_and_goes_on_with_dynamic_friction():
    mu, dynamic = 0.5, 0.3
    law = e.CundallStrack(stiffness=1e3, mu=mu, dynamic_mu=dynamic)
    stretch, forces = np.zeros((1, 2)), []
    for _ in range(250):
        response = evaluate(law, increment=[[0.3e-5, 0.0]], rate=[[0.0, 0.0]], normal=1.0, history=stretch)
        stretch = response.history
        forces.append(-response.force[0, 0])
    forces = np.array(forces)
    assert mu - 1e3 * 0.3e-5 < forces.max() <= mu
    slips = np.flatnonzero(np.diff(forces) < 0.0)
    assert len(slips) > 1
    assert forces[slips + 1] == pytest.approx(dynamic, rel=1e-9)


@pytest.mark.parametrize("kind", ["twisting", "effective"])
def test_torsion(kind):
    v, hertz = VALUES["torsionalCoulomb"], VALUES["hertz"]
    law = e.TorsionalCoulomb(damping=v["c_t"], mu=v["mu"], effective_radius=kind == "effective")
    values = {"overlap": hertz["delta"], "radius": hertz["Rhat"], "normal": v["F_N"]}
    assert evaluate(law, rate=v["w12"], **values).force == pytest.approx(v["M_static"], rel=1e-12)
    slip = v["M_slip_literal_Rhat" if kind == "effective" else "M_slip_contactRadius"]
    assert evaluate(law, rate=1e6 * v["w12"], **values).force == pytest.approx(slip, rel=1e-12)
    assert evaluate(law, rate=-1e6 * v["w12"], **values).force == pytest.approx(-slip, rel=1e-12)
    assert (evaluate(law, rate=v["w12"], **values | {"overlap": -1e-6}).force == 0.0).all()


@pytest.mark.parametrize("scheme", [None, ns.VelocityVerlet()], ids=["generalized-alpha", "Verlet"])
def test_a_spinning_ball_is_stopped_by_torsion(scheme):
    """The slip moment 2/3 mu F a decelerates the spin, J dw/dt = -M, until the dashpot takes over."""
    k, mass, radius, g, mu = 1e4, 0.5, 0.1, 9.81, 0.4
    overlap = mass * g / k
    model = ns.Model(gravity=(0, 0, -g))
    ball = model.add_sphere(
        radius=radius, mass=mass, position=(0, 0, radius - overlap), angular_velocity=(0, 0, 5.0)
    )
    element = e.CompliantSpherePlane(
        ball,
        model.add_plane(normal=(0, 0, 1)),
        normal=e.SpringDashpot(stiffness=k),
        twisting=e.TorsionalCoulomb(damping=1e3, mu=mu),
    )
    model.add(element)
    how = {} if scheme is None else {"scheme": scheme}
    result = ns.simulate(model, t_end=0.05, h=1e-4, **how)
    assert result.status, result.status
    moment = 2.0 / 3.0 * mu * mass * g * np.sqrt(radius * overlap)
    spin = 5.0 - moment / (0.4 * mass * radius**2) * result.t
    assert (spin > 1.0).all()
    assert result.angular_velocity[:, ball, 2] == pytest.approx(spin, rel=1e-6)


GOOD = {
    e.LinearPressure: {"stiffness": 1.0},
    e.LinearAdhesion: {"force": 1.0, "distance": 1.0},
    e.ConstantForce: {"force": 1.0},
    e.PresetForce: {"force": 1.0, "distance": 1.0},
    e.Lubrication: {"viscosity": 1.0, "least": 0.1, "largest": 1.0},
    e.Delile: {"weight": 1.0, "end": 1.2},
    e.Contractile: {"substrate": 1.0, "contraction": 1.0},
    e.Dividing: {"repulsion": 1.0, "attraction": 1.0, "start": 0.1, "end": 1.0, "speed": 1.0},
    e.CundallStrack: {"stiffness": 1.0, "mu": 0.5},
    e.HaffWerner: {"damping": 1.0, "mu": 0.5},
    e.TorsionalCoulomb: {"damping": 1.0, "mu": 0.5},
}
WRONG = [
    (e.LinearPressure, "stiffness", 0.0),
    (e.LinearPressure, "damping", -1.0),
    (e.LinearAdhesion, "force", 0.0),
    (e.LinearAdhesion, "distance", 0.0),
    (e.ConstantForce, "force", np.inf),
    (e.ConstantForce, "distance", -1.0),
    (e.PresetForce, "force", np.nan),
    (e.PresetForce, "distance", -1.0),
    (e.Lubrication, "viscosity", 0.0),
    (e.Lubrication, "least", 0.0),
    (e.Lubrication, "largest", 0.1),
    (e.Delile, "weight", 0.0),
    (e.Delile, "rest", 0.0),
    (e.Delile, "end", 0.9),
    (e.Delile, "area", 0.0),
    (e.Delile, "attraction", -1.0),
    (e.Contractile, "substrate", -1.0),
    (e.Contractile, "contraction", -1.0),
    (e.Dividing, "repulsion", 0.0),
    (e.Dividing, "attraction", -1.0),
    (e.Dividing, "start", -1.0),
    (e.Dividing, "end", 0.05),
    (e.Dividing, "speed", -1.0),
    (e.CundallStrack, "stiffness", 0.0),
    (e.CundallStrack, "mu", -1.0),
    (e.CundallStrack, "dynamic_mu", 0.6),
    (e.CundallStrack, "damping", -1.0),
    (e.HaffWerner, "damping", 0.0),
    (e.HaffWerner, "mu", -1.0),
    (e.TorsionalCoulomb, "damping", 0.0),
    (e.TorsionalCoulomb, "mu", -1.0),
]


@pytest.mark.parametrize(("law", "name", "value"), WRONG, ids=str)
def test_parameters_out_of_range_are_refused(law, name, value):
    law(**GOOD[law])
    with pytest.raises(ValueError, match=f"{name} = .*must be"):
        law(**{**GOOD[law], name: value})
