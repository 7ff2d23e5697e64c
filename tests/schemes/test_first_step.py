"""The first step of a run, with the histories of the start."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import elements as e
import nsgalpha as ns

FRICTION = {
    "normal": e.SpringDashpot(stiffness=1e4, damping=1.0),
    "tangential": e.CundallStrack(stiffness=5e3, mu=0.5),
}
BOND = e.Bond(k_n=1e4, k_t=5e3, f_n0=np.inf, f_t0=np.inf, M_0=np.inf)
BONDED = {"contact": e.StickedLinks(touching=e.RockableDefault(k_n=1e4, k_t=5e3, mu=0.5), inner=BOND)}
SCHEMES = ["SemiImplicit", "Overdamped"]


def two_balls(law, turn=None):
    """Two balls that overlap, are pulled apart and sheared; their state at the start."""
    turn = Rotation.identity() if turn is None else turn
    model = ns.Model()
    for radius, x, v in ((0.05, (0, 0, 0), (-0.8, 0.1, 0)), (0.06, (0.109, 0, 0), (0.7, 0.4, 0))):
        model.add_sphere(radius=radius, mass=0.5, position=turn.apply(x), velocity=turn.apply(v))
    model.add(e.CompliantSphereSphere(among=model.spheres, **law))
    bonded = law is BONDED
    return model, e.glued(model, gap=1e-3, clusters=[model.spheres]) if bonded else model.initial_state()


def run(model, state, scheme, h=1e-3, t_end=0.02, **options):
    drag = e.Drag(model.bodies, translational=8.0, rotational=0.02)
    chosen = {"SemiImplicit": ns.SemiImplicit(0.5), "Overdamped": ns.Overdamped(drag)}[scheme]
    result = ns.simulate(model, t_end=t_end, h=h, scheme=chosen, state=state, **options)
    assert result.status, result.status
    return result


def test_a_bond_is_not_sheared_by_a_step_before_the_run():
    model, state = two_balls(BONDED)
    fine = ns.simulate(model, t_end=0.02, h=1e-5, scheme=ns.GeneralizedAlpha(), state=state)
    errors = []
    for h in (1e-3, 5e-4, 2.5e-4):
        result = run(model, state, "SemiImplicit", h)
        errors.append(np.abs(result.angular_velocity[-1] - fine.angular_velocity[-1]).max())
    assert np.log2(np.divide(errors[:-1], errors[1:])).min() > 1.8


@pytest.mark.parametrize("scheme", SCHEMES)
def test_bonds_of_the_start_turn_with_the_scene(scheme):
    model, state = two_balls(BONDED)
    expected = run(model, state, scheme).velocity
    turn = Rotation.from_rotvec((0.3, -0.8, 1.1))
    found = run(*two_balls(BONDED, turn), scheme).velocity
    np.testing.assert_allclose(found, turn.apply(expected.reshape(-1, 3)).reshape(found.shape), atol=1e-12)


@pytest.mark.parametrize("law", [FRICTION, BONDED], ids=["friction", "bond"])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_run_from_the_start_of_a_run_is_the_same_run(scheme, law, tmp_path):
    model, state = two_balls(law)
    whole = run(model, state, scheme, recording=ns.Recording(file=tmp_path / "run.h5"))
    for start in (run(model, state, scheme).state(0), whole.state(0)):
        again = run(model, start, scheme)
        assert np.array_equal(again.velocity, np.asarray(whole.velocity))
        assert np.array_equal(run(model, again.state(0), scheme).position, again.position)


def test_a_run_with_a_point_without_mass_goes_on_to_the_bit():
    model, _ = two_balls(BONDED)
    point = model.add_point(position=(0, 0, 1.0), mass=0.0)
    state = e.glued(model, gap=1e-3, clusters=[model.spheres[:2]])
    scheme = ns.SemiImplicit(0.5, e.Drag([point], translational=8.0))
    whole = ns.simulate(model, t_end=0.02, h=1e-3, scheme=scheme, state=state)
    rest = ns.simulate(model, t_end=0.02, h=1e-3, scheme=scheme, state=whole.state(10))
    assert np.array_equal(rest.velocity, whole.velocity[10:])
