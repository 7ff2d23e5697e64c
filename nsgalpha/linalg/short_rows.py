"""Products of blocks of three or six rows, each a vector of the processor.

A block has as many columns, and zeros that fill the vector. The compiler makes no vectors of loops over six
columns, and a product takes four times as long.
"""

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types

from nsgalpha.arrays import Floats
from nsgalpha.jit.addresses import AVAILABLE, called_by_kernels

FILLED = {3: 4, 6: 8}  # columns of a vector, by the rows of a block
_NUMBER, _INDEX = ir.DoubleType(), ir.IntType(32)
_ONCE = ("contract",)  # a product and a sum may be rounded once


def _product(size: int) -> Callable[..., None]:
    """`subtract_product` of blocks of `size` rows."""
    columns = FILLED[size]
    vector = ir.VectorType(_NUMBER, columns)
    empty, first = (
        ir.Constant(vector, ir.Undefined),
        ir.Constant(ir.VectorType(_INDEX, columns), [0] * columns),
    )

    def entry(builder: Any, data: Any, row: int, column: int) -> Any:
        """Address of an entry of the array at `data`."""
        return builder.gep(data, [ir.Constant(_INDEX, columns * row + column)])

    def address(builder: Any, data: Any, row: int) -> Any:
        """Address of a row as a vector."""
        return builder.bitcast(entry(builder, data, row, 0), vector.as_pointer())

    def load(builder: Any, place: Any) -> Any:
        found = builder.load(place)
        found.align = 8
        return found

    def spread(builder: Any, number: Any) -> Any:
        """A vector of one `number`."""
        one = builder.insert_element(empty, number, ir.Constant(_INDEX, 0))
        return builder.shuffle_vector(one, empty, first)

    @called_by_kernels
    def subtract_product(typing_context, C, A, B):
        """`C -= A B`, for arrays of blocks, or rows in the place of C and A."""

        def generate(context, builder, signature, values):
            pairs = zip(signature.args, values, strict=True)
            to, left, right = (
                context.make_array(kind)(context, builder, value).data for kind, value in pairs
            )
            rows = [load(builder, address(builder, right, k)) for k in range(size)]
            for i in range(size if C.ndim == 2 else 1):
                total = None
                for k in range(size):
                    entries = spread(builder, builder.load(entry(builder, left, i, k)))
                    product = builder.fmul(entries, rows[k], flags=_ONCE)
                    total = builder.fadd(total, product, flags=_ONCE) if k else product
                place = address(builder, to, i)
                builder.store(builder.fsub(load(builder, place), total), place).align = 8
            return context.get_dummy_value()

        return types.none(C, A, B), generate

    return subtract_product


def _product_in_python(size: int) -> Callable[..., None]:
    def subtract_product(C: Floats, A: Floats, B: Floats) -> None:
        C -= A[..., :size] @ B

    return subtract_product


#: In kernels: `C -= A B`, for arrays (size, columns), or rows (columns,) in the place of C and A.
subtract_three, subtract_six = map(_product if AVAILABLE else _product_in_python, FILLED)
