"""Grains flow down a chute without end

A layer of grains on a rough incline, periodic along and across the flow: grains that leave at one end come in
at the other. Gravity accelerates it until friction carries its weight. Then the ratio of the stresses is the
slope, tau/sigma = tan of the angle, at every depth. The velocity is nearly that of Bagnold,

    v(z) = v_top [1 - (1 - z/H)^(3/2)]

at a solid fraction that hardly changes with the depth (Silbert and others, Phys. Rev. E 64 (2001) 051302).

To look at: the velocity over the depth beside Bagnold's, and that the solid fraction is flat below it.
"""

import itertools

import numpy as np

import nsgalpha as ns
from elements import CompliantSphereSphere, CundallStrack, SpringDashpot
from nsgalpha.arrays import Floats
from nsgalpha.show import look
from nsgalpha.show.figure_style import COLOURS, Figure, label, new_figure
from verification.example import main, paint
from verification.outcome import Row
from verification.run import simulate

D, DENSITY, GRAVITY = 0.01, 2500.0, 9.81  # [m], [kg/m^3], [m/s^2]
MASS = DENSITY * np.pi / 6.0 * D**3  # [kg]
ALONG, ACROSS, LAYERS = 6, 4, 10  # grains that would fit beside each other, and on each other
SLOPE, MU = 24.0, 0.5  # [deg], [-]
STIFFNESS = 2e4 * MASS * GRAVITY / D  # [N/m]
T_START, T_END, H = 2.0, 4.0, 2.5e-5  # [s] averages begin, end, step


def build(slope: float = SLOPE) -> ns.Model:
    """Grains at places of a loose lattice over a floor of fixed ones."""
    rng = np.random.default_rng(1)
    angle = np.radians(slope)
    gravity = GRAVITY * np.array([np.sin(angle), 0.0, -np.cos(angle)])
    model = ns.Model(gravity=gravity, periodic=(ALONG * D, ACROSS * D, None))
    for i, j in itertools.product(range(ALONG), range(ACROSS)):
        rough = D * rng.uniform(-0.15, 0.15)
        model.add_sphere(radius=0.5 * D, position=(D * i, D * j, rough), fixed=True, name=f"floor {i} {j}")
    for k, i, j in itertools.product(range(LAYERS), range(ALONG - 1), range(ACROSS - 1)):
        cell = D * np.array([ALONG / (ALONG - 1), ACROSS / (ACROSS - 1), 1.15])
        place = cell * (i, j, k + 1.15) + D * rng.uniform(-0.05, 0.05, 3)
        model.add_sphere(
            radius=0.5 * D, mass=MASS, position=place, velocity=(0.1, 0, 0), name=f"grain {i} {j} {k}"
        )
    damping = 2.0 * 0.05 * np.sqrt(STIFFNESS * 0.5 * MASS)
    normal = SpringDashpot(stiffness=STIFFNESS, damping=damping)
    sliding = CundallStrack(stiffness=2.0 / 7.0 * STIFFNESS, mu=MU)
    model.add(CompliantSphereSphere(among=model.spheres, normal=normal, tangential=sliding))
    return model


def run(slope: float = SLOPE) -> ns.Result:
    """From the loose lattice to steady flow."""
    every = round(0.01 / H)
    return simulate(build(slope), t_end=T_END, h=H, scheme=ns.VelocityVerlet(), record_every=every)


def profiles(result: ns.Result) -> tuple[Floats, Floats, Floats]:
    """Heights (k,) [m] of slices as thick as a grain, their velocities [m/s] and solid fractions.

    They are means of the late states; slices that are nearly empty are left out.
    """
    moving = np.array([not body.fixed for body in result.model.bodies])
    late = np.asarray(result.t) >= T_START
    z, v = result.position[late][:, moving, 2], result.velocity[late][:, moving, 0]
    edges = np.arange(0.5 * D, z.max() + D, D)
    parts = [_between(z, low, high) for low, high in itertools.pairwise(edges)]
    volume = np.array([part.sum() for part in parts])
    flow = np.array([(part * v).sum() for part in parts])
    fraction = volume / (late.sum() * ALONG * ACROSS * D**3)
    dense = fraction > 0.2
    return 0.5 * (edges[1:] + edges[:-1])[dense], flow[dense] / volume[dense], fraction[dense]


def _between(z: Floats, low: float, high: float) -> Floats:
    """Volume [m^3] of the balls at the heights `z` between two planes."""
    below = [np.clip(h - z + 0.5 * D, 0.0, D) for h in (low, high)]
    caps = [np.pi / 3.0 * h**2 * (1.5 * D - h) for h in below]
    return np.asarray(caps[1] - caps[0])


def bagnold(z: Floats, v: Floats) -> tuple[Floats, float]:
    """Bagnold's profile (k,) that fits velocities `v` at the heights `z`, and the variance that it leaves.

    The depth is that of the slices that are there, the variance a part of that of the velocities.
    """
    depth = z[-1] + 0.5 * D
    shape = 1.0 - np.maximum(1.0 - z / depth, 0.0) ** 1.5
    fitted = (shape @ v) / (shape @ shape) * shape
    return fitted, float(((v - fitted) ** 2).sum() / ((v - v.mean()) ** 2).sum())


def check(result: ns.Result) -> list[Row]:
    """The flow is steady, its stresses have the slope, and the velocity is nearly Bagnold's."""
    late = np.asarray(result.t) >= T_START
    stress = ns.mean_stress(result, volume=1.0).total[late].mean(axis=0)
    moving = np.array([not body.fixed for body in result.model.bodies])
    speed = result.velocity[late][:, moving, 0].mean(axis=1)
    half = len(speed) // 2
    z, v, fraction = profiles(result)
    slope = float(np.tan(np.radians(SLOPE)))
    momentum = "weight against friction"
    return [
        Row(
            "shear over normal stress",
            "-",
            slope,
            float(-stress[0, 2] / stress[2, 2]),
            0.05 * slope,
            momentum,
        ),
        Row(
            "speed of the second half over the first",
            "-",
            1.0,
            speed[half:].mean() / speed[:half].mean(),
            0.1,
        ),
        Row("variance that Bagnold's profile leaves", "-", 0.0, bagnold(z, v)[1], 0.05),
        Row(
            "solid fraction in the middle",
            "-",
            0.56,
            float(fraction[1:-2].mean()),
            0.05,
            "Silbert 2001, fig. 4",
        ),
    ]


def figure(result: ns.Result) -> Figure:
    """The flow, its velocity and solid fraction over the depth."""
    drawn, (left, right) = new_figure(1, 2, size=(9.6, 4.2))
    paint(
        left, result, look(result, azimuth=-80.0, elevation=12.0, zoom=1.0), colour="speed", size=(800, 720)
    )
    z, v, fraction = profiles(result)
    right.plot(v, z / D, "o", color=COLOURS[0], label="velocity [m/s]")
    right.plot(bagnold(z, v)[0], z / D, color=COLOURS[0], label="Bagnold")
    right.plot(fraction, z / D, "s-", color=COLOURS[1], markersize=4, label="solid fraction [-]")
    label(right, "m/s, -", "height [diameters]", legend="lower right")
    return drawn


if __name__ == "__main__":
    main(__file__)
