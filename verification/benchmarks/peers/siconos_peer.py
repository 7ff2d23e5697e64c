"""Siconos: nonsmooth Gauss-Seidel on Moreau's time stepping, contacts found by Bullet."""

import math
import tempfile
from importlib.metadata import version
from pathlib import Path
from time import process_time

import numpy as np
import siconos.io.mechanics_run as mechanics
import siconos.kernel as kernel
import siconos.numerics as numerics

SWEEPS = 1000  # at most
THICKNESS = 10.0  # of the walls, in widths of a sphere: half a box is no plane


def wall(io, name, normal, offset, size):
    """A box whose face is the plane `normal . x = offset`; `size` is its extent [m]."""
    axis = int(np.argmax(np.abs(normal)))
    centre = np.array(normal) * (offset - 0.5 * size)
    io.add_primitive_shape(name, "Box", [10.0 * size if i != axis else size for i in range(3)])
    io.add_object(name, [mechanics.Contactor(name)], translation=centre.tolist())


def balls(scene):
    """Spheres between planes."""
    begun, h, marks = process_time(), scene["h"], []
    surface = scene["law"]
    ends = [round(t / h) for t in scene["times"]]
    with tempfile.TemporaryDirectory() as folder:
        name = str(Path(folder) / "scene.hdf5")
        with mechanics.MechanicsHdf5Runner(io_filename=name, mode="w") as io:
            size = THICKNESS * max(scene["radius"])
            for k, (normal, offset) in enumerate(scene["planes"]):
                wall(io, f"wall {k}", normal, offset, size)
            each = zip(scene["radius"], scene["mass"], scene["position"], strict=True)
            for k, (radius, mass, place) in enumerate(each):
                io.add_primitive_shape(f"sphere {k}", "Sphere", (radius,))
                io.add_object(
                    f"body {k}",
                    [mechanics.Contactor(f"sphere {k}")],
                    translation=place,
                    velocity=[0.0] * 6,
                    mass=mass,
                    inertia=[0.4 * mass * radius**2] * 3,
                )
            io.add_Newton_impact_friction_nsl("contact", mu=surface["mu"], e=surface["e"])
        options = kernel.solver_options_create(numerics.SICONOS_FRICTION_3D_NSGS)
        options.iparam[numerics.SICONOS_IPARAM_MAX_ITER] = SWEEPS
        options.dparam[numerics.SICONOS_DPARAM_TOL] = scene["tolerance"]
        bullet = mechanics.SiconosBulletOptions()
        bullet.worldScale = 1.0 / max(scene["radius"])
        with mechanics.MechanicsHdf5Runner(io_filename=name, mode="r+") as io:
            start = process_time() - begun
            io.run(
                t0=0.0,
                T=ends[-1] * h,
                h=h,
                theta=0.5,
                Newton_options=kernel.SICONOS_TS_LINEAR,
                Newton_max_iter=1,
                gravity_scale=1.0,
                bullet_options=bullet,
                solver_options=options,
                set_external_forces=lambda body: body.setFExtPtr(
                    [0.0, 0.0, -scene["gravity"] * body.scalarMass()]
                ),
                output_frequency=math.gcd(*ends),
                verbose=False,
                verbose_progress=False,
                start_run_iteration_hook=lambda _: marks.append(process_time()),
            )
            marks.append(process_time())
            motion = [
                [_at(data, end * h, len(scene["mass"])) for end in ends]
                for data in (io.dynamic_data(), io.velocities_data())
            ]
    steps = np.diff(marks)
    seconds = [float(part.sum()) for part in np.split(steps, ends[:-1])]
    found = {"version": version("siconos"), "start": start, "seconds": seconds, "steps": steps.tolist()}
    return {**found, "position": motion[0], "velocity": motion[1]}


def _at(rows, t, count):
    """First three columns (N, 3) of the bodies at the time `t` [s]."""
    rows = np.asarray(rows)
    nearest = rows[np.abs(rows[:, 0] - t) == np.abs(rows[:, 0] - t).min()]
    bodies = nearest[nearest[:, 1] > 0]  # walls have negative numbers
    return bodies[np.argsort(bodies[:, 1])][:count, 2:5].tolist()
