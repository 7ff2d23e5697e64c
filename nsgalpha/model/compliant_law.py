"""The interface of compliant laws: local arrays in, local forces and their derivatives out.

A law acts in m of the six components of a contact, whose rows are

    0 normal    1, 2 sliding    3, 4 rolling    5 twisting

It is a function `law(contact, response)` that reads a `Contact` and fills a `Response`, whose arrays are zero
on entry. In numpy or compiled, it sees C contacts at once and knows nothing of bodies. A law states its
further properties by attributes, those of `Traits`. A law that keeps handles of bodies returns them by a
method `handles()`.

`CompliantLaw` puts laws of single components together. The friction laws see the normal force and give their
derivative by it; the chain rule through the normal law is here:

    df/dd = (df/dd) + (df/df_n) (df_n/dd),    the same for rates and increments
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypedDict

import numpy as np

from nsgalpha.arrays import Floats, Ints
from nsgalpha.checks import choice, either, function, integer, number, number_in, refuse, unknown

SENSES = 6
MOST = 10_000  # most history variables of a law for a contact
INSTANT = 1e-300  # step [s] of an evaluation in which no time passes; laws may divide by it
ROWS = {
    "normal": (0, 1),
    "tangential": (1, 3),
    "rolling": (3, 5),
    "twisting": (5, 6),
    "contact": (0, 6),
    "bond": (0, 6),
}
SIDES = {"both": (1.0, 1.0), "a": (1.0, 0.0), "b": (0.0, 1.0)}  # parts of the force that A and B feel


class Contact(NamedTuple):
    """C contacts as a law sees them, in m rows and the contact's frame.

    Forces act on side A, rates are those of A relative to B: a normal rate > 0 separates.
    """

    overlap: Floats  # (C,) d = -gap [m]
    rate: Floats  # (C, m) at the end of the step [m/s, rad/s]
    increment: Floats  # (C, m) displacement over the step [m, rad]; h times the mean rate
    normal: Floats  # (C,) normal force of the law before, > 0 pushes apart [N]; 0 for the normal law
    history: Floats  # (C, k) at the start of the step, 0 for a new contact
    radius: Floats  # (C,) effective radius 1 / (1/r_A + 1/r_B) [m]; r_A at a plane
    mass: Floats  # (C,) effective mass 1 / (1/m_A + 1/m_B) [kg]
    h: float  # step [s]
    branch: Floats  # (C,) distance of the centres when the bodies just touch, r_A at a plane [m]
    pair: Ints  # (C,) the same number for all contacts of the same two bodies; the ground is one
    radius_a: Floats  # (C,) radius of A [m], < 0 where A is hollow; that of B is branch - radius_a where both
    # are spheres; where one side is flat, radius and branch are those of the round one, as at a plane
    fraction: Floats  # (C,) part of the contact circle that lies on the face of B, 1 on a whole surface
    area: Floats  # (C,) of contact [m^2]: pi R d of round surfaces, or its part; the common area of two faces
    a: Ints  # (C,) number of body A in the model, or of that which carries the primitive A; frames that are
    # no bodies have numbers beyond those, primitives that deform have -1
    b: Ints  # (C,) of body B, or of the carrier of the plane or the primitive
    crossing: Floats  # (C,) (t_A . t_B)(t_A x t_B) . n of unit axes where hulls of capsules meet, else 0
    mean_square: Floats  # (C,) of the overlaps of two solids, over that of their four contacts; else 1


class Response(NamedTuple):
    """The answer of a law; derivatives are partial, with the other arguments held."""

    force: Floats  # (C, m) on A [N, N m]
    by_overlap: Floats  # (C, m)
    by_normal: Floats  # (C, m) by the normal force
    by_rate: Floats  # (C, m, m) [row of the force, row of the rate]
    by_increment: Floats  # (C, m, m)
    energy: Floats  # (C,) stored energy that can be returned [J]
    history: Floats  # (C, k) at the end of the step, kept if the step is accepted


Law = Callable[[Contact, Response], None]
OneOrMore = Law | Sequence[Law] | None


def round_area(radius: Floats, overlap: Floats) -> Floats:
    """Area of contact of round surfaces, `pi R d` [m^2] (C,); 0 where they are apart."""
    return np.pi * radius * np.maximum(overlap, 0.0)


def no_response(count: int, rows: int, history: int) -> Response:
    """A `Response` of zeros for `count` contacts."""
    force, by_overlap, by_normal = np.zeros((3, count, rows))
    by_rate, by_increment = np.zeros((2, count, rows, rows))
    memory = np.zeros(count), np.zeros((count, history))
    return Response(force, by_overlap, by_normal, by_rate, by_increment, *memory)


def _listed(laws: OneOrMore) -> Sequence[Any]:
    """The laws of one component."""
    if laws is None:
        return ()
    return laws if isinstance(laws, (list, tuple)) else (laws,)


def _called(law: Any) -> str:
    """Name of a law, for messages."""
    return getattr(law, "__name__", type(law).__name__)


class Traits(NamedTuple):
    """Optional attributes of a law, with their defaults."""

    senses: tuple[str, ...] | str | None = None  # places of `CompliantLaw` it is made for; None: any
    history: int = 0  # numbers that it keeps for a contact
    reach: float = 0.0  # gap [m] up to which it acts; bodies of an infinite one are never apart
    holds_apart: bool = False  # it acts across a gap that depends on the bodies: its element needs a reach
    stiffest: float | None = None  # slope [N/m] for the step of explicit runs; None: that at small overlaps
    flows: bool = False  # its force changes with time alone
    whole: bool = False  # its kernel sees all contacts of an element at once
    by_pair: bool = False  # of these it needs those of the same pair alone
    by_body: bool = False  # it reads the numbers of bodies
    holds: int | None = None  # column of its history that is > 0 where the pair is kept at any distance
    work_columns: tuple[int, int] | None = None  # of the history: viscous and plastic work since touch
    history_variables: tuple[str, ...] = ()  # names of the columns of its history, for outputs
    energy_known: bool = False  # it gives back no more than its energy, and puts none in
    resets: bool = False  # takes away the forces of all laws that are evaluated before it


def traits_of(law: Any) -> Traits:
    """The attributes of a `law`, a function or an object."""
    return Traits._make(getattr(law, name, value) for name, value in Traits._field_defaults.items())


def _check_place(name: str, law: Any) -> None:
    """ValueError if the `law` says that it is not made for the place `name`."""
    stated = traits_of(law).senses
    if stated is None:
        return
    senses = stated if isinstance(stated, tuple) else (stated,)
    for sense in senses:
        choice(f"senses of {_called(law)}", sense, tuple(ROWS))
    if name not in senses:
        raise refuse(name, law, f"a law for {name}", f"{_called(law)} is for {either(senses)}")


def memory_of(law: Any) -> int:
    """Number of history variables of a law for a contact."""
    return integer(f"history of {_called(law)}", traits_of(law).history, 0, MOST)


class Laws(TypedDict, total=False):
    """Arguments of `CompliantLaw`, and of all compliant elements."""

    normal: OneOrMore
    tangential: OneOrMore
    rolling: OneOrMore
    twisting: OneOrMore
    contact: OneOrMore
    bond: OneOrMore
    reach: float
    acts_on: str


class CompliantLaw:
    """Laws of single components as one law of six rows; each optional, or a list.

    normal: force along the normal, 1 row: ExudynNormal, ExudynImpact, ExudynPlastic, SpringDashpot,
    LudingNormal, Hertz, JKR, ... of `elements`, or a function of your own.
    tangential: sliding, 2 rows; rolling: couple about the tangents, 2 rows; twisting: couple about the
    normal, 1 row: RegularisedCoulomb, CundallStrack, HaffWerner, LudingFriction. They see the normal force.
    contact, bond: laws of all six rows, RockableDefault, RockableAvalanche, StickedLinks; they are added
    before the friction laws see the normal force. reach [m] >= 0, default 0: gap up to which the laws are
    evaluated. Beyond it a contact has no force and loses its history, unless a law bonds it: an intact bond,
    two halves of a dividing cell. Needed by laws that hold bodies that are apart; never less than a law's
    own.
    acts_on: "both" sides (default), or "a" or "b" alone. The other side then feels nothing: momentum and
    energy are not conserved, and matrices of implicit schemes are not symmetric.

    Raises ValueError if there is no law, one cannot be called or is not for its place, or two of them bond
    their pairs. Also raises it for a negative reach, or a zero one where a law needs it. Raises TypeError for
    an unknown argument.
    """

    def __init__(
        self,
        *,
        normal: OneOrMore = None,
        tangential: OneOrMore = None,
        rolling: OneOrMore = None,
        twisting: OneOrMore = None,
        contact: OneOrMore = None,
        bond: OneOrMore = None,
        reach: float = 0.0,
        acts_on: str = "both",
        **others: Any,
    ) -> None:
        for name in others:
            raise unknown("CompliantLaw", name, list(Laws.__annotations__))
        whole = {"normal": normal, "contact": contact, "bond": bond}
        given = whole | {"tangential": tangential, "rolling": rolling, "twisting": twisting}
        self.reach = number_in("reach", reach, 0.0, np.inf, remedy="it is a length in metres")
        self.on = SIDES[choice("acts_on", acts_on, tuple(SIDES))]
        self.parts: list[tuple[Law, int, int]] = []
        self.traits: list[Traits] = []  # of the parts
        for name, law in ((name, law) for name, laws in given.items() for law in _listed(laws)):
            function(name, law, "a law: an object of one, or a function law(contact, response)")
            _check_place(name, law)
            traits = traits_of(law)
            own = number(f"reach of {_called(law)}", traits.reach)
            if traits.holds_apart and self.reach == 0.0:
                remedy = f"{_called(law)} acts between bodies that are apart: give the gap up to which"
                raise refuse("reach", reach, "positive", remedy)
            self.reach = max(self.reach, own)
            self.parts.append((law, *ROWS[name]))
            self.traits.append(traits)
        if not self.parts:
            raise ValueError("normal: no law is given; a contact needs at least one")
        self.memory = [memory_of(law) for law, _, _ in self.parts]
        self.history = sum(self.memory)
        starts = np.cumsum([0, *self.memory])
        holding = [int(k) + t.holds for k, t in zip(starts, self.traits, strict=False) if t.holds is not None]
        if len(holding) > 1:
            raise ValueError("normal, bond: two laws hold their pairs at any distance; make two elements")
        self.holds = holding[0] if holding else -1  # column of the history that is > 0 where a pair is kept

    def __call__(self, contact: Contact, response: Response) -> None:
        """Fill the six-row `response` (zeros on entry), whose `by_normal` stays zero."""
        from nsgalpha.model.response_sum import add_part  # a kernel: stating a law takes no compiler

        column = 0
        for (law, first, last), size, traits in zip(self.parts, self.memory, self.traits, strict=True):
            part = no_response(len(contact.overlap), last - first, size)
            rate = np.ascontiguousarray(contact.rate[:, first:last])
            increment = np.ascontiguousarray(contact.increment[:, first:last])
            normal = np.zeros(len(contact.overlap)) if first == 0 else response.force[:, 0].copy()
            history = np.ascontiguousarray(contact.history[:, column : column + size])
            law(Contact(contact.overlap, rate, increment, normal, history, *contact[5:]), part)
            if traits.resets:
                for forces in response[:-1]:
                    forces[:] = 0.0
            add_part(response, part, first, column)
            column += size
