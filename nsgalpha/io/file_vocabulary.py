"""The words of result files: the allowed names, and no more.

A word is a class or function of the catalogues of the installed packages (nsgalpha/case/plugin_catalogue.py).
Case files use the same ones. Files know it by its short name and a version. Nothing is imported and no
attribute is looked up by a name that stands in a file. The catalogue of nsgalpha itself is searched first, so
that most files are opened without the others, which need the solver.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from nsgalpha.case.builtin_catalogue import CATALOGUE
from nsgalpha.case.plugin_catalogue import Maker, installed
from nsgalpha.checks import refuse

KINDS = (
    *("elements", "joints", "drives", "laws", "loads", "resistances", "motions", "schemes", "parts"),
    *("open_boundaries", "regions"),
)
OURS_FIRST = False, True  # whether a catalogue is the whole one, of all packages
REMEDY = "install the package that offers it"


@dataclass(frozen=True, slots=True)
class Word:
    """A name in files: its constructor, its allowed `kinds`, and its `former` arguments."""

    name: str
    maker: Maker
    kinds: tuple[str, ...]
    former: tuple[Callable[[Any], Any], ...]

    @property
    def version(self) -> int:
        """Of the arguments: 1, and one more for every time that they have changed."""
        return len(self.former) + 1

    def arguments(self, version: Any, recorded: Mapping[str, Any]) -> Mapping[str, Any]:
        """Present arguments for those `recorded` by a `version`; ValueError for one that is not known."""
        if type(version) is not int or not 1 <= version <= self.version:
            allowed = f"an integer in [1, {self.version}]"
            remedy = "install a later version of its package"
            raise refuse(f"version of {self.name}", version, allowed, remedy)
        for change in self.former[version - 1 :]:
            recorded = change(recorded)
        return recorded


def word(name: Any, kinds: Iterable[str]) -> Word:
    """The word of that name, which must be one of the `kinds`; ValueError if there is none."""
    for words in map(_words, OURS_FIRST):
        found = words.get(name) if isinstance(name, str) else None
        if found is not None and set(found.kinds) & set(kinds):
            return found
    raise refuse("name", name, f"the name of one of the {', '.join(kinds)} of installed packages", REMEDY)


def word_of(maker: Maker) -> Word | None:
    """The word for a maker, None if no package offers it."""
    return next(
        (each for words in map(_words, OURS_FIRST) for each in words.values() if each.maker == maker), None
    )


@cache
def _words(whole: bool) -> dict[str, Word]:
    """All words of a catalogue; ValueError if two makers share a name."""
    catalogue = installed() if whole else CATALOGUE
    words: dict[str, Word] = {}
    for kind in KINDS:
        for name, maker in catalogue.of(kind).items():
            known = words.get(name)
            if known is not None and known.maker != maker:
                raise ValueError(f"{kind}: {name!r} is one of the {known.kinds[0]} too; rename one of them")
            kinds = (*(known.kinds if known else ()), kind)
            words[name] = Word(name, maker, kinds, tuple(catalogue.former.get(name, ())))
    return words
