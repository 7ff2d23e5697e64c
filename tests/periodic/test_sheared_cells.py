"""A sheared cell (Lees-Edwards) is the same scene with images that move."""

import itertools

import numpy as np
import pytest

import elements as e
import nsgalpha as ns
from tests.periodic.test_images import KINDS, OTHER_SCHEMES, R, contact, places_apart, run

L, RATE = 1.0, 3.0
WIDE = (4.0 * L, L, 4.0 * L)
SHEAR = {"flow": "x", "gradient": "y", "shear_rate": RATE}


def over(periodic=(L, L, L), gravity=(0, 0, 0), **motion):
    return ns.Model(gravity, periodic=periodic, cell_motion=ns.CellMotion(**(SHEAR | motion)))


def pair(kind, cell, side=1, phase=0.0, periods=0, rate=RATE, speed=0.0, acceleration=0.0):
    """A collision across the gradient's face, or the same with the image as a body."""
    model = ns.Model()
    if cell:
        table = [(-1.0, rate - acceleration), (9.0, rate + 9.0 * acceleration)]
        model = over(WIDE, shear_rate=rate if acceleration == 0.0 else table)
    started = 0.0 if acceleration == 0.0 else rate - 0.5 * acceleration  # strain at t = 0
    n = periods + side if cell else 0  # periods from the image that is met to the body
    at = np.array([0.9 - 1e-3 * phase, -side * (0.28 + 1e-3 * phase), 0.02])
    v = np.array([-0.8, 1.2 * side, 0.1])
    steady = np.array([speed, 0.0, 0.0])
    model.add_sphere(
        radius=R,
        mass=1.0,
        position=(0.65, 0, 0),
        velocity=np.add(steady, (0.4, -0.1 * side, 0.05)),
        angular_velocity=(3, 2, 5),
    )
    place = at + np.array([n * started * L, n * L, 0.0])
    push = (0.0 if cell else -side * acceleration * L, 0, 0)
    model.add_sphere(
        radius=R, mass=2.0, position=place, velocity=v + steady + (n * rate * L, 0, 0), gravity=push
    )
    contact(model, kind)
    return model


@pytest.mark.parametrize("kind", ["hard", "python", "loose", "verlet", "numpy", "numpy, verlet"])
@pytest.mark.parametrize("side", [1, -1])
def test_a_pair_meets_across_the_face_as_in_a_frame_that_moves(kind, side):
    """At several phases of the impact within the step, and from several periods away."""
    for phase, periods in itertools.product((0.0, 0.25, 0.5, 0.93), (0, -3 * side)):
        cell, free = (run(pair(kind, each, side, phase, periods), kind, 0.25) for each in (True, False))
        drift = np.array([[0, 0, 0], [(periods + side) * RATE * L, 0, 0]])
        assert np.linalg.norm(free.velocity[-1] - free.velocity[0], axis=1).min() > 0.3
        assert abs(cell.velocity - free.velocity - drift).max() < 1e-9
        assert abs(cell.angular_velocity - free.angular_velocity).max() < 1e-7
        p = np.einsum("b,nbi->ni", [1.0, 2.0], cell.velocity)
        assert abs(p - p[0]).max() < 1e-12


@OTHER_SCHEMES
def test_so_it_does_under_other_schemes_of_set_valued_contact(options):
    for side, phase in itertools.product((1, -1), (0.0, 0.37, 0.8)):
        cell, free = (
            ns.simulate(pair("hard", each, side, phase), t_end=0.25, h=1e-3, **options)
            for each in (True, False)
        )
        drift = np.array([[0, 0, 0], [side * RATE * L, 0, 0]])
        assert cell.status
        assert free.status
        assert np.linalg.norm(free.velocity[-1] - free.velocity[0], axis=1).min() > 0.3
        assert abs(cell.velocity[-1] - free.velocity[-1] - drift).max() < 1e-9


def test_a_smooth_collision_of_frictionless_spheres_has_its_closed_form():
    """Normal velocity reversed by e_n in the frame of the image, tangential velocities kept."""
    model = over(WIDE)
    e_n = 0.7
    model.add_sphere(radius=R, mass=1.0, position=(0.5, 0.05, 0.5), velocity=(0.2, -0.3, 0))
    x = 0.5 + 0.14 * (0.2 - 1.0 + RATE)
    model.add_sphere(radius=R, mass=2.0, position=(x, 0.65, 0.5), velocity=(1.0, 1.2, 0.1))
    model.add(e.SphereSphere(among=model.spheres, e_n=e_n))
    result = ns.simulate(model, t_end=0.2, h=1e-4, impacts="located")
    u = np.array([0.2, -0.3, 0.0]) - (np.array([1.0, 1.2, 0.1]) - [RATE * L, 0, 0])
    k = int(np.flatnonzero(abs(np.diff(result.velocity[:, 0, 1])) > 0.1)[0]) + 1
    x = result.position[k, 0] - result.position[k, 1] + [RATE * result.t[k] * L, L, 0]
    n = x / np.linalg.norm(x)
    change = -(1.0 + e_n) * (u @ n) / 1.5 * n
    assert u @ n < -1.0
    assert abs(np.linalg.norm(x) - 2 * R) < 1e-12
    assert abs(result.velocity[-1, 0] - [0.2, -0.3, 0] - change).max() < 1e-9
    assert abs(result.velocity[-1, 1] - [1.0, 1.2, 0.1] + 0.5 * change).max() < 1e-9


@pytest.mark.parametrize("kind", ["hard", "verlet", "loose"])
@pytest.mark.parametrize("side", [1, -1])
def test_images_that_accelerate_are_bodies_under_a_force(kind, side):
    """The rate grows by 4 1/s^2: the image has that acceleration by one period."""
    options = {"side": side, "acceleration": 4.0, "phase": 0.3}
    cell, free = (run(pair(kind, each, **options), kind, 0.25) for each in (True, False))
    t = cell.t
    drift = np.zeros((len(t), 2, 3))
    drift[:, 1, 0] = side * (RATE + 4.0 * t) * L
    assert np.linalg.norm(free.velocity[-1] - free.velocity[0], axis=1).min() > 0.3
    assert abs(cell.velocity - free.velocity - drift).max() < (2e-3 if kind == "hard" else 1e-3)
    assert abs(cell.velocity[-1] - free.velocity[-1] - drift[-1]).max() < 1e-3


def fluid(kind, count=45, rate=RATE, shift=(0, 0, 0), periods=None, speed=0.0, cell=True, seed=3):
    """Spheres in a sheared cell, each stated as an image that is some `periods` (count, 3) away."""
    rng = np.random.default_rng(seed)
    places = places_apart(rng, count)
    v, w = rng.normal(size=(count, 3)), 10.0 * rng.normal(size=(count, 3))
    model = over(shear_rate=rate) if cell else ns.Model(periodic=(L, L, L))
    periods = np.zeros((count, 3)) if periods is None else periods
    for x, vx, wx, n in zip(places, v, w, periods, strict=True):
        fast = np.add(vx, [rate * x[1] + n[1] * rate * L + speed, 0, 0])
        model.add_sphere(radius=R, mass=1.0, position=x + shift + n * L, velocity=fast, angular_velocity=wx)
    contact(model, kind)
    return model


@pytest.mark.parametrize("kind", ["hard", "verlet", "loose"])
def test_a_body_may_be_stated_as_any_of_its_images(kind):
    """In a fluid of enough spheres for lists of cells."""
    periods = np.random.default_rng(1).integers(-3, 4, (45, 3)).astype(float)
    one = run(fluid(kind), kind, 0.15)
    two = run(fluid(kind, shift=(0.3, -0.6, 11.0), periods=periods), kind, 0.15)
    assert (one.stats.contacts > 0).sum() > 20
    drift = np.zeros((45, 3))
    drift[:, 0] = periods[:, 1] * RATE * L
    assert abs(two.velocity - one.velocity - drift).max() < 1e-6
    moved = two.position - one.position - (two.position[0] - one.position[0])
    assert abs(moved - one.t[:, None, None] * drift).max() < 1e-8


@pytest.mark.parametrize("kind", ["hard", "verlet"])
def test_a_moving_observer_sees_the_same(kind):
    one, two = (run(fluid(kind, speed=speed), kind, 0.1) for speed in (0.0, 7.5))
    assert abs(two.velocity - one.velocity - [7.5, 0, 0]).max() < 1e-6


@pytest.mark.parametrize("kind", KINDS)
def test_a_cell_that_does_not_move_is_a_fixed_one_to_the_bit(kind):
    one, two = (run(fluid(kind, rate=0.0, cell=cell), kind, 0.1) for cell in (True, False))
    assert (one.stats.contacts > 0).sum() > 5
    for name in ("position", "velocity", "angular_velocity"):
        assert (getattr(one, name) == getattr(two, name)).all()


@pytest.mark.parametrize("axes", ["yz", "zx", "xz", "zy"])
def test_any_two_axes_can_be_those_of_the_shear(axes):
    """The same fluid with its axes renamed."""
    flow, gradient = ("xyz".index(each) for each in axes)
    order = [flow, gradient, 3 - flow - gradient]
    even = order in ([0, 1, 2], [1, 2, 0], [2, 0, 1])

    def scene(renamed):
        model = over(flow=axes[0], gradient=axes[1]) if renamed else over()
        for body in fluid("hard").bodies:
            x, v, w = np.zeros((3, 3))
            for k, value in ((x, body.position), (v, body.velocity), (w, body.angular_velocity)):
                k[order if renamed else [0, 1, 2]] = value
            spin = w if even or not renamed else -w  # an axial vector
            model.add_sphere(radius=R, mass=1.0, position=x, velocity=v, angular_velocity=spin)
        contact(model, "hard")
        return run(model, "hard", 0.1)

    one, two = scene(False), scene(True)
    assert abs(two.position[..., order] - one.position).max() < 1e-7
    assert abs(two.velocity[..., order] - one.velocity).max() < 1e-5


@pytest.mark.parametrize("kind", ["hard", "verlet", "loose", "implicit"])
def test_a_sheared_run_goes_on_to_the_bit(kind, tmp_path):
    whole, path = run(fluid(kind), kind, 0.1), tmp_path / "half.h5"
    run(fluid(kind), kind, 0.05, recording=ns.Recording(file=path))
    longer = ns.resume(path, t_end=0.1)
    assert longer.model.cell_motion.rate(0.3) == RATE
    for name in ("position", "velocity", "angular_velocity"):
        assert (getattr(longer, name)[-1] == getattr(whole, name)[-1]).all()
    by_steps = run(fluid(kind), kind, 0.05)
    rest = ns.simulate(fluid(kind), t_end=0.1, h=whole.t[1], state=by_steps.state())
    if kind == "hard":
        assert (rest.position[-1] == whole.position[-1]).all()


@pytest.mark.parametrize("kind", ["verlet", "loose"])
def test_a_smooth_collision_converges_with_the_second_order(kind):
    """Hertz across the face while the shear rate changes."""

    def last(h):
        model = over(WIDE, shear_rate=None, shear=lambda t: (2.0 * np.sin(1.5 * t), 3.0 * np.cos(1.5 * t)))
        model.add_sphere(radius=R, mass=1.0, position=(0.65, 0, 0), velocity=(0.4, 0.0, 0.05))
        model.add_sphere(radius=R, mass=2.0, position=(0.9, 0.75, 0.02), velocity=(-1.0, 1.2, 0.1))
        model.add(e.CompliantSphereSphere(among=model.spheres, normal=e.Hertz(modulus=2e4)))
        scheme = ns.VelocityVerlet() if kind == "verlet" else None
        return ns.simulate(model, t_end=0.25, h=h, scheme=scheme).velocity[-1]

    exact = last(1e-5)
    coarse, fine = (abs(last(h) - exact).max() for h in (8e-4, 4e-4))
    assert abs(exact - [[0.4, 0, 0.05], [-1, 1.2, 0.1]]).max() > 0.3
    assert 3.0 < coarse / fine < 5.5


def test_schemes_without_a_fixed_point_follow_with_the_first_order():
    """SemiImplicit takes the motion of images explicitly, as that of planes."""

    def error(h):
        cell, free = (
            ns.simulate(
                pair("implicit", each), t_end=0.25, h=h, scheme=ns.SemiImplicit(implicitness=0.5)
            ).velocity[-1]
            for each in (True, False)
        )
        return abs(cell - free - [[0, 0, 0], [RATE * L, 0, 0]]).max()

    coarse, fine = error(8e-4), error(1e-4)
    assert 1e-6 < fine < 0.3 * coarse < 0.05


@pytest.mark.parametrize("kind", ["hard", "loose", "verlet"])
def test_the_works_of_the_images_close_the_energy_budget(kind):
    h = {"hard": 2.5e-4, "loose": 1e-4, "verlet": 5e-5}[kind]
    result = run(fluid(kind), kind, 0.1, h=h)
    budget = result.budget()
    size = np.abs(budget.total - budget.total[0]).max()
    works = budget.drives if kind == "hard" else budget.loads
    assert abs(works[-1]) > 1.0
    assert abs(budget.residual).max() < 0.05 * max(size, abs(works[-1]))


def test_stress_and_temperature_are_those_of_the_motion_about_the_shear():
    """A lattice that moves with the shear has neither."""
    model = over((1.0, 1.0, 1.0), shear_rate=0.5)
    for x, y, z in itertools.product((0.1, 0.6), (0.1, 0.6), (0.1, 0.6)):
        model.add_sphere(radius=R, mass=2.0, position=(x, y, z), velocity=(0.5 * y + 0.2, 0.1, 0))
    model.add(e.SphereSphere(among=model.spheres))
    result = ns.simulate(model, t_end=0.05, h=0.01)
    stress = ns.mean_stress(result)
    assert abs(stress.kinetic[0]).max() < 1e-12
    assert ns.granular_temperature(result)[0] < 1e-12
    still = ns.mean_stress(result, velocity=(0.2, 0.1, 0))
    assert still.kinetic[0, 0, 0] == pytest.approx(-16.0 * np.mean([0.05**2, 0.3**2]))


def test_places_are_wrapped_by_the_images_of_their_time():
    model = over(shear_rate=0.5)
    x = np.array([[0.2, 1.3, -0.1], [0.2, -0.7, 0.5]])
    inside = model.wrap(x, 0.4)  # a strain of 0.2
    assert abs(inside - [[0.0, 0.3, 0.9], [0.4, 0.3, 0.5]]).max() < 1e-12
    assert abs(model.wrap(np.array([x, x]), [0.4, 0.0])[1] - x % 1.0).max() < 1e-12
    with pytest.raises(ValueError, match=r"t = .*: must be a number, or as many as there are rows"):
        model.wrap(x, [0.1, 0.2, 0.3])


def test_the_contact_network_has_the_images_of_each_state():
    model = over((4.0, 1.0, 4.0), shear_rate=2.0)
    model.add_sphere(radius=R, mass=1.0, position=(1.0, 0.1, 0.5))
    model.add_sphere(radius=R, mass=1.0, position=(1.3, 0.895, 0.5))
    model.add(e.SphereSphere(among=model.spheres, e_n=0.0))
    result = ns.simulate(model, t_end=0.5, h=0.05)  # the image of the second one passes above the first
    found = ns.contact_network(result, gap=0.02)
    assert found.coordination[0] == 0.0
    assert found.coordination.max() == 1.0


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({}, "shear_rate and shear: give exactly one"),
        ({"shear_rate": 1.0, "shear": 1.0}, "shear_rate and shear: give exactly one"),
        ({"shear_rate": 1.0, "gradient": "x"}, "gradient = 'x': must be another direction than the flow"),
        ({"shear_rate": 1.0, "flow": "u"}, "flow = 'u': must be 'x', 'y' or 'z'"),
        ({"shear_rate": lambda t: t}, "shear_rate = .*state a function of time as the strain"),
        ({"shear_rate": np.inf}, "shear_rate = inf: must be finite"),
        ({"shear_rate": [(1, 0), (0, 1)]}, "times of a table must increase"),
    ],
)
def test_a_motion_has_a_flow_a_gradient_and_a_rate(arguments, error):
    with pytest.raises(ValueError, match=error):
        ns.CellMotion(**arguments)


def test_a_motion_needs_periods_along_flow_and_gradient():
    for periodic, name in (((None, 1, 1), "flow = 'x'"), ((1, None, 1), "gradient = 'y'"), (None, "flow")):
        with pytest.raises(ValueError, match=rf"cell_motion.{name}.*must be a periodic direction"):
            over(periodic)
    with pytest.raises(ValueError, match=r"cell_motion = 2.0: must be a CellMotion or None"):
        ns.Model(periodic=(1, 1, 1), cell_motion=2.0)


def test_walls_and_outlets_have_no_images_that_move():
    model = over((L, L, None))
    model.add_sphere(radius=R, mass=1.0, position=(0, 0, 0.5))
    floor = model.add_plane(normal=(0, 0, 1), name="floor")
    model.add(e.SpherePlane(model.spheres, floor))
    with pytest.raises(
        ValueError, match=r"cell_motion: 'floor' has no images that move.*leave cell_motion out"
    ):
        ns.simulate(model, t_end=0.1, h=0.01)
    model = over((L, L, None))
    model.add_sphere(radius=R, mass=1.0, position=(0, 0, 0.5))
    model.add(ns.Outlet(ns.regions.Ball(centre=(0, 0, 0), radius=0.1), name="pit"))
    with pytest.raises(ValueError, match=r"cell_motion: 'pit' has no images that move"):
        ns.simulate(model, t_end=0.1, h=0.01)


def test_a_run_ends_with_the_table_of_its_rates():
    model = over(shear_rate=[(0.0, 1.0), (0.05, 1.0)])
    model.add_sphere(radius=R, mass=1.0, position=(0, 0, 0.5))
    result = ns.simulate(model, t_end=0.1, h=0.01)
    assert not result.status
    assert "shear_rate: its table is from 0 s to 0.05 s" in result.status.message


def test_a_sphere_that_is_fed_finds_the_place_of_its_time():
    model = over((4.0, 1.0, 4.0), shear_rate=1.0)
    model.add_sphere(radius=R, mass=1.0, position=(1.0, 0.05, 0.5))
    late = model.add_sphere(radius=R, mass=1.0, position=(1.0, 0.95, 0.5))
    model.add(ns.Feeder([late], name="spout"))
    model.add(e.SphereSphere(among=model.spheres))
    result = ns.simulate(model, t_end=0.5, h=0.01)  # the image above leaves along x at 1 m/s
    assert result.events.t[0] == pytest.approx(np.sqrt(0.04 - 0.01), abs=0.02)
