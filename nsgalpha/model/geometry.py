"""The signature of compiled geometries: functions that measure a run of candidates."""

import numba as nb

from nsgalpha.arrays import empty_motion, no_candidates, no_planes, no_shapes
from nsgalpha.compiled import compiler

_motion = empty_motion(0)

#: Signature of a compiled geometry, `geometry(first, last, candidates, shapes, planes, x, q)`: measure the
#: candidates `first` to `last` - 1 at the pose `x`, `q`. It writes their gap [m], unit normal from B to A,
#: levers [m] (see kinematics.py), and their length [m], unless that is the radius of body A.
#: Functions of one signature can be handed to the cached kernels as arguments.
GEOMETRY = nb.void(
    nb.int64,
    nb.int64,
    *(nb.typeof(table) for table in (no_candidates(), no_shapes(), no_planes(), _motion.x, _motion.q)),
)

#: Decorator of a geometry, compiled where it is defined and kept in the cache; it makes no arrays.
geometry_kernel = compiler(GEOMETRY, _nrt=False)
