"""Velocity Verlet: exact solutions, order, conservation, restart, generalized-alpha as a peer, refusals."""

import numpy as np
import pytest

import elements as e
import nsgalpha as ns
from nsgalpha.schemes.explicit.verlet_stepper import VerletStepper
from tests.forces.two_bodies import DAMPING, MASS, STIFFNESS, damped_ball

VERLET = ns.VelocityVerlet()
UNEVEN = 3e-3, 4e-3, 6e-3
SPRING = {
    "normal": e.SpringDashpot(stiffness=1e5, damping=8.0),
    "tangential": e.CundallStrack(stiffness=3e4, mu=0.3),
    "rolling": e.CundallStrack(stiffness=20.0, mu=1e-3),
}


def in_numpy(law):
    """The same law as one that the compiled loop cannot call."""

    def call(contact, response):
        law(contact, response)

    call.history = getattr(law, "history", 0)
    return call


@pytest.mark.parametrize("fast", ["ball", "large ball"])
def test_sides_of_a_pair_that_meets_may_be_exchanged(fast):
    """A spinning ball strikes another one off its centre; the pair is stated both ways."""
    rows = {
        "ball": {"radius": 0.05, "mass": 0.5, "position": (0, 0, 0)},
        "large ball": {
            "radius": 0.06,
            "mass": 0.8,
            "position": (0.1101, 0.01, 0),
            "velocity": (-1.6, 0.3, 0),
        },
    }
    rows[fast]["angular_velocity"] = (1.0, 4.0, 5.0)
    found = []
    for order in (["ball", "large ball"], ["large ball", "ball"]):
        model = ns.Model()
        pair = [model.add_sphere(**rows[name], name=name) for name in order]
        model.add(e.CompliantSphereSphere(pairs=[pair], **SPRING))
        result = ns.simulate(model, t_end=0.02, h=5e-4, scheme=VERLET)
        assert result.stats.contacts.any()
        bodies = [pair[order.index(name)].index for name in rows]
        found.append([result.velocity[:, bodies], 0.05 * result.angular_velocity[:, bodies]])
    assert np.abs(np.subtract(*found)).max() < 1e-13


@pytest.mark.parametrize("kind", [lambda law: law, in_numpy], ids=["compiled", "numpy"])
def test_a_damped_spring_is_of_second_order(kind):
    law = kind(e.ExudynNormal(stiffness=STIFFNESS, damping=DAMPING))
    errors = [damped_ball(law, h, scheme=VERLET) for h in (2e-4, 1e-4, 5e-5)]
    assert errors[0] < 2e-3
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.1)
    assert np.log2(errors[1] / errors[2]) == pytest.approx(2.0, abs=0.05)


def bounce(h, exponent):
    """An elastic ball on an elastic ball: energies before and after, and momentum."""
    model = ns.Model()
    model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0), velocity=(1.0, 0, 0))
    model.add_sphere(radius=0.1, mass=3.0, position=(0.201, 0.05, 0))
    model.add(
        e.CompliantSphereSphere(among=model.spheres, normal=e.ExudynNormal(stiffness=1e6, exponent=exponent))
    )
    result = ns.simulate(model, t_end=0.02, h=h, scheme=VERLET)
    assert result.status, result.status
    assert result.stats.contacts.max() == 1
    assert result.stats.contacts[-1] == 0
    momentum = result.velocity[-1, 0] + 3.0 * result.velocity[-1, 1] - (1.0, 0.0, 0.0)
    assert np.abs(momentum).max() < 1e-14
    assert result.velocity[-1, 1, 0] > 0.3
    energy = result.energy()
    return abs(energy[-1] / energy[0] - 1.0)


@pytest.mark.parametrize("exponent", [1.0, 1.5])
def test_an_elastic_bounce_conserves_energy(exponent):
    errors = [bounce(h, exponent) for h in (4e-5, 1e-5)]
    assert errors[0] < 1e-4
    assert errors[1] < 1e-5


def shaken(t):
    """Position and velocity of a floor that moves and trembles."""
    return (0.1 * t, 0, 1e-4 * np.sin(90 * t)), (0.1, 0, 9e-3 * np.cos(90 * t))


def drop(scheme, h, t_end=0.03, laws=SPRING, load=False, seed=1):
    """Spinning balls, one not round, fall on each other and a moving floor."""
    model, rng = ns.Model(gravity=(0, 0, -9.81)), np.random.default_rng(seed)
    for k in range(4):
        model.add_sphere(
            radius=0.1,
            mass=1.0,
            position=(0.19 * (k % 2), 0.19 * (k // 2), 0.1002 + 0.03 * k),
            velocity=0.3 * rng.normal(size=3),
            angular_velocity=8 * rng.normal(size=3),
            inertia=(3e-3, 4e-3, 5e-3) if k == 2 else None,
        )
    floor = model.add_plane(
        normal=(0, 0, 1),
        motion=lambda t: ((0.1 * t, 0, 1e-4 * np.sin(90 * t)), (0.1, 0, 9e-3 * np.cos(90 * t))),
    )
    model.add(e.CompliantSphereSphere(among=model.spheres, **laws))
    model.add(e.CompliantSpherePlane(model.spheres, floor, **laws))
    if load:
        model.add_load(lambda t, s: (-0.5 * s.velocity, -1e-3 * s.angular_velocity))
    return model, ns.simulate(model, t_end=t_end, h=h, scheme=scheme)


def difference(one, two):
    return max(
        np.abs(one.position[-1] - two.position[-1]).max() / 1e-3,
        np.abs(one.velocity[-1] - two.velocity[-1]).max(),
        np.abs(one.angular_velocity[-1] - two.angular_velocity[-1]).max() / 10.0,
    )


def test_verlet_and_generalized_alpha_agree_in_the_limit():
    errors = []
    for h in (4e-5, 2e-5):
        (_, explicit), (_, implicit) = (drop(s, h, t_end=0.02) for s in (VERLET, ns.GeneralizedAlpha(1.0)))
        assert explicit.status, explicit.status
        assert implicit.status, implicit.status
        assert explicit.stats.contacts.max() >= 4
        errors.append(difference(explicit, implicit))
    assert errors[0] < 1e-2
    assert errors[1] < 0.3 * errors[0]


def test_laws_in_numpy_give_the_same_motion():
    slow = {name: in_numpy(law) for name, law in SPRING.items()}
    one, two = drop(VERLET, 5e-5)[1], drop(VERLET, 5e-5, laws=slow)[1]
    assert one.stats.contacts.max() >= 4
    assert np.array_equal(one.stats.contacts, two.stats.contacts)
    assert np.abs(one.position - two.position).max() < 1e-13


@pytest.mark.parametrize("every", [2, 100])
def test_a_compiled_run_is_the_run_that_is_recorded_often(every):
    """To the bit. Without a record the end of a step and the start of the next are one pass."""
    model, often = drop(VERLET, 5e-5)
    rarely = ns.simulate(model, t_end=0.03, h=5e-5, scheme=VERLET, record_every=every)
    assert rarely.t == pytest.approx(often.t[::every], abs=1e-15)
    for name in ("position", "rotation", "velocity", "angular_velocity"):
        assert np.array_equal(getattr(rarely, name), getattr(often, name)[::every])


def test_unequal_steps_and_new_lists_keep_the_bits_of_a_run_that_is_recorded_often():
    model, h = heap(64), np.tile([2e-5, 1e-5, 3e-5], 200)
    often, rarely = (
        ns.simulate(model, t_end=float(h.sum()), h=h, scheme=VERLET, record_every=n) for n in (1, 1000)
    )
    assert often.stats.contacts.max() > 30
    assert np.array_equal(rarely.position[-1], often.position[-1])
    assert np.array_equal(rarely.angular_velocity[-1], often.angular_velocity[-1])


def heap(count):
    """Balls that fall and roll, so many that pairs are listed again."""
    model, rng = ns.Model(gravity=(0, 0, -9.81)), np.random.default_rng(5)
    for i in np.ndindex(4, 4, count // 16):
        model.add_sphere(
            radius=0.01,
            mass=0.01,
            position=0.0202 * (np.array(i) + 0.5) + 1e-4 * rng.normal(size=3),
            velocity=rng.normal(size=3),
        )
    law = {
        "normal": e.SpringDashpot(stiffness=1e4, damping=0.5),
        "tangential": e.CundallStrack(stiffness=3e3, mu=0.3),
    }
    model.add(e.CompliantSphereSphere(among=model.spheres, **law))
    model.add(e.CompliantSpherePlane(model.spheres, model.add_plane(normal=(0, 0, 1)), **law))
    return model


@pytest.mark.parametrize("load", [False, True])
@pytest.mark.parametrize("nth", [3, -30])
def test_a_run_continues_as_if_it_had_not_been_interrupted(load, nth):
    model, whole = drop(VERLET, 5e-5, load=load)
    assert whole.status, whole.status
    at = int(np.flatnonzero(whole.stats.contacts)[nth]) + 1
    rest = ns.simulate(model, t_end=0.03, h=5e-5, scheme=VERLET, state=whole.state(at))
    assert len(whole.state(at).contacts.pair) >= 1
    assert np.abs(rest.position - whole.position[at:]).max() < 1e-12
    assert np.abs(rest.angular_velocity - whole.angular_velocity[at:]).max() < 1e-8
    state = whole.state(at)
    for _ in range(20):
        state = ns.step(model, state, 5e-5, scheme=VERLET)
    assert np.abs(state.position - whole.position[at + 20]).max() < 1e-13


def test_a_large_run_lists_its_pairs_anew_and_continues_too(monkeypatch):
    listed = []
    find = VerletStepper.find
    monkeypatch.setattr(VerletStepper, "find", lambda stepper: (listed.append(stepper), find(stepper)))
    model = heap(64)
    whole = ns.simulate(model, t_end=0.02, h=2e-5, scheme=VERLET, record_every=250)
    assert whole.status, whole.status
    assert len(listed) >= 3
    assert whole.stats.contacts.max() > 30
    rest = ns.simulate(model, t_end=0.02, h=2e-5, scheme=VERLET, record_every=250, state=whole.state(2))
    assert np.abs(rest.position[-1] - whole.position[-1]).max() < 1e-9
    depth = 0.01 - whole.position[-1, :, 2]
    assert depth.max() < 2e-3
    assert whole.energy()[-1] < whole.energy()[0]


def test_a_free_body_of_general_inertia_keeps_its_momentum():
    errors = []
    for h in (2e-3, 1e-3):
        model = ns.Model()
        model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0), inertia=UNEVEN, angular_velocity=(1, 9, 2))
        result = ns.simulate(model, t_end=1.0, h=h, scheme=VERLET)
        momentum = result.angular_momentum()[:, 0]
        assert np.abs(momentum - momentum[0]).max() < 1e-13
        energy = result.energy()
        errors.append(np.abs(energy / energy[0] - 1.0).max())
    assert errors[0] < 1e-4
    assert errors[1] < 0.3 * errors[0]


def test_a_loaded_body_of_general_inertia_follows_generalized_alpha():
    ends = []
    for h in (2e-3, 1e-3):
        runs = []
        for scheme in (VERLET, ns.GeneralizedAlpha(1.0)):
            model = ns.Model()
            model.add_sphere(
                radius=0.1,
                mass=1.0,
                position=(0, 0, 0),
                inertia=(3e-3, 4e-3, 6e-3),
                angular_velocity=(1, 9, 2),
            )
            model.add_load(lambda t, s: (0 * s.velocity, np.array([[0.01, 0.02 * np.sin(5 * t), -0.01]])))
            runs.append(ns.simulate(model, t_end=0.5, h=h, scheme=scheme).angular_velocity[-1])
        ends.append(np.abs(runs[0] - runs[1]).max())
    assert ends[0] < 1e-2
    assert ends[1] < 0.3 * ends[0]


def test_the_step_is_found_from_the_stiffness():
    model = ns.Model()
    for x in (0.0, 1.0):
        model.add_sphere(radius=0.1, mass=MASS, position=(x, 0, 0))
    model.add(e.CompliantSphereSphere(among=model.spheres, normal=e.SpringDashpot(stiffness=1e5)))
    result = ns.simulate(model, t_end=0.01, scheme=ns.VelocityVerlet(steps_per_contact=50))
    contact_time = np.pi * np.sqrt(MASS / 2 / 1e5)
    assert result.t[1] == pytest.approx(contact_time / 50, rel=1e-12)
    assert "1/50 of the shortest contact time" in str(result.status)


@pytest.mark.parametrize(
    "law",
    [
        {"normal": e.ExudynImpact(stiffness=1e5, restitution=0.5)},
        {"normal": e.ExudynPlastic(stiffness=1e5, plasticity=0.5)},
        {"contact": e.RockableAvalanche(k_n=1e5, en2=0.25)},
        e.luding(e.LudingMaterial(young=1e5 / (0.05 * np.pi))),
    ],
    ids=["impact", "plastic", "Avalanche", "Luding"],
)
def test_laws_with_a_history_give_a_step_too(law):
    model = ns.Model()
    for x in (0.0, 1.0):
        model.add_sphere(radius=0.1, mass=MASS, position=(x, 0, 0))
    model.add(e.CompliantSphereSphere(among=model.spheres, **law))
    result = ns.simulate(model, t_end=0.001, scheme=VERLET)
    assert result.t[1] == pytest.approx(np.pi * np.sqrt(MASS / 2 / 1e5) / 30, rel=1e-12)


def test_the_step_follows_the_stiffest_sense():
    """A tangential spring as stiff as the normal one is 7/2 times as fast, squared."""
    model = ns.Model()
    for x in (0.0, 1.0):
        model.add_sphere(radius=0.1, mass=MASS, position=(x, 0, 0))
    law = {"normal": e.SpringDashpot(stiffness=1e5), "tangential": e.CundallStrack(stiffness=1e5, mu=0.5)}
    model.add(e.CompliantSphereSphere(among=model.spheres, **law))
    result = ns.simulate(model, t_end=0.001, scheme=VERLET)
    time = np.pi * np.sqrt(MASS / 2 / 1e5) / np.sqrt(3.5)
    assert result.t[1] == pytest.approx(time / 30, rel=1e-12)


def test_a_step_beyond_the_limit_ends_with_a_status_or_not_at_all():
    model = heap(16)
    result = ns.simulate(model, t_end=2.0, h=2e-2, scheme=VERLET, record_every=10)
    if not result.status:
        assert "reduce h" in str(result.status)
    assert np.isfinite(result.position).all()


def test_what_verlet_cannot_do_is_refused():
    model = ns.Model()
    a, b = (model.add_sphere(radius=0.1, mass=1.0, position=(x, 0, 0)) for x in (0.0, 1.0))
    with pytest.raises(ValueError, match="h = None"):
        ns.simulate(model, t_end=1.0)
    with pytest.raises(ValueError, match="no compliant law"):
        ns.simulate(model, t_end=1.0, scheme=VERLET)
    with pytest.raises(ValueError, match="scheme = 'verlet'"):
        ns.simulate(model, t_end=1.0, h=1e-3, scheme="verlet")
    with pytest.raises(ValueError, match="rho_inf"):
        ns.simulate(model, t_end=1.0, h=1e-3, scheme=VERLET, rho_inf=0.5)
    with pytest.raises(ValueError, match="steps_per_contact"):
        ns.VelocityVerlet(steps_per_contact=0)
    model.add(e.SphereSphere(pairs=[(a, b)]))
    with pytest.raises(ValueError, match=r"set-valued contact \(SphereSphere\)"):
        ns.simulate(model, t_end=1.0, h=1e-3, scheme=VERLET)


def test_a_history_of_another_model_is_refused():
    _, whole = drop(VERLET, 5e-5, t_end=0.01)
    at = int(whole.stats.contacts.argmax()) + 1
    other = ns.Model()
    for k in range(4):
        other.add_sphere(radius=0.1, mass=1.0, position=(k, 0, 0))
    other.add(e.CompliantSphereSphere(pairs=[(other.bodies[0], other.bodies[3])], **SPRING))
    with pytest.raises(ValueError, match=r"state\.contacts"):
        ns.simulate(other, t_end=0.02, h=5e-5, scheme=VERLET, state=whole.state(at))


def test_friction_by_velocity_slows_a_ball_down_as_coulomb_has_it():
    model = ns.Model(gravity=(0, 0, -9.81))
    static = MASS * 9.81 / 1e5
    ball = model.add_sphere(radius=0.1, mass=MASS, position=(0, 0, 0.1 - static), velocity=(2, 0, 0))
    law = {
        "normal": e.SpringDashpot(stiffness=1e5),
        "tangential": e.RegularisedCoulomb(mu=0.2, velocity_zone=1e-3),
    }
    model.add(e.CompliantSpherePlane(ball, model.add_plane(normal=(0, 0, 1)), **law))
    result = ns.simulate(model, t_end=0.1, scheme=VERLET)
    assert result.velocity[-1, ball, 0] == pytest.approx(2 - 0.2 * 9.81 * result.t[-1], rel=1e-6)
