"""Two convex solids: polytopes, or a cylinder and a polytope."""

from elements.geometry.cylinder_polytope import measure_cylinder, select_cylinder
from elements.geometry.polytope_pairs import measure_polytope_features, select_features, solids_of_pair
from nsgalpha.arrays import POLYTOPE
from nsgalpha.geometry.geometry_signature import geometry_kernel
from nsgalpha.jit.decorators import kernel

select_polytopes = kernel(select_features)


@kernel
def _are_polytopes(candidates, scene, c):
    """True if candidate `c` is one of two polytopes."""
    _, _, k, m, _, _ = solids_of_pair(candidates, scene, c)
    kind = scene.shapes.solids.kind
    return kind[k] == POLYTOPE and kind[m] == POLYTOPE


def select_solid_features(c, candidates, scene, keys):
    """Pairs of features of two solids that may touch."""
    if _are_polytopes(candidates, scene, c):
        select_polytopes(c, candidates, scene, keys)
    else:
        select_cylinder(scene, candidates, c, keys)


@geometry_kernel(select=select_solid_features, slots=28)
def measure_solids(first, last, candidates, section, scene):
    """Pairs of features of convex solids."""
    for c in range(first, last):
        if candidates.feature[c] < 0:
            continue
        if _are_polytopes(candidates, scene, c):
            measure_polytope_features(scene, candidates, c)
        else:
            measure_cylinder(scene, candidates, c)
