"""Checks in each environment of the matrix, with nsgalpha as it is installed there.

    python -I tried.py README.md [--errors]

--errors: all warnings are errors. The first line on stdout has the versions, each other one "ok" or
"FAILED", seconds and the name of the trial. Exit code 1 if anything fails.
"""

import argparse
import contextlib
import io
import re
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

STEPS = 3  # of every shipped case


def readme(text: str) -> None:
    """The ten lines of the README print the shown output."""
    code, printed = re.findall(r"```(?:python|text)\n(.*?)```", text, re.DOTALL)[:2]
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, "README.md", "exec"), {})
    assert out.getvalue() == printed, f"{out.getvalue()!r} instead of {printed!r}"


def schema() -> None:
    """The schema of case files has all elements."""
    from nsgalpha.case import json_schema
    from nsgalpha.case.case_schema import schema
    from nsgalpha.testing import check_catalogue

    with warnings.catch_warnings():
        warnings.simplefilter("error")  # of a catalogue that is left out
        assert {"SphereSphere", "LineTension"} <= set(json_schema()["$defs"])
    check_catalogue(schema().tables.catalogue)


def shipped() -> None:
    """`nsgalpha run` of every shipped case, shortened."""
    from nsgalpha.case.case_commands import shipped
    from nsgalpha.commands import command_line

    for name, path in shipped().items():
        text = path.read_text(encoding="utf-8")
        h = re.search(r"^h = (\S+)$", text, re.MULTILINE)[1]
        short, count = re.subn(r"^t_end = \S+$", f"t_end = {STEPS * float(h)!r}", text, flags=re.MULTILINE)
        assert count == 1, name
        Path(f"{name}.toml").write_text(short, encoding="utf-8")
        with contextlib.redirect_stdout(io.StringIO()) as out:
            code = command_line.main(["run", f"{name}.toml", "-o", f"{name}.h5"])
        assert code == 0, f"{name}: {out.getvalue()}"


def throw_angle() -> None:
    """`nsgalpha verify throw_angle`."""
    from nsgalpha.commands import command_line

    with contextlib.redirect_stdout(io.StringIO()) as out:
        code = command_line.main(["verify", "throw_angle"])
    assert code == 0, out.getvalue()


def joints() -> None:
    """A slider-crank under a drive, where it must be."""
    import numpy as np

    import nsgalpha as ns
    from elements import Distance, Drive, Prismatic, Revolute

    model = ns.Model(gravity=(0, 0, -9.81))
    crank = model.add_body(mass=0.5, inertia=(1e-4, 1e-3, 1e-3), position=(0.05, 0, 0))
    piston = model.add_body(mass=2.0, inertia=2e-3, position=(0.4, 0, 0))
    shaft = model.add(Revolute(None, crank, point=(0, 0, 0), axis=(0, 1, 0)))
    model.add(Distance(crank, piston, points=((0.1, 0, 0), (0.4, 0, 0))))
    model.add(Prismatic(None, piston, point=(0.4, 0, 0), axis=(1, 0, 0)))
    model.add(Drive(shaft, rate=200.0))
    result = ns.simulate(model, t_end=2e-3, h=1e-4, assemble=True)
    angle, x = 200.0 * result.t, result.position[:, piston, 0]
    assert np.abs(x - 0.1 * np.cos(angle) - np.sqrt(0.09 - (0.1 * np.sin(angle)) ** 2)).max() < 1e-12


def contact_problems() -> None:
    """Contacts in two independent parts, stated alone: Signorini's and Coulomb's laws hold."""
    import numpy as np

    from nsgalpha.contact import ContactProblem, solve

    rng = np.random.default_rng(0)
    W, q = np.zeros((18, 18)), np.zeros(18)
    for part in (slice(0, 12), slice(12, 18)):
        G = rng.normal(size=(part.stop - part.start,) * 2)
        W[part, part], q[part] = G.T @ G, G.T @ rng.normal(size=len(G))
    solution = solve(ContactProblem(W, q, mu=np.full(6, 0.3)), tol=1e-10)
    assert solution.status.ok, solution.status
    assert solution.islands == 2
    r, u = solution.impulses, (W @ solution.impulses.ravel() + q).reshape(6, 3)
    assert (r[:, 0] >= -1e-9).all()
    assert np.abs(r[:, 0] * u[:, 0]).max() < 1e-8
    assert (np.linalg.norm(r[:, 1:], axis=1) <= 0.3 * r[:, 0] + 1e-9).all()


def solids() -> None:
    """A brick on a plane, explicit: the plane carries its weight."""
    import nsgalpha as ns
    from elements import CompliantSolidPlane, SpringDashpot

    model = ns.Model(gravity=(0, 0, -9.81))
    brick = model.add_box((0.2, 0.1, 0.06), mass=2.4, position=(0, 0, 0.03 - 2.4 * 9.81 * 4 / 2e5 / 4))
    floor = model.add_plane(normal=(0, 0, 1))
    model.add(CompliantSolidPlane(brick, floor, normal=SpringDashpot(stiffness=2e5, damping=200.0)))
    result = ns.simulate(model, t_end=0.02, h=5e-4, scheme=ns.VelocityVerlet())
    assert result.status.ok, result.status
    assert abs(result.position[-1, brick, 2] - 0.03) < 1e-3


def cells() -> None:
    """A cell between plates, without inertia."""
    import nsgalpha as ns
    from elements import SurfaceContact, add_cell, icosphere

    R, gamma = 5e-6, 1e-3
    model = ns.Model()
    shape = {"radius": R, "tension": gamma, "volume_stiffness": 2e5, "viscosity": 0.5, "thickness": 5e-7}
    cell = add_cell(model, icosphere(2), **shape)
    plate = model.add_plane(normal=(0, 0, 1), offset=-0.97 * R)
    model.add(SurfaceContact(cell.surface, planes=plate, stiffness=4e10, work=gamma, reach=0.02 * R))
    result = ns.simulate(model, t_end=5e-4, h=1e-4, scheme=ns.Overdamped(cell.drag(1e5)))
    assert result.status.ok, result.status


def periodic() -> None:
    """Momentum is kept when a ball leaves a periodic cell and meets the next one."""
    import nsgalpha as ns
    from elements import SphereSphere

    model = ns.Model(periodic=(1.0, None, None))
    one = model.add_sphere(radius=0.1, mass=1.0, position=(0.8, 0, 0), velocity=(1, 0, 0))
    two = model.add_sphere(radius=0.1, mass=1.0, position=(0.1, 0, 0))
    model.add(SphereSphere(among=model.spheres, e_n=1.0))
    result = ns.simulate(model, t_end=0.2, h=1e-3)
    assert abs(result.velocity[-1, one, 0]) + abs(result.velocity[-1, two, 0] - 1.0) < 1e-9


def tables_and_pictures() -> None:
    """A result as tables, as a picture, and a page."""
    import matplotlib

    matplotlib.use("Agg")
    import nsgalpha as ns
    from nsgalpha import show

    result = ns.load("cradle.h5")
    assert len(result.to_pandas())
    assert len(result.to_xarray())
    show.speeds(result).savefig("speeds.png")
    show.overview(result).savefig("overview.png")
    show.viewer(result, "page.html")


PARTS: dict[str, Callable[..., None]] = {
    "schema": schema,
    "ten lines": readme,
    "shipped cases": shipped,
    "throw_angle": throw_angle,
    "joints": joints,
    "contact problems": contact_problems,
    "solids, explicit": solids,
    "cells": cells,
    "periodic": periodic,
    "tables, pictures": tables_and_pictures,
}


def main() -> int:
    """Try all parts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("readme", type=Path)
    parser.add_argument("--errors", action="store_true")
    given = parser.parse_args()
    text = given.readme.read_text(encoding="utf-8")
    print(sys.version.split()[0], *(version(name) for name in ("numba", "numpy", "scipy")), flush=True)
    failed = 0
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for name, part in PARTS.items():
            begun, word = time.perf_counter(), "ok"
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("error" if given.errors else "default")
                    part(*([text] if part is readme else []))
            except BaseException:
                traceback.print_exc()
                failed, word = 1, "FAILED"
            print(word, f"{time.perf_counter() - begun:.0f}", name, flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
