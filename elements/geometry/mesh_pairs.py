"""Bodies on meshes of triangles: sharp polytopes, or others."""

from elements.geometry.polytope_mesh import measure_mesh_features, select_mesh_features
from elements.geometry.polytope_pairs import shapes_of_pair
from elements.geometry.round_mesh import is_sphere, measure_on_mesh
from elements.geometry.round_mesh_search import select_on_mesh
from elements.geometry.scene_access import note_image
from nsgalpha.arrays import POLYTOPE
from nsgalpha.geometry.geometry_signature import geometry_kernel
from nsgalpha.jit.decorators import kernel

select_polytope = kernel(select_mesh_features)


@kernel
def _is_sharp(candidates, scene, c):
    """True if side A of candidate `c` is a polytope without a radius."""
    number, _, shape, _, _, _ = shapes_of_pair(candidates, scene, c)
    if is_sphere(scene, candidates.a[c], number):
        return False
    k = scene.shapes.solid[shape]
    return k >= 0 and scene.shapes.solids.kind[k] == POLYTOPE and scene.shapes.thickness[shape] == 0.0


def select_features_on_mesh(c, candidates, scene, keys):
    """Pairs of features of a body and a mesh that may touch."""
    if _is_sharp(candidates, scene, c):
        select_polytope(c, candidates, scene, keys)
    else:
        select_on_mesh(scene, candidates, c, keys)


@geometry_kernel(images=True, select=select_mesh_features, slots=16)
def measure_polytope_mesh(first, last, candidates, section, scene):
    """Pairs of features of convex polytopes and meshes."""
    for c in range(first, last):
        if candidates.feature[c] >= 0:
            measure_mesh_features(scene, candidates, c)
        else:
            note_image(scene, candidates, c)


@geometry_kernel(images=True, select=select_features_on_mesh, slots=16)
def measure_solid_mesh(first, last, candidates, section, scene):
    """Pairs of features of bodies of all shapes and meshes."""
    for c in range(first, last):
        if candidates.feature[c] < 0:
            note_image(scene, candidates, c)
            continue
        if _is_sharp(candidates, scene, c):
            measure_mesh_features(scene, candidates, c)
        else:
            measure_on_mesh(scene, candidates, c)
