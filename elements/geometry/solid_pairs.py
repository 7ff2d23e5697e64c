"""Two convex solids: sharp polytopes, or others."""

from elements.geometry.polytope_pairs import measure_polytope_features, select_features, solids_of_pair
from elements.geometry.revolved_pairs import measure_revolved, select_revolved
from elements.geometry.scene_access import note_image
from nsgalpha.arrays import POLYTOPE
from nsgalpha.geometry.geometry_signature import geometry_kernel
from nsgalpha.jit.decorators import kernel

select_polytopes = kernel(select_features)


@kernel
def _are_sharp(candidates, scene, c):
    """True if candidate `c` is one of two polytopes without a radius."""
    number_a, number_b, k, m, _, _ = solids_of_pair(candidates, scene, c)
    shapes, a, b = scene.shapes, candidates.a[c], candidates.b[c]
    if shapes.solids.kind[k] != POLYTOPE or shapes.solids.kind[m] != POLYTOPE:
        return False
    return shapes.thickness[shapes.first[a] + number_a] + shapes.thickness[shapes.first[b] + number_b] == 0.0


def select_solid_features(c, candidates, scene, keys):
    """Pairs of features of two solids that may touch."""
    if _are_sharp(candidates, scene, c):
        select_polytopes(c, candidates, scene, keys)
    else:
        select_revolved(scene, candidates, c, keys)


@geometry_kernel(images=True, select=select_solid_features, slots=28)
def measure_solids(first, last, candidates, section, scene):
    """Pairs of features of convex solids."""
    for c in range(first, last):
        if candidates.feature[c] < 0:
            note_image(scene, candidates, c)
            continue
        if _are_sharp(candidates, scene, c):
            measure_polytope_features(scene, candidates, c)
        else:
            measure_revolved(scene, candidates, c)
