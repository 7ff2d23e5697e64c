"""The catalogue of elements: everything that acts between bodies."""

from elements.sphere_plane import SpherePlane
from elements.sphere_sphere import SphereSphere

__all__ = ["SpherePlane", "SphereSphere"]
