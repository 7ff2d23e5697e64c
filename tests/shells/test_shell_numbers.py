"""Shells against numbers of other programs (data/README.md) and closed forms."""

import numpy as np
import pytest
from shell_meshes import (
    DATA,
    at_rest,
    icosahedron,
    icosphere,
    modelled,
    nodal,
    numbers,
    octahedron,
    stiffness,
    tetrahedron,
)

import elements as e
import nsgalpha as ns

BENDING, MEMBRANE, SIZES = (numbers(f"{n}.json") for n in ("s3_bending", "s4_membrane", "s5_area_volume"))
SOLIDS = {"tetrahedron": tetrahedron, "octahedron": octahedron, "icosahedron": icosahedron}


def pair(x):
    """Two triangles at the edge c1 c2; `x` are l1, l2, c1, c2."""
    return modelled(x, [(0, 2, 3), (1, 3, 2)])


@pytest.mark.parametrize("case", BENDING["cases"], ids=lambda case: f"{case['theta']:.2f} rad")
@pytest.mark.parametrize("swapped", [False, True])
def test_bending_of_a_pair(case, swapped):
    """Forces, energy and Hessian; the order of the two triangles does not matter."""
    x = np.array(case["l1_l2_c1_c2"])
    model, _, surface = modelled(x, [(1, 3, 2), (0, 2, 3)] if swapped else [(0, 2, 3), (1, 3, 2)])
    element = e.Bending(surface, stiffness=case["k_b"], angle=case["theta0"], cosine=True)
    force, made = nodal(element, at_rest(model))
    size = np.abs(case["forces"]).max()
    assert surface.reference.angle[surface.interior] == pytest.approx([case["theta"]], rel=1e-13)
    assert made.energy == pytest.approx([case["energy"]], rel=1e-12)
    assert force == pytest.approx(np.array(case["forces"]), abs=2e-13 * size)
    K = stiffness(element, at_rest(model))
    assert K[0] == pytest.approx(case["hessian_row_l1x"], abs=1e-7 * np.abs(K).max())
    assert np.linalg.eigvalsh(K) == pytest.approx(case["hessian_eigenvalues"], abs=1e-7 * np.abs(K).max())
    linear, _ = nodal(e.Bending(surface, stiffness=case["k_b"], angle=case["theta0"]), at_rest(model))
    assert linear == pytest.approx(np.array(case["linear_energy_forces"]), abs=2e-13 * size)


@pytest.mark.parametrize("case", BENDING["cases"], ids=lambda case: f"{case['theta']:.2f} rad")
def test_printed_bending_has_the_printed_moment(case):
    x = np.array(case["l1_l2_c1_c2"])
    model, _, surface = pair(x)
    element = e.Bending(surface, stiffness=case["k_b"], angle=case["theta0"], printed=True)
    force, _ = nodal(element, at_rest(model))
    size = np.abs(force).max()
    assert force == pytest.approx(np.array(case["linear_printed_forces"]), abs=2e-13 * size)
    moment = np.cross(x, force).sum(axis=0)
    assert moment == pytest.approx(case["linear_printed_moment"], abs=2e-13 * size)


def test_flat_and_folded_pairs_bend():
    """Angles of 0, and close to pi, where other formulas lose all digits."""
    for theta in (0.0, 1e-9, -1e-9, 3.1, -3.1):
        levers = [(-1.0, 0.3, 0.0), (np.cos(theta), 0.7, -np.sin(theta))]
        _, _, surface = pair([*levers, (0, 0, 0), (0, 1, 0)])
        assert surface.reference.angle[surface.interior] == pytest.approx([theta], abs=1e-15, rel=1e-13)


def test_bending_of_a_red_cell_recorded_by_mirheo():
    data = np.load(DATA / "mirheo_bending_kantor.npz")
    model, _, surface = modelled(data["vertices"], data["faces"].astype(int))
    force, _ = nodal(e.Bending(surface, stiffness=1000.0, angle=0.0, cosine=True), at_rest(model))
    recorded = data["forces"].astype(float)
    assert np.linalg.norm(recorded) == pytest.approx(BENDING["mirheo_difference_norm_max"][1], rel=1e-6)
    assert np.abs(force - recorded).max() <= 2e-5 * np.abs(recorded).max()  # single precision


@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_a_sphere_has_a_third_of_the_energy_of_helfrich(n):
    model, _, surface = modelled(*icosphere(n))
    _, made = nodal(e.Bending(surface, stiffness=1.0, angle=0.0, cosine=True), at_rest(model))
    assert made.energy.sum() == pytest.approx(BENDING["sphere"]["rows"][n]["sum_1_minus_cos"], rel=1e-12)


def test_stiffness_of_a_shell():
    s = BENDING["shell"]
    for plate, key in ((False, "k_b_printed"), (True, "k_b_of_plate_stiffness")):
        _, _, surface = modelled(*octahedron(), thickness=s["t"])
        element = e.ShellBending(surface, modulus=s["E"], poisson=s["nu"], plate=plate)
        assert element.stiffness == pytest.approx(np.full(12, s[key]), rel=1e-13)


def test_a_spontaneous_curvature_is_the_angle_of_a_sphere():
    """The integral of the mean curvature over the sphere, of second order in the edges."""
    errors = []
    for n in (2, 3):
        _, _, surface = modelled(*icosphere(n))
        element = e.Bending(surface, stiffness=1.0, curvature=1.0)
        length = surface.reference.length[surface.interior]
        errors.append(1.0 - (length * element.angle).sum() / (8.0 * np.pi))
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.02)
    assert abs(errors[1]) < 5e-3


def test_numbers_of_an_edge():
    given = MEMBRANE["element"]
    thickness = [given["t1"], given["t2"]]
    model, _, surface = modelled(given["x"], [(2, 0, 1), (3, 1, 0)], thickness=thickness)
    assert surface.reference.area == pytest.approx([given["A1"], given["A2"]], rel=1e-13)
    (k,) = surface.interior
    springs = e.ShellSprings(surface, modulus=given["E"], length=given["L0"])
    assert springs.stiffness[k] == pytest.approx(given["k12"], rel=1e-13)
    f, g = springs.force_pass(at_rest(model)), np.array(given["force_on_p1"])
    end = list(surface.topology.edges[k]).index(0)
    assert f.force[k, end] == pytest.approx(g, rel=1e-12, abs=1e-24)
    friction = e.ShellViscosity(surface, viscosity=given["mu"])
    assert friction.damping[k] == pytest.approx(given["shell_viscosity_coefficient"], rel=1e-13)
    for printed, key in ((True, "maxwell_c_printed"), (False, "maxwell_c_of_tau")):
        flow = e.MaxwellShell(
            surface, modulus=given["E"], time=given["tau"], length=given["L0"], printed=printed
        )
        assert flow.dashpot[k] == pytest.approx(given[key], rel=1e-13)


@pytest.mark.parametrize("printed", [False, True])
@pytest.mark.parametrize("steps", [1, 7])
def test_a_shell_that_is_held_relaxes(printed, steps):
    """The flow is exact for any number of steps."""
    given = MEMBRANE["element"]
    model, _, surface = modelled(given["x"], [(2, 0, 1), (3, 1, 0)], thickness=[given["t1"], given["t2"]])
    (k,) = surface.interior
    flow = e.MaxwellShell(surface, modulus=given["E"], time=given["tau"], length=given["L0"], printed=printed)
    tau = given["maxwell_time_printed"] if printed else given["tau"]
    history, start = np.zeros((flow.count, 1)), None
    for _ in range(steps):
        made = flow.force_pass(at_rest(model, history=history, h=20.0 / steps))
        history, start = made.history, made.force[k] if start is None else start
    held = e.ShellSprings(surface, modulus=given["E"], length=given["L0"]).force_pass(at_rest(model)).force[k]
    assert made.force[k] == pytest.approx(held * np.exp(-20.0 / tau), rel=1e-12, abs=1e-24)


EQUILATERAL = np.array([(0.0, 0, 0), (1, 0, 0), (0.5, np.sqrt(0.75), 0)])
AREA = np.sqrt(3.0) / 4.0


def test_moduli_of_the_regular_lattice():
    """Every triangle has its share of its edges: one has the moduli of all."""
    model, _, surface = modelled(EQUILATERAL, [(0, 1, 2)], thickness=0.1)
    K = stiffness(e.ShellSprings(surface, modulus=3.0), at_rest(model)) / (3.0 * 0.1 * AREA)
    shear = (EQUILATERAL @ np.array([(0, 1, 0), (0, 0, 0), (0, 0, 0)]).T).ravel()
    growth = EQUILATERAL.ravel()
    assert shear @ K @ shear == pytest.approx(MEMBRANE["lattice"]["exact"]["shear"], rel=1e-14)
    assert growth @ K @ growth / 4.0 == pytest.approx(MEMBRANE["lattice"]["exact"]["area"], rel=1e-14)


@pytest.mark.parametrize("flow", [key for key in MEMBRANE["shell_viscosity"] if "=" in key])
def test_power_of_a_viscous_shell(flow):
    G = {
        "shear": [[0, 1], [0, 0]],
        "pure_shear": [[1, 0], [0, -1]],
        "dilation": [[1, 0], [0, 1]],
        "rotation": [[0, -1], [1, 0]],
    }[flow.split("_G")[0]]
    model, _, surface = modelled(EQUILATERAL, [(0, 1, 2)], thickness=0.1)
    v = np.zeros((3, 3))
    v[:, :2] = EQUILATERAL[:, :2] @ np.array(G, float).T
    for key, invariant in (("isotropic", False), ("normal_part", True)):
        for weight in ("regular", "cotangent"):
            friction = e.ShellViscosity(surface, viscosity=2.0, invariant=invariant, weight=weight)
            force, _ = nodal(friction, at_rest(model, v=v))
            power = -(force * v).sum() / (2.0 * 0.1 * AREA)
            expected = MEMBRANE["shell_viscosity"][flow][key]
            assert power == pytest.approx(expected, rel=1e-13, abs=1e-14)


def sized():
    t, p = SIZES["tetrahedron"], SIZES["tetrahedron"]["parameters"]
    model, _, surface = modelled(t["x"], t["f"])
    local = e.LocalArea(surface, stiffness=p["k_d"], area=p["A0"])
    area = e.GlobalArea(surface, stiffness=p["k_a"], area=sum(p["A0"]), tension=p["gamma"])
    volume = e.Volume(surface, stiffness=p["k_v"], volume=p["V0"], pressure=p["p0"])
    return model, surface, (local, area, volume)


def test_areas_and_volume_of_a_tetrahedron():
    model, surface, elements = sized()
    t, motion = SIZES["tetrahedron"], at_rest(sized()[0])
    assert surface.reference.area.sum() == pytest.approx(t["area"], rel=1e-14)
    assert surface.reference.volume == pytest.approx([t["volume"]], rel=1e-14)
    local, area, volume = (element.force_pass(motion) for element in elements)
    known = t["energies"]
    assert local.energy.sum() == pytest.approx(known["local"], rel=1e-12)
    assert area.energy.sum() == pytest.approx(known["global"] + known["tension"], rel=1e-12)
    assert volume.energy.sum() == pytest.approx(known["volume"] + known["pressure"], rel=1e-12)
    assert area.response.force == pytest.approx([t["tension"]], rel=1e-12)
    assert -volume.response.force == pytest.approx([t["pressure"]], rel=1e-12)
    assert local.response.force == pytest.approx(t["local_tension"], rel=1e-11)
    force = sum(nodal(element, motion)[0] for element in elements)
    assert force == pytest.approx(np.array(t["forces"]), abs=1e-14)
    K = sum(stiffness(element, motion) for element in elements)
    assert K[0] == pytest.approx(t["hessian_row_0"], abs=2e-7)
    assert pytest.approx(K.T, abs=1e-14) == K
    assert len(model.bodies) == 4


def test_volume_is_as_exact_far_from_the_origin():
    t = SIZES["tetrahedron"]
    x = np.array(t["x"]) + 1e4
    model, _, surface = modelled(x, t["f"])
    assert surface.reference.volume == pytest.approx([t["volume"]], rel=1e-11)
    force, _ = nodal(e.Volume(surface, stiffness=0.0, pressure=1.0), at_rest(model))
    assert np.abs(force.sum(axis=0)).max() <= 1e-15


@pytest.mark.parametrize("row", MEMBRANE["pressurised_solids"], ids=lambda r: f"{r['solid']}, {r['p']:g} Pa")
def test_pressurised_solids(row):
    """Radii of a closed form: q r^2 - 4 r r0 + 4 r0^2 = 0, q = p/p_burst."""
    v, f = SOLIDS[row["solid"]]()
    model, _, surface = modelled(row["r0"] * v, f, thickness=row["t"])
    model.add(e.ShellSprings(surface, modulus=row["E"]))
    model.add(e.Volume(surface, stiffness=0.0, pressure=row["p"]))
    found = ns.equilibrium(model, tol=1e-13)
    assert found
    assert (found.free, found.unstable) == (6, 0)
    x = found.state.position - found.state.position.mean(axis=0)
    assert np.linalg.norm(x, axis=1) == pytest.approx(np.full(len(v), row["r"]), rel=1e-11)


def test_a_solid_bursts():
    """Above n k l^2/(12 v r0) nothing holds it: closed form."""
    row = next(row for row in MEMBRANE["pressurised_solids"] if row["solid"] == "icosahedron")
    assert ns.equilibrium(pressurised(row, 0.99 * row["burst_pressure"]))
    assert not ns.equilibrium(pressurised(row, 1.01 * row["burst_pressure"]))


def pressurised(row, p):
    v, f = SOLIDS[row["solid"]]()
    model, _, surface = modelled(row["r0"] * v, f, thickness=row["t"])
    model.add(e.ShellSprings(surface, modulus=row["E"]))
    model.add(e.Volume(surface, stiffness=0.0, pressure=p))
    return model


@pytest.mark.parametrize(
    "row", MEMBRANE["icosphere_pressurised"], ids=lambda r: f"{r['subdivisions']}, {r['p']}"
)
def test_pressurised_icospheres(row):
    model, _, surface = modelled(*icosphere(row["subdivisions"]), thickness=row["t"])
    model.add(e.ShellSprings(surface, modulus=row["E"]))
    model.add(e.Volume(surface, stiffness=0.0, pressure=row["p"]))
    found = ns.equilibrium(model, tol=1e-13)
    assert found
    x = found.state.position
    r = np.linalg.norm(x - x.mean(axis=0), axis=1)
    assert (r.mean(), r.min(), r.max()) == pytest.approx(
        (row["mean_radius"], row["min"], row["max"]), rel=1e-9
    )
    at = surface.at(x)
    assert at.volume == pytest.approx([row["volume"]], rel=1e-9)
    assert at.area.sum() == pytest.approx(row["area"], rel=1e-9)


@pytest.mark.parametrize("solid", SOLIDS)
def test_laplace(solid):
    """A drop of constant tension that keeps its volume: p r/gamma = 2 A r/(3 V), and 2 gamma A = 3 p V."""
    v, f = SOLIDS[solid]()
    model, _, surface = modelled(v, f)
    model.add(e.GlobalArea(surface, stiffness=0.0, tension=0.3))
    volume = model.add(e.Volume(surface, stiffness=100.0))
    found = ns.equilibrium(model, tol=1e-12)
    assert found
    x = found.state.position
    at = surface.at(x)
    p = -float(volume.force_pass(at_rest(model, x)).response.force[0])
    assert 2.0 * 0.3 * at.area.sum() == pytest.approx(3.0 * p * at.volume[0], rel=1e-9)
    r = np.linalg.norm(x - x.mean(axis=0), axis=1).mean()
    expected = next(row for row in MEMBRANE["laplace"]["rows"] if row["solid"] == solid)["p_r_over_gamma"]
    assert p * r / 0.3 == pytest.approx(expected, rel=1e-9)
