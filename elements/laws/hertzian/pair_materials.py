"""Numbers of materials by particle, for laws of pairs.

A number p of a law is one for all contacts, or one for each of the bodies; those of both sides are joined,

    series       1/(1/p_a + 1/p_b)            plane moduli E/(1 - nu^2): the contact modulus E*
    arithmetic   (p_a + p_b)/2                times, ranges
    harmonic     2 p_a p_b/(p_a + p_b)
    geometric    sqrt(p_a p_b)

so that a number of the last three is that of two of one material. A fixed or prescribed plane, and a
primitive that no body carries, take the number of the body at it.

Parameters of a kernel: number N of the bodies in the model, and the K numbers for all contacts, nan where
they are by particle. If N > 0 tables (K, N) of all follow, nan for bodies that have none.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, TypeVar

import numpy as np

from nsgalpha.arrays import Floats
from nsgalpha.checks import floats, number_in, positive, refuse
from nsgalpha.forces import CompiledLaw, Contact, Response
from nsgalpha.jit.decorators import kernel
from nsgalpha.model.handles import Body, Plane, handle_list

HARMONIC, ARITHMETIC, GEOMETRIC, SERIES = range(4)
RULES = ("harmonic", "arithmetic", "geometric")  # by their codes

_Law = TypeVar("_Law", bound="OfMaterials")


def _joined(one: Any, two: Any, rule: int) -> Any:
    """The number of a pair from those of its sides."""
    if rule == ARITHMETIC:
        return 0.5 * (one + two)
    if rule == GEOMETRIC:
        return math.sqrt(one * two)
    both = one * two / (one + two) if one + two != 0.0 else 0.0
    return both if rule == SERIES else 2.0 * both


joined = kernel(_joined)


@kernel
def number_of(parameters, first, count, k, rule, a, b):
    """Number `k` of `count`, from the place `first` of the parameters on, for a contact of `a` and `b`.

    nan where a body has none.
    """
    N = int(parameters[first])
    value = parameters[first + 1 + k]
    if N == 0 or not math.isnan(value):
        return value
    table = first + 1 + count + k * N
    if a >= N or a < 0:
        a, b = b, a
    if a >= N or a < 0:
        return math.nan
    one = parameters[table + a]
    return joined(one, one if b >= N or b < 0 else parameters[table + b], rule)


class OfMaterials(CompiledLaw):
    """A law with numbers by particle: NUMBERS (False: 0 is allowed), and their rules.

    Its fields are those numbers, `bodies` and, if a rule is None, `joined`.
    """

    __slots__ = ()
    NUMBERS: ClassVar[dict[str, tuple[bool, int | None]]]  # positive, rule; None: by `joined`
    bodies: Sequence[Body] | None

    def _check(self) -> None:
        """Keep bodies and numbers as they are stated, or a ValueError."""
        if self.bodies is not None:
            object.__setattr__(self, "bodies", tuple(handle_list("bodies", self.bodies, Body)))
            if not self.bodies:
                raise refuse("bodies", self.bodies, "at least one, or left out")
        for name, (strictly, _) in self.NUMBERS.items():
            object.__setattr__(self, name, self._checked(name, getattr(self, name), strictly))

    def _checked(self, name: str, value: Any, strictly: bool) -> float | tuple[float, ...]:
        kind = "positive" if strictly else "at least 0"
        array = floats(name, value, f"{kind}: a number, or one for each of `bodies`")
        if array.ndim == 0:
            single = float(array)
            return positive(name, single) if strictly else number_in(name, single, 0.0, math.inf)
        if self.bodies is None:
            raise refuse(name, value, "a number", "for one of each body say which: bodies=...")
        sound = np.isfinite(array) & ((array > 0.0) if strictly else (array >= 0.0))
        if array.shape != (len(self.bodies),) or not sound.all():
            raise refuse(name, value, f"{kind}: a number, or one for each of the {len(self.bodies)} bodies")
        return tuple(array.tolist())

    def _rule(self, rule: int | None) -> int:
        return RULES.index(getattr(self, "joined")) if rule is None else rule  # noqa: B009, a field

    @property
    def _by_particle(self) -> list[str]:
        return [name for name in self.NUMBERS if isinstance(getattr(self, name), tuple)]

    @property
    def by_body(self) -> bool:
        """True if it has to know the bodies: primitives that deform have none."""
        return bool(self._by_particle)

    def handles(self) -> Sequence[Body]:
        """The bodies that have numbers."""
        return self.bodies or ()

    def between(self: _Law, a: Body, b: Body | Plane | None = None) -> _Law:
        """The law of contacts of `a` with `b` (default: a plane), with one number of each kind.

        Raises ValueError for a body that has no numbers.
        """
        given: dict[str, Any] = {"bodies": None}
        for name in self._by_particle:
            values = [self._of(name, body) for body in (a, b) if isinstance(body, Body)]
            rule = self._rule(self.NUMBERS[name][1])
            given[name] = float(_joined(values[0], values[-1], rule))
        return replace(self, **given)  # type: ignore[type-var]

    def _of(self, name: str, body: Body) -> float:
        for k, known in enumerate(self.bodies or ()):
            if known is body:
                return float(getattr(self, name)[k])
        raise refuse("body", body.name, "one of the bodies that have numbers")

    def _single(self, name: str) -> float:
        """A number that is one for all contacts, or a ValueError."""
        value = getattr(self, name)
        if isinstance(value, tuple):
            raise refuse(name, "one for each body", "one number", "ask the law of a pair: law.between(a, b)")
        return float(value)

    def _table(self, *names: str) -> Floats:
        """The parameters of `number_of` for the `names`."""
        values = [getattr(self, name) for name in names]
        head = [math.nan if isinstance(value, tuple) else value for value in values]
        if not self.by_body or self.bodies is None:
            return np.array([0.0, *head])
        size = len(self.bodies[0].model.bodies)
        tables = np.full((len(names), size), np.nan)
        for row, value in zip(tables, values, strict=True):
            row[[body.index for body in self.bodies]] = value
        return np.concatenate([[size], head, tables.ravel()])

    def __call__(self, contact: Contact, response: Response) -> None:
        """Forces of C contacts; ValueError for a contact of a body that has no numbers."""
        self.kernel(contact, response, self.parameters)
        if self.by_body and np.isnan(response.force).any():
            refuse_unknown(self.bodies or (), contact, response)


def refuse_unknown(bodies: Sequence[Body], contact: Contact, response: Response) -> None:
    """Raises ValueError if the first contact without finite force has a body outside `bodies`."""
    row = int(np.asarray(np.isnan(response.force).any(axis=1)).argmax())
    known, model = {body.index for body in bodies}, bodies[0].model
    for k in (int(contact.a[row]), int(contact.b[row])):
        if 0 <= k < len(model.bodies) and k not in known:
            raise ValueError(
                f"bodies: {model.bodies[k].name!r} is in contact and has no numbers; give them for every "
                "body of the element"
            )
