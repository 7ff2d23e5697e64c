"""The picture of a recorded state: colours and opacities of the things in a scene."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import groupby, repeat

import numpy as np

from nsgalpha.arrays import Flags, Floats, Ints
from nsgalpha.run.result import Result
from nsgalpha.show.camera import Camera
from nsgalpha.show.colours import STATUS_COLOURS, own_colours, scale_colours, table
from nsgalpha.show.contact_forces import body_status, contact_lines
from nsgalpha.show.painter import Faces, Picture, Rounds, paint
from nsgalpha.show.row_reader import present_at
from nsgalpha.show.scene import Scene

FLOOR, WALL = (0.80, 0.84, 0.86), (0.55, 0.63, 0.70)
BARE = (0.72, 0.70, 0.62)  # of primitives that no body carries
GLASS = 0.16  # opacity of walls, and of planes that are seen from behind


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """Content and camera of the pictures of a run."""

    result: Result
    scene: Scene
    camera: Camera
    colour: str  # "body", "speed" or "status"
    size: tuple[int, int]
    fastest: float  # speed [m/s] of the last colour
    rods: Ints  # of the scene, those that are drawn
    faces: Ints
    rod_dye: Floats  # (K, 4) stated colours of all rods; nan: that of the mover
    face_dye: Floats  # (F, 4)

    def pictures(self, records: Sequence[int], threads: int) -> Generator[Picture, None, None]:
        """The recorded states `records` in their order, painted by so many `threads`.

        States are read and contacts evaluated by this thread. Kernels, which take most of the time, let the
        others run meanwhile. The first picture compiles, which this thread alone may do.
        """
        waiting: deque[tuple[Future[Picture], int]] = deque()
        pool = ThreadPoolExecutor(threads) if threads > 1 else None
        first = True
        try:
            for record, same in groupby(records):
                count = len([*same])
                if pool is None or first:
                    yield from repeat(self.picture(record), count)
                    first = False
                    continue
                waiting.append((pool.submit(paint, *self._things(record)), count))
                if len(waiting) > 2 * threads:
                    yield from _next(waiting)
            while waiting:
                yield from _next(waiting)
        finally:
            if pool is not None:
                pool.shutdown(cancel_futures=True)

    def picture(self, record: int) -> Picture:
        """The recorded state number `record`."""
        return paint(*self._things(record))

    def _things(self, record: int) -> tuple[Camera, tuple[int, int], Rounds, Faces, Floats]:
        """The arguments of `paint` for a recorded state."""
        x, q = self.scene.pose(self.result, record)
        points = self.scene.points(x, q)
        colours = self._colours(record)
        frames = len(x) - len(colours)
        palette = np.concatenate([colours, np.tile(BARE, (frames, 1))])  # of the movers
        there = np.concatenate([present_at(self.result, record), np.ones(frames, bool)])
        rounds = self._rounds((x, q), points, palette, there)
        return self.camera, self.size, rounds, self._faces(points, palette), self.scene.up

    def _colours(self, record: int) -> Floats:
        """Colours (N, 3) of the bodies."""
        result = self.result
        if self.colour == "body":
            return own_colours(result.model)
        if self.colour == "speed":
            return scale_colours(speed(result, record) / (self.fastest or 1.0))
        return table(STATUS_COLOURS)[body_status(contact_lines(result, record), len(result.model.bodies))]

    def _rounds(self, pose: tuple[Floats, Floats], points: Floats, palette: Floats, there: Flags) -> Rounds:
        """Balls of the bodies, then rods, with stated colours or those of their movers.

        Parts of movers that are not `there` (M,) are left out.
        """
        scene, (x, q) = self.scene, pose
        ball = np.flatnonzero((scene.radius > 0.0) & there[: len(scene.radius)])
        rod = self.rods[there[scene.owner[scene.rods[self.rods, 0]]]]
        ends, owner, size = points[scene.rods[rod]], scene.owner[scene.rods[rod, 0]], scene.rod_radius[rod]
        colour, opacity = dyed(palette[owner], self.rod_dye[rod])
        a, b = (np.concatenate([x[ball], ends[:, k]]) for k in range(2))
        return Rounds(
            a,
            b,
            radius=np.concatenate([scene.radius[ball], np.abs(size)]),
            hollow=np.concatenate([scene.hollow[ball], size < 0.0]),
            colour=np.concatenate([palette[ball], colour]),
            rotation=np.concatenate([q[ball], q[owner]]),
            opacity=np.concatenate([np.ones(len(ball)), opacity]),
        )

    def _faces(self, points: Floats, palette: Floats) -> Faces:
        """Faces of planes and primitives; of planes only floors seen from above are not translucent."""
        scene, which = self.scene, self.faces
        corners = [points[scene.faces[k]] for k in which.tolist()]
        owners = scene.owner[[scene.faces[k][0] for k in which.tolist()]]
        is_plane = (scene.is_plane | scene.is_wall)[which]
        floor = np.zeros(len(corners), bool)
        for k in np.flatnonzero(is_plane & scene.is_floor[which]):
            a, b, c = corners[k][:3]
            floor[k] = np.cross(b - a, c - b) @ (np.asarray(self.camera.eye) - a) > 0.0
        own, opaque = dyed(palette[owners], self.face_dye[which])
        colour = np.where(is_plane[:, None], np.where(floor[:, None], FLOOR, WALL), own)
        opacity = np.where(floor, 1.0, np.where(is_plane, GLASS, opaque))
        return Faces(corners, colour, opacity, np.where(is_plane, scene.cell, 0.0))


def _next(waiting: deque[tuple[Future[Picture], int]]) -> Iterator[Picture]:
    """The first picture that is `waiting`, as often as it is shown."""
    future, count = waiting.popleft()
    return repeat(future.result(), count)


def view_of(
    result: Result,
    scene: Scene,
    records: Sequence[int],
    camera: Camera,
    *,
    colour: str,
    size: tuple[int, int],
    contact_shapes: bool,
) -> View:
    """The view of the states `records`; speeds are coloured up to the largest of these."""
    fastest = 0.0
    if colour == "speed":
        fastest = max(speed(result, record).max(initial=0.0) for record in set(records))
    rods, faces = (np.flatnonzero(each) for each in scene.drawn(contact_shapes))
    shapes = [each.colour if colour == "body" else None for each in scene.model.visuals]
    rod_dye, face_dye = dyes(shapes, scene.rod_visual), dyes(shapes, scene.face_visual)
    of_things = dyes(scene.thing_colours, scene.rod_thing)
    rod_dye = np.where(np.isnan(rod_dye), of_things, rod_dye)
    return View(result, scene, camera, colour, size, fastest, rods, faces, rod_dye, face_dye)


def dyes(colours: Sequence[tuple[float, ...] | None], number: Ints) -> Floats:
    """The `colours` (n, 4) of these numbers (n,); nan for -1 and where none is stated."""
    none = (np.nan,) * 4
    return np.array([*(none if each is None else each for each in colours), none])[number]


def dyed(colour: Floats, dye: Floats) -> tuple[Floats, Floats]:
    """Colours (n, 3) and opacities (n,): those of `dye` (n, 4) where there is one."""
    plain = np.isnan(dye[:, 3])
    return np.where(plain[:, None], colour, dye[:, :3]), np.where(plain, 1.0, dye[:, 3])


def speed(result: Result, record: int) -> Floats:
    """Speeds (N,) [m/s] of the bodies in a recorded state."""
    return np.linalg.norm(result.velocity[record], axis=-1)
