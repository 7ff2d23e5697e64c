"""Laws by pairs of groups: one element for every two groups that may touch.

    groups = {"rocks": rocks, "slope": slope}
    table = {("rocks", "rocks"): RockableDefault(...), ("rocks", "slope"): RockableDefault(...)}
    for element in by_group(groups, table):
        model.add(element)

Nothing is mixed or guessed: every two groups that may touch need an entry.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations_with_replacement
from typing import Any

from elements.compliant_elements import CompliantSpherePlane, CompliantSphereSphere
from nsgalpha.checks import function, instance, listed, refuse, text
from nsgalpha.model.handles import Body, Plane, handle_list
from nsgalpha.model.registration import offered

Handles = Body | Plane | Sequence[Body] | Sequence[Plane]


@offered()
def by_group(
    groups: Mapping[str, Handles],
    table: Mapping[tuple[str, str], Any],
    *,
    spheres: Callable[..., Any] = CompliantSphereSphere,
    planes: Callable[..., Any] = CompliantSpherePlane,
) -> list[Any]:
    """Elements for all pairs of `groups`: names with handles, of bodies or of planes.

    table: the keyword arguments of the element for a pair of names, in any order. A value may be a law of all
    six rows (`contact=`), or None for groups without contact. spheres, planes: makers of the elements;
    `SphereSphere` and `SpherePlane` for set-valued contact.

    Raises ValueError that names both groups for a pair that is missing, given twice, or not of two groups.
    Also raises it for a group with bodies and planes, or with a handle of another group.
    """
    instance("groups", groups, Mapping, "a dict of names and handles")
    instance("table", table, Mapping, "a dict of two names and a law")
    for name, maker in (("spheres", spheres), ("planes", planes)):
        function(name, maker, "what makes an element", classes=True)
    members = {name: _members(name, handles) for name, handles in groups.items()}
    elements = []
    for one, two, law in laws_of_pairs(members, table, _may_meet):
        if not (callable(law) or isinstance(law, Mapping)):
            raise refuse(f"table[{(one, two)}]", law, "a law, keyword arguments of the element, or None")
        a, b = members[one], members[two]
        arguments = {"contact": law} if callable(law) else dict(law)
        flat = [isinstance(side[0], Plane) for side in (a, b)]
        if any(flat):
            elements.append(planes(*((b, a) if flat[0] else (a, b)), **arguments))
        elif one == two:
            elements.append(spheres(a, **arguments))
        else:
            elements.append(spheres(between=(a, b), **arguments))
    return elements


def laws_of_pairs(
    groups: Mapping[str, list[Any]],
    table: Mapping[tuple[str, str], Any],
    may_meet: Callable[[list[Any], list[Any]], bool],
    name: str = "table",
) -> Iterator[tuple[str, str, Any]]:
    """Every two of the `groups` that `may_meet`, sides A and B as in the `table`, with their law.

    Pairs with None are left out. Raises ValueError, with the `name` of the table, as `by_group` does.
    """
    _refuse_shared(groups)
    laws = _by_pair(groups, table, name)
    for pair in combinations_with_replacement(groups, 2):
        one, two = pair if pair in table else pair[::-1]
        if not may_meet(groups[one], groups[two]):
            continue
        if frozenset((one, two)) not in laws:
            raise ValueError(
                f"{name}: no entry for the groups {one!r} and {two!r}; give their law, or None if they do "
                "not see each other"
            )
        if laws[frozenset((one, two))] is not None:
            yield one, two, laws[frozenset((one, two))]


def _may_meet(a: list[Any], b: list[Any]) -> bool:
    """False for planes with planes, and for a single body."""
    return not (isinstance(a[0], Plane) and isinstance(b[0], Plane)) and (a is not b or len(a) > 1)


def _members(name: str, handles: Handles) -> list[Any]:
    """The handles of a group as a list."""
    label = f"groups[{text('groups', name)!r}]"
    single = isinstance(handles, Body | Plane)
    of = [handles] if single else listed(label, handles, "handles of bodies or planes")
    if not of:
        raise ValueError(f"groups: {name!r} is empty; leave it out")
    return handle_list(label, of, Plane if isinstance(of[0], Plane) else Body)


def _refuse_shared(members: Mapping[str, list[Any]]) -> None:
    """ValueError if a handle is in two groups."""
    group_of: dict[int, str] = {}
    for name, handles in members.items():
        for handle in handles:
            other = group_of.setdefault(id(handle), name)
            if other != name:
                raise ValueError(f"groups: {handle.name!r} is in {other!r} and in {name!r}; leave one out")


def _by_pair(
    members: Mapping[str, list[Any]], table: Mapping[tuple[str, str], Any], name: str
) -> dict[frozenset[str], Any]:
    """The laws by pairs without an order."""
    laws: dict[frozenset[str], Any] = {}
    for pair, law in table.items():
        if not (isinstance(pair, tuple) and len(pair) == 2 and all(each in members for each in pair)):
            raise refuse(name, pair, f"two of the groups {sorted(members)}")
        if frozenset(pair) in laws:
            raise ValueError(
                f"{name}: the groups {pair[0]!r} and {pair[1]!r} have two entries; leave one out"
            )
        laws[frozenset(pair)] = law
    return laws
