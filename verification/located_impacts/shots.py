"""Random shots: one of fifteen balls, scattered or racked, is struck on a cloth."""

from typing import NamedTuple

import numpy as np
from numpy.random import Generator, default_rng
from tqdm import tqdm

import nsgalpha as ns
from elements import SpherePlane, SphereSphere
from nsgalpha.arrays import Flags, Floats

BALLS, RADIUS, MASS = 15, 0.028575, 0.17  # number, [m], [kg]
LENGTH, WIDTH = 1.27, 0.635  # [m] half of the table
H, T_END = 1e-2, 1.0  # [s]
BETWEEN = np.linspace(0.0, 1.0, 9)[1:-1]  # of a step


class Shot(NamedTuple):
    """The numbers that are asked of a shot."""

    outside: float  # [m] largest way of a ball into a cushion or the cloth
    overlap: float  # [m] largest overlap of two balls
    between: float  # [m] the larger of both on the curves between recorded states, with an accuracy
    growth: float  # largest growth of energy over that at the start, in a step without
    growth_in_several: float  # and in one with an impact of several contacts with friction
    failure: str  # why it ended before its time
    remarks: tuple[str, ...]  # of its status
    impacts: int  # steps that ended at impacts
    missed: int  # steps whose impact was not located

    @property
    def missed_remark(self) -> str:
        """The remark on these."""
        return next((each for each in self.remarks if "impacts were not located" in each), "")


def table(random: Generator) -> ns.Model:
    """A shot: every other one of a rack whose balls touch or nearly do."""
    model = ns.Model(gravity=(0, 0, -9.81))
    speed, angle = random.uniform(0.5, 10.0), random.uniform(0.0, 2.0 * np.pi)
    places = _rack(random) if random.random() < 0.5 else _scattered(random)
    if len(places) == BALLS - 1:  # the cue ball is not there yet
        places = np.vstack([[-0.6, random.uniform(-0.1, 0.1)], places])
        angle = random.uniform(-0.1, 0.1)
    for k, place in enumerate(places):
        velocity = (speed * np.cos(angle), speed * np.sin(angle), 0) if k == 0 else (0, 0, 0)
        spin = random.uniform(-1.0, 1.0, 3) * speed / RADIUS if k == 0 else (0, 0, 0)
        model.add_sphere(
            radius=RADIUS, mass=MASS, position=(*place, RADIUS), velocity=velocity, angular_velocity=spin
        )
    mu, e_n = random.choice([0.0, 0.06]), random.choice([0.8, 0.93, 1.0])
    model.add(SphereSphere(among=model.spheres, mu=mu, e_n=e_n))
    model.add(SpherePlane(model.spheres, model.add_plane(normal=(0, 0, 1)), mu=0.2))
    for normal, offset in (
        ((1, 0, 0), LENGTH),
        ((-1, 0, 0), LENGTH),
        ((0, 1, 0), WIDTH),
        ((0, -1, 0), WIDTH),
    ):
        cushion = model.add_plane(normal=normal, offset=-offset)
        model.add(SpherePlane(model.spheres, cushion, mu=0.2, e_n=0.85))
    return model


def _rack(random: Generator) -> Floats:
    gap = random.choice([0.0, 1e-9, 1e-6, 1e-4]) * RADIUS
    places = [(0.5 * np.sqrt(3) * i, j - 0.5 * i) for i in range(5) for j in range(i + 1)]
    return np.array(places)[: BALLS - 1] * (2.0 * RADIUS + gap)


def _scattered(random: Generator) -> Floats:
    """Places of balls that do not overlap; some touch another."""
    places: list[Floats] = []
    room = np.array([LENGTH, WIDTH]) - 1.001 * RADIUS
    while len(places) < BALLS:
        place = random.uniform(-room, room)
        if places and random.random() < 0.3:
            turn = random.uniform(0.0, 2.0 * np.pi)
            beside = places[random.integers(len(places))]
            place = beside + 2.0 * RADIUS * np.array([np.cos(turn), np.sin(turn)])
        apart = [np.linalg.norm(place - each) for each in places]
        if (np.abs(place) <= room).all() and min(apart, default=1.0) >= 2.0 * RADIUS * (1.0 - 1e-14):
            places.append(place)
    return np.array(places)


def _between(result: ns.Result) -> Floats:
    """Positions (n, B, 3) between recorded states."""
    t = result.t[:-1, None] + BETWEEN * np.diff(result.t)[:, None]
    return result.at(t.ravel()).position


def _overlaps(x: Floats) -> tuple[float, float]:
    """Largest ways [m] of balls at `x` (n, B, 3) into cushions or cloth, and into one another."""
    walls = np.abs(x[:, :, :2]) - (np.array([LENGTH, WIDTH]) - RADIUS)
    a, b = np.triu_indices(BALLS, 1)
    apart = np.linalg.norm(x[:, a] - x[:, b], axis=2)
    return max(float(walls.max()), float((RADIUS - x[:, :, 2]).max())), float((2.0 * RADIUS - apart).max())


def shot(seed: int, number: int, accuracy: float | None = None) -> Shot:
    """The shot `number` of those of a `seed`, in steps of H or to an `accuracy`."""
    model = table(default_rng([seed, number]))
    h = H if accuracy is None else None
    result = ns.simulate(model, t_end=T_END, h=h, impacts="located", accuracy=accuracy)
    energy = np.asarray(result.energy())
    outside, overlap = _overlaps(result.position)
    # only an accuracy bounds the curves
    between = 0.0 if accuracy is None else max(_overlaps(_between(result)))
    growth = np.diff(energy) / energy[0]
    several = _several(result)
    failure = "" if result.status.ok else result.status.message
    found = result.stats.located[:]
    return Shot(
        outside,
        overlap,
        between,
        float(growth[~several].max(initial=0.0)),
        float(growth[several].max(initial=0.0)),
        failure,
        tuple(result.status.remarks),
        int((found > 0).sum()),
        int(np.isin(found, (-1, 2)).sum()),
    )


def _several(result: ns.Result) -> Flags:
    """Steps (n - 1,) with an impact in which several contacts have friction, of balls or with cushions."""
    contacts, mu = result.contacts, getattr(result.model.elements[0].law, "mu", 0.0)
    rubs = np.asarray(contacts.plane > 0) | (np.asarray(contacts.body_b >= 0) & (mu > 0.0))
    count = np.zeros(len(result.t))
    np.add.at(count, contacts.record, rubs & (contacts.multipliers[:, 0] > 0.0))
    return (count[1:] > 1) & (result.stats.located[:] != 0)


def played(count: int, seed: int, accuracy: float | None = None, *, show: bool = False) -> list[Shot]:
    """So many shots of a `seed`, in steps of H or to an `accuracy`."""
    return [shot(seed, k, accuracy) for k in tqdm(range(count), disable=None if show else True)]
