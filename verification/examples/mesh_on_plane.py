r"""A mesh from an STL file

A regular icosahedron is written to an STL file and read back, with mass, centre and inertia from the mesh: $V
= \frac{5}{12}(3 + \sqrt 5) a^3$ and $I = \frac{\varphi^2}{10} m a^2$ for the edge $a$. It falls on a plane,
tumbles, and comes to rest on one of its faces. Its centre is $\frac{\varphi^2}{2\sqrt 3} a$ above the plane
but for the overlap that carries its weight.

To look at: the height of the centre ends at that of a face, and the energy at $m g$ times it.
"""

import struct
import tempfile
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np

import nsgalpha as ns
from elements import CompliantSolidPlane, CundallStrack, SpringDashpot
from nsgalpha.show import Camera
from nsgalpha.show.figure_style import Figure, label, new_figure
from verification.example import main, paint
from verification.outcome import Row
from verification.run import simulate

EDGE, DENSITY, STIFFNESS, G = 0.02, 1200.0, 2e4, 9.81  # [m], [kg/m^3], [N/m], [m/s^2]
PHI = 0.5 * (1 + 5**0.5)


def write_stl(path: Path) -> None:
    """An icosahedron with the edge 1 as a binary STL file, faces counter-clockwise from outside."""
    corners = [np.roll((0, 0.5 * i, 0.5 * j * PHI), k) for i, j, k in product((-1, 1), (-1, 1), range(3))]
    triples = [(a, b, c, np.cross(b - a, c - a)) for a, b, c in combinations(corners, 3)]
    faces = [
        triple
        for triple in triples
        if max(np.linalg.norm(np.diff([*triple[:3], triple[0]], axis=0), axis=1)) < 1.1
    ]
    turned = [(a, b, c) if n @ a > 0 else (a, c, b) for a, b, c, n in faces]
    records = [struct.pack("<12fH", *(0.0,) * 3, *np.ravel(face), 0) for face in turned]
    path.write_bytes(bytes(80) + struct.pack("<I", len(records)) + b"".join(records))


def build(spin: float = 20.0) -> ns.Model:
    """The die above a floor, with a `spin` [rad/s]."""
    model = ns.Model(gravity=(0, 0, -G))
    with tempfile.TemporaryDirectory() as folder:
        write_stl(Path(folder) / "die.stl")
        motion: Any = {"velocity": (0.3, 0, 0), "angular_velocity": (0, spin, 0.3 * spin)}
        place: Any = {"position": (0, 0, 0.06), "rotation": (0.9, 0.3, 0.2, 0.1)}
        die = model.add_solid(Path(folder) / "die.stl", scale=EDGE, density=DENSITY, **place, **motion)
    floor, normal = model.add_plane(normal=(0, 0, 1)), SpringDashpot(stiffness=STIFFNESS, damping=4.0)
    friction = CundallStrack(stiffness=2e4, damping=1.0, mu=0.4)
    model.add(CompliantSolidPlane(die, floor, normal=normal, tangential=friction))
    return model


def run() -> ns.Result:
    """Until the die lies."""
    return simulate(build(), t_end=1.6, h=1e-4, scheme=ns.VelocityVerlet(), record_every=20)


def check(result: ns.Result) -> list[Row]:
    """Mass properties, and rest on a face."""
    die = result.model.bodies[0]
    volume = 5 / 12 * (3 + 5**0.5) * EDGE**3
    height = PHI**2 / 12**0.5 * EDGE - die.mass * G / STIFFNESS
    inertia = PHI**2 / 10 * die.mass * EDGE**2
    return [
        Row("mass", "kg", DENSITY * volume, die.mass, 1e-6 * die.mass),
        Row("inertia", "kg m^2", inertia, np.linalg.eigvalsh(die.inertia)[0], 1e-6 * inertia),
        Row("height of the centre in the end", "m", height, result.position[-1, 0, 2], 1e-5),
        Row("energy in the end", "J", die.mass * G * height, result.energy()[-1], 1e-5),
    ]


def figure(result: ns.Result) -> Figure:
    """The die at rest, and its height and energy."""
    drawn, (above, below) = new_figure(2, 1, size=(6.4, 6.4), height_ratios=(3, 2))
    x, y, _ = result.position[-1, 0]
    paint(above, result, Camera((x + 0.08, y - 0.1, 0.07), (x, y, 0.01)), size=(960, 560))
    below.plot(result.t, 1e3 * np.asarray(result.position)[:, 0, 2], label="centre [mm]")
    below.plot(result.t, 1e3 * np.asarray(result.energy()), label="energy [mJ]")
    below.axhline(1e3 * PHI**2 / 12**0.5 * EDGE, color="0.5", linestyle=":", label="on a face [mm]")
    label(below, "t [s]", "", legend="upper right")
    return drawn


if __name__ == "__main__":
    main(__file__)
