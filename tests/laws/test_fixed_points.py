"""Springs off bodies' centres: numbers, motion, refusals, files and cases."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import nsgalpha as ns
from elements import Dashpot, Drag, Maxwell, PointPairs, Spring
from nsgalpha.case import parse_case

NUMBERS = json.loads((Path(__file__).parent / "data" / "s7_small_parts.json").read_text())
INERTIA = (0.02, 0.05, 0.06)


def body(model, position, R=None, **motion):
    q = (1, 0, 0, 0) if R is None else np.roll(Rotation.from_matrix(R).as_quat(), 1)
    return model.add_body(mass=2.0, inertia=INERTIA, position=position, rotation=q, **motion)


def test_numbers_of_a_spring():
    s = NUMBERS["spring"]
    model = ns.Model()
    a, b = body(model, s["x_A"], s["R_A"]), body(model, s["x_B"], s["R_B"])
    ends = [((a, s["s_A"]), (b, s["s_B"]))]
    assert PointPairs(ends).lengths == pytest.approx([s["length"]], rel=1e-15)
    model.add(Spring(ends, stiffness=s["k"], length=s["r0"]))
    found = ns.compliant_contacts(model, model.initial_state())
    assert found.force[0] == pytest.approx(s["force_on_A"], rel=1e-14)
    assert found.torque_a[0] == pytest.approx(s["torque_on_A"], rel=1e-13)
    assert found.torque_b[0] == pytest.approx(s["torque_on_B"], rel=1e-13)
    assert found.energy == pytest.approx([s["energy"]], rel=1e-14)
    assert found.plane.tolist() == [-1]


def two_bodies(spring=Spring, **numbers):
    """Two rotating bodies with springs at their corners, and one to space."""
    model = ns.Model()
    a = body(model, (0, 0, 0), velocity=(0.1, 0.2, 0), angular_velocity=(1.0, -2.0, 0.5))
    b = body(model, (0.5, 0.1, 0), angular_velocity=(0.5, 1.0, -1.0))
    ends = [((a, (0.1, 0.1, 0)), (b, (-0.1, 0.1, 0.05))), ((a, (0.1, -0.1, 0)), (b, (-0.1, -0.1, 0)))]
    model.add(spring([*ends, (a, b)], stiffness=40.0, **numbers))
    return model


def angular_momentum(result):
    total = 2.0 * np.cross(result.position, result.velocity).sum(axis=1)
    for k in range(2):
        turn = Rotation.from_quat(np.roll(result.rotation[:, k], -1, axis=-1))
        spin = turn.inv().apply(result.angular_velocity[:, k])
        total = total + turn.apply(spin * np.array(INERTIA))
    return total


@pytest.mark.parametrize("scheme", [ns.GeneralizedAlpha(1.0), ns.VelocityVerlet()], ids=["alpha", "Verlet"])
def test_energy_and_momenta_of_bodies_on_springs(scheme):
    """Energy and spin change by O(h^2), Verlet's spin and momentum not at all."""
    errors = []
    for h in (4e-3, 2e-3):
        result = ns.simulate(two_bodies(), t_end=0.8, h=h, scheme=scheme)
        assert result.status, result.status
        energy, spin = result.energy(), angular_momentum(result)
        errors.append([np.abs(energy - energy[0]).max(), np.abs(spin - spin[0]).max()])
        momentum = result.velocity.sum(axis=1)
        assert momentum == pytest.approx(np.broadcast_to(momentum[0], momentum.shape), abs=1e-13)
    assert np.abs(result.velocity[-1] - result.velocity[0]).max() > 0.05
    for kind in range(1 if isinstance(scheme, ns.VelocityVerlet) else 2):
        assert np.log2(errors[0][kind] / errors[1][kind]) == pytest.approx(2.0, abs=0.1)
    if isinstance(scheme, ns.VelocityVerlet):
        assert errors[1][1] < 1e-13
    assert max(errors[1]) < 2e-3


def test_schemes_agree_with_dashpots_that_flow():
    found = []
    for scheme in (ns.GeneralizedAlpha(1.0), ns.VelocityVerlet(), ns.SemiImplicit()):
        model = two_bodies(Maxwell, dashpot=8.0)
        anchor = (model.bodies[0], (0, 0, 0.1)), (0, 0, 1)
        model.add(Dashpot([anchor], damping=0.5))
        found.append(ns.simulate(model, t_end=0.3, h=2.5e-4, scheme=scheme).position[-1])
    assert found[1] == pytest.approx(found[0], abs=2e-6)
    assert found[2] == pytest.approx(found[0], abs=2e-3)  # of first order


def test_a_plate_hangs_level_below_its_corners():
    """k (r - r_0) = m g/4 each; and its stiffness against tilting is k a^2 and not 0."""
    model = ns.Model(gravity=(0, 0, -10))
    plate = model.add_body(mass=2.0, inertia=INERTIA, position=(0, 0, -1), rotation=(1, 0.02, 0.01, 0))
    corners = [(x, y, 0.0) for x in (-0.3, 0.3) for y in (-0.2, 0.2)]
    model.add(Spring([((plate, c), c) for c in corners], stiffness=500.0, length=1.0))
    found = ns.equilibrium(model)
    assert found
    assert found.unstable == 0
    assert found.state.position[plate] == pytest.approx([0, 0, -1.01], abs=1e-9)
    assert np.abs(found.state.rotation[plate, 1:3]).max() < 1e-7


def test_a_point_of_a_frame_that_turns_drags_along():
    """Overdamped: the body follows the end that the frame carries, with the lag v c/k."""
    model = ns.Model()

    def turning(t):
        return (0, 0, 0), (0, 0, 0), (np.cos(0.5 * t), 0, 0, np.sin(0.5 * t)), (0, 0, 1.0)

    wheel = model.add_plane(normal=(0, 0, 1), motion=turning)
    bead = model.add_point(position=(1, 0, 0))
    model.add(Spring([(bead, (wheel, (1.0, 0, 0)))], stiffness=100.0, length=0.0))
    scheme = ns.Overdamped(Drag(bead, translational=1.0))
    x = ns.simulate(model, t_end=2.0, h=1e-3, scheme=scheme).position[-1, bead]
    exact = 1.0 / (1.0 + 0.01j) * np.exp(2.0j)
    assert x[0] + 1j * x[1] == pytest.approx(exact, abs=2e-5)


def test_points_that_cannot_be():
    model = ns.Model()
    a, b, point = body(model, (0, 0, 0)), body(model, (1, 0, 0)), model.add_point(position=(2, 0, 0))
    with pytest.raises(ValueError, match=r"pairs\[0\].*\(0, 0, 0\) for 'point 2'"):
        PointPairs([(a, (point, (0.1, 0, 0)))])
    with pytest.raises(ValueError, match="paired with itself"):
        PointPairs([((a, (0.1, 0, 0)), (a, (0.2, 0, 0)))])
    with pytest.raises(ValueError, match="given twice"):
        PointPairs([((a, (0.1, 0, 0)), b), (b, (a, (0.1, 0, -0.0)))])
    with pytest.raises(ValueError, match=r"pairs\[0\]"):
        PointPairs([((a, (0.1, np.nan, 0)), b)])
    with pytest.raises(ValueError, match="one place"):
        Dashpot([((a, (0.5, 0, 0)), (b, (-0.5, 0, 0)))], damping=1.0)
    assert len(PointPairs([((a, (0.1, 0, 0)), b), ((a, (0.2, 0, 0)), b)])) == 2


def test_a_run_goes_on_from_its_file(tmp_path):
    whole = ns.simulate(two_bodies(Maxwell, dashpot=8.0), t_end=0.2, h=2e-3)
    path = tmp_path / "springs.h5"
    model = two_bodies(Maxwell, dashpot=8.0)
    ns.simulate(model, t_end=0.1, h=2e-3, recording=ns.Recording(file=path))
    assert np.array_equal(ns.resume(path, t_end=0.2).position[-1], whole.position[-1])


def test_points_in_case_files():
    text = "".join(
        f'[[bodies]]\ntype = "body"\nname = "{name}"\nmass = 1\ninertia = [1, 1, 1]\nposition = [{x}, 0, 0]\n'
        for name, x in (("door", 0), ("post", 1))
    )
    text += '[[elements]]\ntype = "Spring"\nstiffness = 3\n'
    text += 'pairs = [[["door", [0.2, 0, 0]], "post"], [["post", [0, 1, 0]], [0, 0, 1]]]\n'
    (springs,) = parse_case(text + "[run]\nt_end = 1\nh = 0.1\n").model.elements
    assert springs.pairs.lengths == pytest.approx([0.8, 3.0**0.5])
