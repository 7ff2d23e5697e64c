"""A cell whose periods change is the same scene with images that move."""

import itertools

import numpy as np
import pytest

import elements as e
import nsgalpha as ns
from tests.periodic.test_images import KINDS, OTHER_SCHEMES, R, contact, run

RATE = -0.6  # [m/s] of a period of 1 m: it is 1 + RATE t, and images do not accelerate


def linear(length=1.0, rate=RATE):
    """The strain of a period of `length` that changes with `rate`."""
    return lambda t: (np.log1p(rate / length * t), rate / (length + rate * t))


def over(periodic=(1.0, 1.0, 1.0), gravity=(0, 0, 0), **motion):
    return ns.Model(gravity, periodic=periodic, cell_motion=ns.CellMotion(**motion))


def pair(kind, cell, side=1, phase=0.0, periods=0):
    """A collision across a face that comes nearer, or with the image as a body."""
    n = periods + side if cell else 0
    model = over((4.0, 1.0, 4.0), strain=(None, linear(), None)) if cell else ns.Model()
    steady = {"mass": 1.0, "velocity": (0.4, -0.1 * side, 0.05), "angular_velocity": (3, 2, 5)}
    model.add_sphere(radius=R, position=(0.65, 0, 0), **steady)
    place = np.array([0.72 - 1e-3 * phase, -side * (0.28 + 1e-3 * phase) + n, 0.02])
    model.add_sphere(radius=R, mass=2.0, position=place, velocity=(-0.1, 1.2 * side + n * RATE, 0.1))
    contact(model, kind)
    return model


def check_pair(cell, free, drift):
    assert np.linalg.norm(free.velocity[-1] - free.velocity[0], axis=1).min() > 0.3
    moved = np.array([[0, 0, 0], [0, drift * RATE, 0]])
    assert abs(cell.velocity - free.velocity - moved).max() < 1e-9
    assert abs(cell.angular_velocity - free.angular_velocity).max() < 1e-7


@pytest.mark.parametrize("kind", ["hard", "python", "loose", "verlet", "numpy", "numpy, verlet"])
@pytest.mark.parametrize("side", [1, -1])
def test_a_pair_meets_across_a_face_that_moves_as_in_its_frame(kind, side):
    for phase, periods in itertools.product((0.0, 0.37, 0.8), (0, -3 * side)):
        cell, free = (run(pair(kind, each, side, phase, periods), kind, 0.25) for each in (True, False))
        check_pair(cell, free, periods + side)


@OTHER_SCHEMES
def test_so_it_does_under_other_schemes_of_set_valued_contact(options):
    for side, phase in itertools.product((1, -1), (0.0, 0.37, 0.8)):
        both = [
            ns.simulate(pair("hard", each, side, phase), t_end=0.25, h=1e-3, **options)
            for each in (True, False)
        ]
        assert all(each.status for each in both)
        moved = np.array([[0, 0, 0], [0, side * RATE, 0]])
        assert np.linalg.norm(both[1].velocity[-1] - both[1].velocity[0], axis=1).min() > 0.3
        assert abs(both[0].velocity[-1] - both[1].velocity[-1] - moved).max() < 1e-9


def test_a_smooth_collision_has_its_closed_form():
    """The approach of the image is reversed by e_n."""
    model, e_n = over((4.0, 1.0, 4.0), strain=(None, linear(), None)), 0.7
    model.add_sphere(radius=R, mass=1.0, position=(0.5, 0.05, 0.5))
    model.add_sphere(radius=R, mass=2.0, position=(0.5, 0.75, 0.5), velocity=(0, 0.5, 0))
    model.add(e.SphereSphere(among=model.spheres, e_n=e_n))
    result = ns.simulate(model, t_end=0.3, h=1e-3, impacts="located")
    approach = 0.5 - RATE  # of the image of the second, from below: v - RATE
    assert (result.velocity[:, 0, 1] != 0.0).argmax() == pytest.approx(0.1 / approach / 1e-3, abs=3)
    gain = (1.0 + e_n) * approach * 2.0 / 3.0
    assert result.velocity[-1, 0, 1] == pytest.approx(gain, abs=1e-12)
    assert result.velocity[-1, 1, 1] == pytest.approx(0.5 - 0.5 * gain, abs=1e-12)


def lattice(count=4, pitch=2 * R, motion=None, damping=0.0, mass=1.0):
    """A simple cubic lattice with springs of 1e4 N/m."""
    model = ns.Model(periodic=(count * pitch,) * 3, cell_motion=motion)
    for k in np.ndindex(count, count, count):
        model.add_sphere(radius=R, mass=mass, position=pitch * np.array(k))
    normal = e.SpringDashpot(stiffness=1e4, damping=damping)
    model.add(e.CompliantSphereSphere(among=model.spheres, normal=normal))
    return model


@pytest.mark.parametrize("kind", ["verlet", "loose", "implicit"])
def test_a_lattice_that_moves_with_the_cell_has_the_strains_of_the_cell(kind):
    """The stress is that of gap rates eps' a, -(k overlap - d eps' a)/a^2."""
    rates, damping, pitch = np.array([-0.1, -0.2, 0.05]), 20.0, 0.199
    motion = ns.CellMotion(strain_rate=rates.tolist(), affine=True)
    result = run(lattice(pitch=pitch, motion=motion, damping=damping, mass=1e-3), kind, 0.02, h=1e-5)
    stress, cell = ns.mean_stress(result), result.cell
    for k in (0, 1000, 2000):
        a = pitch * np.exp(rates * result.t[k])
        force = np.maximum(1e4 * (2 * R - a) - damping * rates * a, 0.0)
        wanted = -force * a / a.prod()
        if k or kind == "verlet":
            assert stress.contact[k].diagonal() == pytest.approx(wanted, rel=2e-3)
    assert cell.strain[-1] == pytest.approx(0.02 * rates, rel=1e-12)
    assert stress.volume == pytest.approx(cell.volume)
    assert stress.solid_fraction[-1] == pytest.approx(64 * 4 / 3 * np.pi * R**3 / cell.volume[-1])


@pytest.mark.parametrize("kind", ["verlet", "loose"])
def test_the_work_on_the_cell_is_that_of_the_stress_on_the_strain_rate(kind):
    """Elastic, quasi-static: the same as the energy, and as the budget of the images."""
    motion = ns.CellMotion(strain_rate=(-0.5, -0.3, 0), affine=True)
    result = run(lattice(pitch=0.199, motion=motion, mass=1e-4), kind, 0.02, h=1e-5)
    stress, cell, budget = ns.mean_stress(result), result.cell, result.budget()
    power = cell.volume * np.einsum("nij,nij->n", stress.total, cell.velocity_gradient)
    work = np.trapezoid(power[1:], result.t[1:])
    stored = result.energy("elastic")
    assert stored[-1] - stored[0] > 0.5
    assert work == pytest.approx(stored[-1] - stored[1], rel=2e-3)
    assert budget.loads[-1] == pytest.approx(budget.total[-1] - budget.total[0], rel=1e-5)


def test_free_spheres_get_faster_as_the_cell_gets_shorter():
    """Without collisions the peculiar velocity along an axis is as 1/L, to rounding."""
    rng, motion = np.random.default_rng(1), {"strain": (linear(), None, linear(1.0, 0.4)), "affine": True}
    model = over(**motion)
    for x, v in zip(rng.uniform(0, 1, (30, 3)), rng.normal(size=(30, 3)), strict=True):
        model.add_sphere(radius=1e-6, mass=1.0, position=x, velocity=v)
    result = ns.simulate(model, t_end=0.5, h=0.05)
    length = result.cell.periods
    kinetic = np.einsum("nii->ni", ns.mean_stress(result, velocity=field(result)).kinetic)
    T = kinetic * length.prod(axis=1)[:, None]
    assert T * length**2 == pytest.approx(np.tile(T[0], (len(T), 1)), rel=1e-12)
    assert length[-1] == pytest.approx([0.7, 1.0, 1.2], rel=1e-13)


def field(result):
    """The mean field at the bodies."""
    return np.einsum("nij,nbj->nbi", result.cell.velocity_gradient, result.position)


def fluid(kind, count=45, shift=(0, 0, 0), periods=None, e_n=None, radius=R, seed=3, **motion):
    """Spheres in a cell, each stated as an image some `periods` (count, 3) away."""
    rng, places = np.random.default_rng(seed), [np.full(3, 0.02)]
    while len(places) < count:
        x = rng.uniform(0.0, 1.0, 3)
        d = x - np.array(places)
        if (np.linalg.norm(d - np.round(d), axis=1) > 2.0 * radius).all():
            places.append(x)
    v, w = rng.normal(size=(count, 3)), 10.0 * rng.normal(size=(count, 3))
    model = over(**(motion or {"strain": (linear(), linear(), linear())}))
    for x, vx, wx, n in zip(places, v, w, np.zeros((count, 3)) if periods is None else periods, strict=True):
        at, spin = x + shift + n, wx if e_n is None else 0 * wx
        model.add_sphere(radius=radius, mass=1.0, position=at, velocity=vx + n * RATE, angular_velocity=spin)
    if e_n is None:
        contact(model, kind)
    else:
        model.add(e.SphereSphere(among=model.spheres, e_n=e_n))
    return model


@pytest.mark.parametrize("kind", ["hard", "verlet", "loose"])
def test_a_body_may_be_stated_as_any_of_its_images(kind):
    periods = np.random.default_rng(1).integers(-3, 4, (45, 3)).astype(float)
    one = run(fluid(kind), kind, 0.15)
    two = run(fluid(kind, shift=(0.3, -0.6, 11.0), periods=periods), kind, 0.15)
    assert (one.stats.contacts > 0).sum() > 20
    assert abs(two.velocity - one.velocity - periods * RATE).max() < 1e-6
    moved = two.position - one.position - (two.position[0] - one.position[0])
    assert abs(moved - one.t[:, None, None] * periods * RATE).max() < 1e-8


@pytest.mark.parametrize("kind", KINDS)
def test_a_cell_without_strain_is_a_fixed_one_to_the_bit(kind):
    still = {"strain": ([(0, 0), (1, 0)],) * 3}
    one = run(fluid(kind, **still), kind, 0.1)
    model = ns.Model(periodic=(1, 1, 1))
    for body in one.model.bodies:
        pose = {"position": body.position, "velocity": body.velocity}
        model.add_sphere(radius=R, mass=1.0, angular_velocity=body.angular_velocity, **pose)
    contact(model, kind)
    two = run(model, kind, 0.1)
    assert (one.stats.contacts > 0).sum() > 5
    for name in ("position", "velocity", "angular_velocity"):
        assert (getattr(one, name) == getattr(two, name)).all()


def test_lists_of_pairs_hold_while_the_cell_gets_smaller(monkeypatch):
    """Against all pairs in each step."""
    one = run(fluid("verlet", radius=0.08, count=80), "verlet", 0.5)
    monkeypatch.setattr("nsgalpha.geometry.broad_phase.ALL_PAIRS", 100)
    monkeypatch.setattr("nsgalpha.schemes.forces_stepper.reach_of", lambda *given, **more: np.inf)
    two = run(fluid("verlet", radius=0.08, count=80), "verlet", 0.5)
    assert abs(one.velocity - one.velocity[0]).max() > 1.0
    assert abs(one.velocity - two.velocity).max() < 1e-7


def test_a_gas_is_heated_by_compression_as_an_adiabate():
    """Elastic spheres: p V^(5/3) is constant but for their volume, Z = 1 + 4 phi."""
    count, radius = 200, 0.02
    model = fluid("hard", count=count, radius=radius, e_n=1.0, strain=(linear(1.0, -0.4),) * 3, affine=True)
    result = run(model, "hard", 0.5, h=2e-3, record_every=25)
    assert result.stats.contacts.sum() > 50
    T, volume = ns.granular_temperature(result), result.cell.volume
    assert volume[-1] == pytest.approx(0.512)
    phi = ns.mean_stress(result).solid_fraction.mean()
    exponent = -np.log(T[-1] / T[0]) / np.log(volume[-1] / volume[0])
    assert exponent == pytest.approx(2 / 3 * (1 + 4 * phi), rel=0.02)


@pytest.mark.parametrize("kind", ["hard", "verlet", "loose", "implicit"])
def test_a_strained_run_goes_on_to_the_bit(kind, tmp_path):
    motion = {"strain_rate": (-0.2, [(0, 0.1), (1, -1)], 0), "shear_rate": 0.7}
    whole, path = run(fluid(kind, **motion), kind, 0.1), tmp_path / "half.h5"
    run(fluid(kind, **motion), kind, 0.05, recording=ns.Recording(file=path))
    longer = ns.resume(path, t_end=0.1)
    for name in ("position", "velocity", "angular_velocity"):
        assert (getattr(longer, name)[-1] == getattr(whole, name)[-1]).all()
    ours, theirs = whole.cell, longer.cell
    assert (ours.vectors[-1] == theirs.vectors[-1]).all()


def test_a_shear_is_carried_along_by_the_strains():
    """s' = e_x s + gamma' L_y by its closed form, and with tables by differences."""
    ex, ey, rate, t = 0.3, -0.5, 2.0, 0.8
    model = over((1.0, 2.0, 3.0), shear_rate=rate, strain_rate=(ex, ey, 0))
    model.add_sphere(radius=R, mass=1.0, position=(0, 0, 0))
    cell = ns.simulate(model, t_end=t, h=0.1).cell
    s = rate * 2.0 * np.exp(ex * t) * np.expm1((ey - ex) * t) / (ey - ex)
    H = np.array([[np.exp(ex * t), 0, 0], [s, 2 * np.exp(ey * t), 0], [0, 0, 3]])
    assert cell.vectors[-1] == pytest.approx(H)
    D = np.array([[ex, rate, 0], [0, ey, 0], [0, 0, 0]])
    assert cell.velocity_gradient[-1] == pytest.approx(D, abs=1e-14)
    F = cell.deformation_gradient[-1]
    assert pytest.approx([np.exp(ex * t), 0, 0]) == F @ [1, 0, 0]
    assert pytest.approx([s, 2 * np.exp(ey * t), 0]) == F @ [0, 2, 0]
    tables = {
        "shear_rate": [(0, 2), (0.5, -1), (2, 3)],
        "strain_rate": ([(0, 1), (0.7, -1), (2, 0)], -0.5, 0),
    }
    model = over((1.0, 2.0, 3.0), **tables)
    model.add_sphere(radius=R, mass=1.0, position=(0, 0, 0))
    cell = ns.simulate(model, t_end=1.5, h=1e-3).cell
    change = (cell.vectors[2:] - cell.vectors[:-2]) / 2e-3
    smooth = ~np.isin(np.arange(1, 1500), (500, 700))
    assert abs(change - cell.rates[1:-1])[smooth].max() < 1e-5  # of the differences: h^2/6 s'''
    assert cell.velocity_gradient[:, 0, 1] == pytest.approx(cell.shear_rate, abs=1e-12)


def test_a_cell_may_not_become_too_small():
    result = ns.simulate(fluid("hard", count=5), t_end=2.0, h=0.01)
    assert not result.status
    assert "the period along x is 0.598 m at t = 0.67 s: must be at least 0.6 m" in str(result.status)
    assert result.t[-1] == pytest.approx(0.66)


def test_velocities_may_be_those_about_the_mean_field():
    model = over(strain_rate=(-0.2, 0, 0), shear_rate=0.5, affine=True)
    model.add_sphere(radius=R, mass=1.0, position=(0.5, 0.25, 0), velocity=(0, 0, 1))
    model.add_sphere(radius=R, mass=1.0, position=(0.5, 0.75, 0), fixed=True)
    v = model.initial_state().velocity
    assert v == pytest.approx(np.array([[-0.1 + 0.125, 0, 1], [0, 0, 0]]))


def test_tables_have_the_cell(tmp_path):
    model = over((1.0, 2.0, None), strain_rate=(-0.2, 0, 0))
    model.add_sphere(radius=R, mass=1.0, position=(1.7, -0.25, 5))
    result = ns.simulate(model, t_end=1.0, h=0.5)
    path = result.save(tmp_path / "cell.csv", "cell")
    first, *rows = path.read_text().splitlines()
    assert first == "t,Lx,Ly,Lz,strain_x,strain_y,strain_z,rate_x,rate_y,rate_z,shear,shear_rate,volume"
    assert [float(each) for each in rows[-1].split(",")][:5] == pytest.approx([1, np.exp(-0.2), 2, 0, -0.2])
    places = result.cell.wrap(result.position)[:, 0]
    assert places == pytest.approx(np.array([[1.7 % np.exp(-0.2 * t), 1.75, 5] for t in (0, 0.5, 1)]))
    assert repr(model).endswith("periodic (1, 2, None) strained along x>")
    with pytest.raises(ValueError, match=r"position = \(1, 3\): must be places \(3, ..., 3\) of all states"):
        result.cell.wrap(result.position[0])
    model = ns.Model()
    model.add_sphere(radius=R, mass=1.0, position=(0, 0, 0))
    result = ns.simulate(model, t_end=1.0, h=0.5)
    with pytest.raises(ValueError, match=r"result = 'a result without a cell': must be of a model with"):
        result.save(tmp_path / "none.csv", "cell")


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"strain_rate": (1.0, 2.0)}, r"strain_rate = \(1.0, 2.0\): must be three"),
        ({"strain_rate": 1.0}, r"strain_rate = 1.0: must be three"),
        (
            {"strain_rate": (lambda t: t, 0, 0)},
            r"strain_rate\[0\] = .*state a function of time as the `strain`",
        ),
        ({"strain_rate": (1, 0, 0), "strain": (1, 0, 0)}, r"strain_rate\[0\], strain\[0\], stress\[0\]"),
        ({"strain_rate": (np.nan, 0, 0)}, r"strain_rate\[0\] = nan: must be finite"),
        ({"strain_rate": (0, 0, 1), "affine": 2}, "affine = 2: must be True or False"),
        (
            {"strain": (lambda t: t, 0, 0), "shear_rate": 1.0},
            r"strain\[0\] = .*: must be a number or a table",
        ),
        ({"strain_rate": (0, 0, 1), "viscosity": 1.0}, "viscosity = 1.0: must be left out without a target"),
    ],
)
def test_what_is_refused(arguments, error):
    with pytest.raises(ValueError, match=error):
        ns.CellMotion(**arguments)


def test_strained_axes_need_periods():
    with pytest.raises(ValueError, match=r"strained axes = 'z': must be a periodic direction"):
        over((1, 1, None), strain_rate=(0, 0, 1))
