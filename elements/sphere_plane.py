"""Spheres against planes: set-valued contact. A plane is fixed, prescribed or carried by a body.

    n = R N,   g = n . (x_A - x_B) - d - r,   p_A = -r n,   p_B = x_A + p_A - g n - x_B

with the plane `N . X = d` in the frame (x_B, R) that carries it; the contact point lies on the plane
(docs/theory.md, section 4).
"""

from collections.abc import Callable, Sequence

import numpy as np

from elements.signatures import shows
from nsgalpha.arrays import Floats, Ints, Planes
from nsgalpha.compiled import kernel
from nsgalpha.model.element import ContactLaw, geometry_kernel
from nsgalpha.model.handles import Body, Plane, handle_list, sphere_list
from nsgalpha.model.stated import remembers
from nsgalpha.stepping.rotation import to_inertial


@kernel
def touch_plane(c, arm, r, candidates, planes, motion):
    """Candidate `c`, a sphere with the radius `r` around the point `arm` off the centre of its body."""
    i, j, p = candidates.a[c], candidates.b[c], candidates.plane[c]
    x, n, lever = motion.x, candidates.normal[c], candidates.lever
    to_inertial(motion.q[j], planes.normal[p], n)
    height = -planes.offset[p] - r
    for k in range(3):
        height += n[k] * (x[i, k] - x[j, k] + arm[k])
    candidates.gap[c] = height
    for k in range(3):
        lever[c, 0, k] = arm[k] - r * n[k]
        lever[c, 1, k] = x[i, k] - x[j, k] + arm[k] - (r + height) * n[k]


@geometry_kernel
def measure_sphere_plane(first, last, candidates, bodies, planes, motion):
    """Gap, normal and levers of spheres and planes."""
    for c in range(first, last):
        touch_plane(c, (0.0, 0.0, 0.0), bodies.radius[candidates.a[c]], candidates, planes, motion)


@remembers
@shows(ContactLaw)
class SpherePlane:
    """Contact of every one of `spheres` with every one of `planes` (one plane or several).

    `law`: mu, e_n, e_t, rolling_radius, drilling_radius as in `nsgalpha.model.element.ContactLaw`.

    Raises what ContactLaw does, and ValueError if a body or plane is named twice, or a sphere
    meets a plane that it carries itself.

    >>> model = ns.Model(gravity=(0, 0, -10))
    >>> ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0.1), velocity=(7, 0, 0))
    >>> element = model.add(SpherePlane(ball, model.add_plane(normal=(0, 0, 1)), mu=0.5))
    >>> result = ns.simulate(model, t_end=1.0, h=0.01)
    >>> result.velocity[-1, ball].round(9)  # it rolls, with 5/7 of its speed
    array([5., 0., 0.])
    """

    def __init__(
        self,
        spheres: Body | Sequence[Body],
        planes: Plane | Sequence[Plane],
        **law: float,
    ) -> None:
        self.law = ContactLaw(**law)
        self._spheres = sphere_list("spheres", spheres)
        self._planes = handle_list("planes", planes, Plane)
        for plane in self._planes:
            if any(plane.body is sphere for sphere in self._spheres):
                raise ValueError(
                    f"spheres: the body that carries {plane.name!r} is among them; "
                    "a body has no contact with itself, leave it out"
                )

    @property
    def geometry(self) -> Callable[..., None]:
        """The compiled measuring function."""
        return measure_sphere_plane

    def shared_pair(self, other: "SpherePlane") -> tuple[str, str] | None:
        """Names of a sphere and a plane that `other` has too; None if there are none."""
        for sphere in self._spheres:
            for plane in self._planes:
                if any(sphere is s for s in other._spheres) and any(plane is p for p in other._planes):
                    return sphere.name, plane.name
        return None

    def handles(self) -> Sequence[Body | Plane]:
        """The spheres and planes of the element."""
        return [*self._spheres, *self._planes]

    def candidates(self, x: Floats, radius: Floats, planes: Planes, reach: float) -> tuple[Ints, Ints, Ints]:
        """Every sphere with every plane: they are few, and planes have no end."""
        spheres = np.array([body.index for body in self._spheres], np.int64)
        chosen = np.array([plane.index for plane in self._planes], np.int64)
        which = np.tile(chosen, len(spheres))
        return np.repeat(spheres, len(chosen)), planes.body[which], which
