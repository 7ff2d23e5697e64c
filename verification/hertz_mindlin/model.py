"""Scenes of the case: two spheres that strike obliquely, a sphere on a plate."""

import numpy as np

import nsgalpha as ns
from elements import (
    CompliantSpherePlane,
    CompliantSphereSphere,
    Hertz,
    Mindlin,
    contact_modulus,
    contact_shear_modulus,
    hertz_mindlin,
)
from elements.laws.energy_restitution import clamped_restitution
from elements.laws.hertzian.mindlin import SPRINGS
from nsgalpha.arrays import Floats
from verification.hertz_mindlin.reference import POISSON, YOUNG, Impact
from verification.oblique_impacts import reference as plate
from verification.run import simulate

SPEED = 0.02  # [m/s]
LONG = 2.5  # duration of the runs over that of an elastic impact
OXIDE = 3.8e11, 0.23, 4000.0  # Young's modulus [Pa], Poisson's ratio, density of aluminium oxide


def oblique(
    name: str, small: float, angle: float, spin: tuple[float, float], mu: float, beta: float
) -> Impact:
    """Spheres of 5 mm and `small` [m] with the relative speed SPEED at `angle` [deg] to the normal."""
    normal, slide = 0.5 * SPEED * np.cos(np.radians(angle)), 0.5 * SPEED * np.sin(np.radians(angle))
    velocity = (-float(normal), float(slide)), (float(normal), -float(slide))
    return Impact(name, (5e-3, small), velocity, spin, mu, beta)


IMPACTS = [
    oblique("10 deg, elastic", 5e-3, 10.0, (0.0, 0.0), 0.3, 0.0),
    oblique("30 deg, elastic, spins", 3e-3, 30.0, (1.0, -2.0), 0.3, 0.0),
    oblique("20 deg, damped", 3e-3, 20.0, (0.0, 0.0), 0.3, 0.12),
    oblique("45 deg, more damped, spins", 3e-3, 45.0, (2.0, 3.0), 0.5, 0.4),
    oblique("75 deg, slides", 3e-3, 75.0, (0.0, 0.0), 0.2, 0.1),
]


def collide(
    impact: Impact, parts: int, scheme: ns.VelocityVerlet | None = None, spring: str = SPRINGS[0]
) -> Floats:
    """Velocities in the plane and r w after the impact (2, 3) [m/s], in `parts` steps an elastic impact."""
    model = ns.Model()
    for k, side in enumerate((1.0, -1.0)):
        model.add_sphere(
            radius=impact.radius[k],
            mass=impact.mass[k],
            position=(side * impact.radius[k], 0.0, 0.0),
            velocity=(*impact.velocity[k], 0.0),
            angular_velocity=(0.0, 0.0, impact.spin[k]),
        )
    pair = YOUNG, POISSON, YOUNG, POISSON
    normal = Hertz(modulus=contact_modulus(*pair), restitution=clamped_restitution(impact.beta))
    tangential = Mindlin(shear_modulus=contact_shear_modulus(*pair), mu=impact.mu, spring=spring)
    model.add(CompliantSphereSphere(model.spheres, normal=normal, tangential=tangential))
    h = impact.duration / parts
    result = simulate(model, t_end=round(LONG * parts) * h, h=h, **({"scheme": scheme} if scheme else {}))
    w = result.angular_velocity[-1, :, 2] * impact.radius
    return np.column_stack((result.velocity[-1, :, :2], w))


def rebound(restitution: float, speed: float, radius: float, parts: int = 1000) -> float:
    """Measured restitution of a sphere on a plate."""
    return -strike(0.0, speed, radius, restitution, parts)[0] / speed


def strike(angle: float, speed: float, radius: float, restitution: float, parts: int) -> tuple[float, float]:
    """Normal velocity [m/s] and spin [rad/s] of a sphere of the oxide that strikes a plate; angle [deg]."""
    young, poisson, density = OXIDE
    mass = density * 4.0 / 3.0 * np.pi * radius**3
    model = ns.Model()
    slope = np.radians(angle)
    ball = model.add_sphere(
        radius=radius,
        mass=mass,
        position=(0.0, radius, 0.0),
        velocity=speed * np.array([np.sin(slope), -np.cos(slope), 0.0]),
    )
    floor = model.add_plane(normal=(0.0, 1.0, 0.0))
    laws = hertz_mindlin(young=young, poisson=poisson, mu=plate.MU, restitution=restitution)
    model.add(CompliantSpherePlane(ball, floor, **laws))
    k = 2.0 / 3.0 * young / (1.0 - poisson**2) * radius**0.5
    h = float(2.94 * (1.25 * mass / k) ** 0.4 / (speed * np.cos(slope)) ** 0.2) / parts
    result = simulate(model, t_end=4 * parts * h, h=h, scheme=ns.VelocityVerlet(), record_every=parts)
    return -float(result.velocity[-1, 0, 1]), float(result.angular_velocity[-1, 0, 2])
