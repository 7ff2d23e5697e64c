"""Input files of Rockable (conf-files) as models: spheres, driven faces, laws of groups.

    read = read_rockable("input.txt")
    result = ns.simulate(read.model, t_end=read.t_end, h=read.h, scheme=ns.VelocityVerlet())
    for line in read.left_out:
        print(line)

A line `[PARAMETER] group group value` is a number of the law, `Default` or `Avalanche`, between two groups.
Free bodies are spheres: shapes of one vertex. The first `nDriven` bodies stand still; their faces are
polygons with two sides and the half thickness `radius`, with `CompliantPolygonSphere`. Lines without
counterpart are in `left_out`. A line whose absence would change the problem is an error.

Source: documentation of Rockable, force laws and syntax of conf-files and shape-files.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import nsgalpha as ns
from elements.compliant_primitives import CompliantPolygonSphere
from elements.contact_groups import by_group
from elements.laws.rockable.rockable_contact import RockableAvalanche, RockableDefault
from nsgalpha import checks
from nsgalpha.arrays import Floats
from nsgalpha.model.handles import Body, Primitive
from nsgalpha.model.registration import offered

LAWS = {"Default": RockableDefault, "Avalanche": RockableAvalanche, "Avalanches": RockableAvalanche}
NUMBERS = {
    "knContact": "k_n",
    "ktContact": "k_t",
    "en2Contact": "en2",
    "muContact": "mu",
    "krContact": "k_r",
    "murContact": "mu_r",
    "fcohContact": "cohesion",
    "en2ContactFromViscRate": "viscous_rate",
}
PARTS = {"ne": 2, "nf": 0}  # tables of a shape: numbers in a row, 0: as many as its first number says


class Word(NamedTuple):
    """A word of a file, and where it stands."""

    text: str
    line: int


class Words:
    """The words of a file in their order, without comments."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._words: list[Word] = []
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            for text in line.split():
                if text[0] in "#!" or text.startswith("//"):
                    break
                self._words.append(Word(text, number))
        self._at = 0

    def refuse(self, what: str, word: Word | None = None) -> ValueError:
        """The error for a `word`, by default the one that was read last."""
        line = (word or self._words[max(self._at - 1, 0)]).line if self._words else 1
        return ValueError(f"{self.path.name}, line {line}: {what}")

    def __iter__(self) -> Iterator[Word]:
        """The words from here on."""
        while self._at < len(self._words):
            yield self.word("a word")

    def word(self, what: str) -> Word:
        """The next word."""
        if self._at == len(self._words):
            raise self.refuse(f"the file ends, and {what} is missing")
        self._at += 1
        return self._words[self._at - 1]

    def rest(self, word: Word) -> str:
        """The other words in the line of `word`."""
        found = []
        while self._at < len(self._words) and self._words[self._at].line == word.line:
            found.append(self.word("a word").text)
        return " ".join([word.text, *found])

    def number(self, what: str) -> float:
        """The next word as a finite number."""
        word = self.word(what)
        try:
            value = float(word.text)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise self.refuse(f"{what} = {word.text!r}: must be a finite number", word)
        return value

    def count(self, what: str) -> int:
        """The next word as an integer >= 0."""
        word = self.word(what)
        if not word.text.isdecimal():
            raise self.refuse(f"{what} = {word.text!r}: must be an integer >= 0", word)
        return int(word.text)

    def row(self, what: str, length: int) -> Floats:
        """The next `length` words as numbers."""
        return np.array([self.number(what) for _ in range(length)])


class Shape(NamedTuple):
    """A shape of a shape-file, at the homothety 1."""

    radius: float
    vertices: Floats  # (V, 3)
    faces: list[list[int]]
    edges: int
    volume: float | None
    gyration: Floats | None  # I/m (3,)


@dataclass
class RockableModel:
    """A model that was read from a conf-file."""

    model: ns.Model
    bodies: list[Body]  # in the order of the file
    groups: dict[int, list[Body]]  # spheres by the number of their group
    driven: list[Body]  # bodies that stand still
    t: float = 0.0  # [s] of the file; a run begins at 0
    t_end: float = 0.0  # [s] from there to tmax
    h: float | None = None  # [s] dt
    left_out: list[str] = field(default_factory=list)  # lines that have no counterpart


class _Conf:
    """Statements of a conf-file."""

    def __init__(self, words: Words) -> None:
        self.words = words
        self.value: dict[str, float] = {}
        self.gravity: Floats = np.zeros(3)
        self.density: dict[int, float] = {}
        self.law = "Default"
        self.driven = 0
        self.shapes: dict[str, Shape] = {}
        self.table: dict[tuple[int, int], dict[str, float]] = {}
        self.particles: list[tuple[Word, int, float, Floats]] = []
        self.left_out: list[str] = []
        if words.word("the word Rockable").text != "Rockable":
            raise words.refuse("the first word must be 'Rockable'; this is no conf-file")
        words.word("a date")
        for word in words:
            self._take(word)

    def _take(self, word: Word) -> None:
        words, name = self.words, word.text
        if name in ("t", "tmax", "dt"):
            self.value[name] = words.number(name)
        elif name == "gravity":
            self.gravity = words.row(name, 3)
        elif name == "density":
            group = words.count("group of density")
            self.density[group] = words.number(name)
        elif name == "forceLaw":
            self.law = words.word(name).text
            if self.law not in LAWS:
                raise words.refuse(f"forceLaw = {self.law!r}: must be one of {sorted(LAWS)}")
        elif name in NUMBERS:
            pair = tuple(sorted(words.count(f"group of {name}") for _ in range(2)))
            self.table.setdefault((pair[0], pair[1]), {})[NUMBERS[name]] = words.number(name)
        elif name == "nDriven":
            self.driven = words.count(name)
        elif name == "shapeFile":
            path = words.path.parent / words.word(name).text
            if not path.is_file():
                raise words.refuse(f"shapeFile = {path.name!r}: is not beside the conf-file")
            self.shapes |= read_shapes(path)
        elif name == "Particles":
            for _ in range(words.count(name)):
                self._take_particle()
        else:
            self.left_out.append(f"{words.path.name}, line {word.line}: {words.rest(word)}")

    def _take_particle(self) -> None:
        shape = self.words.word("the shape of a particle")
        if shape.text not in self.shapes:
            raise self.words.refuse(f"shape = {shape.text!r}: must be one of {sorted(self.shapes)}", shape)
        group = self.words.count("group of a particle")
        self.words.count("cluster of a particle")
        scale = self.words.number("homothety")
        if not scale > 0.0:
            raise self.words.refuse(f"homothety = {scale:g}: must be positive")
        self.particles.append((shape, group, scale, self.words.row("motion of a particle", 19)))


def read_shapes(path: Path) -> dict[str, Shape]:
    """Shapes by their names. Raises ValueError that names the line."""
    words, found = Words(path), {}
    for word in words:
        if word.text != "<":
            raise words.refuse(f"{word.text!r}: must be '<', with which a shape begins", word)
        name, shape = _shape(words)
        found[name] = shape
    return found


def _shape(words: Words) -> tuple[str, Shape]:
    """The shape that begins behind '<'."""
    given: dict[str, Any] = {"name": "", "radius": 0.0, "nv": np.zeros((0, 3)), "ne": [], "nf": []}
    while (word := words.word("'>' at the end of a shape")).text != ">":
        key = word.text
        if key == "name":
            given[key] = words.word(key).text
        elif key in ("radius", "volume"):
            given[key] = words.number(key)
        elif key == "I/m":
            given[key] = words.row(key, 3)
        elif key == "nv":
            given[key] = words.row("a vertex", 3 * words.count(key)).reshape(-1, 3)
        elif key in PARTS:
            rows = range(words.count(key))
            given[key] = [[words.count(key) for _ in range(PARTS[key] or words.count(key))] for _ in rows]
            if any(k >= len(given["nv"]) for row in given[key] for k in row):
                raise words.refuse(f"{key}: a number of a vertex is beyond the {len(given['nv'])} of 'nv'")
        else:
            words.rest(word)
    shape = Shape(
        given["radius"], given["nv"], given["nf"], len(given["ne"]), given.get("volume"), given.get("I/m")
    )
    if not given["name"] or not shape.radius > 0.0 or not len(shape.vertices):
        raise words.refuse("a shape must have a name, a radius > 0 and vertices")
    return given["name"], shape


@offered()
def read_rockable(path: str | Path) -> RockableModel:
    """The model of a conf-file, whose shape-file lies beside it.

    Raises ValueError that names the file and the line for missing words, non-numbers and unknown shapes. Also
    raises it for free bodies that are no spheres, and laws other than Default and Avalanche. Raises OSError
    for a file that cannot be read.
    """
    conf = _Conf(Words(checks.path("path", path)))
    model = ns.Model(gravity=conf.gravity)
    read = RockableModel(model, [], {}, [], left_out=conf.left_out, h=conf.value.get("dt"))
    read.t = conf.value.get("t", 0.0)
    read.t_end = conf.value.get("tmax", read.t) - read.t
    faces: dict[int, list[Primitive]] = {}
    for number, (name, group, scale, motion) in enumerate(conf.particles):
        body = _body(conf, read, number < conf.driven, (name, group, scale, motion))
        shape = conf.shapes[name.text]
        read.bodies.append(body)
        if number < conf.driven:
            read.driven.append(body)
        if len(shape.vertices) == 1:
            read.groups.setdefault(group, []).append(body)
        for face in shape.faces:
            corners, half = scale * shape.vertices[face], scale * shape.radius
            made = model.add_primitive(corners, radius=half, carrier=body)
            faces.setdefault(group, []).append(made)
    for element in _elements(conf, read, faces):
        model.add(element)
    return read


def _body(conf: _Conf, read: RockableModel, driven: bool, stated: tuple[Word, int, float, Floats]) -> Body:
    """The body of a particle: a free sphere, or one that stands still."""
    name, group, scale, motion = stated
    shape, refuse = conf.shapes[name.text], conf.words.refuse
    x, v, q, w = motion[:3], motion[3:6], motion[9:13], motion[13:16]
    length = float(np.linalg.norm(q))
    if not length > 0.0:
        raise refuse("rotation of a particle = 0: must be a quaternion, scalar first", name)
    q = q / length
    one = len(shape.vertices) == 1
    if one and shape.vertices.any():
        raise refuse(f"shape {name.text!r}: the vertex of a sphere must be at the origin", name)
    where = f"{conf.words.path.name}, line {name.line}"
    radius = scale * shape.radius
    if driven:
        if v.any() or w.any():
            read.left_out.append(f"{where}: motion of a driven body, which stands still here")
        if one:
            return read.model.add_sphere(radius=radius, position=x, rotation=q, fixed=True)
        read.left_out.append(f"{where}: edges and corners of {name.text!r}, whose faces are polygons")
        return read.model.add_body(position=x, rotation=q, fixed=True)
    if not one:
        words = f"shape {name.text!r} of {len(shape.vertices)} vertices: free bodies must be spheres here"
        raise refuse(f"{words}; drive it (nDriven), or state the body with add_solid", name)
    if group not in conf.density:
        raise refuse(f"group {group} has no density", name)
    volume = 4.0 / 3.0 * math.pi * shape.radius**3 if shape.volume is None else shape.volume
    gyration = np.full(3, 0.4 * shape.radius**2) if shape.gyration is None else shape.gyration
    mass = conf.density[group] * volume * scale**3
    moments = mass * scale**2 * gyration
    return read.model.add_sphere(
        radius=radius, mass=mass, inertia=moments, position=x, velocity=v, rotation=q, angular_velocity=w
    )


def _elements(conf: _Conf, read: RockableModel, faces: dict[int, list[Primitive]]) -> list[Any]:
    """Contact of spheres by groups, and of spheres with faces."""
    laws = {}
    for pair, given in conf.table.items():
        law, numbers = LAWS[conf.law], dict(given)
        if law is RockableAvalanche:
            for name in ("cohesion", "viscous_rate"):
                if name in numbers:
                    read.left_out.append(f"{name} of the groups {pair}: Avalanche has none")
                    del numbers[name]
        try:
            laws[pair] = law(**numbers)
        except (ValueError, TypeError) as error:
            raise ValueError(f"{conf.words.path.name}, groups {pair[0]} {pair[1]}: {error}") from None
    names = sorted(read.groups)
    table = {(str(a), str(b)): laws.get((a, b)) for a in names for b in names if a <= b}
    found = by_group({str(name): read.groups[name] for name in names}, table) if names else []
    for flat, polygons in faces.items():
        for group, spheres in read.groups.items():
            touching = laws.get((min(flat, group), max(flat, group)))
            free = [body for body in spheres if not body.fixed]
            if touching is not None and free:
                found.append(CompliantPolygonSphere(polygons, free, flip_normals=True, contact=touching))
    return found
