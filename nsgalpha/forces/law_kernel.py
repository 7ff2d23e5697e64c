"""Laws whose kernel the compiled loops can call without a return to Python.

    @law_kernel
    def spring(contact, response, p):
        for c in range(contact.overlap.shape[0]):
            response.force[c, 0] = p[0] * contact.overlap[c]
            response.by_overlap[c, 0] = p[0]

A law that has such a function as its attribute `kernel`, and numbers p as its attribute `parameters`,
runs in the compiled loop; called from Python it is `kernel(contact, response, parameters)`. Any other
law(contact, response) runs as well, at the speed of Python. A kernel sees the contacts of an element in
blocks. A law with the attribute `whole = True`, such as one that uses `pair`, sees all at once. With
`by_pair = True` as well it sees all of each pair at once. All kernels have the one signature `LAW`, so that
numba takes them for values of one function type, as the geometries (docs/design/kernels.md).
"""

from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any, Protocol, runtime_checkable

import numba as nb
import numpy as np

from nsgalpha import checks
from nsgalpha.arrays import Floats
from nsgalpha.jit.addresses import Deferred
from nsgalpha.model.compliant_law import Contact, Response

_scalar = nb.float64[::1]
_table = nb.float64[:, ::1]
_block = nb.float64[:, :, ::1]
_numbers = nb.int64[::1]
_particle = (_scalar, _scalar, nb.float64, _scalar, _numbers, _scalar, _scalar, _scalar, _numbers, _numbers)
_contact = (_scalar, _table, _table, _scalar, _table, *_particle, _scalar, _scalar)
_response = (_table, _table, _table, _block, _block, _scalar, _table)

#: Signature of a compiled law: contact, response, parameters (k,).
LAW = nb.void(nb.types.NamedTuple(_contact, Contact), nb.types.NamedTuple(_response, Response), _scalar)


class LawKernel(Deferred):
    """A function (contact, response, parameters), compiled when it is used for the first time."""

    def __init__(self, function: Callable[[Contact, Response, Any], None]) -> None:
        super().__init__(LAW, checks.function("function", function, "a function of three arguments"))

    def __call__(self, contact: Contact, response: Response, parameters: Sequence[float] | Floats) -> None:
        """Fill in the `response` of C contacts."""
        self.function(contact, response, np.array(parameters, float))


law_kernel = LawKernel


@runtime_checkable
class CompiledLaw(Protocol):
    """A law that the compiled loop can call. A parameter set that inherits it has but to name its kernel."""

    __slots__ = ()
    kernel: LawKernel

    @property
    def parameters(self) -> Sequence[float] | Floats:
        """The numbers that the kernel gets: the fields of a parameter set, in their order."""
        return tuple(getattr(self, each.name) for each in fields(self))  # type: ignore[arg-type]

    def __call__(self, contact: Contact, response: Response) -> None:
        """Fill the `response` of C contacts."""
        self.kernel(contact, response, self.parameters)
