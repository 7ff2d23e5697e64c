"""A periodic cell is an infinite scene, for any choice of its origin."""

import itertools

import numpy as np
import pytest

import elements as e
import nsgalpha as ns

R, L = 0.1, 1.0
LAW = {"mu": 0.3, "e_n": 0.7, "e_t": 0.2}
SOFT = {
    "normal": e.SpringDashpot(stiffness=2e4, damping=5.0),
    "tangential": e.CundallStrack(stiffness=1e4, mu=0.3, damping=2.0),
    "rolling": e.CundallStrack(stiffness=4.0, mu=1e-3),
}
OTHER_SCHEMES = pytest.mark.parametrize(  # of set-valued contact
    "options",
    [
        {"scheme": ns.MoreauJean()},
        {"impacts": "located"},
        {"accuracy": 1e-6},
        {"scheme": ns.GeneralizedAlpha(formulation="augmented Lagrangian")},
    ],
    ids=["moreau", "located", "accurate", "lagrangian"],
)
KINDS = ("hard", "python", "loose", "verlet", "implicit")


def stiff(contact, response, k=2e4):
    """A law in numpy, evaluated from Python, that pulls within its reach."""
    response.force[:, 0] = k * contact.overlap
    response.by_overlap[:, 0] = k
    response.energy[:] = 0.5 * k * contact.overlap**2


def stretched(contact, response, k=1e4):
    """Friction without a cap, in numpy."""
    stretch = contact.history + contact.increment
    response.force[:] = -k * stretch
    response.by_increment[:] = -k * np.eye(2)
    response.energy[:] = 0.5 * k * (stretch**2).sum(axis=1)
    response.history[:] = stretch


stretched.history, stretched.senses = 2, ("tangential",)


def no_load(t, state):
    """Nothing: with it each step is driven from Python."""
    return np.zeros_like(state.position)


def contact(model, kind, **options):
    """Contact of all spheres of the `model` for runs of a `kind`."""
    if kind in ("hard", "python"):
        model.add(e.SphereSphere(among=model.spheres, **LAW, **options))
    elif kind.startswith("numpy"):
        law = {"normal": stiff, "tangential": stretched, "reach": 0.03}
        model.add(e.CompliantSphereSphere(among=model.spheres, **law, **options))
    else:
        model.add(e.CompliantSphereSphere(among=model.spheres, **SOFT, **options))
    if kind == "python":
        model.add_load(no_load)


def run(model, kind, t_end, h=None, **options):
    schemes = {"verlet": ns.VelocityVerlet(), "implicit": ns.SemiImplicit(implicitness=0.5)}
    schemes |= {"numpy, verlet": ns.VelocityVerlet()}
    h = h or {"hard": 1e-3, "python": 1e-3, "loose": 4e-4}.get(kind, 2e-4)
    result = ns.simulate(model, t_end=t_end, h=h, scheme=schemes.get(kind), **options)
    assert result.status, result.status
    return result


def places_apart(rng, count):
    """So many places in the unit cell, where no spheres nor images overlap."""
    places = [np.full(3, 0.02)]
    while len(places) < count:
        x = rng.uniform(0.0, 1.0, 3)
        d = x - np.array(places)
        d -= L * np.round(d / L)
        if (np.linalg.norm(d, axis=1) > 2.0 * R).all():
            places.append(x)
    return places


def gas(kind, count=20, seed=3, shift=0.0, periodic=(L, L, L), copies=((0, 0, 0),), speed=1.0):
    """Spheres that fly through a cell, spinning; `copies` of all of them at whole periods."""
    rng = np.random.default_rng(seed)
    places = places_apart(rng, count)
    v, w = speed * rng.normal(size=(count, 3)), 10.0 * rng.normal(size=(count, 3))
    model = ns.Model(periodic=periodic if len(copies) == 1 else None)
    for copy in copies:
        for x, vx, wx in zip(places, v, w, strict=True):
            at = x + shift + np.array(copy) * L
            model.add_sphere(radius=R, mass=1.0, position=at, velocity=vx, angular_velocity=wx)
    contact(model, kind)
    return model


@pytest.mark.parametrize("kind", KINDS)
def test_it_does_not_matter_where_the_cell_begins(kind):
    one, two = (gas(kind, count=45, shift=shift) for shift in (0.0, np.array([0.37, -5.91, 123.4])))
    first, second = run(one, kind, 0.3), run(two, kind, 0.3)
    moved = second.position - first.position - second.position[0] + first.position[0]
    assert abs(first.position - first.position[0]).max() > 0.4
    assert (first.stats.contacts > 0).sum() > 5
    assert abs(moved).max() < 1e-9
    assert abs(second.velocity - first.velocity).max() < 1e-7
    assert abs(second.angular_velocity - first.angular_velocity).max() < 1e-6


@pytest.mark.parametrize("kind", ["hard", "loose"])
def test_a_cell_is_a_scene_of_image_bodies(kind):
    """Until the missing surroundings of the images have reached the middle."""
    copies = sorted(itertools.product((-1, 0, 1), repeat=3), key=lambda each: each != (0, 0, 0))
    count, fast = 20, {"seed": 4, "speed": 3.0}
    cell, images = (run(gas(kind, count, copies=each, **fast), kind, 0.1) for each in (((0, 0, 0),), copies))
    assert abs(cell.position - images.position[:, :count]).max() < 1e-10
    assert abs(cell.angular_velocity - images.angular_velocity[:, :count]).max() < 1e-7
    changed = np.linalg.norm(cell.velocity[-1] - cell.velocity[0], axis=1) > 1e-3
    assert changed.sum() >= 4
    alone = run(gas(kind, count, periodic=(L, None, L), **fast), kind, 0.1)  # the images along y do matter
    assert abs(alone.position - cell.position).max() > 1e-3


def two(kind, side, images, phase=0.0, spin=True, periods=0):
    """A pair across the cell's faces to the `side` (3,), or without cell."""
    side = np.array(side)
    n = side / np.linalg.norm(side)
    away, t = (0.01 + 1e-3 * phase) * n, np.array([0.3, -0.2, 0.1])
    periodic = tuple(L if each else None for each in side)
    model = ns.Model(periodic=periodic if images else None)
    a, b = 0.5 * L * side - R * n - away, -0.5 * L * side + R * n + away
    if not images:
        b = b + L * side
    b = b + periods * L * side
    w = (20.0, -10.0, 5.0) if spin else (0, 0, 0)
    model.add_sphere(radius=R, mass=1.0, position=a, velocity=n + t, angular_velocity=w)
    model.add_sphere(radius=R, mass=2.0, position=b, velocity=-n)
    contact(model, kind)
    return model


@pytest.mark.parametrize("kind", [*KINDS, "numpy", "numpy, verlet"])
@pytest.mark.parametrize("side", [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, 0, -1), (1, 1, 0), (1, -1, 1)])
@pytest.mark.sampled(5)
def test_a_pair_meets_across_faces_edges_and_corners(kind, side):
    """Each on either side of the face, at several phases of the impact."""
    for phase in (0.0, 0.25, 0.5, 0.93):
        cell, open_space = (run(two(kind, side, images, phase), kind, 0.04) for images in (True, False))
        assert np.linalg.norm(cell.velocity[-1] - cell.velocity[0], axis=1).min() > 0.5
        assert abs(cell.velocity - open_space.velocity).max() < 1e-10
        assert abs(cell.angular_velocity - open_space.angular_velocity).max() < 1e-8
        p = np.einsum("b,nbi->ni", [1.0, 2.0], cell.velocity)
        assert abs(p - p[0]).max() < 1e-12


@pytest.mark.parametrize("kind", ["hard", "verlet", "loose"])
@pytest.mark.parametrize("periods", [1, 10_000])
def test_a_long_way_costs_digits_and_nothing_else(kind, periods):
    """Places n periods away are rounded to n eps L; so is the overlap."""
    side = (1, -1, 0)
    near, far = (run(two(kind, side, True, 0.3, periods=n), kind, 0.05) for n in (0, periods))
    assert np.linalg.norm(near.velocity[-1] - near.velocity[0], axis=1).min() > 0.5
    rounding = 2e-16 * (periods + 1) * L
    allowed = 20.0 * rounding * (100.0 if kind == "hard" else 2e4 * 0.05)
    assert abs(near.velocity - far.velocity).max() < max(allowed, 1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_momentum_is_kept(kind):
    result = run(gas(kind, count=60, periodic=(L, L, L), seed=5), kind, 0.2)
    p = result.velocity.sum(axis=1)
    assert (result.stats.contacts > 0).sum() > 50
    assert abs(p - p[0]).max() < 1e-11


@pytest.mark.parametrize("kind", ["hard", "verlet", "loose"])
def test_a_pair_that_meets_one_image_after_the_other_forgets_the_first(kind):
    """A sphere glances off another, then off its next image."""

    def scene(images):
        model = ns.Model(periodic=(0.7, None, None) if images else None)
        places = [0.0] if images else [0.0, 0.7, 1.4]
        for x in places:
            model.add_sphere(radius=R, position=(x, 0, 0), fixed=True)
        model.add_sphere(
            radius=R,
            mass=1.0,
            position=(-0.05, 0.0, 0.22),
            velocity=(1.6, 0, 0),
            angular_velocity=(0, 30.0, 0),
            gravity=(0, 0, -3.0),
        )
        contact(model, kind)
        return run(model, kind, 1.0)

    cell, bodies = scene(True), scene(False)
    assert abs(cell.position[:, -1] - bodies.position[:, -1]).max() < 1e-10
    met = [np.flatnonzero(abs(np.diff(result.velocity[:, -1, 0])) > 1e-9) for result in (cell, bodies)]
    assert np.array_equal(*met)
    assert set(np.round(cell.position[met[0], -1, 0] / 0.7)) == {0.0, 1.0}


@pytest.mark.parametrize("kind", ["hard", "verlet", "loose", "implicit"])
def test_a_ring_of_beads_hands_its_momentum_on(kind):
    """A cradle on a ring: the last bead hits the first one from behind."""
    gap = 0.1
    model = ns.Model(periodic=(5 * (2 * R + gap), None, None))
    for k in range(5):
        model.add_sphere(
            radius=R, mass=1.0, position=((2 * R + gap) * k, 0, 0), velocity=(1.0 if k == 0 else 0.0, 0, 0)
        )
    if kind == "hard":
        model.add(e.SphereSphere(among=model.spheres, e_n=1.0))
    else:
        model.add(e.CompliantSphereSphere(among=model.spheres, normal=e.Hertz(modulus=1e6)))
    result = run(model, kind, 1.05, h=1e-3 if kind == "hard" else 1e-4)
    v = result.velocity[:, :, 0]
    assert abs(v.sum(axis=1) - 1.0).max() < 1e-12
    moving = v.argmax(axis=1)[1:]
    order = [int(k) for k, _ in itertools.groupby(moving)]
    assert order == [k % 5 for k in range(len(order))]
    if kind == "hard":  # the last bead finds the first one gone ahead by a gap: six gaps for the first round
        assert len(order) == 9
        assert abs(np.sort(v[-1]) - [0, 0, 0, 0, 1.0]).max() < 1e-12
        assert (
            abs(result.position[-1, :, 0] - result.position[0, :, 0] - [0.2, 0.2, 0.2, 0.25, 0.2]).max()
            < 1e-9
        )
    else:
        assert len(order) == 9
        assert abs(np.sort(v[-1]) - [0, 0, 0, 0, 1.0]).max() < 1e-3


def test_motion_without_inertia_is_by_images_too():
    law = {"normal": e.SpringDashpot(stiffness=1e3)}

    def apart(images):
        model = ns.Model(periodic=(L, None, None) if images else None)
        model.add_sphere(radius=R, mass=1.0, position=(0.05, 0, 0))
        model.add_sphere(radius=R, mass=1.0, position=(0.9 if images else -0.1, 0, 0.02))
        model.add(e.CompliantSphereSphere(among=model.spheres, **law))
        drag = e.Drag(model.spheres, translational=100.0)
        return ns.simulate(model, t_end=0.5, h=1e-3, scheme=ns.Overdamped(drag)).position

    moved, alone = apart(True), apart(False)
    assert abs(moved - moved[0] - alone + alone[0]).max() < 1e-12
    assert abs(moved[-1] - moved[0]).max() > 0.02


def test_equilibrium_is_by_images_too():
    """A bead between two images of a fixed one, pushed along the row."""
    model = ns.Model(periodic=(3 * 2 * R, None, None), gravity=(-1.0, 0, 0))
    k = 1e3
    model.add_sphere(radius=R, position=(0, 0, 0), fixed=True)
    model.add_sphere(radius=R, mass=1.0, position=(2 * R, 0, 0))
    model.add_sphere(radius=R, mass=1.0, position=(4 * R, 0, 0))
    model.add(e.CompliantSphereSphere(among=model.spheres, normal=e.SpringDashpot(stiffness=k)))
    found = ns.equilibrium(model)
    assert found.status, found.status
    # 2 m g on the first contact, m g on the second, the third is open
    assert abs(found.state.position[1:, 0] - [2 * R - 2.0 / k, 4 * R - 3.0 / k]).max() < 1e-9


@pytest.mark.parametrize("kind", ["hard", "python", "verlet", "loose", "implicit"])
def test_a_run_goes_on_to_the_bit_in_the_middle_of_a_contact(kind, tmp_path):
    def pressed():
        """Two spheres roll and slide on each other across a face, pressed."""
        model = ns.Model(periodic=(L, L, None))
        gap = 0.0 if kind in ("hard", "python") else -1e-4
        for x, g in ((0.5 * R, -2.0), (L - 1.5 * R - gap, 2.0)):
            model.add_sphere(
                radius=R,
                mass=1.0,
                position=(x, 0, 0),
                velocity=(0, 0.1 * g, 0.05),
                angular_velocity=(1.0, 2.0, 3.0 * g),
                gravity=(g, 0, 0),
            )
        contact(model, kind)
        return model

    if kind == "python":
        whole = run(pressed(), kind, 0.2)
        half = run(pressed(), kind, 0.1)
        rest = ns.simulate(pressed(), t_end=0.2, h=1e-3, state=half.state())
        assert (rest.position[-1] == whole.position[-1]).all()
        return
    whole = run(pressed(), kind, 0.2)
    assert whole.stats.contacts[len(whole.stats.contacts) // 2 - 1] == 1
    path = tmp_path / "half.h5"
    run(pressed(), kind, 0.1, recording=ns.Recording(file=path))
    longer = ns.resume(path, t_end=0.2)
    assert longer.model.periodic == (L, L, None)
    for name in ("position", "velocity", "angular_velocity"):
        assert (getattr(longer, name)[-1] == getattr(whole, name)[-1]).all()


@pytest.mark.parametrize("kind", ["hard", "verlet"])
def test_a_layer_of_more_spheres_than_all_pairs_rests_on_its_floor(kind):
    """Six by nine spheres, each touching four: the floor carries the weight."""
    model = ns.Model(gravity=(0, 0, -10.0), periodic=(6 * 2 * R, 9 * 2 * R, None))
    for i, j in itertools.product(range(6), range(9)):
        model.add_sphere(radius=R, mass=1.0, position=(2 * R * i + 0.7, 2 * R * j - 3.1, R))
    floor = model.add_plane(normal=(0, 0, 1))
    if kind == "hard":
        model.add(e.SphereSphere(among=model.spheres, mu=0.3))
        model.add(e.SpherePlane(model.spheres, floor, mu=0.3))
        result = ns.simulate(model, t_end=0.02, h=1e-3)
        last = result.contacts.at(-1)
        assert (last.plane < 0).sum() == 2 * 54  # each pair once, images among them
        assert abs(last.wrench[last.plane == 0, 2].sum() - 540.0) < 1e-8
    else:
        model.add(e.CompliantSphereSphere(among=model.spheres, normal=e.SpringDashpot(stiffness=1e4)))
        model.add(
            e.CompliantSpherePlane(model.spheres, floor, normal=e.SpringDashpot(stiffness=1e4, damping=200))
        )
        result = ns.simulate(model, t_end=0.5, h=1e-4, scheme=ns.VelocityVerlet())
        forces = result.compliant_contacts().force
        assert abs(forces[:, 2].sum() - 540.0) < 1e-6
    assert abs(result.position[-1, :, :2] - result.position[0, :, :2]).max() < 1e-12
