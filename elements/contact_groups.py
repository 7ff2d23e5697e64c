"""Laws by pairs of groups: one element for every two groups that may touch.

    groups = {"rocks": rocks, "slope": slope}
    table = {("rocks", "rocks"): RockableDefault(...), ("rocks", "slope"): RockableDefault(...)}
    for element in by_group(groups, table):
        model.add(element)

Nothing is mixed or guessed: every two groups that may touch need an entry.
"""

from collections.abc import Callable, Mapping, Sequence
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
    _refuse_shared(members)
    laws = _by_pair(members, table)
    elements = []
    for pair in combinations_with_replacement(members, 2):
        one, two = pair if pair in table else pair[::-1]  # sides A and B as in the table
        a, b = members[one], members[two]
        flat = [isinstance(side[0], Plane) for side in (a, b)]
        if all(flat) or (one == two and len(a) < 2):
            continue
        if frozenset((one, two)) not in laws:
            raise ValueError(
                f"table: no entry for the groups {one!r} and {two!r}; give their law, or None if they do not "
                "see each other"
            )
        law = laws[frozenset((one, two))]
        if law is None:
            continue
        if not (callable(law) or isinstance(law, Mapping)):
            raise refuse(f"table[{(one, two)}]", law, "a law, keyword arguments of the element, or None")
        arguments = {"contact": law} if callable(law) else dict(law)
        if any(flat):
            elements.append(planes(*((b, a) if flat[0] else (a, b)), **arguments))
        elif one == two:
            elements.append(spheres(a, **arguments))
        else:
            elements.append(spheres(between=(a, b), **arguments))
    return elements


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
    members: Mapping[str, list[Any]], table: Mapping[tuple[str, str], Any]
) -> dict[frozenset[str], Any]:
    """The laws by pairs without an order."""
    laws: dict[frozenset[str], Any] = {}
    for pair, law in table.items():
        if not (isinstance(pair, tuple) and len(pair) == 2 and all(name in members for name in pair)):
            raise refuse("table", pair, f"two of the groups {sorted(members)}")
        if frozenset(pair) in laws:
            raise ValueError(f"table: the groups {pair[0]!r} and {pair[1]!r} have two entries; leave one out")
        laws[frozenset(pair)] = law
    return laws
