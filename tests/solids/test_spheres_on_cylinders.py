"""Set-valued contact of balls with cylinders and cones: distances, rates, rest, rolling, impacts."""

from itertools import pairwise

import numpy as np
import pytest
from posed_pairs import PosedPair

import nsgalpha as ns
from elements import Contact, SphereSolid

G, R, L, BALL = 9.81, 0.3, 0.5, 0.1
PROFILES = {  # of the half plane rho, z about the centre of mass
    "cylinder": np.array([(0, -L / 2), (R, -L / 2), (R, L / 2), (0, L / 2)]),
    "cone": np.array([(0, -L / 4), (R, -L / 4), (0, 3 * L / 4)]),
}
KINDS = pytest.mark.parametrize("kind", PROFILES)


def add(model, kind, **own):
    maker = model.add_cylinder if kind == "cylinder" else model.add_cone
    return maker(R, L, **own)


def distance(kind, x):
    """Signed distance of a point from the profile, side by side."""
    p, corners = np.array([np.hypot(x[0], x[1]), x[2]]), PROFILES[kind]
    least, inside = np.inf, True
    for a, b in pairwise(corners):
        t = np.clip((p - a) @ (b - a) / ((b - a) @ (b - a)), 0.0, 1.0)
        least = min(least, np.linalg.norm(p - a - t * (b - a)))
        inside = inside and np.linalg.det([b - a, p - a]) > 0.0
    return -least if inside else least


class Pair(PosedPair):
    """A ball and a solid of revolution at any poses."""

    def __init__(self, kind):
        model = ns.Model()
        ball = model.add_sphere(radius=BALL, mass=1.0, position=(2, 0, 0))
        solid = add(model, kind, mass=1.0, position=(0, 0, 0))
        model.add(SphereSolid(ball, solid))
        super().__init__(model, 0.3)


@KINDS
def test_gaps_are_distances_and_rates_those_of_differences(kind):
    pair, rng, within = Pair(kind), np.random.default_rng(1), 0
    for _ in range(2000):
        pair.place(rng)
        gap = pair.candidates.gap[0]
        seen = pair.turns()[1].inv().apply(pair.motion.x[0] - pair.motion.x[1])
        assert gap == pytest.approx(distance(kind, seen) - BALL, abs=1e-14)
        within += gap < -BALL
        arm, n = pair.candidates.lever[0].copy(), pair.candidates.normal[0].copy()
        v = pair.motion.v[:2] + np.cross(pair.motion.w[:2], arm)
        h = 1e-6
        ahead, behind = pair.gaps(h)[0], pair.gaps(-h)[0]
        kink = abs(ahead - 2.0 * gap + behind) > 1e-3 * h  # from one side to another within the solid
        assert kink or n @ (v[0] - v[1]) == pytest.approx((ahead - behind) / (2.0 * h), abs=1e-6)
    assert 50 < within < 1500


@KINDS
@pytest.mark.parametrize("settings", [{"h": 2e-3}, {"h": 2e-3, "impacts": "located"}, {"accuracy": 1e-6}])
def test_a_ball_falls_between_cans_and_rests(kind, settings):
    """It comes to rest between two fixed solids that lie side by side."""
    model = ns.Model(gravity=(0, 0, -G))
    lying = (np.sqrt(0.5), np.sqrt(0.5), 0, 0)
    aside = R + 0.05 if kind == "cylinder" else 0.25
    solids = [add(model, kind, fixed=True, position=(s * aside, 0, 0), rotation=lying) for s in (-1, 1)]
    ball = model.add_sphere(radius=BALL, mass=1.0, position=(0.01, 0.0, 0.5))
    walls = [model.add_plane(normal=(0, s, 0), offset=-0.1) for s in (1, -1)]
    model.add(Contact(among=[ball, *solids, *walls], mu=0.3))
    result = ns.simulate(model, t_end=4.0 if "h" in settings else 0.6, **settings)
    assert result.status, result.status
    assert result.position[-1, ball, 2] > 0.05
    assert result.stats.penetration.max() < 1e-9
    if "h" in settings:
        assert np.abs(result.velocity[-1, ball]).max() < 1e-9


def test_a_ball_rolls_along_a_cylinder_and_off_its_end():
    """With constant speed at the top, then about the rim."""
    ends = []
    for h in (4e-3, 2e-3, 1e-3):
        model = ns.Model(gravity=(0, 0, -G))
        lying = (np.sqrt(0.5), 0, np.sqrt(0.5), 0)
        log = model.add_cylinder(R, 1.0, fixed=True, position=(0, 0, -R), rotation=lying)
        motion = {"velocity": (0.5, 0, 0), "angular_velocity": (0, 0.5 / BALL, 0)}
        ball = model.add_sphere(radius=BALL, mass=1.0, position=(0.4, 0, BALL), **motion)
        model.add(SphereSolid(ball, log, mu=1.0))
        result = ns.simulate(model, t_end=0.3, h=h)
        assert result.status, result.status
        on_top = result.t < 0.19
        assert np.abs(result.velocity[on_top, ball] - (0.5, 0, 0)).max() < 1e-12
        assert np.abs(result.position[:, ball, 1]).max() < 1e-12
        ends.append(result.position[-1, ball])
    assert ends[-1][2] < BALL - 1e-3
    assert np.linalg.norm(ends[1] - ends[2]) < 0.6 * np.linalg.norm(ends[0] - ends[1])


@KINDS
def test_an_elastic_impact_keeps_momentum_and_energy(kind):
    model = ns.Model()
    solid = add(model, kind, mass=2.0, position=(0, 0, 0), angular_velocity=(1, -2, 0.5))
    ball = model.add_sphere(radius=BALL, mass=1.0, position=(1.0, 0.1, 0.05), velocity=(-3, 0, 0))
    model.add(Contact(among=[solid, ball], e_n=1.0))
    result = ns.simulate(model, t_end=0.4, accuracy=1e-8)
    assert result.status, result.status
    assert result.velocity[-1, ball, 0] > -1.0
    p = 2.0 * result.velocity[:, solid] + result.velocity[:, ball]
    assert np.abs(p - p[0]).max() < 1e-12
    energy = result.energy()
    assert np.abs(energy - energy[0]).max() < 1e-8 * energy[0]
