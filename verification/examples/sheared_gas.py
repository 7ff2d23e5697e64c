"""Inelastic spheres are sheared without walls

A cell whose images move, after Lees and Edwards: no wall shears the spheres, no profile is forced on them.
Shear heats the gas, impacts cool it, until both balance. Smooth spheres with the restitution e at the solid
fraction phi then have the temperature, shear stress and pressure of the kinetic theory

    T = A/B (d rate)^2,   tau = rho A sqrt(T) d rate,   p = rho phi T (1 + 4 eta phi g0)

with A and B of Lun and others (J. Fluid Mech. 140 (1984) 223), g0 of Carnahan and Starling, eta = (1 + e)/2.
The theory is that of small 1 - e. It is a few percent too high at e = 0.9.

To look at: stresses that are flat from a strain of 3 on, and a velocity that is linear across the cell.
"""

import numpy as np

import nsgalpha as ns
from elements import SphereSphere
from nsgalpha.arrays import Floats
from nsgalpha.show import look
from nsgalpha.show.figure_style import COLOURS, Figure, label, new_figure
from verification.example import main, paint
from verification.outcome import Row
from verification.run import simulate

SPHERES, FRACTION, E_N = 500, 0.3, 0.9
RATE, STEP = 1.0, 2e-3  # [1/s], strain in a step; diameter 1 m and density 1 kg/m^3
MASS = np.pi / 6.0  # [kg]
SIDE = (SPHERES * MASS / FRACTION) ** (1.0 / 3.0)  # [m] of the cell
START, END = 3.0, 10.0  # strains between which states are averaged


def build(spheres: int = SPHERES, rate: float = RATE, seed: int = 1) -> ns.Model:
    """Spheres on a lattice, with the velocities of the shear and others at random."""
    rng = np.random.default_rng(seed)
    side = (spheres * MASS / FRACTION) ** (1.0 / 3.0)
    across = int(np.ceil(spheres ** (1.0 / 3.0)))
    places = (np.array(list(np.ndindex(across, across, across)))[:spheres] + 0.5) * side / across
    velocity = rate * rng.normal(size=(spheres, 3))
    velocity -= velocity.mean(axis=0)
    velocity[:, 0] += rate * places[:, 1]
    motion = ns.CellMotion(flow="x", gradient="y", shear_rate=rate)
    model = ns.Model(periodic=(side, side, side), cell_motion=motion)
    model.add_spheres(position=places, radius=0.5, mass=MASS, velocity=velocity)
    model.add(SphereSphere(among=model.spheres, e_n=E_N))
    return model


def run(spheres: int = SPHERES, rate: float = RATE, end: float = END) -> ns.Result:
    """From the lattice to steady shear; all steps are recorded for their impacts."""
    return simulate(build(spheres, rate), t_end=end / rate, h=STEP / rate)


def kinetic_theory(phi: float = FRACTION, e_n: float = E_N) -> tuple[float, float, float]:
    """Temperature over (d rate)^2, shear stress and pressure over rho (d rate)^2, by Lun and others."""
    g0, eta = (1.0 - 0.5 * phi) / (1.0 - phi) ** 3, 0.5 * (1.0 + e_n)
    dense = eta * phi * g0
    moving = (1.0 + 1.6 * dense) * (1.0 + 1.6 * (3.0 * eta - 2.0) * dense) / (g0 * eta * (2.0 - eta))
    bulk = 0.6 * 256.0 / (5.0 * np.pi) * phi * dense
    viscous = 5.0 * np.sqrt(np.pi) / 96.0 * (moving + bulk)
    cooling = 48.0 / np.sqrt(np.pi) * (1.0 - eta) * phi * dense
    T = viscous / cooling
    return T, viscous * np.sqrt(T), phi * T * (1.0 + 4.0 * dense)


def measures(result: ns.Result) -> tuple[Floats, Floats, Floats, Floats]:
    """Strains (n,), and temperatures, shear stresses and pressures of all states in these units."""
    motion = result.model.cell_motion
    assert motion is not None
    rate = motion.rate(0.0)
    stress = ns.mean_stress(result)
    unit = rate**2
    shear = np.asarray(stress.total[:, 0, 1] / unit)
    temperature = ns.granular_temperature(result)
    return np.asarray(result.t) * rate, temperature / unit, shear, stress.pressure / unit


def profile(result: ns.Result) -> tuple[Floats, Floats]:
    """Heights (k,) over the period, and the mean velocities (k,) there over the rate times the period."""
    model = result.model
    assert model.periodic is not None
    assert model.cell_motion is not None
    side, rate = float(model.periodic[1] or 0.0), model.cell_motion.rate(0.0)
    some = slice(len(result.t) // 3, None, 20)
    y = result.position[some, :, 1]
    inside = y - side * np.floor(y / side)
    v = result.velocity[some, :, 0] - rate * (y - inside)  # of the image in the cell
    height = np.floor(10.0 * inside / side).astype(int).ravel().clip(0, 9)
    many = np.bincount(height, minlength=10)
    heights: Floats = np.linspace(0.05, 0.95, 10)
    mean: Floats = np.bincount(height, v.ravel(), 10) / many / (rate * side)
    return heights, mean


def check(result: ns.Result, start: float = START, part: float = 0.08) -> list[Row]:
    """Means over the late states, the momentum, and the profile."""
    strain, temperature, shear, pressure = measures(result)
    late = strain > start
    T, tau, p = kinetic_theory()
    source = "Lun 1984, Carnahan and Starling"
    height, v = profile(result)
    momentum = np.abs(result.velocity.sum(axis=1) - result.velocity[0].sum(axis=0)).max()
    return [
        Row("shear stress", "rho (d rate)^2", tau, float(shear[late].mean()), part * tau, source),
        Row("pressure", "rho (d rate)^2", p, float(pressure[late].mean()), part * p, source),
        Row("temperature", "(d rate)^2", T, float(temperature[late].mean()), part * T, source),
        Row("change of the momentum", "m/s", 0.0, float(momentum), 1e-9, "no force from outside"),
        Row("velocity off the linear profile", "-", 0.0, float(np.abs(v - height).max()), 0.06, "no walls"),
    ]


def figure(result: ns.Result) -> Figure:
    """The cell, and its stresses over the strain beside the theory."""
    drawn, (left, right) = new_figure(1, 2, size=(9.6, 4.2))
    view = look(result, azimuth=-70.0, elevation=18.0, zoom=1.0)
    paint(left, result, view, colour="speed", size=(800, 720))
    strain, temperature, shear, pressure = measures(result)
    width = max(len(strain) // 40, 1)
    count = len(strain) // width * width
    expected = kinetic_theory()
    names = "temperature", "shear stress", "pressure"
    for k, (name, values) in enumerate(zip(names, (temperature, shear, pressure), strict=True)):
        means = [each[:count].reshape(-1, width).mean(axis=1) for each in (strain, values)]
        right.plot(*means, color=COLOURS[k], label=name)
        right.axhline(expected[k], color=COLOURS[k], linestyle="--", linewidth=1.0)
    label(right, "strain", "over (d rate)$^2$, rho (d rate)$^2$", legend="center right")
    return drawn


if __name__ == "__main__":
    main(__file__)
