"""Products of blocks of six rows, each of them in one vector of the processor.

Blocks have six columns, and two of zeros that fill the vector. The compiler makes no vectors of loops over
six columns, and a product takes four times as long.
"""

from typing import Any

from llvmlite import ir
from numba import types

from nsgalpha.arrays import Floats
from nsgalpha.jit.addresses import AVAILABLE, called_by_kernels

ROWS, COLUMNS = 6, 8
_NUMBER, _INDEX = ir.DoubleType(), ir.IntType(32)
_VECTOR, _FIRST = ir.VectorType(_NUMBER, COLUMNS), ir.VectorType(_INDEX, COLUMNS)
_ONCE = ("contract",)  # a product and a sum may be rounded once


@called_by_kernels
def _subtract_product(typing_context, C, A, B):
    """The code of `subtract_product`."""

    def generate(context, builder, signature, values):
        pairs = zip(signature.args, values, strict=True)
        to, left, right = (context.make_array(kind)(context, builder, value).data for kind, value in pairs)
        rows = [_load(builder, _row(builder, right, k)) for k in range(ROWS)]
        for i in range(ROWS if C.ndim == 2 else 1):
            total = None
            for k in range(ROWS):
                entries = _spread(builder, builder.load(_entry(builder, left, i, k)))
                product = builder.fmul(entries, rows[k], flags=_ONCE)
                total = builder.fadd(total, product, flags=_ONCE) if k else product
            place = _row(builder, to, i)
            builder.store(builder.fsub(_load(builder, place), total), place).align = 8
        return context.get_dummy_value()

    return types.none(C, A, B), generate


def _entry(builder: Any, data: Any, row: int, column: int) -> Any:
    """Address of an entry of the array at `data`."""
    return builder.gep(data, [ir.Constant(_INDEX, COLUMNS * row + column)])


def _row(builder: Any, data: Any, row: int) -> Any:
    """Address of a row as a vector."""
    return builder.bitcast(_entry(builder, data, row, 0), _VECTOR.as_pointer())


def _load(builder: Any, address: Any) -> Any:
    found = builder.load(address)
    found.align = 8
    return found


def _spread(builder: Any, number: Any) -> Any:
    """A vector of one `number`."""
    empty = ir.Constant(_VECTOR, ir.Undefined)
    one = builder.insert_element(empty, number, ir.Constant(_INDEX, 0))
    return builder.shuffle_vector(one, empty, ir.Constant(_FIRST, [0] * COLUMNS))


def _subtract_product_in_python(C: Floats, A: Floats, B: Floats) -> None:
    C -= A[..., :ROWS] @ B


#: In kernels: `C -= A B`, for arrays (6, 8), or rows (8,) in the place of `C` and `A`.
subtract_product: Any = _subtract_product if AVAILABLE else _subtract_product_in_python
