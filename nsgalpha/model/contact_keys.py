"""Keys of contacts: the shapes and features of both sides in 64 bits.

    key = ((shape_a 2^19 + feature_a) 2^12 + shape_b) 2^19 + feature_b

Shapes are numbered on their bodies (carried_shapes.py), features on their shapes, by the geometry. A sphere,
a plane and a polygon have the feature 0 alone. Of a capsule 0 and 1 are the ends, and 2 is the axis. A solid
beside an axis has the colour of an edge (docs/design/contact-identity.md). Contacts of elements that number
them have these numbers as keys.
"""

from __future__ import annotations

from typing import Any

SHAPE_BITS, FEATURE_BITS = 12, 19
MOST_SHAPES, MOST_FEATURES = 1 << SHAPE_BITS, 1 << FEATURE_BITS  # of a body; of a shape
SIDE_BITS = SHAPE_BITS + FEATURE_BITS
KEYS = 1 << 2 * SIDE_BITS  # they are below


def contact_key(shape_a: Any, feature_a: Any, shape_b: Any, feature_b: Any) -> Any:
    """The key of numbers, or arrays of them."""
    side_a, side_b = (shape_a << FEATURE_BITS) + feature_a, (shape_b << FEATURE_BITS) + feature_b
    return (side_a << SIDE_BITS) + side_b


def key_parts(key: Any) -> tuple[Any, Any, Any, Any]:
    """Shape and feature of A, shape and feature of B, of a key or array."""
    shape_a, feature_a = key >> SIDE_BITS + FEATURE_BITS, (key >> SIDE_BITS) & (MOST_FEATURES - 1)
    return shape_a, feature_a, (key >> FEATURE_BITS) & (MOST_SHAPES - 1), key & (MOST_FEATURES - 1)
