"""Spheres inside a hollow sphere: set-valued contact. The radius of the shell is its inner one.

    d = x_A - x_B,    n = -d / |d|,    g = r_B - r_A - |d|,    p_A = -r_A n,    p_B = -r_B n

n points from the wall to the sphere, that is inwards.
"""

from collections.abc import Sequence
from typing import Unpack

import numpy as np

from elements.geometry.scene_access import CENTRE, apart
from elements.geometry.sphere_geometry import touch
from elements.law_arguments import shows
from nsgalpha.arrays import Floats, Ints, Planes
from nsgalpha.checks import refuse
from nsgalpha.geometry.geometry_signature import geometry_kernel
from nsgalpha.geometry.vector_triples import store
from nsgalpha.model.constructor_record import recorded
from nsgalpha.model.contact_element import ContactLaw, LawArguments
from nsgalpha.model.geometry_interface import Geometry
from nsgalpha.model.handles import Body, sphere_list
from nsgalpha.model.registration import offered


@geometry_kernel
def measure_sphere_in_shell(first, last, candidates, section, scene):
    """Spheres and the shells around them, hollow spheres."""
    radius = scene.shapes.radius
    for c in range(first, last):
        A, B = (CENTRE, radius[candidates.a[c]]), (CENTRE, -radius[candidates.b[c]])
        touch(c, A, B, (CENTRE, CENTRE), True, candidates, section, scene)
        if apart(scene, candidates, c) == CENTRE:  # there all normals are as good
            store((1.0, 0.0, 0.0), candidates.normal, c, 0)
            candidates.lever[c] = 0.0
            candidates.lever[c, 0, 0], candidates.lever[c, 1, 0] = -A[1], B[1]


@offered("elements")
@recorded
@shows(ContactLaw)
class SphereInShell:
    """Contact of each of `spheres` with the inside of `shell`, a body with an inner radius.

    `law`: mu, e_n, e_t, rolling_radius, drilling_radius as in `nsgalpha.model.contact_element.ContactLaw`.

    Raises the errors of ContactLaw, and ValueError if a sphere is named twice, is the shell, or does not fit
    into it.
    """

    geometry: Geometry = measure_sphere_in_shell
    ordered = True  # see OrderedPairs

    def __init__(self, spheres: Body | Sequence[Body], shell: Body, **law: Unpack[LawArguments]) -> None:
        self.law = ContactLaw(**law)
        self._spheres = sphere_list("spheres", spheres)
        if not isinstance(shell, Body):
            raise refuse("shell", shell, "a Body handle, as returned by the model")
        (self._shell,) = sphere_list("shell", shell)
        for sphere in self._spheres:
            if sphere.radius >= shell.radius:  # the shell itself is caught here as well
                raise ValueError(
                    f"spheres, shell: {sphere.name!r} with radius {sphere.radius:g} m does not fit into "
                    f"{shell.name!r} with the inner radius {shell.radius:g} m; leave it out"
                )

    def shared_pair(self, other: "SphereInShell") -> tuple[str, str] | None:
        """The names of a sphere and a shell in common with `other`, or None."""
        if self._shell is other._shell:
            for sphere in self._spheres:
                if any(sphere is one for one in other._spheres):
                    return sphere.name, self._shell.name
        return None

    def handles(self) -> Sequence[Body]:
        """The spheres and the shell."""
        return [*self._spheres, self._shell]

    def candidates(self, x: Floats, radius: Floats, planes: Planes, reach: float) -> tuple[Ints, Ints, Ints]:
        """Spheres nearer to the wall than `reach` [m]."""
        a = np.array([sphere.index for sphere in self._spheres], np.int64)
        j = self._shell.index
        a = a[radius[j] - radius[a] - np.linalg.norm(x[a] - x[j], axis=1) < reach]
        return a, np.full_like(a, j), np.full_like(a, -1)
