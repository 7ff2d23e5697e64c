r"""Tippe top

A ball with a stem, two spheres on one body, whose centre of mass lies below the centre of the large one. Spun
fast about its axis it turns over and continues to spin on its stem, with its centre of mass raised. Friction
at the point of contact slows the spin and lifts the top.

The force of the floor acts at the point of contact. About the centre of mass it has no moment along the line
from there, $r = R(\alpha\, \hat 3 - \hat z)$. Hence *Jellett's integral* $L \cdot r$ stays constant while the
top stands on one sphere, however it slides or hops.

Friction grows with the slip up to 0.1 m/s, as on a greased floor. On a dry one that holds the point of
contact the top soon rolls, loses nothing any more, and stays upright. Where the two spheres touch is said
in a dozen lines of geometry: this is how any contact is added.

To look at: the top turns over. Seen from above it continues to spin the same way; about its own axis
it has then stopped and reversed.
"""

from typing import Any

import numpy as np

import nsgalpha as ns
from elements import Compliant, RegularisedCoulomb, SpringDashpot
from elements.geometry.sphere_geometry import touch_plane
from nsgalpha import show
from nsgalpha.arrays import Floats, Ints, Planes
from nsgalpha.geometry.geometry_signature import geometry_kernel
from nsgalpha.geometry.rotations import turned
from nsgalpha.model.handles import Body, Plane
from nsgalpha.show.figure_style import COLOURS, Figure, label, new_figure
from verification.example import main, paint
from verification.outcome import Row
from verification.run import simulate

MASS, RADIUS, GRAVITY = 0.02, 0.02, 9.82  # [kg], [m], [m/s^2]
ALPHA = 0.3  # height of the centre of the ball over the centre of mass, over the radius
STEM, STEM_RADIUS = 1.3 * RADIUS, 0.3 * RADIUS  # [m] height of its centre over the centre of mass
INERTIA = MASS * RADIUS**2 * np.array([131.0 / 350.0, 131.0 / 350.0, 2.0 / 5.0])  # [kg m^2]
SPIN, LEAN, MU, ZONE = 250.0, 0.1, 0.3, 0.1  # [rad/s], [rad], [-], [m/s]
STIFFNESS, DAMPING = 5e3, 2.0  # [N/m], [N s/m] of the floor
H = 1e-4  # [s]


@geometry_kernel
def measure_ball(first, last, candidates, section, scene):
    """The ball and planes."""
    for c in range(first, last):
        arm = turned(scene.q[candidates.a[c]], (0.0, 0.0, ALPHA * RADIUS))
        touch_plane(c, arm, RADIUS, candidates, scene.planes, scene.x, scene.q)


@geometry_kernel
def measure_stem(first, last, candidates, section, scene):
    """The end of the stem and planes."""
    for c in range(first, last):
        arm = turned(scene.q[candidates.a[c]], (0.0, 0.0, STEM))
        touch_plane(c, arm, STEM_RADIUS, candidates, scene.planes, scene.x, scene.q)


class SphereOnAxis:
    """A sphere on the axis of the body `top` and the `floor`: a pair for compliant contact."""

    def __init__(self, top: Body, floor: Plane, geometry: Any) -> None:
        self.top, self.floor, self.geometry = top, floor, geometry

    def handles(self) -> list[Body | Plane]:
        """The two."""
        return [self.top, self.floor]

    def shared_pair(self, other: "SphereOnAxis") -> tuple[str, str] | None:
        """Both, if `other` is of the same top."""
        return (self.top.name, self.floor.name) if self.top is other.top else None

    def candidates(self, x: Floats, radius: Floats, planes: Planes, reach: float) -> tuple[Ints, Ints, Ints]:
        """The one pair, at any distance."""
        return np.array([self.top.index]), planes.body[[self.floor.index]], np.array([self.floor.index])


def build(spin: float = SPIN, mu: float = MU) -> ns.Model:
    """The top on the floor, leaning by LEAN; its radius sets tolerances."""
    model = ns.Model(gravity=(0.0, 0.0, -GRAVITY))
    axis = np.array([np.sin(LEAN), 0.0, np.cos(LEAN)])
    top = model.add_sphere(
        radius=0.1 * RADIUS,
        mass=MASS,
        inertia=INERTIA,
        position=(0.0, 0.0, RADIUS - ALPHA * RADIUS * axis[2]),
        rotation=(np.cos(0.5 * LEAN), 0.0, np.sin(0.5 * LEAN), 0.0),
        angular_velocity=spin * axis,
    )
    for height, radius in ((ALPHA * RADIUS, RADIUS), (STEM, STEM_RADIUS)):
        model.add_primitive([(0.0, 0.0, height)], radius=radius, carrier=top)  # visible part
    floor = model.add_plane(normal=(0.0, 0.0, 1.0))
    normal = SpringDashpot(stiffness=STIFFNESS, damping=DAMPING)
    friction = RegularisedCoulomb(mu=mu, velocity_zone=ZONE)
    for geometry in (measure_ball, measure_stem):
        model.add(Compliant(SphereOnAxis(top, floor, geometry), normal=normal, tangential=friction))
    return model


def run(spin: float = SPIN, mu: float = MU) -> ns.Result:
    """Until it has turned over."""
    return simulate(build(spin, mu), t_end=3.0, h=H, scheme=ns.VelocityVerlet(), record_every=50)


def axis_of(result: ns.Result) -> np.ndarray:
    """The axis of the top (n, 3), inertial."""
    s, x, y, z = np.asarray(result.rotation[:, 0]).T
    return np.stack([2.0 * (x * z + s * y), 2.0 * (y * z - s * x), 1.0 - 2.0 * (x * x + y * y)], axis=1)


def jellett(result: ns.Result) -> np.ndarray:
    """L . r (n,) [N m s m] of the point of contact of the ball."""
    lever = RADIUS * (ALPHA * axis_of(result) - np.array([0.0, 0.0, 1.0]))
    return np.einsum("ni,ni->n", result.angular_momentum()[:, 0], lever)


def check(result: ns.Result) -> list[Row]:
    """Jellett's integral until the stem touches, to overlap over radius; final pose on the stem."""
    axis, integral = axis_of(result)[:, 2], jellett(result)
    reach = -(1.0 - STEM_RADIUS / RADIUS) / (STEM / RADIUS - ALPHA)  # cosine where the stem touches
    alone = slice(0, int(np.argmax(axis < 0.9 * reach)))
    standing = STEM + STEM_RADIUS - MASS * GRAVITY / STIFFNESS
    change = np.abs(integral[alone] / integral[0] - 1.0).max()
    return [
        Row("axis at the end, upwards", "-", -1.0, axis[-1], 0.01),
        Row("height of the centre of mass at the end", "m", standing, result.position[-1, 0, 2], 1e-4),
        Row("Jellett's integral, largest change", "-", 0.0, change, 5e-3),
    ]


def figure(result: ns.Result) -> Figure:
    """The top at four times, and its axis, spins and integral."""
    drawn, axes = new_figure(2, 4, size=(9.6, 5.0))
    axis = axis_of(result)
    for panel, height in zip(axes[0], (0.99, 0.5, -0.3, -0.999), strict=True):
        at = int(np.argmax(axis[:, 2] < height))
        x, y, _ = result.position[at, 0]
        camera = show.Camera((x, y - 0.22, 0.1), (x, y, 0.018))
        paint(panel, result, camera, t=result.t[at], size=(480, 480))
        panel.set_title(f"t = {result.t[at]:.2f} s", fontsize=9)
    for panel in axes[1]:
        panel.remove()
    below = drawn.add_subplot(axes[1, 0].get_gridspec()[1, :])
    spin = np.einsum("ni,ni->n", result.angular_velocity[:, 0], axis)
    for value, name in (
        (axis[:, 2], "axis, upwards"),
        (spin / spin[0], "spin about the axis / first"),
        (jellett(result) / jellett(result)[0], "Jellett's integral / first"),
    ):
        below.plot(result.t, value, color=COLOURS[len(below.lines)], label=name)
    label(below, "t [s]", "", legend="lower left")
    return drawn


if __name__ == "__main__":
    main(__file__)
