"""Geometries of contact between primitives: overlap, normal, point, weights, radii, contact fraction.

    contacts = measured(measure_capsule_sphere, primitives(ends, 0.01), primitives(centres, 0.02))

Set-valued and compliant elements measure with the same. Formulas: docs/design/geometries.md.
"""

from elements.geometry.capsule_geometry import (
    measure_capsule_capsule,
    measure_capsule_parts,
    measure_capsule_sphere,
)
from elements.geometry.cylinder_geometry import measure_cylinder_sphere, measure_disk_sphere
from elements.geometry.polygon_capsule import measure_polygon_capsule
from elements.geometry.polygon_polygon import measure_polygon_polygon, overlap_at_position, polygon_patches
from elements.geometry.polygon_sphere import measure_polygon_sphere
from elements.geometry.scene_access import measured, primitives
from elements.geometry.sphere_geometry import measure_sphere_sphere

__all__ = [
    "measure_capsule_capsule",
    "measure_capsule_parts",
    "measure_capsule_sphere",
    "measure_cylinder_sphere",
    "measure_disk_sphere",
    "measure_polygon_capsule",
    "measure_polygon_polygon",
    "measure_polygon_sphere",
    "measure_sphere_sphere",
    "measured",
    "overlap_at_position",
    "polygon_patches",
    "primitives",
]
