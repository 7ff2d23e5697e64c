"""LIGGGHTS, a program on the path: springs and dashpots, linear, with the history of friction."""

import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
from lammps_peer import walls  # type: ignore[import-not-found]  # beside this file
from run_peer import peak  # type: ignore[import-not-found]

MODEL = "model hooke/stiffness tangential history"


def balls(scene):
    """Velocity Verlet, in its own scheme: forces at the velocities of the half step."""
    program = shutil.which("liggghts")
    if program is None:
        raise SystemExit("liggghts is not on the path")
    with tempfile.TemporaryDirectory() as folder:
        return _run(program, scene, Path(folder))


def _run(program, scene, folder):
    at, radius, mass = (np.array(scene[name]) for name in ("position", "radius", "mass"))
    size, density = 2.0 * radius, mass / (4.0 / 3.0 * np.pi * radius**3)
    low, high = at.min(axis=0) - 3.0 * size.max(), at.max(axis=0) + 5.0 * size.max()
    box = "\n".join(f"{a} {b} {c}lo {c}hi" for a, b, c in zip(low, high, "xyz", strict=True))
    rows = np.column_stack([np.arange(1, len(at) + 1), np.ones(len(at)), size, density, at])
    atoms = "\n".join(f"{i:.0f} {k:.0f} {d:.17g} {rest}" for i, k, d, rest in _texts(rows))
    text = f"balls\n\n{len(at)} atoms\n1 atom types\n\n{box}\n\nAtoms\n\n{atoms}\n"
    (folder / "balls.data").write_text(text, encoding="utf-8")
    law = scene["law"]
    numbers = {"kn": law["stiffness"], "kt": law["tangential_stiffness"]}
    numbers |= {"gamman": 2.0 * law["damping"] / mass[0], "gammat": 2.0 * law["tangential_damping"] / mass[0]}
    commands = [
        *("units si", "atom_style granular", "boundary f f f", "newton off", "communicate single vel yes"),
        "read_data balls.data",
        f"neighbor {0.1 * size.max()} bin",
        "neigh_modify delay 0",
        *(f"fix {k} all property/global {k} peratomtypepair 1 {value}" for k, value in numbers.items()),
        f"fix mu all property/global coefficientFriction peratomtypepair 1 {law['mu']}",
        *(f"pair_style gran {MODEL}", "pair_coeff * *"),
    ]
    for k, (axis, offsets) in enumerate(walls(scene["planes"])):
        at_wall = offsets.replace("NULL", "").strip()
        commands.append(f"fix w{k} all wall/gran {MODEL} primitive type 1 {axis}plane {at_wall}")
    commands += [f"fix g all gravity {scene['gravity']} vector 0 0 -1", "fix n all nve/sphere"]
    commands += [f"timestep {scene['h']}", "run 0"]
    command, pipe = ["stdbuf", "-oL", program, "-log", "none"], subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, cwd=folder) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        clock = (~process.pid << 3) | 2  # of its processor time, see clock_getcpuclockid(3)
        version = process.stdout.readline().strip().split(",")[0].removeprefix("LIGGGHTS (Version ")
        _do(process, commands)
        seconds, before = [time.clock_gettime(clock)], 0.0
        for k, t in enumerate(scene["times"]):
            _do(process, [f"run {round((t - before) / scene['h'])}"])
            seconds.append(time.clock_gettime(clock))
            before = t
            columns = '"%d' + 6 * " %.17g" + '"'
            _do(process, [f"write_dump all custom {k}.dump id x y z vx vy vz modify format {columns}"])
        memory = peak(process.pid)
        process.stdin.close()
    motion = [np.loadtxt(folder / f"{k}.dump", skiprows=9) for k in range(len(scene["times"]))]
    motion = [rows[np.argsort(rows[:, 0])] for rows in motion]
    places, velocities = ([rows[:, part].tolist() for rows in motion] for part in (slice(1, 4), slice(4, 7)))
    found = {"version": version, "memory": memory, "start": seconds[0], "seconds": np.diff(seconds).tolist()}
    return {**found, "position": places, "velocity": velocities}


def _texts(rows):
    for i, kind, diameter, *rest in rows.tolist():
        yield i, kind, diameter, " ".join(f"{value:.17g}" for value in rest)


def _do(process, commands):
    """Let the program do the `commands`, and wait for their end."""
    process.stdin.write("\n".join([*commands, 'print "it is done"', ""]))
    process.stdin.flush()
    last = ""
    for line in process.stdout:
        if line.strip() == "it is done":
            return
        last = line.strip() or last
    raise SystemExit(last)
