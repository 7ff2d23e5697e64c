"""A box of spheres in Siconos, run by its interpreter; see peer.py.

    siconos_pile.py SCENE ANSWER        two JSON files: the scene, and the times and ends of its steps

Nonsmooth Gauss-Seidel on Moreau's time stepping, contacts found by Bullet.
"""

import json
import sys
import tempfile
from pathlib import Path
from time import perf_counter

import numpy as np
import siconos.io.mechanics_run as mechanics
import siconos.kernel as kernel
import siconos.numerics as numerics

THICKNESS = 10.0  # of the walls, in widths of a sphere: half a box is no plane


def wall(io, name, normal, offset, size):
    """A box whose face is the plane `normal . x = offset`; `size` is its extent [m]."""
    axis = int(np.argmax(np.abs(normal)))
    centre = np.array(normal) * (offset - 0.5 * size)
    io.add_primitive_shape(name, "Box", [10.0 * size if i != axis else size for i in range(3)])
    io.add_object(name, [mechanics.Contactor(name)], translation=centre.tolist())


def main() -> None:
    """Run the scene of the first file, write the second."""
    scene = json.loads(Path(sys.argv[1]).read_text())
    gravity, marks = scene["gravity"], []
    with tempfile.TemporaryDirectory() as folder:
        name = str(Path(folder) / "scene.hdf5")
        with mechanics.MechanicsHdf5Runner(io_filename=name, mode="w") as io:
            size = THICKNESS * max(scene["radius"])
            for k, (normal, offset) in enumerate(scene["planes"]):
                wall(io, f"wall {k}", normal, offset, size)
            for k, (radius, mass, x) in enumerate(
                zip(scene["radius"], scene["mass"], scene["position"], strict=True)
            ):
                io.add_primitive_shape(f"sphere {k}", "Sphere", (radius,))
                io.add_object(
                    f"body {k}",
                    [mechanics.Contactor(f"sphere {k}")],
                    translation=x,
                    velocity=[0.0] * 6,
                    mass=mass,
                    inertia=[0.4 * mass * radius**2] * 3,
                )
            io.add_Newton_impact_friction_nsl("contact", mu=scene["mu"], e=0.0)
        options = kernel.solver_options_create(numerics.SICONOS_FRICTION_3D_NSGS)
        options.iparam[numerics.SICONOS_IPARAM_MAX_ITER] = scene["sweeps"]
        options.dparam[numerics.SICONOS_DPARAM_TOL] = scene["tolerance"]
        bullet = mechanics.SiconosBulletOptions()
        bullet.worldScale = 1.0 / max(scene["radius"])
        with mechanics.MechanicsHdf5Runner(io_filename=name, mode="r+") as io:
            io.run(
                t0=0.0,
                T=scene["steps"] * scene["h"],
                h=scene["h"],
                theta=0.5,
                Newton_options=kernel.SICONOS_TS_LINEAR,
                Newton_max_iter=1,
                gravity_scale=1.0,
                bullet_options=bullet,
                solver_options=options,
                set_external_forces=lambda body: body.setFExtPtr([0.0, 0.0, -gravity * body.scalarMass()]),
                output_frequency=scene["steps"],
                verbose=False,
                verbose_progress=False,
                start_run_iteration_hook=lambda _: marks.append(perf_counter()),
            )
    times = np.diff([*marks, perf_counter()])
    Path(sys.argv[2]).write_text(json.dumps({"milliseconds": (1e3 * times).tolist()}))


if __name__ == "__main__":
    main()
