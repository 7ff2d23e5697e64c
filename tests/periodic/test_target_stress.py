"""Target stresses set the periods of a cell."""

import numpy as np
import pytest
from scipy.optimize import brentq

import elements as e
import nsgalpha as ns
from nsgalpha.case import parse_case
from nsgalpha.model.cell_kinematics import STILL, CellKinematics, ways_to_images
from nsgalpha.schemes.explicit.verlet_stepper import VerletStepper
from nsgalpha.system.stressed_cell import place_images
from tests.periodic.test_images import R
from tests.periodic.test_strained_cells import lattice, over

K = 1e4  # [N/m] of the lattice
VERLET = ns.VelocityVerlet()


def pressed(stress=(-500.0,) * 3, viscosity=500.0, max_rate=1.0, **more):
    return ns.CellMotion(stress=stress, viscosity=viscosity, max_rate=max_rate, **more)


def pitch_under(p):
    """Distance of centres at which a simple cubic lattice has the pressure p: K (2 R - a) = p a^2."""
    return brentq(lambda a: K * (2 * R - a) - p * a * a, R, 2 * R)


@pytest.mark.parametrize("load", [False, True], ids=["compiled", "from Python"])
def test_a_lattice_gets_the_strain_of_its_pressure(load):
    model = lattice(motion=pressed(), damping=20.0)
    if load:
        model.add_load(lambda t, state: np.zeros_like(state.position))
    result = ns.simulate(model, t_end=0.3, h=1e-4, scheme=VERLET)
    cell, stress = result.cell, ns.mean_stress(result)
    assert stress.total[-1] == pytest.approx(-500.0 * np.eye(3), abs=1e-4)
    assert cell.strain[-1] == pytest.approx(np.log(pitch_under(500.0) / (2 * R)), rel=1e-6)
    assert cell.strain[2:] - cell.strain[1:-1] == pytest.approx(1e-4 * cell.strain_rate[1:-1], abs=1e-15)


def test_kernels_and_the_model_place_images_alike():
    rng, kinematics = np.random.default_rng(1), CellKinematics(2, 0, (None, None, None), STILL)
    periods, strain, rate = (1.3, 0.7, 2.1), rng.normal(size=(50, 3)), rng.normal(size=(50, 3))
    J, shear = rng.normal(size=(2, 50))
    ways, rates = ways_to_images(periods, kinematics, strain, rate, J, shear)
    placed = np.zeros((2, 3, 3))
    for n in range(50):
        place_images(np.array(periods), (2, 0), strain[n], rate[n], (J[n], shear[n]), *placed)
        assert np.array_equal(placed, (ways[n], rates[n]))


def test_the_stress_of_a_step_is_the_mean_stress_of_its_state():
    """By another sum over the contacts: sheared, from several periods away, with velocities."""
    rng, motion = np.random.default_rng(1), pressed(viscosity=5e3, max_rate=1e3, shear_rate=2.0)
    model = ns.Model(periodic=(0.8,) * 3, cell_motion=motion)
    for k in np.ndindex(4, 4, 4):
        place = 0.199 * np.array(k) + 0.8 * rng.integers(-2, 3, 3) * [1, 0, 1]
        model.add_sphere(radius=R, mass=1.0, position=place, velocity=rng.normal(0, 1, 3))
    normal, tangential = e.SpringDashpot(stiffness=K), e.CundallStrack(stiffness=5e3, mu=0.5)
    model.add(e.CompliantSphereSphere(among=model.spheres, normal=normal, tangential=tangential))
    result = ns.simulate(model, t_end=0.05, h=1e-4, scheme=VERLET)
    D = result.cell.velocity_gradient[:-1]  # of the step, not of the next one
    field = np.einsum("nij,nbj->nbi", D, result.position[1:])
    u = np.zeros_like(result.velocity)
    u[1:] = field + (result.velocity[1:] - field).mean(axis=1)[:, None]
    stress = np.einsum("nii->ni", ns.mean_stress(result, velocity=u).total)
    wanted = (-500.0 - stress[1:]) / 5e3
    assert np.ptp(wanted) > 0.05
    assert result.cell.strain_rate[1:] == pytest.approx(wanted, abs=1e-9)


def test_a_lattice_approaches_its_stress_with_the_time_of_viscosity_over_modulus():
    """A lattice of little mass: eps' = (target - sigma(eps))/viscosity, an ordinary differential equation."""
    model = lattice(motion=pressed(viscosity=5e3, max_rate=10.0), pitch=0.1999, damping=0.0, mass=1e-3)
    result = ns.simulate(model, t_end=0.2, h=1e-5, scheme=VERLET, record_every=2000)
    strain, n, h = np.log(0.1999 / 0.2), 20000, 1e-5
    start = strain
    for _ in range(n):
        a = 0.2 * np.exp(strain)
        strain += h / 5e3 * (-500.0 + K * (0.2 - a) / a**2)
    end = result.cell.strain[-1]
    assert end == pytest.approx(strain - start, rel=2e-3)
    assert abs(strain - start) > 5e-3


def test_an_fcc_lattice_has_the_pressure_of_its_springs():
    """p = 2 sqrt(2) F/r^2 at the distance r: 24 contacts in a cube of the edge sqrt(2) r."""
    model = ns.Model(periodic=(0.6 * np.sqrt(2),) * 3, cell_motion=pressed((-2000.0,) * 3, 2000.0))
    for corner in np.ndindex(3, 3, 3):
        for place in ((0, 0, 0), (0, 0.5, 0.5), (0.5, 0, 0.5), (0.5, 0.5, 0)):
            model.add_sphere(radius=R, mass=1.0, position=0.2 * np.sqrt(2) * np.add(corner, place))
    normal = e.SpringDashpot(stiffness=K, damping=20.0)
    model.add(e.CompliantSphereSphere(among=model.spheres, normal=normal))
    result = ns.simulate(model, t_end=0.3, h=1e-4, scheme=VERLET, record_every=100)
    r = brentq(lambda r: 2 * np.sqrt(2) * K * (2 * R - r) - 2000.0 * r * r, R, 2 * R)
    assert result.cell.strain[-1] == pytest.approx(np.log(r / (2 * R)), rel=1e-5)


def test_a_lattice_is_pressed_along_one_axis_under_constant_lateral_stress():
    """Axes of a cubic lattice are independent but for the area that they share."""
    lateral = [(0.0, -500.0), (1.0, -500.0)]
    motion = pressed((lateral, lateral, 0), strain_rate=(0, 0, -0.05))
    model = lattice(motion=motion, damping=20.0, pitch=pitch_under(500.0))
    result = ns.simulate(model, t_end=0.3, h=1e-4, scheme=VERLET, record_every=100)
    cell, sigma = result.cell, ns.mean_stress(result).total[-1].diagonal()
    assert cell.strain[-1, 2] == pytest.approx(-0.015, rel=1e-12)
    a, c = pitch_under(500.0) * np.exp(cell.strain[-1, [0, 2]])
    assert sigma[:2] == pytest.approx(-500.0, rel=2e-3)  # lags by viscosity times the rate that is left
    assert cell.strain[-1, 0] == pytest.approx(cell.strain[-1, 1])
    assert K * (2 * R - a) / (a * c) == pytest.approx(500.0, rel=5e-3)
    assert -sigma[2] == pytest.approx((K * (2 * R - c) + 20 * 0.05 * c) / a**2, rel=2e-3)


def test_a_packing_is_compressed_to_a_pressure_and_sheared_by_an_axis():
    """Isotropic to 1 %, then triaxial with the lateral stresses kept."""
    rng, n, radius, edge = np.random.default_rng(2), 5, 0.01, 0.105
    target = [(0.0, -100.0), (10.0, -100.0)]
    motion = pressed((target,) * 3, viscosity=60.0, max_rate=2.0)
    model = ns.Model(periodic=(edge,) * 3, cell_motion=motion)
    sizes = rng.uniform(0.8, 1.0, n**3) * radius
    for k, size in zip(np.ndindex(n, n, n), sizes, strict=True):
        place = (np.array(k) + 0.5) * edge / n
        model.add_sphere(radius=size, density=2500.0, position=place, velocity=rng.normal(0, 0.02, 3))
    laws = {
        "normal": e.SpringDashpot(stiffness=500.0, damping=0.3),
        "tangential": e.CundallStrack(stiffness=300.0, mu=0.3),
    }
    model.add(e.CompliantSphereSphere(among=model.spheres, **laws))
    result = ns.simulate(model, t_end=0.6, h=5e-5, scheme=VERLET, record_every=400)
    sigma = ns.mean_stress(result).total[-1]
    assert sigma.diagonal() == pytest.approx(-100.0, rel=0.01)
    assert ns.contact_network(result).coordination[-1] > 4.0
    sheared = ns.Model(
        periodic=tuple(result.cell.periods[-1]),
        cell_motion=pressed((target, target, 0), strain_rate=(0, 0, -0.2), viscosity=20.0, max_rate=2.0),
    )
    end = result.state()
    for body, x in zip(model.bodies, end.position, strict=True):
        sheared.add_sphere(radius=body.radius, mass=body.mass, position=x)
    sheared.add(e.CompliantSphereSphere(among=sheared.spheres, **laws))
    second = ns.simulate(sheared, t_end=0.3, h=5e-5, scheme=VERLET, record_every=400)
    sigma = np.einsum("nii->ni", ns.mean_stress(second).total)
    assert sigma[5:, :2].mean(axis=0) == pytest.approx(-100.0, rel=0.04)
    assert sigma[-1, 2] < -130.0
    assert second.cell.strain[-1, 2] == pytest.approx(-0.06, rel=1e-9)


def test_a_gas_of_hard_spheres_takes_the_volume_of_its_pressure():
    """p V = N m T Z, in the mean; the energy is that which remains."""
    rng = np.random.default_rng(4)
    model = over((1.0, 1.0, 1.0), stress=(-100.0,) * 3, viscosity=400.0, max_rate=0.5)
    for k in np.ndindex(4, 4, 4):
        place = (np.array(k) + 0.5) / 4
        model.add_sphere(radius=0.04, mass=1.0, position=place, velocity=rng.normal(0, 1, 3))
    model.add(e.SphereSphere(among=model.spheres, e_n=1.0))
    result = ns.simulate(model, t_end=4.0, h=4e-3)
    assert result.status
    late = result.t > 1.0
    stress = ns.mean_stress(result)
    assert stress.pressure[late].mean() == pytest.approx(100.0, rel=0.05)
    assert abs(np.log(result.cell.volume[-1])) > 0.05


@pytest.mark.parametrize("hard", [False, True])
def test_a_run_under_a_stress_goes_on_to_the_bit(hard, tmp_path):
    rng, motion = (
        np.random.default_rng(4),
        pressed((-60.0, -80.0, 0), viscosity=100.0, strain_rate=(0, 0, -0.1), shear_rate=0.5),
    )
    model = ns.Model(periodic=(1.0,) * 3, cell_motion=motion)
    for k in np.ndindex(4, 4, 4):
        place = (np.array(k) + 0.5) / 4
        model.add_sphere(radius=R, mass=1.0, position=place, velocity=rng.normal(0, 1, 3))
    if hard:
        model.add(e.SphereSphere(among=model.spheres, e_n=0.7, mu=0.3))
    else:
        law = e.SpringDashpot(stiffness=K, damping=5.0)
        model.add(e.CompliantSphereSphere(among=model.spheres, normal=law))
    h, scheme = (1e-3, None) if hard else (2e-4, VERLET)
    whole, path = ns.simulate(model, t_end=0.1, h=h, scheme=scheme), tmp_path / "half.h5"
    half = ns.simulate(model, t_end=0.05, h=h, scheme=scheme, recording=ns.Recording(file=path))
    resumed = ns.resume(path, t_end=0.1)
    rest = ns.simulate(model, t_end=0.1, h=h, scheme=scheme, state=half.state())
    sparse = ns.simulate(model, t_end=0.1, h=h, scheme=scheme, record_every=7)
    state = model.initial_state()
    for _ in range(len(whole.t) - 1):
        state = ns.step(model, state, h=h, scheme=scheme)
    for end in (resumed.state(), rest.state(), sparse.state(), state):
        for name in ("position", "velocity", "angular_velocity", "joints"):
            assert (getattr(end, name) == getattr(whole.state(), name)).all(), name
    loaded = ns.load(path).cell
    assert (loaded.vectors == resumed.cell.vectors).all()
    assert (loaded.vectors[: len(half.t)] == half.cell.vectors).all()
    assert abs(whole.cell.strain[-1]).min() > 1e-4


def test_many_steps_under_a_stress_are_one_call(monkeypatch):
    """The price of a step is that of a kernel, not of Python."""
    calls, advance = [], VerletStepper.advance
    monkeypatch.setattr(VerletStepper, "advance", lambda *given: calls.append(1) or advance(*given))
    result = ns.simulate(lattice(motion=pressed()), t_end=0.5, h=1e-4, scheme=VERLET, record_every=1000)
    assert len(result.stats.contacts) == 5000
    assert len(calls) < 100


def test_a_period_that_a_stress_makes_too_short_ends_the_run():
    motion = pressed((-1e9, -10.0, -10.0), max_rate=10.0)
    result = ns.simulate(lattice(motion=motion), t_end=0.1, h=1e-4, scheme=VERLET, record_every=7)
    assert not result.status.ok
    assert "cell_motion: the period along x is 0.59" in result.status.message
    assert result.cell.periods[-1, 0] == pytest.approx(0.6, rel=2e-3)
    assert result.cell.periods[-1, 0] >= 0.6


def test_a_stress_needs_a_scheme_that_knows_it():
    with pytest.raises(ValueError, match=r"target stress of compliant contact needs VelocityVerlet"):
        ns.simulate(lattice(motion=pressed()), t_end=0.1, h=1e-4)
    with pytest.raises(ValueError, match=r"threads = 2: must be 1 with a target stress of the cell"):
        ns.simulate(lattice(motion=pressed()), t_end=0.1, h=1e-4, scheme=VERLET, threads=2)


def test_only_a_run_knows_the_periods_under_a_stress():
    model = lattice(motion=pressed())
    with pytest.raises(ValueError, match=r"periods under a target stress are those of a run.*Result.cell"):
        model.wrap((0, 0, 0))
    assert repr(model).endswith("strained along x, y, z>")


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"viscosity": None}, r"viscosity = None: must be a number; it is needed with a target stress"),
        (
            {"max_rate": 0.0},
            r"max_rate = 0.0: must be positive and finite; it is needed with a target stress",
        ),
        ({"stress": (-1.0, 0)}, r"stress = \(-1.0, 0\): must be three"),
        ({"strain_rate": (1, 0, 0)}, r"strain_rate\[0\], strain\[0\], stress\[0\]: give at most one"),
    ],
)
def test_what_is_refused(arguments, error):
    with pytest.raises(ValueError, match=error):
        pressed(**arguments)


def test_a_cell_under_a_stress_is_periodic_in_all_directions():
    with pytest.raises(ValueError, match=r"stressed cell = 'z': must be a periodic direction"):
        over((1, 1, None), stress=(-1.0, 0, 0), viscosity=1.0, max_rate=1.0)


def test_a_case_file_states_rates_and_stresses():
    case = parse_case(
        """
        periodic = [1, 1, 1]
        [cell_motion]
        stress = [-10, [[0, -1], [1, -2]], 0]
        strain_rate = [0, 0, -0.1]
        viscosity = 5
        max_rate = 1

        [[bodies]]
        type = "sphere"
        radius = 0.1
        mass = 1
        position = [0, 0, 0]

        [run]
        t_end = 0.1
        h = 0.01
        """
    )
    motion = case.model.cell_motion
    assert motion.strained == (0, 1, 2)
    assert [each and each.at(1.0)[0] for each in motion.targets] == [-10.0, -2.0, None]
    assert case.run().cell.strain[-1] == pytest.approx([-0.09, -0.0189, -0.01], abs=1e-12)
