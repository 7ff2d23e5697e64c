"""A scene as a model of nsgalpha, for each way of solving a step."""

from collections.abc import Callable

import numpy as np

import nsgalpha as ns
from elements import SpherePlane, SphereSphere, Spring
from verification.impact_reference.scene import Scene, State

#: compiled: nothing but contacts and gravity. load: gravity and strings are a user's load, every step is
#: driven from Python. springs: compliant elements act beside the contacts, on strings or far away.
PATHS = ("compiled", "load", "springs")
FAR, APART = 10.0, 0.5  # [m] place of the idle pair, and of its spheres from each other
IDLE = 100.0  # [N/m]


def build(scene: Scene, state: State, path: str) -> ns.Model:
    """The model of `scene` that starts from `state`; its balls come first.

    Raises ValueError for a scene with loads on the path "compiled".
    """
    loaded = scene.force is not None or scene.home is not None or bool(scene.strings)
    if path not in PATHS or (path == "compiled" and loaded):
        raise ValueError(f"path = {path!r}: must be one of {PATHS}, and not 'compiled' with loads or strings")
    by_load = path == "load"
    model = ns.Model(gravity=np.zeros(3) if by_load else np.array(scene.gravity))
    for r, m, J, x, v, w in zip(
        scene.radius, scene.mass, scene.inertia, state.x, state.v, state.w, strict=True
    ):
        model.add_sphere(radius=r, mass=m, inertia=J, position=x, velocity=v, angular_velocity=w)
    balls = model.spheres
    model.add(SphereSphere(among=balls, mu=scene.balls.mu, e_n=scene.balls.e))
    for plane in scene.planes:
        surface = model.add_plane(normal=plane.normal, offset=plane.offset)
        model.add(SpherePlane(balls, surface, mu=plane.law.mu, e_n=plane.law.e))
    if path == "springs":
        add_springs(model, scene)
    if by_load or scene.force is not None or scene.home is not None:
        rest = scene if by_load else scene.but(gravity=(0.0, 0.0, 0.0), strings=())
        model.add_load(load_of(rest))
    return model


def load_of(scene: Scene) -> Callable[[float, ns.State], np.ndarray]:
    """The forces on the balls of `scene`; none on other bodies."""

    def load(t: float, state: ns.State) -> np.ndarray:
        force = np.zeros_like(state.position)
        force[: scene.count] = scene.applied(state.position[: scene.count])
        return force

    return load


def add_springs(model: ns.Model, scene: Scene) -> None:
    """The strings of `scene`, or without any an idle pair of spheres far away."""
    if scene.strings:
        pairs = [(model.spheres[each.ball], each.anchor) for each in scene.strings]
        stiffness = [each.stiffness for each in scene.strings]
        model.add(Spring(pairs, stiffness=stiffness, length=[each.length for each in scene.strings]))
        return
    radius, mass = float(scene.radius[0]), float(scene.mass[0])
    pair = [
        model.add_sphere(radius=radius, mass=mass, position=(FAR + shift, FAR, FAR)) for shift in (0.0, APART)
    ]
    model.add(Spring([(pair[0], pair[1])], stiffness=IDLE, length=APART))
