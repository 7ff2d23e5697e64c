"""The signature of compiled geometries: functions that measure a run of candidate pairs."""

import numba as nb

from nsgalpha.compiled import compiler

_index = nb.int64[::1]
_scalar = nb.float64[::1]
_table = nb.float64[:, ::1]

#: Signature of a compiled geometry: measure the candidates `first` to
#: `last` - 1, which are pairs of the bodies `a`, `b` and the plane `plane`, at the pose `x`, `q`; write
#: gap [m], unit normal from B to A, and levers [m] (see kinematics.py). Functions of one signature
#: can be handed to the cached kernels as arguments.
GEOMETRY = nb.void(
    nb.int64,  # first
    nb.int64,  # last
    _index,  # a
    _index,  # b
    _index,  # plane
    _table,  # normals of the planes, body frame
    _scalar,  # offsets of the planes
    _scalar,  # radius of the bodies
    _table,  # x
    _table,  # q
    _scalar,  # out: gap
    _table,  # out: normal
    nb.float64[:, :, ::1],  # out: lever
)

#: Decorator of a geometry, compiled where it is defined and kept in the cache.
geometry_kernel = compiler(GEOMETRY)
